"""From a file to a series: which columns, in which order, and what was detected."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.cli.files.contents import contents, decoded, label
from gpforecast.cli.files.dates import CALENDAR, holds_dates, serial_of, times_of
from gpforecast.cli.files.layout import check_totals, table_of_text
from gpforecast.cli.files.numbers import is_missing, is_number, numbers_of, unit_of
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.spreadsheets import (
    is_parquet,
    is_sheet,
    table_of_parquet,
    table_of_sheet,
)
from gpforecast.cli.files.table import Column, Table, joined, written
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import counted
from gpforecast.series.time_axis import TimeAxis

_HOUR = pd.Timedelta(1, unit="h")
_SAMPLE = 200  # cells that are enough to see whether a column holds numbers
_COUNT = "or pass --count to number the rows instead"


@dataclass(frozen=True)
class Reading:
    """A series from a file, and what was detected on the way, in one line.

    Attributes
    ----------
    series : Series
        Float values on the times of the file, or on 0, 1, 2, ...
    said : str
    """

    series: "pd.Series[float]"
    said: str


def read_series(path: str, options: FileOptions) -> Reading:
    """Read a column of a file as a series.

    Parameters
    ----------
    path : str
        A file of text, Excel or Parquet, which may be packed by gzip, bzip2 or xz; ``-`` for the
        standard input.
    options : FileOptions

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        If the file cannot be read, or in more than one way, with the option that helps.
    """
    table, options = _with_times_joined(_table(path, options), options)
    times = _time_column(table, options)
    column = _value_column(table, times, options)
    for described in filter(None, (times, table.columns[0])):
        check_totals(described)
    if times is None and not options.count:
        _check_labels(table, column)
    values, said = numbers_of(column, options)
    name = f"{column.name!r} of {table.source}"
    if times is None:
        series = pd.Series(values, name=column.name)
        by, span = "by row", counted(len(series), "value")
    else:
        try:
            index, how = times_of(times, options)
            series, order = _in_order(values, index, times, options, _apart(table, times, column))
            _check_regular(series.index, times)
        except ValueError as error:
            otherwise = "" if options.time is not None else f"; {_COUNT}"
            raise ValueError(f"{str(error).removesuffix('.')}{otherwise}.") from None
        said = [*said, *how, *order]
        by = f"by {times.name!r}"
        first, last = (str(label).removesuffix(" 00:00:00") for label in series.index[[0, -1]])
        span = f"{counted(len(series), 'value')} from {first} to {last}"
    told = ", ".join([*table.said, *said])
    return Reading(series.rename(column.name), f"read {name} {by}: {span} ({told})")


def _table(path: str, options: FileOptions) -> Table:
    data, source = contents(path), label(path)
    if is_sheet(data):
        return table_of_sheet(data, source, options)
    if options.sheet is not None:
        raise ValueError(
            f"--sheet names a sheet of a spreadsheet, and {source} is none; leave --sheet out."
        )
    if is_parquet(data):
        return table_of_parquet(data, source)
    text, encoding = decoded(data, options.encoding, source)
    table = table_of_text(text, source, options)
    return Table(table.columns, source, table.places, (encoding, *table.said))


def _with_times_joined(table: Table, options: FileOptions) -> tuple[Table, FileOptions]:
    """Make one column of those that ``--time Date,Time`` names, and let the options name it."""
    name = options.time or ""
    if "," not in name or any(column.name == name for column in table.columns):
        return table, options
    parts = [_column(table, part.strip(), "--time") for part in name.split(",")]
    one = joined(parts)
    others = tuple(column for column in table.columns if all(column is not p for p in parts))
    return replace(table, columns=(one, *others)), replace(options, time=one.name)


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
    raise ValueError(f"{option}: {table.source} has no column {name!r}; it has {table.names}.")


def _time_column(table: Table, options: FileOptions) -> Column | None:
    """Return the column of times: the one that is named, or the only one that holds dates."""
    if options.time is not None:
        return _column(table, options.time, "--time")
    if options.count:
        return None
    dated = [column for column in _dated(table) if column.name != options.value]
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
    shown = [column for i, column in enumerate(table.columns) if not _counts_rows(column, i)]
    first = shown[0] if len(shown) > 1 else None
    return [column for column in table.columns if holds_dates(column, leads=column is first)]


def _check_labels(table: Table, values: Column) -> None:
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
        use = f"pass --time {column.name!r} with its --date-format, "
        if numeric:
            use = f"pass --time {column.name!r} to use these numbers as times, " if once else ""
        raise ValueError(
            f"--time: {column.place(0)} may say when the values were{why}; {use}write dates as "
            f"2019-12-31 in one column, name all that say it, as in --time Year,Month, {_COUNT}."
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


def _value_column(table: Table, times: Column | None, options: FileOptions) -> Column:
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
    dated = _dated(table)
    left = [
        column
        for i, column in enumerate(table.columns)
        if column is not times and not _counts_rows(column, i) and column not in dated
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
    texts = [text for text in column.texts(_SAMPLE) if not is_missing(text, options)]
    return 2 * sum(map(is_number, texts)) > len(texts) or not texts


def _counts_rows(column: Column, i: int) -> bool:
    """Whether a column without a name counts the rows, as an index that was written with them."""
    texts = column.texts()
    if column.name not in (str(i + 1), "Unnamed: 0") or not all(map(str.isdigit, texts)):
        return False
    return bool((np.diff([int(text) for text in texts]) == 1).all()) and len(texts) > 1


def _in_order(
    values: FloatArray, index: Index, times: Column, options: FileOptions, apart: str
) -> tuple["pd.Series[float]", list[str]]:
    """Bring values in the order of their times, each of which must occur once."""
    series, said = pd.Series(values, index=index), []
    if len(index) > 1 and index.is_monotonic_decreasing and index[0] != index[-1]:
        series, said = series.iloc[::-1], ["newest first, turned round"]
    elif not index.is_monotonic_increasing:
        if not options.sort:
            i = int(np.argmax(np.asarray(index[1:] < index[:-1]))) + 1
            raise ValueError(
                f"--time: {times.place(i)} is earlier than the row before it; pass --sort to bring "
                f"the rows in order"
            )
        series, said = series.sort_index(kind="stable"), ["sorted"]
    twice = np.asarray(series.index.duplicated())
    if not twice.any():
        return series, said
    if options.duplicates is None:
        i = int(np.argmax(np.asarray(index.duplicated())))
        clocks = "" if ":" not in written(times.cells[i]) else ", or --timezone if clocks went back"
        raise ValueError(
            f"--time: {times.place(i)} has come before ({counted(int(twice.sum()), 'such row')}); "
            f"pass --duplicates mean, sum, first or last{clocks}{apart}"
        )
    groups = series.groupby(level=0)
    one = {
        "mean": groups.mean,
        "sum": lambda: groups.sum(min_count=1),
        "first": groups.first,
        "last": groups.last,
    }[options.duplicates]()
    same = counted(int(twice.sum()), "duplicated time")
    return one, [*said, f"{same}, {options.duplicates} taken"]


def _apart(table: Table, times: Column, values: Column) -> str:
    """Say which column tells rows of the same time apart: a clock, or the names of series."""
    for column in table.columns:
        texts = column.texts()
        once = len({*zip(times.texts(), texts, strict=True)}) == len(texts)
        if column is values or column is times or not once:
            continue
        if ":" in texts[0] or 2 * len({*texts}) <= len(texts):
            both = f"{times.name},{column.name}"
            return (
                f"; or, as {column.name!r} tells them apart, pass --time {both!r} if both say "
                f"when, or keep the rows of one series"
            )
    return ""


def _check_regular(index: Index, times: Column) -> None:
    """Refuse times without one step, in words of the file."""
    try:
        TimeAxis.of(index, fill=True)
    except (ValueError, TypeError):
        steps = pd.Series(index[1:] - index[:-1])
        if len(steps) < 2:
            raise ValueError(
                f"--time: column {times.name!r} of {times.source} must have at least 3 times; got "
                f"{len(index)}"
            ) from None
        usual = steps.mode().iloc[0]
        odd = int((steps != usual).to_numpy().argmax())
        hour = getattr(index, "tz", None) is not None and abs(steps.iloc[odd] - usual) == _HOUR
        clocks = ", or pass --timezone, such as Europe/Paris, if clocks changed there"
        raise ValueError(
            f"--time: column {times.name!r} of {times.source} must have one step from row to row; "
            f"got {usual} most often, and {steps.iloc[odd]} from {index[odd]} to {index[odd + 1]}; "
            f"bring the rows to one step first{clocks if hour else ''}"
        ) from None
