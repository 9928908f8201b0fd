"""Sets of lags worth a trial: around a season, and for any series in the order of their trials."""

from collections.abc import Iterable
from typing import TypeAlias

from gpforecast.automatic import thresholds as th

# Longer seasons that often come with a shorter one: a week with days of hours, half-hours and
# quarters of an hour, a year with weeks of days.
LONGER = {7: (365,), 24: (168,), 48: (336,), 96: (672,)}

# Sets of lags, in any order and some of them repeated, each with where it comes from in words.
Proposed: TypeAlias = list[tuple[Iterable[int], str]]


def multiples(stride: int, count: int) -> list[int]:
    """Return stride, 2 stride, ..., count stride."""
    return [stride * (i + 1) for i in range(count)]


def related(period: int, longest: int) -> list[int]:
    """Return a season and those that often come with it, none beyond the longest lag, in order.

    Examples
    --------
    >>> related(24, 200), related(336, 400), related(12, 40)
    ([24, 168], [48, 336], [12])
    """
    shorter = {short for short, many in LONGER.items() if period in many}
    seasons = {period, *shorter, *LONGER.get(period, ())}
    return sorted(p for p in seasons if p + 1 <= longest)


def lags_around(period: int, longest: int) -> list[int]:
    """Return the newest two lags, and those at a season and next to it on either side.

    A multiplicative seasonal autoregression of order 1 has products of its two polynomials at
    lags p and p + 1; p - 1 lets a season come early. A season that often comes with this one, as
    the week does with the day, is given lags of its own if they are within the longest.

    Parameters
    ----------
    period : int
        Of the season, in steps.
    longest : int
        The largest lag there may be.

    Returns
    -------
    list of int
        In increasing order; 1 alone if the longest lag is no more.

    Examples
    --------
    >>> lags_around(12, 40)
    [1, 2, 11, 12, 13]
    >>> lags_around(24, 200)
    [1, 2, 23, 24, 25, 167, 168, 169]
    """
    around = {p + k for p in related(period, longest) for k in (-1, 0, 1)}
    return sorted(lag for lag in {1, 2, *around} if 0 < lag <= max(longest, 1))


def first_round(partial: Iterable[int], period: int | None, delay: int, dimension: int) -> Proposed:
    """List what is tried on every series, from simple to elaborate.

    Parameters
    ----------
    partial : iterable of int
        Lags of significant partial autocorrelation.
    period : int or None
        Of a season, in steps.
    delay, dimension : int
        Of the embedding. No stride is longer than its delay: neighbouring coordinates would be
        independent.
    """
    tried: Proposed = [
        *((range(1, n + 1), "the newest values") for n in th.SIZES),
        (partial, "significant partial autocorrelations"),
        *((lags, "season") for lags in _seasonal(period)),
    ]
    counts = dimension, 2 * dimension + 1  # Takens: so many coordinates always suffice
    for lags in (multiples(delay, n) for n in counts if delay > 1):
        tried += [(lags, "delay embedding"), ([1, *lags], "delay embedding and lag 1")]
    strides = [s for s in th.FIRST_STRIDES if s <= delay]
    return tried + [(multiples(s, n), "evenly spaced") for s in strides for n in th.FIRST_COUNTS]


def neighbours(lags: tuple[int, ...], delay: int) -> Proposed:
    """List the neighbours of a set of multiples: one stride or count before or after."""
    stride, count = lags[0], len(lags)
    if list(lags) != multiples(stride, count):
        return []
    tried: Proposed = []
    # A move along the diagonal keeps the longest lag, and changes how densely it is sampled.
    for up, more in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
        s, n = _next(th.SIZES, stride, up), _next(th.SIZES, count, more)
        if s <= max(delay, stride):
            tried.append((multiples(s, n), "evenly spaced" if s > 1 else "the newest values"))
    return [*tried, ([1, *lags], "evenly spaced, and lag 1")] if stride > 1 else tried


def _seasonal(period: int | None) -> list[list[int]]:
    if period is None or period < 2:
        return []
    p = period
    return [
        [1, p],
        [1, p, p + 1],
        [1, 2, 3, p, p + 1],
        list(range(1, p + 1)),
        list(range(1, p + 2)),
        [p, 2 * p],
        [1, p, 2 * p],
        [1, 2, p, p + 1, 2 * p, 2 * p + 1],
    ]


def _next(grid: tuple[int, ...], value: int, step: int) -> int:
    """Return the entry of `grid` after `value`, before it or itself, by the sign of the step."""
    beyond = [entry for entry in grid if (entry - value) * step > 0]
    return min(beyond, key=lambda entry: abs(entry - value), default=value)
