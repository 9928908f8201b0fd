"""Which sets of lags are worth trying, in the order in which they are tried."""

from collections.abc import Iterable
from dataclasses import dataclass

_UNIT = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_STRIDES = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32)
_COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_COARSE_STRIDES = (2, 3, 5, 8, 13, 20, 32)
_COARSE_COUNTS = (4, 8, 16)


@dataclass(frozen=True)
class Candidate:
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

    @property
    def label(self) -> str:
        """The lags in words, as short as they go."""
        first, last, n = self.lags[0], self.lags[-1], len(self.lags)
        if last == len(self.lags) > 1:
            return f"1 to {n}"
        if n > 4 and self.lags == tuple(range(first, last + 1, first)):
            return f"{first}, {2 * first}, ..., {last}"
        return ", ".join(map(str, self.lags)) if n <= 8 else f"{n} lags up to {last}"


class Shortlist:
    """Candidates without repetition, none reaching too far back or having too many lags.

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

    def add(self, lags: Iterable[int], source: str) -> list[Candidate]:
        """Return the set as a list of one, or of none if it is too large or was here before."""
        key = tuple(sorted(set(lags)))
        if not 0 < len(key) <= self.max_lags or key[0] < 1 or key[-1] > self.reach:
            return []
        if key in self._seen:
            return []
        self._seen.add(key)
        return [Candidate(key, source)]

    def first_round(
        self, partial: Iterable[int], period: int | None, dimension: int
    ) -> list[Candidate]:
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
        found = [c for n in _UNIT for c in self.add(range(1, n + 1), "unit lags")]
        found += self.add(partial, "partial autocorrelation")
        for lags in _seasonal(period):
            found += self.add(lags, "season")
        if self.delay > 1:
            for count in (dimension, 2 * dimension + 1):  # Takens: 2 D + 1 always suffice
                found += self.add(multiples(self.delay, count), "delay embedding")
                found += self.add([1, *multiples(self.delay, count)], "delay embedding and lag 1")
        for stride in _COARSE_STRIDES:
            if stride <= self.delay:
                for count in _COARSE_COUNTS:
                    found += self.add(multiples(stride, count), "stride")
        return found

    def near(self, lags: tuple[int, ...]) -> list[Candidate]:
        """List the neighbours of a set of multiples: a little denser, wider, more or fewer."""
        stride, count = lags[0], len(lags)
        if lags != tuple(multiples(stride, count)):
            return []
        found = []
        # A move along the diagonal keeps the reach, and changes how densely it is sampled.
        for up, more in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            s, n = _next(_STRIDES, stride, up), _next(_COUNTS, count, more)
            if s <= max(self.delay, stride):
                found += self.add(multiples(s, n), "stride" if s > 1 else "unit lags")
        if stride > 1:
            found += self.add([1, *lags], "stride and lag 1")
        return found


def multiples(stride: int, count: int) -> list[int]:
    """Return stride, 2 stride, ..., count stride."""
    return [stride * (i + 1) for i in range(count)]


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
    if step == 0:
        return value
    beyond = [g for g in grid if (g > value if step > 0 else g < value)]
    if not beyond:
        return value
    return beyond[0] if step > 0 else beyond[-1]
