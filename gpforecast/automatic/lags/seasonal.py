"""Lags around a season: a year after this week, and the same weekday a week ago."""

from gpforecast.automatic import thresholds as th

LONGER = {7: (365,), 24: (168,), 48: (336,), 96: (672,)}
"""Seasons that often come with a shorter one: a week with days of hours, half-hours and quarters of
an hour, a year with weeks of days."""

SHORTER = {longer: short for short, many in LONGER.items() for longer in many}


def related(period: int, reach: int) -> list[int]:
    """Return a season and those that often come with it, none beyond the reach, in order.

    Examples
    --------
    >>> related(24, 200), related(336, 400), related(12, 40)
    ([24, 168], [48, 336], [12])
    """
    seasons = {period, SHORTER.get(period, period), *LONGER.get(period, ())}
    return sorted(p for p in seasons if p + 1 <= reach)


def seasonal_sets(period: int, reach: int) -> list[list[int]]:
    """Return sets of lags worth a trial where a season was removed, from simple to elaborate.

    Examples
    --------
    >>> seasonal_sets(12, 40)
    [[1], [1, 12, 13], [1, 2, 11, 12, 13]]
    """
    seasons = related(period, reach)
    every = [
        [1],
        *([1, p, p + 1] for p in seasons if p == period),
        sorted({1, *seasons, *(p + 1 for p in seasons)}),
        lags_around(period, reach, alone=True),
        lags_around(period, reach),
    ]
    return [lags for i, lags in enumerate(every) if lags not in every[:i]]


def lags_around(
    period: int, reach: int, *, recent: int | None = None, alone: bool = False
) -> list[int]:
    """Return the newest lags, and those at a season and next to it on either side.

    A multiplicative seasonal autoregression of order 1 has products of its two polynomials at
    lags p and p + 1; p - 1 lets a season come early. A season that often comes with this one, as
    the week does with the day, is given lags of its own if they can be reached.

    Parameters
    ----------
    period : int
        Of the season, in steps.
    reach : int
        The largest lag there may be.
    recent : int, optional
        How many of the newest values there are beside: 2, or 4 of seasons of 52 and more.
    alone : bool
        Without the seasons that often come with it.

    Returns
    -------
    list of int
        In increasing order; 1 alone if the reach is no more.

    Examples
    --------
    >>> lags_around(12, 40)
    [1, 2, 11, 12, 13]
    >>> lags_around(24, 200)
    [1, 2, 23, 24, 25, 167, 168, 169]
    """
    if recent is None:
        recent = 2 if period < th.LONG_SEASON else 4
    lags = set(range(1, recent + 1))
    for p in related(period, reach):
        if p == period or not alone:
            lags |= {p - 1, p, p + 1}
    return sorted(lag for lag in lags if 0 < lag <= max(reach, 1))
