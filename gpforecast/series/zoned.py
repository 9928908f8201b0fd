"""Times with a time zone as steps of the clock on the wall."""

from dataclasses import replace

import pandas as pd

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import Index
from gpforecast.series.clock import Clock, after_a_gap
from gpforecast.series.dates import is_elapsed, with_freq
from gpforecast.series.time_axis import TimeAxis

_DAY = pd.Timedelta(1, unit="D")


def zoned(index: Index, *, fill: bool = False) -> TimeAxis | None:
    """Return the steps of the clock that some times are, or None.

    Parameters
    ----------
    index : pandas.Index
    fill : bool
        As for `TimeAxis.of`; what the clocks skip is filled in either way.

    Returns
    -------
    TimeAxis or None
        None for times without a zone, or whose steps are not regular by the clock and shorter
        than a day: these are what `TimeAxis.of` says.

    Examples
    --------
    >>> night = pd.date_range("2024-10-27", periods=4, freq="h", tz="Europe/Paris")
    >>> axis = zoned(night)
    >>> print(*axis.index.hour, len(axis.labels))
    0 1 2 4
    """
    if not are_dates(index) or index.tz is None or index.hasnans:
        return None
    if index.tz.utcoffset(None) is not None:
        return None  # clocks of a fixed offset never change
    if not (index.is_monotonic_increasing and index.is_unique and len(index)):
        return None
    wall = index.tz_localize(None)[~after_a_gap(index)].unique().sort_values()
    if index.freq is not None and is_elapsed(index.freq):
        wall = with_freq(wall, index.freq)
    try:
        axis = TimeAxis.of(wall, fill=True)
    except ValueError:
        return None
    if axis.tick is None or axis.tick >= _DAY:
        return None
    clock = Clock(index.tz)
    if index.freq is not None and not clock.keeps(axis.tick, index[-1]):
        return None  # steps of elapsed time, which the clocks do not show as regular
    found = replace(axis, index=axis.index.rename(index.name), clock=clock)
    times = found.moments.times
    complete = len(times[times <= index[-1]]) == len(index)
    if not index.isin(times).all() or not (fill or complete):
        return None
    return replace(found, clock=replace(clock, pending=int((times > index[-1]).sum())))
