"""Sets of lags: those that are tried on any series, and those around a season."""

from collections.abc import Iterable, Iterator

# Longer seasons that often come with a shorter one: a week with days of hours, half-hours and
# quarters of an hour, a year with weeks of days.
LONGER = {7: (365,), 24: (168,), 48: (336,), 96: (672,)}

SETS = {
    1: (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32),
    **dict.fromkeys((2, 3, 5, 8, 13, 20, 32), (4, 8, 16)),
}
"""How many multiples of each stride are tried: lags far apart see where a smooth series leads."""


def sets_of_lags(period: int | None, longest: int, most: int) -> list[tuple[int, ...]]:
    """Return the sets that are tried, each once, in increasing order of their sizes.

    Parameters
    ----------
    period : int or None
        Of a season, in steps.
    longest, most : int
        The largest lag, and how many there may be.

    Examples
    --------
    >>> sets_of_lags(None, 8, 4)
    [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (2, 4, 6, 8)]
    """
    found = {tuple(range(s, s * n + 1, s)) for s, counts in SETS.items() for n in counts}
    if period is not None and period > 1:
        found |= {tuple(sorted(set(lags))) for lags in _seasonal(period)}
    fitting = (lags for lags in found if lags[-1] <= longest and len(lags) <= most)
    return sorted(fitting, key=lambda lags: (len(lags), lags))


def _seasonal(p: int) -> Iterator[Iterable[int]]:
    yield from ([1, p], [1, p, p + 1], [1, 2, 3, p, p + 1], [p, 2 * p], [1, p, 2 * p])
    yield from (range(1, p + 1), range(1, p + 2), [1, 2, p, p + 1, 2 * p, 2 * p + 1])


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
