"""Indexes of series: how one goes on, and a series on a checked index."""

import math
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import (
    array_without_infinities,
    finite_array,
    positive_integer,
    real_array,
)
from gpforecast.series.regularity import (
    Index,
    check_regular,
    clock_rule,
    is_elapsed,
    on_the_clock,
    with_freq,
)


def future_index(index: Any, horizon: int) -> Index:
    """Continue a regular index.

    Parameters
    ----------
    index : pandas.Index
        As `check_regular` takes and returns it.
    horizon : int
        How many stamps to add.

    Returns
    -------
    pandas.Index
        The `horizon` stamps after the last of `index`: same type, dtype, time zone, name and
        frequency. A stamp of the wall clock that a time zone skips when summer time begins is moved
        forward to the first that exists; of one that occurs twice, the first is taken.

    Raises
    ------
    TypeError, ValueError
        As `check_regular`, and if `horizon` is not a positive integer.

    Examples
    --------
    >>> import pandas as pd
    >>> list(future_index(pd.RangeIndex(0, 30, 10), 2))
    [30, 40]
    >>> fridays = pd.date_range("2024-03-15", periods=3, freq="W-FRI")
    >>> print(future_index(fridays, 1)[0].date())
    2024-04-05
    """
    h = positive_integer(horizon, "horizon")
    index = check_regular(index)
    if len(index) == 0 and not isinstance(index, pd.RangeIndex):
        raise ValueError("index must have at least 1 stamp to go on from; got an empty one.")
    if isinstance(index, pd.RangeIndex):
        end = index.start + index.step * len(index)
        return pd.RangeIndex(end, end + index.step * h, index.step, name=index.name)
    if isinstance(index, pd.DatetimeIndex):
        return _future_datetimes(index, h)
    if isinstance(index, pd.PeriodIndex):
        periods = pd.period_range(index[-1], periods=h + 1, freq=index.freq)
        return periods[1:].rename(index.name)
    if isinstance(index, pd.TimedeltaIndex):
        unit: Any = index.unit
        steps = pd.timedelta_range(index[-1], periods=h + 1, freq=index.freq, unit=unit)
        return steps[1:].rename(index.name)
    values = index.to_numpy()
    if pd.api.types.is_integer_dtype(index.dtype):
        step = int(values[1]) - int(values[0])
        new: Any = [int(values[-1]) + step * k for k in range(1, h + 1)]
    else:
        values = values.astype(np.float64)
        new = values[-1] + (values[-1] - values[0]) / (len(values) - 1) * np.arange(1, h + 1)
    later: Index = pd.Index(new, dtype=index.dtype, name=index.name)
    return later


def values_of(series: "pd.Series[float]") -> FloatArray:
    """Return the values of a float series, (n,)."""
    return np.asarray(series.to_numpy(), dtype=np.float64)


def counts_from_zero(index: Any) -> bool:
    """Whether an index only counts rows, as pandas makes it for data without one.

    Examples
    --------
    >>> counts_from_zero(pd.Series([3.0, 4.0]).index)
    True
    """
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def counts_rows_of(given: Any, times: Any) -> bool:
    """Whether values go with `times` row by row, whatever their own labels say.

    The one rule for labels that are row numbers. Labels count; but 0, 1, 2, ..., as
    ``reset_index(drop=True)`` leaves them, with no more rows than there are times, only counts the
    rows that are given.

    Parameters
    ----------
    given, times : pandas.Index
        Of the values, and of the steps they are for.

    Examples
    --------
    >>> future = pd.RangeIndex(50, 60)
    >>> counts_rows_of(pd.RangeIndex(10), future), counts_rows_of(pd.RangeIndex(60), future)
    (True, False)
    """
    return counts_from_zero(given) and len(given) <= len(times)


def begins_with(given: "pd.Series[float]", history: "pd.Series[float]") -> bool:
    """Whether values are the whole series, history first, on the labels of the history.

    Then the labels of what follows are meant, even if they count from 0.

    Examples
    --------
    >>> begins_with(pd.Series([1.0, 2.0, 3.0]), pd.Series([1.0, 2.0]))
    True
    """
    n = len(history)
    if len(given) <= n or not (counts_from_zero(history.index) and counts_from_zero(given.index)):
        return False
    # Whole series may come in single precision.
    first = real_array(given.iloc[:n], "given")
    return np.allclose(first, values_of(history), rtol=1e-6, atol=0, equal_nan=True)


def joined(index: Index, later: Index) -> Index:
    """Return `index` followed by what `future_index` made of it, the frequency kept.

    Parameters
    ----------
    index, later : pandas.Index

    Returns
    -------
    pandas.Index

    Examples
    --------
    >>> days = pd.date_range("2024-01-01", periods=3, freq="D")
    >>> joined(days, future_index(days, 2)).freqstr
    'D'
    """
    both: Index = index.append(later)
    freq = index.freq if isinstance(index, pd.DatetimeIndex) else None
    if isinstance(both, pd.DatetimeIndex) and freq is not None:
        regular = with_freq(both, freq)  # None where a clock change moved a stamp of the future
        return both if regular is None else regular
    return both


def as_series(y: Any, name: str = "series", *, allow_missing: bool = False) -> "pd.Series[float]":
    """Return a float64 copy of a series, on a regular index.

    Parameters
    ----------
    y : Series, one-column DataFrame, or 1-D array-like
        Real numbers. What has no index of its own gets a ``RangeIndex``.
    name : str
        What to call it in a message.
    allow_missing : bool
        Whether NaN may stay. Infinite values are refused in any case.

    Returns
    -------
    Series
        dtype float64, with the name of the input (of its column, for a DataFrame) and an index that
        has passed `check_regular`. It shares no memory with the input.

    Raises
    ------
    TypeError
        If the values are not real numbers, or as `check_regular`.
    ValueError
        If a value is missing or infinite, if there is not exactly one column, or as
        `check_regular`.

    Examples
    --------
    >>> as_series([1, 2, 4]).tolist()
    [1.0, 2.0, 4.0]
    """
    y = one_column(y, name)
    check = array_without_infinities if allow_missing else finite_array
    values = check(y, name, ndim=1)
    if not isinstance(y, pd.Series):
        return pd.Series(values.copy(), index=pd.RangeIndex(len(values)))
    return pd.Series(values.copy(), index=check_regular(y.index, name), name=y.name)


def one_column(y: Any, name: str) -> Any:
    """Return the column of a DataFrame that has just one, and anything else as it is."""
    if not isinstance(y, pd.DataFrame):
        return y
    if y.shape[1] != 1:
        raise ValueError(
            f"{name} must be one column of values; got a DataFrame with {y.shape[1]} columns. "
            f"Select the column to forecast; the others can be passed as exog."
        )
    return y.iloc[:, 0]


def check_continues(given: Index, expected: Index) -> None:
    """Refuse labels of new values that do not follow the last ones."""
    for i, (a, b) in enumerate(zip(given, expected, strict=True)):
        numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
        if a != b and not (numbers and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)):
            raise ValueError(
                f"new_values must continue the series at {expected[0]}; at position {i} they have "
                f"{a} where {b} follows."
            )


def _future_datetimes(index: pd.DatetimeIndex, h: int) -> pd.DatetimeIndex:
    freq: Any = index.freq
    unit: Any = index.unit
    if freq is not None and (index.tz is None or is_elapsed(freq)):
        grid = pd.date_range(index[-1], periods=h + 1, freq=freq, unit=unit)
        return grid[1:].rename(index.name)
    # The last stamp may be one that a clock change moved: count from one that is in its place.
    freq, anchor = (freq, len(index) - 1) if freq is not None else clock_rule(index) or (None, 0)
    start, ahead = index[anchor].tz_localize(None), len(index) - anchor
    wall = pd.date_range(start, periods=ahead + h, freq=freq, unit=unit)[ahead:]
    zoned = on_the_clock(wall, index.tz).rename(index.name)
    exact = with_freq(zoned, freq)  # None once a stamp had to move past a clock change
    return zoned if exact is None else exact
