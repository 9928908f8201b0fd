"""Trend and season of what the transforms give back: the path of a forecast without its memory.

A forecast is the values that the one-step model predicts, and what undoing the transforms adds to
them. The latter is followed here step by step on its way back, as a trend and a season:

- a function of time (`Deterministic`, `DampedMean`) says which part of it is a season;
- a difference adds up both, from the last observed value; the season keeps the mean 0;
- a seasonal difference adds up their sum, from the last observed season. The trend is the moving
  average of the result over a season, the season is the rest.

Standard errors are those of coefficients; observed values that are continued are taken as known.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.base import Linear
from gpforecast.transforms.differences import Differences, cumulated, n_back


@dataclass(frozen=True, eq=False)
class Split:
    """Trend and season over k steps, and the roots of their errors' covariances.

    Attributes
    ----------
    trend, season : ndarray (k,)
    trend_root, season_root : ndarray (k, r)
        Errors are these times the same r independent standard normal values.
    """

    trend: FloatArray
    season: FloatArray
    trend_root: FloatArray
    season_root: FloatArray

    @staticmethod
    def none(n: int) -> "Split":
        """Return zeros over n steps."""
        return Split(np.zeros(n), np.zeros(n), np.zeros((n, 0)), np.zeros((n, 0)))

    def plus(self, more: "Split") -> "Split":
        """Return the sum with one whose errors are independent."""
        return Split(
            self.trend + more.trend,
            self.season + more.season,
            np.hstack([self.trend_root, more.trend_root]),
            np.hstack([self.season_root, more.season_root]),
        )


class AtTimes(ABC):
    """A fitted transform that knows the times of its fit, and loses no values."""

    n_lost: ClassVar[int] = 0
    axis: TimeAxis

    @abstractmethod
    def split(self, found: Split, end: int, times: TimeAxis) -> Split:
        """Return trend and season after undoing it, from position `end` of the times on."""

    @abstractmethod
    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the transformed values (n,)."""

    def transform(self, values: SeriesLike) -> FloatArray:
        """Return the transformed values (n,), NaN where there is none.

        They begin where the fit did, or anywhere on its index if they have one.
        """
        found = checked(values, name="values")
        return self.apply(found.values, self.axis.locate(found.axis))


def split(
    steps: Sequence[Linear],
    period: int | None,
    levels: list[FloatArray],
    end: int,
    n: int,
    times: TimeAxis,
) -> Split:
    """Return the trend and the season of n steps from one origin, in the units of the warp.

    Together they are the forecast of a one-step model that always predicts 0 of the standardised
    values.

    Parameters
    ----------
    steps : sequence of Linear
        The linear transforms of a chain.
    period : int or None
        Its season.
    levels : list of ndarray
        As `Chain.levels` returns them; no value that a difference needs is missing.
    end : int
        Position of the first step.
    n : int
        At least a season more than are used: near its end a moving average has no later values.
    times : TimeAxis
        Of the values and the n steps.
    """
    found = Split.none(n)
    for step, level in zip(reversed(steps), reversed(levels[:-1]), strict=True):
        past = level[end - n_back(step, times) : end]
        if isinstance(step, Differences):
            for gap, last in step.steps_back(past):
                if gap == 1:
                    found = _by_steps(found, last, period)
                else:
                    found = _by_seasons(found, last, gap, times.back(gap)[end : end + n])
        elif isinstance(step, AtTimes):
            found = step.split(found, end, times)
        else:
            found = _undone(step, found, past, end, times)
    return found


def _undone(step: Linear, found: Split, past: FloatArray, end: int, times: TimeAxis) -> Split:
    """Undo any linear transform: what it adds counts as trend."""
    columns = [found.trend[:, None], found.season[:, None], found.trend_root, found.season_root]
    given = np.hstack([np.zeros((len(found.trend), 1)), *columns]).T  # (b, n)
    ends: IntArray = np.full(len(given), end)
    back = step.undo(Propagated.certain(given), np.tile(past, (len(given), 1)), ends, times).mean
    offset, r = back[0], found.trend_root.shape[1]
    trend, season, *roots = back[1:] - offset
    both = np.array(roots).reshape(2 * r, len(offset)).T
    return Split(trend + offset, season, both[:, :r], both[:, r:])


def _by_steps(found: Split, last: FloatArray, period: int | None) -> Split:
    """Undo a difference of neighbours; what the season has of a level goes to the trend."""
    trend, season, trend_root, season_root = (part.cumsum(axis=0) for part in vars(found).values())
    level, level_root = season[:period].mean(), season_root[:period].mean(axis=0)
    return Split(
        trend + last[-1] + level, season - level, trend_root + level_root, season_root - level_root
    )


def _by_seasons(found: Split, last: FloatArray, period: int, back: IntArray) -> Split:
    """Undo a seasonal difference: a moving average separates trend and season again."""
    both = _sums(found.trend + found.season, last, back)
    root = _sums(found.trend_root + found.season_root, np.zeros((len(last), 1)), back)
    trend, trend_root = (_smoothed(each[len(last) - period :], period) for each in (both, root))
    n = len(found.trend)
    return Split(trend, both[-n:] - trend, trend_root, root[-n:] - trend_root)


def _sums(steps: FloatArray, last: FloatArray, back: IntArray) -> FloatArray:
    """Return the last values (p, ...), and those (n, ...) that continue them by steps."""
    first = np.broadcast_to(last, (len(last), *steps.shape[1:]))
    back = np.pad(back, (len(last), 0), constant_values=len(last))
    return cumulated(np.concatenate([first, steps]), back=back)


def _smoothed(whole: FloatArray, period: int) -> FloatArray:
    """Return the centred moving average over a season of all but the first season, (n, ...).

    Where half a season is not there any more, the last change goes on.
    """
    half, weights = period // 2, np.full(2 * (period // 2) + 1, 1.0 / period)
    if period % 2 == 0:
        weights[[0, -1]] *= 0.5
    sums: FloatArray = scipy.ndimage.convolve1d(whole, weights, axis=0)[period:]
    inner = len(sums) - half  # steps with half a season after them
    ahead = np.arange(1, half + 1).reshape(-1, *[1] * (whole.ndim - 1))
    sums[inner:] = sums[inner - 1] + ahead * (sums[inner - 1] - sums[inner - 2])
    return sums


def settled(
    memory: FloatArray, n_last: int, n: int, *, period: int = 1, line: bool = False
) -> FloatArray:
    """Return where a path (k,) settles: n values of what goes through its last ones.

    Where the path of many steps settles is no memory any more. Of sums of differences it can be a
    line, and of sums over seasons a season.

    Parameters
    ----------
    memory : ndarray (k,)
    n_last : int
        How many of its last values count; two seasons at least.
    n : int
        From step 1 on; k at least.
    period : int
        Steps in the season; 1 for none.
    line : bool
        Whether it is a line instead of a constant.

    References
    ----------
    Beveridge and Nelson (1981), "A new approach to decomposition of economic time series into
    permanent and transitory components", Journal of Monetary Economics 7 (the permanent part of a
    series is where its forecast goes).
    """
    k, t = len(memory), np.arange(n)
    D = np.column_stack([np.eye(period)[t % period], *[(t - k) / k] * line])
    theta = np.linalg.lstsq(D[k - n_last : k], memory[-n_last:], rcond=None)[0]
    return np.asarray(D @ theta)


def with_settled(found: Split, path: FloatArray, period: int) -> Split:
    """Add where the memory settles (n,): a season around its line to the season."""
    if period == 1:
        return replace(found, trend=found.trend + path)
    line = (path[period] - path[0]) / period * np.arange(len(path))
    season = path - line
    level = season[:period].mean()
    return replace(found, trend=found.trend + level + line, season=found.season + season - level)
