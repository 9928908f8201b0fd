"""How many steps a horizon has that is given as a date or as a length of time."""

import datetime as dt
import re
from collections.abc import Callable
from math import isqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_periods, has_dates
from gpforecast.common.types import Index, Named
from gpforecast.common.validation import is_number, shown
from gpforecast.series.labels import leads_with_day_or_month, time_at
from gpforecast.series.time_axis import TimeAxis

Until: TypeAlias = str | dt.date | np.datetime64 | pd.Period
Length: TypeAlias = dt.timedelta | np.timedelta64 | pd.offsets.BaseOffset
Span: TypeAlias = pd.offsets.BaseOffset | dt.timedelta
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
_COUNTED = re.compile(r"\s*(\d+)\s*([A-Za-z]+)\s*")
_BEYOND = (OverflowError, pd.errors.OutOfBoundsDatetime, pd.errors.OutOfBoundsTimedelta)
_MONTHLY = pd.Timedelta(27, unit="D")  # from here on a step is a month or longer


def steps_of(horizon: Horizon, axis: TimeAxis) -> object:
    """Return how many steps of a series a horizon has; what is no date and no length, as it is.

    Parameters
    ----------
    horizon : int, date, part of a date, or length of time
        Up to ``"2026-12"``, its end included; or so long after the last time, such as
        ``"18 months"`` or ``pandas.Timedelta("36h")``.
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
            f"covariance of h^2 numbers; got {shown(n)}. That would take {8e-9 * n**2:.4g} GB of "
            f"memory, and {_MOST_GB} GB is the limit: predict fewer steps, or a series of longer "
            f"ones."
        )


def _end(horizon: Until | Length, index: pd.DatetimeIndex | pd.PeriodIndex) -> pd.Timestamp:
    """Return the last moment of a horizon, in the time zone of the index."""
    last = _started(index[-1:])[0]
    try:
        length = _length_of(horizon)
        end = _date(horizon) if length is None else _after(last, length, index)
    except _BEYOND as error:
        raise ValueError(
            f"horizon must end at a date that pandas can count to; got {shown(horizon)}, which "
            f"ends beyond all of them."
        ) from error
    if pd.isna(end):
        raise _no_horizon(horizon)
    if last.tz is None and end.tz is not None:
        raise ValueError(f"horizon must be a date without a time zone, as the series; got {end}.")
    return end.tz_localize(last.tz) if end.tz is None else end


def _length_of(horizon: Until | Length) -> Span | None:
    """Return a horizon as a length of time; None if it is a date.

    An offset that names ends is a length, as its text is: pandas adds one of months or weeks by
    going to the next end first, of which a step may be short.
    """
    match horizon:
        case str():
            return _length(horizon)
        case np.timedelta64():
            no_fixed = np.datetime_data(horizon.dtype)[0] in "YM"
            return _length(str(horizon)) if no_fixed else pd.Timedelta(horizon)
        case pd.offsets.BaseOffset():
            code = horizon.freqstr.lstrip("0123456789-").partition("-")[0]
            code = code if code in _UNIT_OF else code.removeprefix("B")  # ends of working days
            return _length(f"{horizon.n}{code}") or horizon if code in _UNIT_OF else horizon
        case dt.timedelta():
            return horizon
    return None


def _date(horizon: Until | Length) -> pd.Timestamp:
    """Return the end of a date or of a part of one."""
    match horizon:
        case dt.date() | np.datetime64():
            return pd.Timestamp(horizon)
        case str() if leads_with_day_or_month(horizon):
            raise ValueError(
                f"horizon must be a date such as '2026-12-31', with the year first, as day and "
                f"month can be read in two orders otherwise; got {horizon!r}."
            )
    try:
        return pd.Period(horizon).end_time  # type: ignore[arg-type]
    except _BEYOND:
        raise
    except (ValueError, AttributeError) as error:  # NaT, which is no period, has no end
        raise _no_horizon(horizon) from error


def _no_horizon(horizon: Until | Length) -> ValueError:
    """Return the refusal of what is neither a date nor a length of time."""
    return ValueError(
        f"horizon must be a number of steps, a date such as '2026-12', or a length such as "
        f"{_LENGTHS}; got {shown(horizon)}."
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


def _after(
    last: pd.Timestamp,
    length: Span,
    index: pd.DatetimeIndex | pd.PeriodIndex,
) -> pd.Timestamp:
    """Return the end of a length; of months after the end of a month, the end of a month."""
    try:
        end: pd.Timestamp = last + length
    except ValueError as error:
        raise OverflowError from error
    started = _started(index[-2:])
    monthly = len(started) > 1 and started[-1] - started[0] >= _MONTHLY
    calendar = type(length) is pd.DateOffset and {"years", "months"} & length.kwds.keys()
    return end + pd.offsets.MonthEnd(0) if monthly and calendar else end


def _started(index: Index) -> pd.DatetimeIndex:
    """Return when each step begins."""
    return index.to_timestamp() if are_periods(index) else pd.DatetimeIndex(index)
