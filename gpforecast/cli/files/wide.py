"""Tables with a row for each year and a column for each month or quarter, as one series."""

import re
from dataclasses import replace
from datetime import datetime

from gpforecast.cli.files.date_forms import month_of, quarter_of
from gpforecast.cli.files.layout import check_totals
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column, Table

_YEAR = re.compile(r"(1[6-9]|20|21|22)\d\d")


def row_by_row(table: Table, options: FileOptions) -> tuple[Table, FileOptions]:
    """Return a table of years and months as one of times and values, and any other as it is.

    It is left as it is, too, if the user names a column of values.

    Raises
    ------
    ValueError
        If there is a column for each month, and no column with each year once.
    """
    block, what = _block(table)
    if options.value is not None:
        return table, options
    if not block:
        _check_months(table)
        return table, options
    columns, first = table.columns, table.columns.index(block[0])
    before = [c for c in columns[:first] if len({*c.texts()}) > 1 or _holds_years(c)]
    if len(before) > 1:  # an index, or the names of several series
        before = [c for i, c in enumerate(before) if not _counts(c, i)]
    for column in before:
        check_totals(column)
    if len(before) != 1 or not _holds_years(before[0]):
        raise ValueError(
            f"{table.source} has a column for each {what}, {block[0].name!r} to "
            f"{block[-1].name!r}, which are one series if the rows are years; it must then have "
            f"one column before them, with every year once. Keep the rows of one series, or write "
            f"the times one below the other."
        )
    long = _long(table, before[0], block)
    options = replace(options, time=None) if options.time == before[0].name else options
    return long, options


def _block(table: Table) -> tuple[tuple[Column, ...], str]:
    """Return the columns of the months, or else of the quarters, in their order."""
    for what, number_of, n in (("month", month_of, 12), ("quarter", quarter_of, 4)):
        numbers = [number_of(column.name) for column in table.columns]
        for i in range(1, len(numbers) - n + 1):
            beyond = table.columns[i + n].name if i + n < len(numbers) else ""
            if numbers[i : i + n] == [*range(1, n + 1)] and beyond != "13":  # hours or days
                return table.columns[i : i + n], what
    return (), ""


def _check_months(table: Table) -> None:
    """Refuse columns of other months than January to December, each of which is no series."""
    months = [c.name for c in table.columns if month_of(c.name) and not c.name.isdigit()]
    if len(months) > max(2, len(table.columns) / 2):
        raise ValueError(
            f"{table.source} must have its times one below the other, or a row for each year and "
            f"columns from January to December; got columns {', '.join(map(repr, months))}. Write "
            f"each month in a row of its own."
        )


def _holds_years(column: Column) -> bool:
    texts = column.texts()
    return len({*texts}) == len(texts) and all(map(_YEAR.fullmatch, texts))


def _counts(column: Column, i: int) -> bool:
    """Whether a column counts the rows."""
    return i == 0 and column.texts() in (
        [str(k + start) for k in range(len(column.cells))] for start in (0, 1)
    )


def _long(table: Table, years: Column, block: tuple[Column, ...]) -> Table:
    """Return the cells of a block one below the other, from its first value on."""
    step = 12 // len(block)
    cells = sorted(
        (datetime(int(year), 1 + step * k, 1), column.cells[i], years.places[i])
        for i, year in enumerate(years.texts())
        for k, column in enumerate(block)
    )  # the times differ, so that cells are not compared
    start = next((i for i, (_, cell, _) in enumerate(cells) if str(cell).strip()), 0)
    times, values, places = zip(*cells[start:], strict=True)
    when, value = (
        replace(years, name=name, cells=found, places=places)
        for name, found in ((years.name, times), ("value", values))
    )
    unit = {12: "month", 4: "quarter"}[len(block)]
    said = f"{block[0].name!r} to {block[-1].name!r} of each row are its {unit}s"
    left = [c.name for c in table.columns if c is not years and c not in block]
    more = (f"left out: {', '.join(map(repr, left))}",) if left else ()
    return Table((when, value), table.source, places, (*table.said, said, *more))
