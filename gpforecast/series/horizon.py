"""How many steps a horizon has that is given as a date or as a length of time."""

import datetime as dt
import re
from collections.abc import Callable
from math import isqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import Index, Named
from gpforecast.common.validation import is_number, shown
from gpforecast.series.labels import has_dates, leads_with_day_or_month, time_at
from gpforecast.series.time_axis import TimeAxis

Until: TypeAlias = str | dt.date | np.datetime64 | pd.Period
Length: TypeAlias = dt.timedelta | np.timedelta64 | pd.offsets.BaseOffset
if TYPE_CHECKING:
    Horizon: TypeAlias = int | Until | Length
else:
    Horizon = Named("Horizon")

_MOST_GB = 4  # of the covariance of a horizon; a forecast needs about 2.6 times as much
_MOST_STEPS = isqrt(_MOST_GB * 10**9 // 8)  # 22360: 8 bytes for each pair of steps
_LENGTHS = "'18 months', '2 years', '2W' or '36h'"
# Arguments of a DateOffset, by the words and codes of pandas that stand for them.
_UNITS = {
    "years": "Y YE YS A AS year years yr yrs",
    "quarters": "Q QE QS quarter quarters",
    "months": "M ME MS month months",
    "weeks": "W w week weeks",
    "days": "D d day days",
    "hours": "H h hr hour hours",
    "minutes": "T min mins minute minutes",
    "seconds": "S s sec second seconds",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_NUMPY_UNITS = {"Y": "years", "M": "months", "W": "weeks", "D": "days"}
_NUMPY_UNITS |= {"h": "hours", "m": "minutes", "s": "seconds"}
_COUNTED = re.compile(r"\s*(\d+)\s*([A-Za-z]+)\s*")
# Such as 31.12.2024 and 12.2024.
_POINTED = re.compile(r"^\s*(?:(?P<day>\d{1,2})\.\s*)?(?P<month>\d{1,2})\.\s*(?P<year>\d{4})\s*$")
_MONTHLY = pd.Timedelta(27, unit="D")  # from here on a step is a month or longer


def steps_of(horizon: Horizon, axis: TimeAxis) -> object:
    """Return how many steps of a series a horizon has; what is no date and no length, as it is.

    Parameters
    ----------
    horizon : int, date, part of a date, or length of time
        Up to ``"2026-12"`` or ``"12.2026"``, its end included, or ``"31.12.2026"``; or so long
        after the last time, such as ``"18 months"`` or ``pandas.Timedelta("36h")``.
    axis : TimeAxis
        The times so far.

    Raises
    ------
    ValueError
        If the series is not indexed by dates or periods, a text is no date, no step lies within
        the horizon, or more than 22,360 do.

    Examples
    --------
    >>> months = TimeAxis(pd.date_range("2024-01-01", periods=9, freq="MS"))
    >>> steps_of("2025", months), steps_of("6 months", months), steps_of(3, months)
    (15, 6, 3)
    """
    if is_number(horizon) or not isinstance(horizon, Until | Length):
        return horizon
    index = axis.index
    if not has_dates(index):
        raise ValueError(
            f"horizon must be a positive integer; got {horizon!r}. A date or a length of time "
            f"needs a series that is indexed by dates or periods."
        )
    last, end = _started(index[-1:])[0], _end(horizon, index)
    size, reach = 64, _started(axis.future(64))
    while reach[-1] <= end and size <= _MOST_STEPS:
        size = min(2 * size, _MOST_STEPS + 1)
        reach = _started(axis.future(size))
    n = int((reach <= end).sum())
    if n > _MOST_STEPS:
        raise ValueError(
            f"horizon must be at most {_MOST_STEPS} steps, whose joint covariance takes {_MOST_GB} "
            f"GB of memory; {shown(horizon)} lies further from the last value, {last}. Predict "
            f"fewer steps, or a series of longer ones."
        )
    if n == 0:
        newest, first = time_at(index, -1), time_at(axis.future(1), 0)
        raise ValueError(
            f"horizon must reach the first step after the last value ({newest}), that of {first}; "
            f"{shown(horizon)} ends before it. Pass a later date, a longer time, or a number of "
            f"steps."
        )
    return n


def check_steps(n: int) -> None:
    """Refuse a number of steps whose joint covariance no memory holds.

    Examples
    --------
    >>> check_steps(22_360)
    """
    if n > _MOST_STEPS:
        raise ValueError(
            f"horizon must be at most {_MOST_STEPS}, as a joint forecast of h steps keeps a "
            f"covariance of h^2 numbers; got {shown(n)}. That would take {_gigabytes(n)} GB of "
            f"memory, and {_MOST_GB} GB is the limit: predict fewer steps, or a series of longer "
            f"ones."
        )


def _gigabytes(n: int) -> str:
    """Return the size of the covariance of n steps, to more digits where it is near the limit."""
    whole = 8 * n**2 // 10**9
    return shown(whole) if whole > _MOST_GB else f"{8e-9 * n**2:.4f}"


def _end(horizon: Until | Length, index: pd.DatetimeIndex | pd.PeriodIndex) -> pd.Timestamp:
    """Return the last moment of a horizon, in the time zone of the index."""
    last = _started(index[-1:])[0]
    if isinstance(horizon, np.timedelta64) and np.isnat(horizon):
        raise _no_horizon(horizon)
    try:
        length = _length(horizon) if isinstance(horizon, str) else None
        if isinstance(horizon, np.timedelta64):
            length = _offset(horizon)
        if isinstance(horizon, pd.offsets.BaseOffset):
            length = _unanchored(horizon)
    except OverflowError as error:
        raise _beyond(horizon) from error
    try:
        if length is not None:
            end = _after(last, length, index)
        elif isinstance(horizon, Length):
            end = last + horizon
        else:
            end = _date(horizon)
    except (ValueError, OverflowError) as error:
        if isinstance(horizon, Length) or length is not None or _is_out_of_bounds(error):
            raise _beyond(horizon) from error
        raise
    if pd.isna(end):
        raise _no_horizon(horizon)
    if last.tz is None and end.tz is not None:
        raise ValueError(f"horizon must be a date without a time zone, as the series; got {end}.")
    return end.tz_localize(last.tz) if end.tz is None else end


def _date(horizon: Until) -> pd.Timestamp:
    """Return the end of a date or of a part of one; with points, the year comes last."""
    text = _with_year_first(horizon) if isinstance(horizon, str) else ""
    if leads_with_day_or_month(text):
        raise ValueError(
            f"horizon must be a date such as '2026-12-31', with the year first, as day and month "
            f"can be read in two orders otherwise; got {horizon!r}."
        )
    try:
        if not isinstance(horizon, str | pd.Period):
            return pd.Timestamp(horizon)
        period: object = pd.Period(text or horizon)
        if isinstance(period, pd.Period):  # what is missing is NaT
            return period.end_time
    except ValueError as error:
        if _is_out_of_bounds(error):
            raise
        raise _no_horizon(horizon) from error
    raise _no_horizon(horizon)


def _with_year_first(text: str) -> str:
    """Return a date with points in ISO order; any other text as it is.

    Examples
    --------
    >>> _with_year_first("31.12.2026"), _with_year_first("12.2026"), _with_year_first("2026.12")
    ('2026-12-31', '2026-12', '2026.12')
    """
    found = _POINTED.match(text)
    parts = () if found is None else (found["year"], found["month"], found["day"])
    return "-".join(part for part in parts if part) or text


def _is_out_of_bounds(error: Exception) -> bool:
    """Whether a date is too late for pandas."""
    return isinstance(error, OverflowError | pd.errors.OutOfBoundsDatetime)


def _no_horizon(horizon: Until | Length) -> ValueError:
    """Return the refusal of what is neither a date nor a length of time."""
    return ValueError(
        f"horizon must be a number of steps, a date such as '2026-12', or a length such as "
        f"{_LENGTHS}; got {shown(horizon)}."
    )


def _beyond(horizon: Until | Length) -> ValueError:
    return ValueError(
        f"horizon must end at a date that pandas can count to; got {shown(horizon)}, which ends "
        f"beyond all of them."
    )


def _length(text: str) -> pd.DateOffset | None:
    """Return the length that a count and a unit name; None where a text is something else.

    Examples
    --------
    >>> _length("18MS"), _length("2 quarters"), _length("2026-12")
    (<DateOffset: months=18>, <DateOffset: months=6>, None)
    """
    found = _COUNTED.fullmatch(text)
    if found is None:
        return None
    digits, word = found[1].lstrip("0") or "0", found[2]
    count = int(digits[:20])  # more are beyond all dates, and beyond what Python reads
    unit = _UNIT_OF.get(word) or _UNIT_OF.get(word.lower() if len(word) > 2 else "")
    if unit is None:
        two = " ('m' can be months or minutes)" if word == "m" else ""
        raise ValueError(
            f"horizon must be a number of steps, a date such as '2026-12', or a length such as "
            f"{_LENGTHS}; got {shown(text)}, whose unit {shown(word)} is none of these{two}."
        )
    if unit == "quarters":
        unit, count = "months", 3 * count
    make: Callable[..., pd.DateOffset] = pd.DateOffset
    return make(**{unit: count})


def _offset(length: np.timedelta64) -> pd.DateOffset:
    """Return a length of time of NumPy, which counts months and years too.

    Examples
    --------
    >>> _offset(np.timedelta64(18, "M")), _offset(np.timedelta64(90, "s"))
    (<DateOffset: months=18>, <DateOffset: seconds=90>)
    """
    unit, step = np.datetime_data(length.dtype)
    if unit == "generic":
        raise ValueError(
            f"horizon must be a length of time with a unit, such as numpy.timedelta64(5, 'D'); got "
            f"{length!r}."
        )
    count = int(length.astype(np.int64)) * step
    make: Callable[..., pd.DateOffset] = pd.DateOffset
    if unit in _NUMPY_UNITS:
        return make(**{_NUMPY_UNITS[unit]: count})
    return make(nanoseconds=int(length.astype("m8[ns]").astype(np.int64)))


def _unanchored(offset: pd.offsets.BaseOffset) -> pd.DateOffset | None:
    """Return the length of an offset that names its ends, as its text has it; else None.

    pandas adds one of months or weeks by going to the next end first, of which a step may be short.

    Examples
    --------
    >>> _unanchored(pd.offsets.MonthEnd(7)), _unanchored(pd.offsets.BusinessDay(7))
    (<DateOffset: months=7>, None)
    """
    if type(offset) is pd.DateOffset:
        return offset
    code = offset.freqstr.lstrip("0123456789-").partition("-")[0]
    code = code if code in _UNIT_OF else code.removeprefix("B")  # the ends of working days
    return _length(f"{offset.n}{code}") if code in _UNIT_OF else None


def _after(
    last: pd.Timestamp, length: pd.DateOffset, index: pd.DatetimeIndex | pd.PeriodIndex
) -> pd.Timestamp:
    """Return the end of a length; of months after the end of a month, the end of a month."""
    end = last + length
    started = _started(index[-2:])
    monthly = len(started) > 1 and started[-1] - started[0] >= _MONTHLY
    calendar = {"years", "months"} & length.kwds.keys()
    return end + pd.offsets.MonthEnd(0) if monthly and calendar else end


def _started(index: Index) -> pd.DatetimeIndex:
    """Return when each step begins."""
    return index.to_timestamp() if isinstance(index, pd.PeriodIndex) else pd.DatetimeIndex(index)
