"""Forecasts from many origins, the observed values, scores, and how sure these are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.results.distribution import Distribution

FEWEST = 3.0  # forecasts that do not overlap: fewer do not tell how much they vary
_LEVELS = (50, 80, 95)


@dataclass(frozen=True, eq=False)
class ScoredForecasts:
    """Forecasts from many origins with their scores; `Backtest` documents the attributes."""

    origins: IntArray
    truth: FloatArray
    mean: FloatArray
    var: FloatArray
    lower: dict[float, FloatArray]
    upper: dict[float, FloatArray]
    crps: FloatArray
    nlpd: FloatArray
    pit: FloatArray
    propagation: str = "exact"
    n_clipped: int = 0
    notes: tuple[str, ...] = ()
    trained: IntArray | None = None
    refit: int | None = None
    series: "pd.Series[float] | None" = None
    seasons: tuple[int, ...] | None = None
    set_aside: tuple[tuple[int, ...], ...] = ()
    corrected: bool = False

    @classmethod
    def of(cls, joint: Distribution, truth: FloatArray, origins: IntArray, name: str) -> Self:
        """Return the forecasts of b origins and their scores, by the truth (b, h)."""
        tails = [0.5 - level / 200 for level in _LEVELS]
        bounds = np.moveaxis(joint.quantile([*tails, *(1 - tail for tail in tails)]), -1, 0)
        lower, upper = (
            dict(zip(map(float, _LEVELS), half, strict=True)) for half in np.split(bounds, 2)
        )
        losses = joint.crps(truth), joint.nlpd(truth), joint.pit(truth)
        return cls(
            origins, truth, joint.mean, joint.var, lower, upper, *losses, name, joint.n_clipped
        )

    @property
    def judged(self) -> BoolArray:
        """Which values count, (b, h): what was certain and came true, as of closed times, does not.

        Where all is certain, all do.
        """
        uncertain, known = self.var > 0.0, np.isfinite(self.truth)
        rounding = 1e-9 * float(np.abs(self.truth[known]).max(initial=0.0))
        wrong = np.abs(self.truth - self.mean) > rounding
        return np.asarray(known & (uncertain | wrong | ~uncertain.any()))

    @property
    def losses(self) -> dict[str, FloatArray]:
        """Every loss of every forecast, (b, h) each, before any average; NaN where none counts."""
        error = self.truth - self.mean
        found = {"mae": np.abs(error), "mse": error**2, "nlpd": self.nlpd, "crps": self.crps}
        for level, lower in self.lower.items():
            held = scores.coverage(self.truth, lower, self.upper[level], axis=())
            found[f"coverage_{level:g}"] = held
        return {name: np.where(self.judged, loss, np.nan) for name, loss in found.items()}

    @property
    def scores(self) -> pd.DataFrame:
        """Average over origins, one row a step: mae, mse, nlpd, crps, coverage_50, _80, _95."""
        return by_step(self.losses)

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard error of each average in `scores`; NaN for a single origin.

        Forecasts of h steps from origins less than h apart share some of what surprised them, and
        count as fewer. That of coverage holds for intervals that are right, so that a share of
        1 has one too.
        """
        steps = pd.RangeIndex(1, self.mean.shape[1] + 1, name="step")
        table = {
            name: [self._error(name, loss[:, [step - 1]], step) for step in steps]
            for name, loss in self.losses.items()
        }
        return pd.DataFrame(table, index=steps)

    def _error(self, name: str, losses: FloatArray, ahead: int) -> float:
        """Return the standard error of an average of losses of forecasts so many steps ahead.

        It is NaN where fewer than two origins have a truth, or a loss is infinite.
        """
        if np.isinf(losses).any() or np.isfinite(losses).any(axis=1).sum() < 2:
            return float("nan")
        _, coverage, level = name.partition("coverage_")
        if coverage:
            p = float(level) / 100
            return error_if_right(losses, self.origins, p * (1 - p), ahead)[0]
        error = error_of_mean(losses, self.origins, ahead)[0]
        return error if np.isfinite(error) else float("nan")


S = TypeVar("S", bound=ScoredForecasts)


def in_order(parts: list[tuple[IntArray, S]]) -> S:
    """Put the forecasts of groups of origins back into the order of the origins."""
    back = np.argsort(np.concatenate([chosen for chosen, _ in parts]))
    results = [result for _, result in parts]

    def together(arrays: Iterable[FloatArray]) -> Any:  # those of a single origin may be (h,)
        return np.concatenate([np.atleast_2d(one) for one in arrays])[back]

    learned = [one.trained for one in results if one.trained is not None]
    aside = [one for result in results for one in result.set_aside]
    names = ("truth", "mean", "var", "crps", "nlpd", "pit")
    return replace(
        results[0],
        origins=np.concatenate([one.origins for one in results])[back],
        trained=np.concatenate(learned)[back] if learned else None,
        **{name: together(map(attrgetter(name), results)) for name in names},
        lower={level: together(r.lower[level] for r in results) for level in results[0].lower},
        upper={level: together(r.upper[level] for r in results) for level in results[0].upper},
        n_clipped=sum(result.n_clipped for result in results),
        corrected=any(result.corrected for result in results),
        set_aside=tuple(aside[i] for i in back.tolist()) if aside else (),
    )


def by_step(losses: dict[str, FloatArray], statistic: str = "mean") -> pd.DataFrame:
    """Return a statistic over origins of losses (b, h), a row a step and a column a loss."""
    columns = {name: pd.DataFrame(loss).agg(statistic) for name, loss in losses.items()}
    found = pd.DataFrame(columns)
    return found.set_axis(pd.RangeIndex(1, len(found) + 1, name="step"))


def side_by_side(several: Mapping[str, ScoredForecasts]) -> pd.DataFrame:
    """Return averages over the values that all of them forecast, a row each.

    Columns are ``mae``, ``crps``, ``coverage_80`` and ``coverage_95``.
    """
    losses = {name: one.losses for name, one in several.items()}
    shared = np.logical_and.reduce([np.isfinite(each["crps"]) for each in losses.values()])
    columns = ("mae", "crps", "coverage_80", "coverage_95")
    table = {
        name: {column: np.nanmean(each[column][shared]) for column in columns}
        for name, each in losses.items()
    }
    return pd.DataFrame(table).T


def error_of_mean(
    losses: FloatArray, origins: IntArray, ahead: int | None = None
) -> tuple[float, float]:
    r"""Return the standard error of an average over origins, and how many count as separate.

    Averages over the h steps of forecasts k apart are taken to be correlated as much as they have
    values in common, :math:`w = \max(0, 1 - k/h)`. That is exact where the losses of different
    values are independent, of equal variance. Then b forecasts count as :math:`n = b^2 / 1'W1`
    separate ones, the variance of one is estimated without bias by :math:`s^2 = \sum d^2 / (b -
    b/n)` for deviations d from the average, and that of the average is :math:`s^2 / n`.

    Parameters
    ----------
    losses : ndarray (b, h)
        NaN where there is no truth.
    origins : ndarray (b,)
    ahead : int, optional
        How far ahead they forecast, if not as many steps as there are: of losses of one step, which
        have the surprises on the way there in common.
    """
    some = np.isfinite(losses).any(axis=1)
    each, at = np.nanmean(losses[some], axis=1), np.sort(origins[some])
    b, n_separate = len(each), n_separate_of(at, ahead or losses.shape[1])
    if n_separate <= 1.0:
        return np.inf, n_separate
    size = float(np.abs(each).max()) or 1.0  # squares of large values would overflow
    var = float((((each - each.mean()) / size) ** 2).sum()) / (b - b / n_separate)
    return size * float(np.sqrt(var / n_separate)), n_separate


def n_separate_of(at: IntArray, h: int) -> float:
    """Return how many separate forecasts those from sorted origins (b,) count as; h steps each.

    Examples
    --------
    >>> n_separate_of(np.array([0, 10, 20]), 10), n_separate_of(np.array([5, 5, 5]), 10)
    (3.0, 1.0)
    """
    b = len(at)
    first = np.searchsorted(at, at - h, side="right")  # of those that overlap with each
    sums, n_before = np.concatenate([[0], np.cumsum(at)]), np.arange(b) - first
    apart = n_before * at - (sums[:-1] - sums[first])
    return b * b / (b + 2.0 * float((n_before - apart / h).sum()))


def error_if_right(
    values: FloatArray, origins: IntArray, var: float, ahead: int | None = None
) -> tuple[float, float]:
    """Return the standard error of an average whose values have a known variance, if all is right.

    Such values are whether intervals held the truth. It is not below that of independent values of
    different times; nor above that of separate forecasts whose values are all equal. With fewer
    than three separate ones it is the latter.

    Parameters
    ----------
    values : ndarray (b, h)
        NaN where there is no truth.
    origins : ndarray (b,)
    var : float
        The variance of a value if forecasts are right; p (1 - p) of intervals of level p.
    ahead : int, optional
        As for `error_of_mean`, also what is returned.
    """
    times = origins[:, None] + np.arange(values.shape[1])
    n_different = len(np.unique(times[np.isfinite(values)]))
    error, n_separate = error_of_mean(values, origins, ahead)
    least, most = np.sqrt(var / np.array([max(n_different, 1), n_separate]))
    if n_separate < FEWEST:
        return float(max(least, most)), n_separate
    return float(np.clip(error, least, max(least, most))), n_separate
