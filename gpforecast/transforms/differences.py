"""Differences and seasonal differences, undone by cumulative sums."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import counted, positive_integer
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import Linear, OfTimes


class Differences(OfTimes["Differences"]):
    """Differences one after another; there is nothing to learn."""

    @property
    @abstractmethod
    def periods(self) -> tuple[int, ...]:
        """Steps between the values that each of them compares."""

    @property
    def n_lost(self) -> int:
        """How many values at the start have no difference."""
        return sum(self.periods)

    def fit_at(self, values: FloatArray, times: TimeAxis) -> "Differences":
        """Check that there are enough values (n,)."""
        n = len(values)
        if n <= self.n_lost:
            raise ValueError(
                f"series has {counted(n, 'value')} but {self!r} needs at least {self.n_lost + 1}; "
                f"pass a longer series or leave the transform out."
            )
        return self

    def transform(self, values: SeriesLike) -> FloatArray:
        """Return the differences (n,), with NaN for the first and wherever NaN is touched."""
        found = checked(values, name="values")
        return self.apply(found.values, found.axis)

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the transformed values (n,)."""
        return differenced(values, [times.back(period) for period in self.periods])

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of the levels: cumulative sums from the last ones."""
        k = np.arange(z.mean.shape[1])[:, None]
        for period, last in self.steps_back(past):
            back = times.back(period)[ends + k]  # (h, b)
            again = np.where(k < back, np.take_along_axis(last.T, np.minimum(k - back, -1), 0), 0.0)
            sums = partial(cumulated, back=back)
            z = z.summed(sums, sums(again.T, 1))
        return z

    def steps_back(self, past: FloatArray) -> list[tuple[int, FloatArray]]:
        """Return what undoes each of them, the last one first: its period and what it adds up from.

        Parameters
        ----------
        past : ndarray (..., n_back)
            The last values.
        """
        levels = [past]
        for period in self.periods:
            levels.append(levels[-1][..., period:] - levels[-1][..., :-period])
        return list(zip(reversed(self.periods), levels[-2::-1], strict=True))


@storable
@dataclass(frozen=True)
class Difference(Differences):
    r"""Take differences of neighbours, z(t) = y(t) - y(t-1), `order` times over.

    A level is the sum of its differences, so that y = A z + b with A lower-triangular of ones
    (its `order`-th power) and b the continuation of the last observed values. A forecast of the
    differences N(m, S) is one of the levels, N(A m + b, A S A'), exactly.

    Parameters
    ----------
    order : int
        How many times; once removes a random walk's wandering level or a line's slope.

    Raises
    ------
    ValueError
        If `order` is not a positive integer.

    Notes
    -----
    Undoing costs O(horizon^2) for each origin.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.transforms.Difference().transform([1.0, 4.0, 9.0, 16.0])
    array([nan,  3.,  5.,  7.])
    >>> gf.transforms.Difference(2).transform([1.0, 4.0, 9.0, 16.0])
    array([nan, nan,  2.,  2.])
    """

    order: int = 1

    def __post_init__(self) -> None:
        positive_integer(self.order, "order")

    @property
    def periods(self) -> tuple[int, ...]:
        """Steps between the values that each difference compares."""
        return (1,) * self.order


@storable
@dataclass(frozen=True)
class SeasonalDifference(Differences):
    """Take differences to one season before, z(t) = y(t) - y(t - period).

    A level is the sum of the differences of its own season, added to the last value observed in
    that season: y = A z + b with A(k, i) = 1 where k - i is a non-negative multiple of the period.

    A year of days (365), or of shorter steps such as hours (8760), goes by the calendar: the
    difference is to the same date a year before, across leap days, and that of 29 February to the
    28th.

    Parameters
    ----------
    period : int
        Steps in a season, at least 2: 12 for months of a year.

    Raises
    ------
    ValueError
        If `period` is not an integer of at least 2.

    Notes
    -----
    Undoing costs O(horizon^2) for each origin.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.transforms.SeasonalDifference(2).transform([1.0, 5.0, 2.0, 7.0])
    array([nan, nan,  1.,  2.])
    """

    period: int
    lost: int | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if positive_integer(self.period, "period") == 1:
            raise ValueError("period must be at least 2; got 1. Difference() takes neighbours.")

    @property
    def periods(self) -> tuple[int, ...]:
        """Steps between the values that each difference compares."""
        return (self.period,)

    @property
    def n_lost(self) -> int:
        """How many values at the start have no difference."""
        return self.period if self.lost is None else self.lost

    def fit_at(self, values: FloatArray, times: TimeAxis) -> Differences:
        """Check that there are enough values (n,), and count those without a season before."""
        early = np.flatnonzero(np.arange(len(times)) < times.back(self.period))
        lost = max(self.period, int(early[-1]) + 1)
        return Differences.fit_at(replace(self, lost=lost), values, times)


def gaps(steps: Sequence[object]) -> tuple[int, ...]:
    """Return the steps between the values that each difference compares."""
    return tuple(gap for step in steps if isinstance(step, Differences) for gap in step.periods)


def n_back(step: Linear, times: TimeAxis) -> int:
    """Return how many values before an origin a step is undone from."""
    return sum(int(times.back(gap).max()) for gap in gaps([step])) or step.n_lost


def differenced(values: FloatArray, backs: Sequence[IntArray]) -> FloatArray:
    """Return differences along the first axis to values so many steps back, NaN without one.

    Parameters
    ----------
    values : ndarray (n, ...)
    backs : sequence of ndarray (m,) or (m, b)
        Of each difference, for n steps or more; b is that of the second axis.
    """
    for back in backs:
        values = values - _earlier(values, back[: len(values)], np.nan)
    return values


def cumulated(values: FloatArray, axis: int = 0, *, back: IntArray | int) -> FloatArray:
    """Return sums y along an axis, y(k) = values(k) + y(k - back(k)), which differences undo.

    Parameters
    ----------
    values : ndarray (..., n, ...)
    axis : int
    back : int or ndarray (n,) or (n, b)
        b is that of the first of the other axes.
    """
    out, period = np.moveaxis(values.copy(), axis, 0), int(np.min(back))
    if period == np.max(back):
        for k in range(min(period, len(out))):
            out[k::period] = out[k::period].cumsum(axis=0)
    else:
        more = out
        for _ in range(len(out) // period):
            more = _earlier(more, np.asarray(back), 0.0)
            out = out + more
    return np.moveaxis(out, 0, axis)


def _earlier(values: FloatArray, back: IntArray, none: float) -> FloatArray:
    """Return the values (n, ...) that are so many steps before each, (n,) or (n, b)."""
    at = np.arange(len(values)).reshape(-1, *[1] * (back.ndim - 1)) - back
    at = at.reshape(*at.shape, *[1] * (values.ndim - at.ndim))
    return np.where(at < 0, none, np.take_along_axis(values, np.maximum(at, 0), 0))
