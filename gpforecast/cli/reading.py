"""Reading a series from a CSV file, refused with the option that helps where it cannot be read."""

import re
import warnings
from contextlib import suppress

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from gpforecast.common.types import Values


def read_series(path: str, value: str | None, times: str | None) -> "pd.Series[float]":
    """Return a column of a CSV file as a series, indexed by another or by the row."""
    try:
        with warnings.catch_warnings():
            # Rows longer than the header would shift every column by one.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(path, skipinitialspace=True, index_col=False)
    except pd.errors.ParserWarning:
        raise ValueError(
            f"{path} has rows with more fields than its header; remove the delimiters at the ends "
            f"of its lines, or name the columns they make."
        ) from None
    except (ValueError, OSError) as error:  # pandas' parser errors are ValueErrors
        raise ValueError(f"{path} cannot be read as CSV: {error}") from None
    columns = ", ".join(repr(str(c)) for c in table.columns)
    if len(table.columns) == 1 and (found := re.search(r"[;\t|]", str(table.columns[0]))):
        raise ValueError(
            f"{path} must have commas between its fields; got {found[0]!r} in its header. Save it "
            f"with commas, and with points in its numbers."
        )
    for option, name in (("--value", value), ("--time", times)):
        if name is not None and name not in table.columns:
            raise ValueError(f"{option}: {path} has no column {name!r}; it has {columns}.")
    if value is None:
        numeric = [c for c in table.columns if c != times and is_numeric_dtype(table[c])]
        if len(numeric) != 1:
            raise ValueError(f"--value must name the column to forecast; {path} has {columns}.")
        value = numeric[0]
    if value == times:
        raise ValueError(f"--value and --time must be two columns; got {value!r} for both.")
    series = table[value]
    if line := _line_of_first(pd.to_numeric(series, errors="coerce").isna() & series.notna()):
        said = f"column {value!r} has {series[line - 2]!r} in line {line}, which is no number"
        raise ValueError(f"--value: {said}; correct it, or name another of the columns {columns}.")
    if times is None:
        return series
    index = pd.Index(_times(table[times], times))
    if falls := _line_of_first(pd.Series(index[1:] < index[:-1])):
        before, after = (table[times].iloc[falls - 2 + i] for i in (0, 1))
        raise ValueError(
            f"--time: the rows of {path} must be in increasing order of {times!r}; got {after} "
            f"after {before} in line {falls + 1}. Sort them first."
        )
    return series.set_axis(index)


def _times(column: Values, name: str) -> Values:
    """Return numbers as they are and everything else as dates."""
    if is_numeric_dtype(column):
        return column
    day_or_month = column.astype(str).str.extract(r"^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}\b")
    first, second = (pd.to_numeric(day_or_month[i]) for i in (0, 1))
    both = pd.concat([first, second]).dropna()
    if len(both) and (both <= 12).all() and (first != second)[first.notna()].any():
        raise ValueError(
            f"--time: dates such as {column[first.first_valid_index()]!r} in column {name!r} can "
            f"be read day first or month first; write them as 2024-12-31."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas' remarks on formats and offsets
        # Clocks that change leave several offsets from UTC in one column.
        days_first = bool((first > 12).any() and (second <= 12).all())
        dates = pd.to_datetime(column, errors="coerce", utc=True, dayfirst=days_first)
        with suppress(ValueError, TypeError):
            as_written = pd.to_datetime(column, dayfirst=days_first)
            dates = as_written if is_datetime64_any_dtype(as_written) else dates
    if line := _line_of_first(dates.isna() & column.notna()):
        raise ValueError(
            f"--time: {column[line - 2]!r} in column {name!r}, line {line}, is no date that can "
            f"be read; write dates as 2024-12-31."
        )
    return dates


def _line_of_first(bad: "pd.Series[bool]") -> int | None:
    """Return the line of the file with the first bad value, if there is one."""
    return int(bad.to_numpy().argmax()) + 2 if bad.any() else None  # the header is line 1
