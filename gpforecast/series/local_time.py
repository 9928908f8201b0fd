"""Whether a series in UTC follows clocks that change for summer time."""

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.series.labels import tick_of

_ZONES = (
    "Europe/Paris",
    "America/New_York",
    "Australia/Sydney",
    "Pacific/Auckland",
    "America/Santiago",
)
"""One of each of the rules by which large countries change their clocks."""

_WINDOW = 14  # days before and after a change
_FEWEST = 2  # changes
_LEFT = 0.5  # of the squares between the days before and after, if these are an hour earlier


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
    the two weeks before, as it is and moved by an hour. All changes must speak for the zone.
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
    values, n = values_of(y), _WINDOW * 24 * hour
    changes = [i + 1 for i in np.flatnonzero(moved) if n <= i + 1 <= len(y) - n]
    squares = []
    for i in changes:
        before, after = (
            _mean_day(values[part], hour) for part in (slice(i - n, i), slice(i, i + n))
        )
        earlier = np.roll(before, -round(moved[i - 1]) * hour)
        squares.append([np.sum((after - before) ** 2), np.sum((after - earlier) ** 2)])
    same, shifted = np.reshape(squares, (-1, 2)).T
    if len(changes) < _FEWEST or not (shifted < same).all():
        return np.inf
    return float(shifted.sum() / same.sum())


def _mean_day(values: FloatArray, hour: int) -> FloatArray:
    """Return the mean of whole days, less their level."""
    day = pd.DataFrame(values.reshape(-1, 24 * hour)).mean()
    return (day - day.mean()).to_numpy(dtype=np.float64)
