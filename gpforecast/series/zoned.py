"""Times with a time zone as steps of the clock on the wall, and whether UTC hides such a clock."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import Index
from gpforecast.series.clock import Clock, after_a_gap
from gpforecast.series.coarser import step_in_words
from gpforecast.series.dates import is_elapsed, with_freq
from gpforecast.series.labels import tick_of
from gpforecast.series.time_axis import TimeAxis

_DAY = pd.Timedelta(1, unit="D")
_ZONES = (
    "Europe/Paris",
    "America/New_York",
    "Australia/Sydney",
    "Pacific/Auckland",
    "America/Santiago",
)
"""One of each of the rules by which large countries change their clocks."""

_AROUND = 14  # days before and after a change
_FEWEST_CHANGES = 2  # changes
_LEFT = 0.5  # of the squares between the days before and after, if these are an hour earlier


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
    if not are_dates(index) or index.tz is None or index.tz.utcoffset(None) is not None:
        return None  # clocks of a fixed offset never change
    if index.hasnans or not (len(index) and index.is_monotonic_increasing and index.is_unique):
        return None
    gap = after_a_gap(index)
    # A step that is longer than the gap in which it begins has the label of its end.
    clock = Clock(index.tz)
    if (found := _on_clock(clock, index, index)) is None and gap.any():
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
    if not are_dates(index) or index.tz is None or step is None:
        return ()
    if step >= _DAY or Clock(index.tz).keeps(step, index[-1]):
        return ()
    when = f"when the clocks of {index.tz} change, they come at other hours of the day"
    instead = "values at the same hours all year would keep a daily season by the clock"
    return (f"the steps are {step_in_words(index)} of elapsed time: {when}; {instead}",)


def utc_note(y: "pd.Series[float]") -> tuple[str, ...]:
    """Say that a series in UTC follows local time, if its days move with the clocks of a zone.

    Examples
    --------
    >>> hours = pd.date_range("2023-01-01", "2024-01-01", freq="h", tz="Europe/Berlin")
    >>> visits = pd.Series(1.0 * (hours.hour == 19), hours)
    >>> utc_note(visits), utc_note(visits.tz_convert("UTC"))[0][:43]
    ((), 'its days move by an hour when clocks change')
    """
    zone = clocks_of(y)
    if zone is None:
        return ()
    moves = "its days move by an hour when clocks change"
    return (f"{moves}: convert UTC to local time, such as series.tz_convert({zone!r})",)


def clocks_of(y: "pd.Series[float]") -> str | None:
    """Return a zone with whose clocks the days of a series in UTC move, None if they do not.

    At each change of the clocks, the mean day of the two weeks after it is compared with that of
    the two weeks before, as it is and moved by an hour. All changes must favour the zone.
    """
    step = tick_of(y.index)
    if not are_dates(y.index) or str(y.index.tz) != "UTC" or step is None:
        return None
    hour, odd = divmod(pd.Timedelta(1, unit="h"), step)
    if odd or not hour:
        return None
    left = {zone: _left(y, zone, hour) for zone in _ZONES}
    best = min(left, key=lambda zone: left[zone])
    return best if left[best] <= _LEFT else None


def _left(y: "pd.Series[float]", zone: str, hour: int) -> float:
    """Return how much smaller squares are if days move with a zone; infinity if not at all times.

    Parameters
    ----------
    y : Series
    zone : str
    hour : int
        Steps in an hour.
    """
    times = pd.DatetimeIndex(y.index)
    offset = times.tz_convert(zone).tz_localize(None) - times.tz_localize(None)
    moved = np.diff(np.asarray(offset / pd.Timedelta(1, unit="h")))
    values, n = np.asarray(y, dtype=np.float64), _AROUND * 24 * hour
    changes = [i + 1 for i in np.flatnonzero(moved) if n <= i + 1 <= len(y) - n]
    squares = []
    for i in changes:
        weeks = values[i - n : i + n].reshape(2, _AROUND, 24 * hour)
        before, after = (pd.DataFrame(each).mean() for each in weeks)
        before, after = (day - day.mean() for day in (before, after))
        earlier = np.roll(before, -round(moved[i - 1]) * hour)
        squares.append([np.sum((after - before) ** 2), np.sum((after - earlier) ** 2)])
    same, shifted = np.reshape(squares, (-1, 2)).T
    if len(changes) < _FEWEST_CHANGES or not (shifted < same).all():
        return np.inf
    return float(shifted.sum() / same.sum())
