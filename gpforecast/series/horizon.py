"""How many steps a horizon has that is given as a date or as a length of time."""

import datetime as dt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import Index, Named
from gpforecast.common.validation import is_number
from gpforecast.series.labels import has_dates, leads_with_day_or_month
from gpforecast.series.time_axis import TimeAxis

Until: TypeAlias = str | dt.date | np.datetime64 | pd.Period
Length: TypeAlias = dt.timedelta | np.timedelta64 | pd.offsets.BaseOffset
if TYPE_CHECKING:
    Horizon: TypeAlias = int | Until | Length
else:
    Horizon = Named("Horizon", object)


def steps_of(horizon: Horizon, axis: TimeAxis) -> object:
    """Return how many steps of a series a horizon has; what is no date and no length, as it is.

    Parameters
    ----------
    horizon : int, date, part of a date, or length of time
        Up to ``"2026-12"``, its end included; or so long after the last time.
    axis : TimeAxis
        The times so far.

    Raises
    ------
    ValueError
        If the series is not indexed by dates or periods, a text is no date, or no step lies within
        the horizon.

    Examples
    --------
    >>> months = TimeAxis(pd.date_range("2024-01-01", periods=9, freq="MS"))
    >>> steps_of("2025", months), steps_of(pd.DateOffset(months=6), months), steps_of(3, months)
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
    while reach[-1] <= end:
        size *= 2
        reach = _started(axis.future(size))
    n = int((reach <= end).sum())
    if n == 0:
        raise ValueError(
            f"horizon must reach the first step after the last value, {reach[0]}; {horizon!r} "
            f"ends at {end}, and the last value is at {last}."
        )
    return n


def _end(horizon: Until | Length, index: pd.DatetimeIndex | pd.PeriodIndex) -> pd.Timestamp:
    """Return the last moment of a horizon, in the time zone of the index."""
    last = _started(index[-1:])[0]
    if isinstance(horizon, Length):
        return last + horizon
    if isinstance(horizon, str) and leads_with_day_or_month(horizon):
        raise ValueError(
            f"horizon must be a date such as '2026-12-31', with the year first; got {horizon!r}, "
            f"whose day and month can be read in two orders."
        )
    try:
        if isinstance(horizon, str | pd.Period):
            end = pd.Period(horizon).end_time
        else:
            end = pd.Timestamp(horizon)
    except ValueError as error:
        raise ValueError(
            f"horizon must be a number of steps, a date such as '2026-12' or a length such as "
            f"pandas.DateOffset(months=6); got {horizon!r}."
        ) from error
    if last.tz is None and end.tz is not None:
        raise ValueError(f"horizon must be a date without a time zone, as the series; got {end}.")
    return end.tz_localize(last.tz) if end.tz is None else end


def _started(index: Index) -> pd.DatetimeIndex:
    """Return when each step begins."""
    return index.to_timestamp() if isinstance(index, pd.PeriodIndex) else pd.DatetimeIndex(index)
