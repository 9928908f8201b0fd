"""What the labels of a user's values say: times, steps of a forecast, or a count of rows."""

import re
from typing import TypeGuard

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, Index, IntArray, SeriesLike, Values
from gpforecast.common.validation import counted, is_series, real_array
from gpforecast.series.frames import one_column


def counts_from_zero(index: Index) -> bool:
    """Whether an index only counts rows, as pandas makes it for data without one.

    Examples
    --------
    >>> counts_from_zero(pd.Series([3.0, 4.0]).index)
    True
    """
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def has_dates(index: pd.Index) -> TypeGuard[pd.DatetimeIndex | pd.PeriodIndex]:
    """Whether an index is one of dates or periods.

    Examples
    --------
    >>> has_dates(pd.period_range("2024Q1", periods=3, freq="Q")), has_dates(pd.RangeIndex(3))
    (True, False)
    """
    return isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex))


def leads_with_day_or_month(text: str) -> bool:
    """Whether a text is a date such as 03/04/2024, which countries read in different orders.

    Examples
    --------
    >>> [leads_with_day_or_month(text) for text in ("03/04/2024", "4 3 24", "2024-03-04")]
    [True, True, False]
    """
    return re.match(r"\s*\d{1,2}\s*[-/., ]\s*\d{1,2}\s*[-/., ]\s*\d{2,4}\b", text) is not None


def counts_rows_of(given: Index, times: Index) -> bool:
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


def begins_with(given: Values, history: Values) -> bool:
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
    first, known = real_array(given.iloc[:n], "given"), real_array(history, "history")
    return np.allclose(first, known, rtol=1e-6, atol=0, equal_nan=True)


def all_numbers(*indexes: Index) -> bool:
    """Whether the labels of all indexes are numbers, so that they can be compared.

    Examples
    --------
    >>> all_numbers(pd.RangeIndex(2), pd.Index([0.5])), all_numbers(pd.to_datetime(["2024"]))
    (True, False)
    """
    return all(index.dtype.kind in "iuf" for index in indexes)


def aligned(
    y_true: SeriesLike, index: Index, history: "pd.Series[float]"
) -> tuple[IntArray, FloatArray]:
    """Return the steps of the horizon that came true, and what came."""
    y_true = one_column(y_true, "y_true")
    truth = real_array(y_true, "y_true", ndim=1)
    steps = _steps_at(y_true, index, history) if is_series(y_true) else None
    if steps is None:
        if len(truth) > len(index):
            raise ValueError(
                f"y_true has {counted(len(truth), 'value')} but the forecast "
                f"{counted(len(index), 'step')}; pass "
                f"at most that many, or a Series on the same index."
            )
        steps = np.arange(len(truth))
    known = (steps >= 0) & ~np.isnan(truth)
    if not known.any():
        raise ValueError("y_true has no value that is not missing; there is nothing to score.")
    return steps[known], truth[known]


def _steps_at(truth: Values, index: Index, history: "pd.Series[float]") -> IntArray | None:
    """Which step each value is for, -1 for none; None if their labels only count rows."""
    times = truth.index
    if counts_rows_of(times, index) and not begins_with(truth, history):
        return None
    if type(times) is type(index) or all_numbers(times, index):
        if index.dtype.kind == "f":
            steps = index.get_indexer(times, method="nearest", tolerance=1e-9)
        else:
            steps = index.get_indexer(times)
        if (steps >= 0).any():
            return steps
    if counts_from_zero(times) or len(times) == 0:
        return None
    raise ValueError(
        f"y_true has no time in common with the forecast, which runs from {index[0]} to "
        f"{index[-1]}; got {times[0]} to {times[-1]}."
    )


def time_at(index: Index, at: int) -> str:
    """Return a time as a reader would write it: 2024-03 of months, no midnight of days.

    Times in a time zone are those of its clocks.

    Examples
    --------
    >>> time_at(pd.date_range("2024-03-01", periods=2, freq="MS"), 1)
    '2024-04'
    >>> time_at(pd.date_range("2024-03-01 05:00", periods=2, freq="h", tz="Europe/Paris"), 1)
    '2024-03-01 06:00'
    """
    if not isinstance(index, pd.DatetimeIndex):
        return _without_midnight(index, at)
    clocks = index.tz_localize(None)
    rule = "" if index.freqstr is None else index.freqstr.lstrip("0123456789")
    letter = {"A": "Y"}.get(rule[:1], rule[:1])
    if letter and letter in "MQY":
        return str(clocks[at].to_period(letter))
    if _of_days(index):
        return str(clocks[at].date())
    return str(clocks[at]).removesuffix(":00")


def label_at(index: Index, at: int) -> str:
    """Return a label as it is, in a message: text in quotes, no midnight of days.

    Examples
    --------
    >>> label_at(pd.Index(["a", "b"]), 0), label_at(pd.date_range("2024-03-01", periods=2), 0)
    ("'a'", '2024-03-01')
    >>> label_at(pd.date_range("2024-03-01", periods=1, freq="h"), 0)
    '2024-03-01 00:00:00'
    """
    return repr(index[at]) if isinstance(index[at], str) else _without_midnight(index, at)


def _without_midnight(index: Index, at: int) -> str:
    text = str(index[at])
    return text.removesuffix(" 00:00:00") if _of_days(index) else text


def _of_days(index: Index) -> bool:
    """Whether all times are midnights, and their steps, if known, no shorter than a day."""
    if not isinstance(index, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        return True
    step = index.freq
    if isinstance(step, pd.offsets.Tick) and pd.Timedelta(step) < pd.Timedelta(1, unit="D"):
        return False
    wall = index.tz_localize(None) if isinstance(index, pd.DatetimeIndex) else index
    return bool((wall == wall.floor("D")).all())
