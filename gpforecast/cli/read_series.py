"""From a table to a series: which columns, in which order, with which inputs."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from shlex import quote

import numpy as np
import pandas as pd

from gpforecast.cli.amounts import is_missing, is_number, mostly_numbers, read_numbers
from gpforecast.cli.dates import form_of, holds_dates, month_of, times_of
from gpforecast.cli.options import FileOptions
from gpforecast.cli.read_file import read_table
from gpforecast.cli.table import Column, Table, joined
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import counted
from gpforecast.common.wording import listed
from gpforecast.series.coarser import on_open_days
from gpforecast.series.time_axis import TimeAxis

_FEWEST = 3  # times that show a step
_COUNT = "or pass --count to number the rows instead"


@dataclass(frozen=True)
class Reading:
    """A series and its inputs from a file, and what was detected on the way, in one line.

    Attributes
    ----------
    series : Series
        Float values on the times of the file, or on 0, 1, 2, ...
    detected : str
    exog : DataFrame, optional
        The inputs at the times of the series and those after it, if some are named.
    sep, decimal : str
        The delimiter of the file and the decimal mark of its numbers; empty if it has none.
    currency : str
        The sign or code of all values, if they have one.
    form : str
        In which the file has its dates, such as ``%Y-%m``; empty if it has no dates, or clocks.
    """

    series: "pd.Series[float]"
    detected: str
    exog: pd.DataFrame | None = None
    sep: str = ""
    decimal: str = ""
    currency: str = ""
    form: str = ""


def read_series(path: str, options: FileOptions) -> Reading:
    """Read a column of a file as a series, and others as its inputs.

    Parameters
    ----------
    path : str
        A file of text, Excel or Parquet, which may be packed by gzip; ``-`` for the standard
        input.
    options : FileOptions

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        If the file cannot be read, or in more than one way, with the option that helps.
    """
    table = read_table(path, options)
    table = table if options.value is not None or options.count else _row_by_row(table)
    inputs = table.named(options.exog, "--exog")
    dated = _time_columns(table, inputs, options)
    times = joined(dated) if len(dated) > 1 else next(iter(dated), None)
    column = _value_column(table, [*dated, *inputs], options)
    used = [*dated, *inputs, column]
    if len({one.name for one in used}) < len(used):
        raise ValueError(
            f"--value, --time and --exog must name different columns; got "
            f"{', '.join(repr(one.name) for one in used)}. Name each once."
        )
    left = [one for i, one in enumerate(table.columns) if one not in used and not _counts(one, i)]
    if times is None and not options.count:
        _check_labels(table, left, column)
    points = times is not None and re.match(r"[0-9]{1,2}\.[0-9]", times.texts[0])
    numbers = read_numbers(column, options, "" if points else table.sep)
    detected = [*table.detected, *numbers.detected]
    index: Index = pd.RangeIndex(len(numbers.values))
    series = pd.Series(numbers.values, index)
    if times is not None:
        try:
            index, how = times_of(times, options)
            series, order = _in_order(series.set_axis(index), times, options)
            _check_regular(series.index, times)
        except ValueError as error:
            meant = next((one.name for one in left if options.time and holds_dates(one)), None)
            if meant is None:
                raise
            raise ValueError(f"{error} Did you mean --time {quote(meant)}?") from None
        detected += how + order
    frame = {one.name: _input(one, index, times, options, table.sep) for one in inputs}
    exog = pd.DataFrame(frame) if inputs else None
    end = int(np.flatnonzero(series.index.isin(index[np.array(column.texts) != ""]))[-1]) + 1
    left_out = len(series) - end
    series, exog, closed = on_open_days(series.iloc[:end], exog)
    if absent := int(series.isna().sum()):
        detected.append(f"{absent} missing")
    if exog is not None:
        later = int(exog.iloc[len(series) :].notna().all(axis=1).cumprod().sum())
        known = f", known for {counted(later, 'row')} more" if later else ""
        detected.append(f"with {', '.join(map(repr, exog.columns))}{known}")
    elif left_out:
        detected.append(f"{counted(left_out, 'time')} without a value at the end left out")
    detected += [note.partition(":")[0] for note in closed]
    if unused := [repr(one.name) for one in left if any(one.texts)]:
        detected.append(f"not used: {listed(unused, 4)} (--exog takes inputs)")
    by, span = "row", counted(len(series), "value")
    if times is not None:
        nameless = times.name.isdigit()  # it is known by its place
        by = f"column {times.name}" if nameless else repr(times.name)
        series = series.rename_axis("time" if nameless else times.name)
        first, last = (str(at).removesuffix(" 00:00:00") for at in series.index[[0, -1]])
        span += f" from {first} to {last}"
    line = f"read {column.name!r} of {table.source} by {by}: {span} ({', '.join(detected)})"
    form = "" if times is None else form_of(index, times.texts)
    found = series.rename(column.name), line, exog
    return Reading(*found, table.sep, numbers.decimal, numbers.currency, form)


def _row_by_row(table: Table) -> Table:
    """Return a table with a row a year and a column a month or quarter with a row for each."""
    years, block = table.columns[0], table.columns[1:]
    if [month_of(column.name) for column in block[:12]] == [*range(1, 13)]:
        n = 12
    elif [column.name.upper() for column in block[:4]] == ["Q1", "Q2", "Q3", "Q4"]:
        n = 4
    else:
        return table
    each = [text for text in years.texts if re.fullmatch("(1[6-9]|2[0-2])[0-9]{2}", text)]
    if len({*each}) < len(years.texts):
        raise ValueError(
            f"{table.source} has a column for each of {block[0].name!r} to {block[n - 1].name!r}, "
            f"which are one series if {years.name!r} has every year once. Keep the rows of one "
            f"series and no totals, as with --skip-footer 1, or write the times one below the "
            f"other."
        )
    order = np.argsort(each).tolist()
    months = [1 + 12 // n * k for k in range(n)]
    times = tuple(datetime(int(each[i]), month, 1) for i in order for month in months)
    values = tuple(column.cells[i] for i in order for column in block[:n])
    lines = tuple(years.lines[i] for i in order for _ in months)
    detected = f"{block[0].name!r} to {block[n - 1].name!r} of each row are its times"
    long = replace(years, cells=times, lines=lines), Column("value", values, lines, table.source)
    return replace(table, columns=long, detected=(*table.detected, detected))


def _time_columns(table: Table, inputs: list[Column], options: FileOptions) -> list[Column]:
    """Return the columns of times: those that are named, or the only one that holds dates."""
    if options.time is not None:
        return table.named((options.time,), "--time")
    if options.count:
        return []
    dated = [c for c in table.columns if c.name != options.value and holds_dates(c)]
    # The only dates are the times, even if --exog names them: that is refused in its own words.
    dated = [c for c in dated if c not in inputs] or dated
    if len(dated) > 1:
        names = ", ".join(repr(column.name) for column in dated)
        raise ValueError(
            f"--time must name one of the columns of dates of {table.source}: {names}."
        )
    return dated


def _value_column(table: Table, used: list[Column], options: FileOptions) -> Column:
    """Return the column to forecast: the one that is named, or the only one that holds numbers."""
    if options.value is not None:
        return table.named((options.value,), "--value")[0]
    left = [c for i, c in enumerate(table.columns) if c not in used and not _counts(c, i)]
    numeric = [c for c in left if mostly_numbers(c, options) and not holds_dates(c)]
    # An empty column is the one to forecast only if there is no other, and refused then.
    numeric = [c for c in numeric if not all(is_missing(t, options) for t in c.texts)] or numeric
    if not numeric and len(left) == 1 < len(table.columns):
        return left[0]  # to say which of its cells is no number
    if len(numeric) != 1:
        why = (
            "none of them hold numbers, one below the other; --ignore leaves a unit out, "
            "--delimiter names what is between fields"
        )
        if numeric:
            some = " or ".join(f"--value {quote(c.name)}" for c in numeric[:4])
            many = "; gf.forecast_panel forecasts them all, in Python" if numeric[4:] else ""
            why = f"pass one, such as {some}{many}" if many else f"pass {some}"
        raise ValueError(
            f"--value must name the column to forecast; {table.source} has {table.names}; {why}."
        )
    return numeric[0]


def _check_labels(table: Table, left: list[Column], values: Column) -> None:
    """Refuse to number rows that have labels, which may say when they were.

    Labels stand left of the values; right of them are comments.
    """
    for column in table.columns[: table.columns.index(values)]:
        if column in left:
            what = (
                f"may say when the values were; pass --time {column.name!r} or all columns that "
                f"say when, as in --time Year,Month --date-format '%Y %m', {_COUNT}"
            )
            raise column.refused(0, what)


def _counts(column: Column, i: int) -> bool:
    """Whether a column without a name counts the rows, as an index that was written with them."""
    texts = column.texts
    if column.name not in (str(i + 1), "Unnamed: 0", "#") or not all(map(str.isdecimal, texts)):
        return False
    return bool((np.diff([int(text) for text in texts]) == 1).all()) and len(texts) > 1


def _in_order(
    series: "pd.Series[float]", times: Column, options: FileOptions
) -> tuple["pd.Series[float]", list[str]]:
    """Bring values in the order of their times, each of which must occur once."""
    index, detected = series.index, []
    twice = np.asarray(index.duplicated())
    if len(index) > 1 and index.is_monotonic_decreasing and index[0] != index[-1]:
        series, detected = series.iloc[::-1], ["newest first, reversed"]
    elif not index.is_monotonic_increasing:
        if not options.sort and not twice.any():
            what = f"is earlier than the row before; pass --sort to bring rows in order, {_COUNT}"
            raise times.refused(int(np.argmax(np.asarray(index[1:] < index[:-1]))) + 1, what)
        series, detected = series.sort_index(kind="stable"), ["sorted"]
    if not twice.any():
        return series, detected
    same = counted(int(twice.sum()), "duplicated time")
    if options.duplicates is None:
        what = (
            f"has come before ({same}); pass --duplicates mean, sum, first or last, or both "
            f"columns if another has the time of the day, as in --time Date,Time, or --timezone if "
            f"clocks went back, or keep the rows of one series, {_COUNT}"
        )
        raise times.refused(int(np.argmax(twice)), what)
    groups = series.groupby(level=0)
    one = groups.sum(min_count=1) if options.duplicates == "sum" else groups.agg(options.duplicates)
    return one, [*detected, f"{same}, {options.duplicates} taken"]


def _check_regular(index: Index, times: Column) -> None:
    """Refuse times without one step, in words of the file."""
    name = f"--time: column {times.name!r} of {times.source}"
    if len(index) < _FEWEST:
        raise ValueError(f"{name} must have at least {_FEWEST} times; got {len(index)}.")
    try:
        TimeAxis.of(index, fill=True)
    except (ValueError, TypeError):
        steps = pd.Series(index[1:] - index[:-1])
        usual = steps.mode().iloc[0]
        odd = int((steps != usual).argmax())
        raise ValueError(
            f"{name} must have one step from row to row, mostly {usual}, unlike {index[odd]} and "
            f"{index[odd + 1]}. Bring the rows to one step, add rows with 0 if nothing happens in "
            f"between, pass --timezone, such as Europe/Paris, if clocks changed, {_COUNT}."
        ) from None


def _input(
    column: Column, index: Index, times: Column | None, options: FileOptions, sep: str
) -> "pd.Series[float]":
    """Read an input at all times of a file, of which those after the last value are its future.

    Where all cells that are not empty are ``1``, or one word such as ``x``, an empty one says that
    there is none: the input is 1 or 0 then. A column of other texts holds categories.
    """
    values: FloatArray | list[str | None]
    missing = [is_missing(text, options) for text in column.texts]
    given = {text for text, absent in zip(column.texts, missing, strict=True) if not absent}
    if len(given) == 1 and any(missing) and (given == {"1"} or not is_number(*given)):
        values = 1.0 - np.array(missing)
    elif mostly_numbers(column, options):
        values = read_numbers(column, options, sep).values
    else:
        values = [None if m else t for t, m in zip(column.texts, missing, strict=True)]
        first = options.duplicates in ("mean", "sum")  # of numbers only
        options = replace(options, duplicates="first") if first else options
    series = pd.Series(values, index=index)
    return series if times is None else _in_order(series, times, options)[0]
