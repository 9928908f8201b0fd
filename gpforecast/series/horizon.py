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
if TYPE_CHECKING:
    Horizon: TypeAlias = int | Until | Length
else:
    Horizon = Named("Horizon")

_MOST_GB = 4  # of the covariance of a horizon; a forecast needs about 2.6 times as much
_MOST_STEPS = isqrt(_MOST_GB * 10**9 // 8)  # 22360: 8 bytes for each pair of steps
_COUNTED = re.compile(r"\s*(\d+)\s*([A-Za-z]+)\s*")
_UNIT = re.compile(  # named as DateOffset has them
    r"(?P<years>Y[ES]?|years?)|(?P<quarters>Q[ES]?|quarters?)|(?P<months>M[ES]?|months?)|"
    r"(?P<weeks>W|weeks?)|(?P<days>D|days?)|(?P<hours>h|hours?)|(?P<minutes>min|minutes?)|"
    r"(?P<seconds>s|sec|seconds?)",
    re.IGNORECASE,
)
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
    index = axis.labels
    if (end := end_of(horizon, index)) is None:
        return horizon
    size, times = 64, _started(axis.future(64))
    while times[-1] <= end and size <= _MOST_STEPS:
        size = min(2 * size, _MOST_STEPS + 1)
        times = _started(axis.future(size))
    n = int((times <= end).sum())
    check_steps(n, horizon)
    if n == 0:
        newest, first = time_at(index, -1), time_at(axis.future(1), 0)
        raise ValueError(
            f"horizon must reach the first step after the last value ({newest}), that of {first}; "
            f"{shown(horizon)} ends before it. Pass a later date, a longer time, or a number of "
            f"steps."
        )
    return n


def check_steps(n: int, given: object = None) -> None:
    """Refuse a number of steps, or what was given, whose joint covariance no memory holds.

    Examples
    --------
    >>> check_steps(22_360)
    """
    if n > _MOST_STEPS:
        raise ValueError(
            f"horizon must be at most {_MOST_STEPS}, as a joint forecast of h steps keeps a "
            f"covariance of h^2 numbers; got {shown(given or n)}. That would take "
            f"{'more than ' if given else ''}{8e-9 * n**2:.4g} GB of memory, and {_MOST_GB} GB is "
            f"the limit: predict fewer steps, or a series of longer ones."
        )


def end_of(horizon: Horizon, index: Index) -> pd.Timestamp | None:
    """Return the last moment of a horizon, in the time zone of the index; None of what is no time.

    Examples
    --------
    >>> end_of("6 months", pd.date_range("2024-01-01", periods=9, freq="MS"))
    Timestamp('2025-03-31 00:00:00')
    """
    if is_number(horizon) or not isinstance(horizon, Until | Length):
        return None
    if not has_dates(index):
        raise ValueError(
            f"horizon must be a positive integer; got {horizon!r}. A date or a length of time "
            f"needs a series that is indexed by dates or periods."
        )
    last = _started(index[-1:])[0]
    try:
        match horizon:
            case str() if found := _COUNTED.fullmatch(horizon):
                end = _after(last, _length(int(found[1]), found[2]), index)
            case str() if leads_with_day_or_month(horizon):
                raise ValueError("day and month can be read in two orders")
            case str() | pd.Period():
                end = pd.Period(horizon).end_time
            case dt.date() | np.datetime64():
                end = pd.Timestamp(horizon)
            case _:
                end = _after(last, horizon, index)
        if pd.isna(end):
            raise ValueError("it is missing")
    except (ValueError, TypeError, AttributeError, OverflowError) as error:  # NaT has no end
        raise ValueError(
            f"horizon must be a number of steps, a date such as '2026-12-31' with the year first, "
            f"or a length such as '18 months', '2 years', '2W' or '36h'; got {shown(horizon)}."
        ) from error
    if last.tz is None and end.tz is not None:
        raise ValueError(f"horizon must be a date without a time zone, as the series; got {end}.")
    return end.tz_localize(last.tz) if end.tz is None else end


def _length(count: int, unit: str) -> pd.DateOffset:
    """Return so many units, which are words or the codes of pandas."""
    found = _UNIT.fullmatch(unit)
    if found is None or unit in ("m", "ms"):
        raise ValueError("no unit, or one that can be of months or of shorter times")
    name = str(found.lastgroup)
    make: Callable[..., pd.DateOffset] = pd.DateOffset
    return make(months=3 * count) if name == "quarters" else make(**{name: count})


def _after(
    last: pd.Timestamp, length: Length, index: pd.DatetimeIndex | pd.PeriodIndex
) -> pd.Timestamp:
    """Return the end of a length; of months after the end of a month, the end of a month."""
    started = _started(index[-2:])
    monthly = len(started) > 1 and started[-1] - started[0] >= _MONTHLY
    of_months = {"years", "months"} & getattr(length, "kwds", {}).keys()
    end: pd.Timestamp = last + length
    return end + pd.offsets.MonthEnd(0) if monthly and of_months else end


def _started(index: Index) -> pd.DatetimeIndex:
    """Return when each step begins."""
    return index.to_timestamp() if are_periods(index) else pd.DatetimeIndex(index)
