"""From a file to a series: which columns, in which order, and what was detected."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd

from gpforecast.cli.files.choosing import (
    COUNT,
    check_labels,
    counts_rows,
    time_column,
    value_column,
    with_times_joined,
)
from gpforecast.cli.files.contents import contents, decoded, label
from gpforecast.cli.files.date_forms import is_date
from gpforecast.cli.files.dates import times_of
from gpforecast.cli.files.inputs import input_columns, read_inputs, said_of
from gpforecast.cli.files.layout import check_last_sum, check_totals, table_of_text
from gpforecast.cli.files.numbers import hints_of, is_number, read_numbers
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.ordering import apart, check_regular, in_order
from gpforecast.cli.files.spreadsheets import (
    is_parquet,
    is_sheet,
    table_of_parquet,
    table_of_sheet,
)
from gpforecast.cli.files.table import Column, Table, written
from gpforecast.cli.files.wide import row_by_row
from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.series.closed_days import on_open_days

_SAMPLE = 200  # cells among which there is one that is not empty
_FEWEST = 3  # times that show a step
_NAMED = 4  # columns at most that were not read


@dataclass(frozen=True)
class Reading:
    """A series and its inputs from a file, and what was detected on the way, in one line.

    Attributes
    ----------
    series : Series
        Float values on the times of the file, or on 0, 1, 2, ...
    said : str
    exog : DataFrame, optional
        The inputs at the times of the series and those after it, if some are named.
    sep, decimal : str
        The delimiter of the file and the decimal mark of its numbers; empty if it has none.
    currency : str
        The sign or code of all values, if they have one.
    """

    series: "pd.Series[float]"
    said: str
    exog: pd.DataFrame | None = None
    sep: str = ""
    decimal: str = ""
    currency: str = ""


def read_series(path: str, options: FileOptions) -> Reading:
    """Read a column of a file as a series, and others as its inputs.

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
    table, options = row_by_row(_table(path, options), options)
    table, options = with_times_joined(table, options)
    times = time_column(table, options)
    column = value_column(table, times, options)
    inputs = input_columns(table, (times, column), options)
    for described in filter(None, (times, table.columns[0])):
        check_totals(described)
    if times is None and not options.count:
        check_labels(table, column)
    others = [c for c in table.columns if c is not times and c is not column]
    hints = hints_of(others, times, options)
    numbers = read_numbers(column, options, hints)
    if times is None and not options.count:
        check_last_sum(column, numbers.values)
    name = f"{column.name!r} of {table.source}"
    said = [*numbers.said]
    if times is None:
        index: Index = pd.RangeIndex(len(numbers.values))
        series = pd.Series(numbers.values, index)
    else:
        try:
            index, how = times_of(times, options)
            series, order = in_order(
                numbers.values, index, times, options, apart(table, times, column)
            )
            check_regular(series.index, times)
        except ValueError as error:
            otherwise = "" if options.time is not None else f"; {COUNT}"
            raise ValueError(f"{str(error).removesuffix('.')}{otherwise}.") from None
        said += [*how, *order]
    exog = read_inputs(inputs, index, times, options, hints) if inputs else None
    word = "row" if times is None else "time"
    series, left_out = _without_blank_end(series, index, column, word)
    series, exog, closed = on_open_days(series, exog)
    if exog is not None:
        left_out = [said_of(exog, len(series))]
    left_out += [note.partition(":")[0] for note in closed]
    if times is not None and len(series) < _FEWEST:
        raise ValueError(
            f"column {column.name!r} of {table.source} must have at least {_FEWEST} times up to "
            f"its last value; got {len(series)}."
        )
    if absent := int(series.isna().sum()):
        said.insert(len(numbers.said), f"{absent} missing")
    span = counted(len(series), "value")
    if times is not None:
        first, last = (str(label).removesuffix(" 00:00:00") for label in series.index[[0, -1]])
        span += f" from {first} to {last}"
    by = "by row" if times is None else f"by {times.name!r}"
    if times is not None and times.name.isdigit():  # it has no name, and is known by its place
        by = f"by column {times.name}"
        series = series.rename_axis("time")
    used = [column, *inputs] if times is None else [times, column, *inputs]
    parts, unused = _parts(table, times, column), _unused(table, used)
    told = ", ".join([*table.said, *said, *left_out, *parts, *unused])
    return Reading(
        series.rename(column.name), f"read {name} {by}: {span} ({told})", exog, column.sep,
        numbers.decimal or hints.mark, numbers.currency,
    )  # fmt: skip


def _without_blank_end(
    series: "pd.Series[float]", index: Index, column: Column, word: str
) -> tuple["pd.Series[float]", list[str]]:
    """Leave times out that follow the last value and have empty cells: they are in the future."""
    known = np.flatnonzero(series.notna().to_numpy())
    after = series.index[int(known[-1]) + 1 :]
    cells = [written(column.cells[i]) for i in np.flatnonzero(index.isin(after)).tolist()]
    if not cells or any(cells):
        return series, []
    said = f"{counted(len(after), word)} without a value at the end left out"
    return series.iloc[: int(known[-1]) + 1], [said]


def _unused(table: Table, used: Sequence[Column]) -> list[str]:
    """Name the columns that hold something and were not read."""
    names = [
        repr(column.name)
        for i, column in enumerate(table.columns)
        if all(column is not one for one in used)
        and any(column.texts())
        and not counts_rows(column, i)
    ]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"not used: {', '.join(names[:_NAMED])}{more} (--exog takes inputs)"] if names else []


def _parts(table: Table, times: Column | None, values: Column) -> list[str]:
    """Name a column of texts that has one value first and then another, as of two shops."""
    said = []
    for column in table.columns:
        first = next(filter(None, column.texts(_SAMPLE)), "")
        if column is times or column is values or not first or is_number(first) or is_date(first):
            continue
        texts = [text for text in column.texts() if text]
        blocks = [(text, len(list(group))) for text, group in groupby(texts)]
        once = 1 < len(blocks) == len({*texts}) <= len(texts) / 4
        if not once or min(n for _, n in blocks) < 3:
            continue
        shown = ", then ".join(f"{text!r} ({n} rows)" for text, n in blocks[:3])
        said.append(f"{column.name!r} is {shown}{', ...' * (len(blocks) > 3)}: taken as one series")
    return said


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
