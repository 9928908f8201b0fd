"""Times with a time zone as steps of the clock on the wall."""

from dataclasses import replace

import pandas as pd

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import Index
from gpforecast.series.clock import Clock, after_a_gap
from gpforecast.series.coarser import step_in_words
from gpforecast.series.dates import is_elapsed, with_freq
from gpforecast.series.labels import tick_of
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
    gap = after_a_gap(index)
    # A step that is longer than the gap in which it begins has the label of its end.
    clock = Clock(index.tz)
    found = _on_clock(clock, index, index)
    if found is None and gap.any():
        found = _on_clock(clock, index[~gap], index)
    if found is None:
        return None
    times = found.moments.times
    if not fill and len(times[(times >= index[0]) & (times <= index[-1])]) > len(index):
        return None
    clock = replace(clock, pending=int((times > index[-1]).sum()))
    return replace(found, index=found.index.rename(index.name), clock=clock)


def _on_clock(clock: Clock, known: pd.DatetimeIndex, every: pd.DatetimeIndex) -> TimeAxis | None:
    """Return the steps of the clock that some of all times are, if all are at their moments."""
    wall = known.tz_localize(None).unique().sort_values()
    if every.freq is not None:
        wall = with_freq(wall, every.freq)
    try:
        axis = TimeAxis.of(wall, fill=True)
    except ValueError:
        return None
    tick = tick_of(axis.index)
    if tick is None or tick > _DAY:
        return None
    if is_elapsed(every.freq) and not clock.keeps(tick, every[-1]):
        return None  # steps of elapsed time, which the clocks do not show as regular
    late, more = int(known[0] != every[0]), int(known[-1] != every[-1])
    begin, n = axis.index[0] - late * tick, late + len(axis) + more
    rule = pd.DatetimeIndex(axis.index).freq
    index = pd.date_range(begin, periods=n, freq=rule, unit=wall.unit)
    found = TimeAxis(index, clock=clock)
    return found if every.isin(found.moments.times).all() else None


def elapsed_note(index: Index) -> tuple[str, ...]:
    """Say that steps are of elapsed time, if they come at other hours when clocks change.

    Examples
    --------
    >>> elapsed_note(pd.date_range("2024-03-01", periods=9, freq="3h", tz="Europe/Paris"))[0][:43]
    'the steps are 3 hours of elapsed time: when'
    """
    step = tick_of(index)
    if not are_dates(index) or index.tz is None or step is None or step >= _DAY:
        return ()
    if Clock(index.tz).keeps(step, index[-1]):
        return ()
    when = f"when the clocks of {index.tz} change, they come at other hours of the day"
    instead = "values at the same hours all year would keep a daily season by the clock"
    return (f"the steps are {step_in_words(index)} of elapsed time: {when}; {instead}",)
