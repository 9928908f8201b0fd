"""Which columns of a table hold the times and the values."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gpforecast.cli.files.calendar_columns import dated_together, parts_of_dates
from gpforecast.cli.files.dates import CALENDAR, holds_dates, serial_of
from gpforecast.cli.files.numbers import is_missing, is_number, mostly_numbers, unit_of
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column, Table, joined
from gpforecast.common.wording import similar

COUNT = "or pass --count to number the rows instead"
_FISCAL = re.compile(r"\bFY\W?\d", re.IGNORECASE)
_TOGETHER = 0.95  # of the rows, at least, have a day and a clock time of their own
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?(\s*[AaPp]\.?[Mm]\.?)?")
_SAMPLE = 200  # cells that are enough to see whether a column holds numbers


def with_times_joined(table: Table, options: FileOptions) -> tuple[Table, FileOptions]:
    """Make one column of those that say together when, and let the options name it.

    They are those that ``--time Date,Time`` names, the days and clock times of a table that has one
    column of each and several rows a day, or columns of years and months by their names where no
    other column holds dates.
    """
    if options.time is not None:
        named = columns_named(table, [options.time], "--time")
    else:
        named = [] if options.count else _date_and_clock(table, options)
    if len(named) == 1 or (options.count and not named):
        return table, options
    parts = named or [*parts_of_dates(table.columns, options.value)]
    if not named and any(all(column is not part for part in parts) for column in _dated(table)):
        return table, options
    one = None if options.date_format is not None else dated_together(parts)
    if one is None and not named:
        return table, options
    one = one or joined(parts)
    others = tuple(column for column in table.columns if all(column is not p for p in parts))
    return replace(table, columns=(one, *others)), replace(options, time=one.name)


def _date_and_clock(table: Table, options: FileOptions) -> list[Column]:
    """Return the one column of days, most of which come again, and the one of clock times.

    Only together they are times that hardly ever come again.
    """
    if options.date_format is not None or options.duplicates is not None:
        return []
    others = [column for column in table.columns if column.name != options.value]
    days = [c for c in _dated(table) if c in others and not any(":" in t for t in c.texts(_SAMPLE))]
    clocks = [c for c in others if all(map(_CLOCK.fullmatch, c.texts(_SAMPLE)))]
    if len(days) != 1 or len(clocks) != 1:
        return []
    n, both = len(days[0].cells), {*zip(days[0].texts(), clocks[0].texts(), strict=True)}
    several = 2 * len({*days[0].texts()}) <= n and len(both) >= _TOGETHER * n
    return [*days, *clocks] if several else []


def columns_named(table: Table, names: Sequence[str], option: str) -> list[Column]:
    """Return the columns that an option names, one or, with commas between them, several."""
    whole = {column.name for column in table.columns}
    parts = [[name] if name in whole else name.split(",") for name in names]
    return [_column(table, part.strip(), option) for several in parts for part in several]


def _column(table: Table, name: str, option: str) -> Column:
    """Return the column of a name, or of a number if there is no such name."""
    found = [column for column in table.columns if column.name == name]
    if len(found) > 1:
        numbers = [str(i) for i, c in enumerate(table.columns, 1) if c.name == name]
        raise ValueError(
            f"{option}: {table.source} has {len(found)} columns {name!r}; pass the number of one, "
            f"{' or '.join(numbers)}."
        )
    if found:
        return found[0]
    if name.isdigit() and 1 <= int(name) <= len(table.columns):
        return table.columns[int(name) - 1]
    near = similar(name, [column.name for column in table.columns])
    meant = f" Did you mean {near!r}?" if near else ""
    raise ValueError(
        f"{option}: {table.source} has no column {name!r}; it has {table.names}.{meant}"
    )


def time_column(table: Table, options: FileOptions) -> Column | None:
    """Return the column of times: the one that is named, or the only one that holds dates."""
    if options.time is not None:
        return _column(table, options.time, "--time")
    if options.count:
        return None
    inputs = columns_named(table, options.exog, "--exog")
    all_dated = [c for c in _dated(table) if c.name != options.value]
    # The only dates are the times, even if --exog names them: that is refused in its own words.
    dated = [c for c in all_dated if c not in inputs] or all_dated
    if len(dated) > 1:
        names = ", ".join(repr(column.name) for column in dated)
        raise ValueError(
            f"--time must name the column of times; {table.source} has dates in {names}. Or pass "
            f"--count to number the rows."
        )
    if not dated and (option := _about_times(options)):
        raise ValueError(
            f"--time must name the column of times, as {option} is given; {table.source} has "
            f"{table.names}."
        )
    return dated[0] if dated else None


def _dated(table: Table) -> list[Column]:
    """Return the columns that hold dates."""
    shown = [column for i, column in enumerate(table.columns) if not counts_rows(column, i)]
    first = shown[0] if len(shown) > 1 else None
    return [column for column in table.columns if holds_dates(column, leads=column is first)]


def check_labels(table: Table, values: Column) -> None:
    """Refuse to number rows that have a label each, which may say when they were.

    Labels stand left of the values; right of them are comments, unless their name says when.
    """
    place = next(i for i, column in enumerate(table.columns) if column is values)
    for i, column in enumerate(table.columns):
        texts, named = column.texts(), column.name.casefold() in CALENDAR
        once, numeric = len({*texts}) == len(texts), all(map(is_number, texts))
        labels = i < place and once and len(texts) > 2 and any(c.isdigit() for c in texts[0])
        labels = labels and (not numeric or serial_of(column) == "unix")
        if column is values or not (labels or (named and len({*texts}) > 1)):
            continue
        why = "" if numeric else ", and cannot be read"
        if any(map(_FISCAL.search, texts)):
            why += ": it does not say in which month the fiscal year begins"
        use = f"pass --time {column.name!r} with its --date-format, "
        if numeric:
            use = f"pass --time {column.name!r} to use these numbers as times, " if once else ""
        raise ValueError(
            f"--time: {column.place(0)} may say when the values were{why}; {use}write dates as "
            f"2019-12-31 in one column, name all that say it, as in --time Year,Month, {COUNT}."
        )


def _about_times(options: FileOptions) -> str:
    """Return an option that needs a column of times, if one is given."""
    given = {
        "--date-format": options.date_format is not None,
        "--dayfirst": options.dayfirst is not None,
        "--timezone": options.timezone is not None,
        "--sort": options.sort,
        "--duplicates": options.duplicates is not None,
    }
    return next((option for option, is_given in given.items() if is_given), "")


def value_column(table: Table, times: Column | None, options: FileOptions) -> Column:
    """Return the column to forecast: the one that is named, or the only one that holds numbers."""
    if options.value is not None:
        named = _column(table, options.value, "--value")
        if named is times:
            raise ValueError(
                f"--value and --time must be two columns; got {named.name!r} for both."
            )
        if not _mostly_numbers(named, options) and not unit_of(named, options):
            raise ValueError(
                f"--value: {named.place(0)} is no number, nor are most of its column; name another "
                f"of the columns {table.names}."
            )
        return named
    other = [*_dated(table), *columns_named(table, options.exog, "--exog")]
    left = [
        column
        for i, column in enumerate(table.columns)
        if column is not times and not counts_rows(column, i) and column not in other
    ]
    numeric = [column for column in left if _mostly_numbers(column, options)]
    numeric = numeric or [column for column in left if unit_of(column, options)]
    # An empty column is the one to forecast only if there is no other, and refused then.
    numeric = [c for c in numeric if not _is_empty(c, options)] or numeric
    others = [column for column in table.columns if column is not times]
    if not numeric and len(others) == 1 < len(table.columns):
        return others[0]  # to say which of its cells is no number
    if len(numeric) != 1:
        why = f"{len(numeric)} hold numbers" if numeric else "none holds numbers"
        if len(table.columns) == 1:
            why = "pass --sep if something else is between its fields"
        raise ValueError(
            f"--value must name the column to forecast; {table.source} has {table.names}; {why}."
        )
    return numeric[0]


def _is_empty(column: Column, options: FileOptions) -> bool:
    return all(is_missing(text, options) for text in column.texts())


def _mostly_numbers(column: Column, options: FileOptions) -> bool:
    return mostly_numbers(column.texts(_SAMPLE), options)


def counts_rows(column: Column, i: int) -> bool:
    """Whether a column without a name counts the rows, as an index that was written with them."""
    texts = column.texts()
    if column.name not in (str(i + 1), "Unnamed: 0", "#") or not all(map(str.isdigit, texts)):
        return False
    return bool((np.diff([int(text) for text in texts]) == 1).all()) and len(texts) > 1
