"""One judge for all candidates, and the mixture that their weights make.

Candidates forecast the same steps of the series' own past from the same origins. Their mean CRPS
and the learned prior (`prior`) give weights. The autoregression or process of largest weight goes
on as the one-step model, and the others join it in an ensemble.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast import scores
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import (
    TABLE,
    Autoregression,
    Candidate,
    Shape,
    Structural,
    candidates,
)
from gpforecast.automatic.features import enough_for_lags
from gpforecast.automatic.prior import InTrials, Prior, features, shipped, softmax
from gpforecast.automatic.process import Process
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.warnings import on_trial
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Log
from gpforecast.transforms.base import Transform

logger = logging.getLogger(__name__)

_LEAST_MASS = 0.01  # of the prior: what has less is not tried
_COST = 10.0  # of a process, whose lags are selected, in autoregressions
_MOST = 8  # members
_ORIGINS = 4
_STEPS = 300  # of a forecast, at most
_SHORT = 18  # of a short one
_WITHOUT_SEASON = 6  # the same where there is no season
_RAREST = 1e-4  # probability: nothing is less likely under a mixture
_AHEAD = 5  # horizons of a trial, within which a logarithm may not become too wide
_WIDEST_LOG = 1.5  # standard deviations of a logarithm, beyond which its mean means little


def horizon_of(n: int, period: int | None) -> int:
    """Return the steps of trial forecasts: a season and a half, at most a quarter of the values."""
    usual = _WITHOUT_SEASON if period is None else max(3 * period // 2, _WITHOUT_SEASON)
    return max(min(usual, _STEPS, n // 4), 1)


def origins_of(n: int, period: int | None, horizon: int) -> IntArray:
    """Return the origins of trial forecasts, (b,), in increasing order.

    The last is near the end, for what changed lately: the steps of its forecast that lie beyond are
    not judged. The first is a horizon before the end, or further, so that origins are half a short
    forecast apart.
    """
    short = min(horizon, _SHORT)
    most = max(min(_ORIGINS, 1 + 2 * (n // 3) // short), 1)
    far = max(horizon, short + (most - 1) * short // 2)
    least = th.SHORTEST + (0 if period is None else max(period - 2, 0))
    found = n - np.linspace(far, short, most).astype(int)
    found = found[found >= least]
    return found if len(found) else np.array([n - horizon])


@dataclass(frozen=True, eq=False)
class Scores:
    """Trial forecasts of candidates, all from the same origins.

    Attributes
    ----------
    crps, z : ndarray (c, b, h)
        CRPS in the units of the series, and standardised errors in those of the warp; NaN beyond
        the end of the series, and for a candidate that could not be tried.
    """

    crps: FloatArray
    z: FloatArray

    @property
    def mean(self) -> FloatArray:
        """The mean CRPS of each candidate, (c,); inf where there is none."""
        return _mean(self.crps)[0]

    @property
    def n(self) -> float:
        """How many values each candidate forecast."""
        return float(_mean(self.crps)[1].max(initial=0.0))

    def of_mixture(self, weights: FloatArray) -> InTrials:
        """Return what the trials show of a mixture.

        Its error at a value is the normal quantile of the mixture's distribution function there.

        Parameters
        ----------
        weights : ndarray (c,)
            Their sum is 1.
        """
        w, z = weights[weights > 0.0], self.z[weights > 0.0]
        below = np.tensordot(w, scipy.special.ndtr(z), axes=1)
        error = scipy.special.ndtri(np.clip(below, _RAREST, 1.0 - _RAREST))
        apart = np.tensordot(w, (z - np.tensordot(w, z, axes=1)) ** 2, axes=1)
        (square, between), (count, _) = _mean(np.array([error**2, np.log1p(apart)]))
        if count == 0.0:
            square, between = 1.0, 0.0
        entropy = float(scipy.special.entr(w).sum())
        return InTrials(float(np.sqrt(square)), float(count), float(between), entropy)


def _mean(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means (c,) of what is known of x (c, b, h), and how much that is."""
    count, total = np.isfinite(x).sum(axis=(1, 2)).astype(float), np.nansum(x, axis=(1, 2))
    return np.divide(total, count, out=np.full(len(x), np.inf), where=count > 0.0), count


def judge(
    tried: Sequence[Candidate],
    y: FloatArray,
    origins: IntArray,
    horizon: int,
    *,
    truth: FloatArray | None = None,
    ahead: int = _AHEAD,
) -> Scores:
    """Forecast the past of a series by every candidate.

    Parameters
    ----------
    tried : sequence of Candidate
    y : ndarray (n,)
        Without gaps.
    origins : ndarray (b,)
    horizon : int
    truth : ndarray (n,), optional
        What forecasts are scored by, NaN where by nothing; y by default.
    ahead : int
        How many horizons from the end no forecast of a logarithm may become too wide; 0 for no
        such test.

    Notes
    -----
    Some 3 milliseconds an origin for an autoregression, 20 for a structural model, and up to two
    seconds for a process, whose lags are selected first.
    """
    truth = np.append(y if truth is None else truth, np.full(horizon, np.nan))
    truth = truth[origins[:, None] + np.arange(horizon)]
    crps, z = np.full((2, len(tried), *truth.shape), np.nan)
    for c, candidate in enumerate(tried):
        warp = candidate.warp
        try:
            with on_trial():
                mean, var = candidate.forecast(y, origins, horizon)
                if warp is not None and ahead and _is_wide(candidate, y, ahead * horizon):
                    continue
        except ValueError:  # too short for it, or a forecast that runs away
            continue
        var = np.maximum(var, np.finfo(np.float64).tiny)
        warped = truth if warp is None else warp.forward(truth)
        of = scores.crps if warp is None else scores.crps_log_normal
        crps[c], z[c] = of(truth, mean, var, axis=()), (warped - mean) / np.sqrt(var)
    return Scores(crps, z)


def _is_wide(candidate: Candidate, y: FloatArray, horizon: int) -> bool:
    """Return whether forecasts of a logarithm become so wide that their means mean little."""
    var = candidate.forecast(y, np.array([len(y)]), horizon)[1]
    return not var.max() < _WIDEST_LOG**2


@dataclass(frozen=True, eq=False)
class Portfolio:
    """Candidates for a series that were tried, their scores and weights.

    Attributes
    ----------
    main : Autoregression or Process
        What goes on as the one-step model.
    structural : tuple of Structural
        Those of an ensemble with it.
    lagged : tuple of Autoregression or Process
        The other ones.
    weights : ndarray
        In this order; their sum is 1.
    width : tuple of float
        Logarithm of the factor of all standard deviations at the first step, and its power of the
        step.
    table : tuple of (str, float, float)
        Every candidate in words, its weight and mean CRPS as a share of `size`.
    horizon : int
        Steps of the trial forecasts.
    n : float
        How many values they forecast.
    size, centre : float
        What the series was divided by, and what was then subtracted.
    y : ndarray (n,)
        The values after that.
    phi : ndarray (features,)
    tried : tuple of Candidate
        In the order of `table`.
    """

    main: Autoregression | Process
    structural: tuple[Structural, ...]
    lagged: tuple[Autoregression | Process, ...]
    weights: FloatArray
    width: tuple[float, float]
    table: tuple[tuple[str, float, float], ...]
    horizon: int
    n: float
    y: FloatArray
    phi: FloatArray
    tried: tuple[Candidate, ...]
    size: float = 1.0
    centre: float = 0.0

    def before_others(self, *without: type[Transform], by_score: bool = False) -> Compose:
        """Return what comes before lags, a model or a kind of noise that a user gave.

        The transforms of the one-step model; of the best autoregression if that is a process with
        less than half of the weight, whose own lags may know a trend that others do not.

        Parameters
        ----------
        *without : type of transform
            What may not be among them.
        by_score : bool
            Whether those of least CRPS are taken, for a model alone: weights suit the mixture.
        """
        pairs = zip(self.table, self.tried, strict=True)
        order = sorted(pairs, key=lambda pair: pair[0][2] if by_score else -pair[0][1])
        lagged = [one for _, one in order if isinstance(one, Autoregression | Process)]
        if self.weights[0] <= 0.5:
            lagged.sort(key=lambda one: isinstance(one, Process))
        found = (one.transforms for one in lagged)
        fit = (t for t in found if not any(isinstance(step, without) for step in t.steps))
        return next(fit, Compose())

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Every candidate in words, its weight and mean CRPS in the units of the series."""
        return tuple((words, weight, self.size * crps) for words, weight, crps in self.table)


def portfolio_of(
    y: FloatArray,
    seasons: tuple[int, ...],
    warps: Sequence[Log | None],
    prior: Prior | None = None,
    axis: TimeAxis | None = None,
    *,
    sure: bool = True,
) -> Portfolio:
    """Judge the candidates for a series, and weigh them.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps; not constant.
    seasons : tuple of int
        Steps of the season, and of a longer one that contains it; empty for none.
    warps : sequence of Log or None
        What may come first; None is nothing.
    prior : Prior, optional
        By default the one that comes with the library.
    axis : TimeAxis, optional
        The times of the values.
    sure : bool
        Whether there is a season for certain; otherwise what suits a series without is tried too.
    """
    prior, n, period = prior or shipped(), len(y), next(iter(seasons), None)
    phi, every = features(y, period), every_candidate(y, seasons, warps, axis)
    mass = _masses(prior, every, phi)
    if not sure:
        without = _masses(prior, every_candidate(y, (), warps, axis), features(y, None))
        mass |= {name: max(mass[name], without[name]) for name in without}
    lagged = np.array([not isinstance(one, Structural) for one in every])
    cost = np.array([_COST if isinstance(one, Process) else 1.0 for one in every])
    expected = np.array([mass[one.name] for one in every])
    likely = expected >= _LEAST_MASS * cost
    likely[np.argmax(np.where(lagged, expected, -1.0))] = True
    tried, lagged = [one for one, kept in zip(every, likely, strict=True) if kept], lagged[likely]
    names, horizon = [one.name for one in tried], horizon_of(n, period)
    found = judge(tried, y, origins_of(n, period, horizon), horizon)
    crps, weights = found.mean, softmax(prior.log_mass(names, phi))
    if np.isfinite(crps).any():
        weights = prior.weights(names, phi, crps, found.n)
    kept = restricted(weights)
    width = prior.factor(phi, found.of_mixture(kept))
    table = tuple(zip(map(str, tried), weights.tolist(), crps.tolist(), strict=True))
    logger.debug("portfolio: %s", table)
    main = int(np.argmax(np.where(lagged, weights, -1.0)))
    chosen = [c for c in range(len(tried)) if kept[c] > 0.0 and c != main]
    order = [main, *(c for c in chosen if not lagged[c]), *(c for c in chosen if lagged[c])]
    ordered = [tried[c] for c in order]
    of_lags = [one for one in ordered if not isinstance(one, Structural)]
    structural = tuple(one for one in ordered if isinstance(one, Structural))
    of = of_lags[0], structural, tuple(of_lags[1:]), kept[order]
    return Portfolio(*of, width, table, horizon, found.n, y, phi, tuple(tried))


def _masses(prior: Prior, every: Sequence[Candidate], phi: FloatArray) -> dict[str, float]:
    """Return the prior mass of each candidate by its name."""
    names = [one.name for one in every]
    return dict(zip(names, softmax(prior.log_mass(names, phi)).tolist(), strict=True))


def every_candidate(
    y: FloatArray,
    seasons: tuple[int, ...],
    warps: Sequence[Log | None],
    axis: TimeAxis | None = None,
) -> list[Autoregression | Structural | Process]:
    """Return all candidates for values y (n,): those of the table, and a process.

    That is of the values, or of what a mean for each step of a season leaves.
    """
    n, axis = len(y), axis or TimeAxis.rows(len(y))
    every: list[Autoregression | Structural | Process] = [*candidates(axis, seasons, warps)]
    if enough_for_lags(n) and None in warps:
        held = tuple(m for m in seasons[:1] if n >= 2 * m)
        first = TABLE["seasonal level"].steps(Shape(n, held)) if held else ()
        every.append(Process(y, next(iter(seasons), None), first))
    return every


def restricted(weights: FloatArray) -> FloatArray:
    """Return weights (c,) of the few candidates of a mixture, which sum to 1.

    At most eight, none of which counts less than a fiftieth.
    """
    kept = weights.copy()
    kept[np.argsort(-weights, kind="stable")[_MOST:]] = 0.0
    kept[kept < min(th.LEAST_WEIGHT, float(kept.max()))] = 0.0
    return np.asarray(kept / kept.sum())
