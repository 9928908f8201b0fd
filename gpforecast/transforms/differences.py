"""Differences and seasonal differences, undone by cumulative sums."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import array_without_infinities, counted, positive_integer
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable


class Differences(ABC):
    """Differences one after another; there is nothing to learn."""

    @property
    @abstractmethod
    def periods(self) -> tuple[int, ...]:
        """Steps between the values that each of them compares."""

    @property
    def n_lost(self) -> int:
        """How many values at the start have no difference."""
        return sum(self.periods)

    def fit(self, series: SeriesLike) -> Self:
        """Check that the series is long enough."""
        n = len(np.asarray(series))
        if n <= self.n_lost:
            raise ValueError(
                f"series has {counted(n, 'value')} but {self!r} needs at least {self.n_lost + 1}; "
                f"pass a longer series or leave the transform out."
            )
        return self

    def transform(self, values: ArrayLike) -> FloatArray:
        """Return the differences (n,), with NaN for the first and wherever NaN is touched."""
        return differenced(array_without_infinities(values, "values", ndim=1), self.periods)

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the transformed values (n,)."""
        return self.transform(values)

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of the levels: cumulative sums from the last ones."""
        for period, last in self.steps_back(past):
            again = last[:, np.arange(z.mean.shape[1]) % period]
            z = z.summed(partial(cumulated, period=period), again)
        return z

    def steps_back(self, past: FloatArray) -> list[tuple[int, FloatArray]]:
        """Return what undoes each of them, the last one first: its period and what it adds up from.

        Parameters
        ----------
        past : ndarray (..., n_lost)
            The last values.
        """
        levels = [past]
        for period in self.periods:
            levels.append(levels[-1][..., period:] - levels[-1][..., :-period])
        back = zip(reversed(self.periods), levels[-2::-1], strict=True)
        return [(period, level[..., -period:]) for period, level in back]


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

    def __post_init__(self) -> None:
        if positive_integer(self.period, "period") == 1:
            raise ValueError("period must be at least 2; got 1. Difference() takes neighbours.")

    @property
    def periods(self) -> tuple[int, ...]:
        """Steps between the values that each difference compares."""
        return (self.period,)


def gaps(steps: Sequence[object]) -> tuple[int, ...]:
    """Return the steps between the values that each difference compares."""
    return tuple(gap for step in steps if isinstance(step, Differences) for gap in step.periods)


def differenced(values: FloatArray, periods: Sequence[int]) -> FloatArray:
    """Return differences along the first axis, NaN for the first ones."""
    for period in periods:
        lost = np.full((min(period, len(values)), *values.shape[1:]), np.nan)
        values = np.concatenate([lost, values[period:] - values[:-period]])
    return values


def cumulated(values: FloatArray, axis: int = 0, *, period: int) -> FloatArray:
    """Return cumulative sums along an axis, of every `period`-th entry."""
    out = np.moveaxis(values.copy(), axis, 0)
    for k in range(min(period, len(out))):
        out[k::period] = out[k::period].cumsum(axis=0)
    return np.moveaxis(out, 0, axis)
