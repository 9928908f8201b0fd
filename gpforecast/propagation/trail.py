"""What a filter knew on its way through a series, so that it goes on from there."""

from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.types import FloatArray

_SPACING = 8  # values of which the first that is an origin is remembered
_MOST = 128  # places that are remembered


@dataclass(frozen=True)
class Place:
    """What was known at a time: mean (n,) and covariance (n, n) of the window before it."""

    time: int
    mean: FloatArray
    cov: FloatArray


@dataclass(eq=False)
class Trail:
    """Places of a filter's way through a series, the latest ones.

    What it knew at a place depends on the values before it alone. So it holds for any other series
    up to the first value that differs: with more values, or with a later one changed.

    Examples
    --------
    >>> trail, values = Trail(), np.arange(20.0)[:, None]
    >>> trail.follow("a filter", values)
    >>> for time in (5, 18):
    ...     trail.remember(Place(time, np.zeros(2), np.eye(2)))
    >>> trail.last(20).time
    18
    >>> trail.follow("a filter", np.where(values == 10.0, np.nan, values))
    >>> trail.last(20).time
    5
    """

    by: object = None
    series: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    places: dict[int, Place] = field(default_factory=dict)

    def follow(self, by: object, series: FloatArray) -> None:
        """Begin another way, by a filter through a series (n, k); forget what is not on it."""
        until = _alike(self.series, series) if by == self.by else 0
        self.by, self.series = by, series
        self.places = {k: place for k, place in self.places.items() if place.time <= until}

    def remember(self, place: Place) -> None:
        """Keep a place, if there is none close before it."""
        self.places.setdefault(place.time // _SPACING, place)
        if len(self.places) > _MOST:
            del self.places[min(self.places)]

    def last(self, time: int) -> Place | None:
        """Return the last place up to a time, if one is remembered."""
        return max(
            (place for place in self.places.values() if place.time <= time),
            key=lambda place: place.time,
            default=None,
        )


def _alike(a: FloatArray, b: FloatArray) -> int:
    """Return with how many rows that are the same two series begin, (n, k) and (m, k)."""
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    other = np.flatnonzero(((a != b) & ~(np.isnan(a) & np.isnan(b))).any(axis=1))
    return int(other[0]) if len(other) else n
