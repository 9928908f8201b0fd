"""Which sets of lags are worth trying, in the order in which they are tried."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpforecast.automatic import thresholds as th


@dataclass(frozen=True)
class LagSet:
    """A set of lags, and where it comes from.

    Attributes
    ----------
    lags : tuple of int
        In increasing order.
    source : str
        In words, for the table of a choice.
    """

    lags: tuple[int, ...]
    source: str

    def __str__(self) -> str:
        """Return lags and source in words."""
        return f"{named(self.lags)} ({self.source})"


def named(lags: Sequence[int]) -> str:
    """Return lags in words, as short as they go.

    Examples
    --------
    >>> named([1]), named([1, 2, 3]), named([1, 2, 12]), named(range(6, 97, 6))
    ('lag 1', 'lags 1 to 3', 'lags 1, 2 and 12', 'lags 6, 12, ..., 96')
    """
    first, last, n = lags[0], lags[-1], len(lags)
    if n == 1:
        return f"lag {first}"
    if n > 2 and last - first == n - 1:
        return f"lags {first} to {last}"
    if n > 4 and list(lags) == multiples(first, n):
        return f"lags {first}, {2 * first}, ..., {last}"
    if n > 8:
        return f"{n} lags from {first} to {last}"
    return f"lags {', '.join(map(str, lags[:-1]))} and {last}"


def multiples(stride: int, count: int) -> list[int]:
    """Return stride, 2 stride, ..., count stride."""
    return [stride * (i + 1) for i in range(count)]


class Shortlist:
    """Sets of lags without repetition, none reaching too far back or having too many lags.

    Parameters
    ----------
    reach : int
        The largest lag.
    max_lags : int
    delay : int
        Of the embedding. No stride goes beyond it: there neighbouring coordinates share next to
        nothing.
    """

    def __init__(self, reach: int, max_lags: int, delay: int) -> None:
        self.reach = reach
        self.max_lags = max_lags
        self.delay = delay
        self._seen: set[tuple[int, ...]] = set()

    def first_round(
        self, partial: Iterable[int], period: int | None, dimension: int
    ) -> list[LagSet]:
        """List what is tried on every series, from simple to elaborate.

        Parameters
        ----------
        partial : iterable of int
            Lags of significant partial autocorrelation.
        period : int or None
            Of a season, in steps.
        dimension : int
            Of the embedding.
        """
        tried: list[tuple[Iterable[int], str]] = [
            *((range(1, n + 1), "unit lags") for n in th.UNIT_LAGS),
            (partial, "partial autocorrelation"),
            *((lags, "season") for lags in _seasonal(period)),
        ]
        # Takens: 2 D + 1 coordinates always suffice.
        for count in (dimension, 2 * dimension + 1) if self.delay > 1 else ():
            lags = multiples(self.delay, count)
            tried += [(lags, "delay embedding"), ([1, *lags], "delay embedding and lag 1")]
        strides = [s for s in th.FIRST_STRIDES if s <= self.delay]
        tried += [(multiples(s, n), "stride") for s in strides for n in th.FIRST_COUNTS]
        return self._new(tried)

    def near(self, lags: tuple[int, ...]) -> list[LagSet]:
        """List the neighbours of a set of multiples: a little denser, wider, more or fewer."""
        stride, count = lags[0], len(lags)
        if list(lags) != multiples(stride, count):
            return []
        tried: list[tuple[Iterable[int], str]] = []
        # A move along the diagonal keeps the reach, and changes how densely it is sampled.
        for up, more in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            s, n = _next(th.STRIDES, stride, up), _next(th.COUNTS, count, more)
            if s <= max(self.delay, stride):
                tried.append((multiples(s, n), "stride" if s > 1 else "unit lags"))
        if stride > 1:
            tried.append(([1, *lags], "stride and lag 1"))
        return self._new(tried)

    def _new(self, tried: Iterable[tuple[Iterable[int], str]]) -> list[LagSet]:
        """Return those that are not too large and were not here before."""
        found = []
        for lags, source in tried:
            key = tuple(sorted(set(lags)))
            fits = 0 < len(key) <= self.max_lags and key[0] >= 1 and key[-1] <= self.reach
            if fits and key not in self._seen:
                self._seen.add(key)
                found.append(LagSet(key, source))
        return found


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
    """Return the entry of `grid` so many steps beyond `value`, or the last there is."""
    beyond = [entry for entry in grid if (entry - value) * step > 0]
    return min(beyond, key=lambda entry: abs(entry - value), default=value)
