"""What is taken away from a short series, and which lags and model it is given after that.

Few values decide little, so there are few candidates, each with priors that already forecast well,
and one judge: forecasts of some steps from origins in the series' end. All are forecast by a linear
autoregression shrunk by a prior (`gpforecast.models.BayesianAR`).
"""

import logging
from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate
from gpforecast.automatic.features import Level
from gpforecast.common.types import FloatArray
from gpforecast.models import BayesianAR
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.results.warped import distribution_of
from gpforecast.scores import crps_log_normal
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import (
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)
from gpforecast.transforms.base import Transform
from gpforecast.transforms.warps import BoxCox
from gpforecast.transforms.words import named

logger = logging.getLogger(__name__)

_DIFFERENCES = (Difference, SeasonalDifference)

Lags = tuple[int, ...]
Steps = tuple[Transform, ...]


def steps_of_short(n: int, period: int | None, level: Level) -> dict[Steps, float]:
    """Return what may be taken away from a short series, each with a factor of its CRPS.

    Parameters
    ----------
    n : int
        Values.
    period : int or None
        Of a season that it may have, in steps.
    level : str
        By the tests, as of `gpforecast.automatic.features.level_of`. A level that wanders by the
        tests is differenced, whatever trials say.
    """
    slope = max(th.SHORT_HALFLIFE, n / th.SHORT_HALFLIVES)
    found: dict[Steps, float] = {}
    if period is None:
        for damping in (1.0, th.SHORT_DAMPING):
            found[(Difference(), DampedMean(damping, halflife=slope))] = 1.0
    else:
        found[(Difference(), DampedMean(th.SHORT_DAMPING, period))] = 1.0
        if n >= th.SEASON_CYCLES * period:
            fading = round(th.SHORT_DAMPING_A_SEASON ** (1.0 / period), 3)
            for damping in (fading, 1.0):
                found[(SeasonalDifference(period), DampedMean(damping))] = 1.0
    if level not in ("wanders", "line"):
        rest: Steps = () if period is None else (DampedMean(1.0, period, prior=None),)
        constant = th.SHORT_LEVEL if period is None else 1.0
        untested = th.SHORT_LEVEL_UNTESTED if n < th.FEWEST_VALUES else th.SHORT_LEVEL_UNDECIDED
        found[rest] = constant if level == "constant" else untested
    if level == "line" and period is None:
        found[(Deterministic(1),)] = th.SHORT_LEVEL
    return found


def tried_on_short(
    y: FloatArray, steps: dict[Steps, float], warps: dict[Steps, float], horizon: int
) -> list[Candidate[Compose]]:
    """Try all steps after every warp.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps.
    steps, warps : mapping of tuple of transforms to float
        Each with a factor of its CRPS.
    horizon : int
    """
    tried = []
    for warp, dear in warps.items():
        for rest, penalty in steps.items():
            if dear > 1.0 and not any(isinstance(step, _DIFFERENCES) for step in rest):
                continue  # nothing speaks for a logarithm of a constant level
            both = Compose(*warp, *rest)
            name = " and ".join(map(repr, both.steps)) or "nothing taken away"
            score = short_trial(y, both, horizon)
            tried.append(Candidate(both, name, score, dear * penalty, named(both.steps)))
    return tried


def horizon_of_short(n: int, period: int | None) -> int:
    """Return the steps of forecasts in a trial."""
    usual = n // th.HORIZON_PARTS if period is None else 3 * period // 2
    most = th.TRIAL_STEPS if period is None else th.TRIAL_STEPS_SEASONAL
    usual = min(max(usual, th.SHORT_STEPS), most)
    return max(min(usual, n // 4), 1)


def lags_of_short(n: int, lost: int, period: int | None) -> Lags:
    """Return the lags of a short series after a difference.

    Parameters
    ----------
    n : int
        Values after it.
    lost : int
        Values lost to it.
    period : int or None
        Of the season; its own lags are used where the difference was over a season.
    """
    lags: Lags = th.LAGS_NEAR
    if period is not None and lost >= period:
        lags = tuple(sorted({1, 2, 3, period, period + 1}))
    return tuple(lag for lag in lags if lag <= n // 3) or (1,)


def model_of_short(lags: Sequence[int], period: int | None) -> BayesianAR:
    """Return the autoregression of a short series after a difference.

    Coefficients of far lags are smaller, but those of a season are not. Differences over a season
    share all but one step with their neighbours, which resemble them.

    Parameters
    ----------
    lags : sequence of int
    period : int or None
        If a difference over a season was taken.
    """
    far = np.inf if period is None else period
    scales = [th.SHORT_SEASON_SCALE if lag >= far else 1.0 / lag for lag in lags]
    means = [th.SHORT_NEIGHBOUR if period is not None and lag == 1 else 0.0 for lag in lags]
    return BayesianAR(tuple(scales), tuple(means), largest_sum=th.SHORT_LARGEST_SUM)


def over_a_season(lost: int, period: int | None) -> int | None:
    """Return the season if as many values were lost to a difference."""
    return period if period is not None and lost >= period else None


def short_trial(y: FloatArray, transforms: Compose, horizon: int) -> float:
    """Return the mean CRPS of forecasts from origins at the end of a series, in its units.

    At each, transforms and autoregression are fitted anew. It is inf if there are too few values
    or a forecast runs away.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps; positive if the first transform is a logarithm.
    transforms : Compose
    horizon : int

    Notes
    -----
    Four fits: some 10 milliseconds.
    """
    n, step = len(y), max(horizon // 2, 1)
    back = range(0, max(min(th.SHORT_ORIGINS * step, n // 3), 1), step)
    try:
        scores = [_score(y, transforms, n - horizon - b, horizon) for b in back]
    except ValueError:  # too short for the transforms, or a forecast that runs away
        return np.inf
    mean = float(np.mean(scores))
    mean = mean if mean < th.TRIAL_LARGEST_CRPS * np.ptp(y) else np.inf
    logger.debug("trial of %s: CRPS %.3g", transforms, mean)
    return mean


def _score(y: FloatArray, transforms: Compose, origin: int, horizon: int) -> float:
    """Return the mean CRPS of one forecast."""
    times = TimeAxis.rows(len(y))
    chain = transforms.fit_at(y[:origin], times.part(0, origin))
    levels = chain.levels(y, times)
    z = levels[-1][chain.n_lost : origin]
    lags = lags_of_short(len(z), chain.n_lost, chain.period)
    if not chain.n_lost and len(z) >= th.VALUES_A_LAG * len(th.LAGS_FURTHER):
        lags = th.LAGS_FURTHER
    rows = LagEmbedding(list(lags)).transform(z)
    model = model_of_short(lags, over_a_season(chain.n_lost, chain.period))
    few = chain.n_lost > 0 or len(y) < th.FEWEST_VALUES
    strength = th.SHORT_TRIAL_STRENGTH if few else th.SHORT_TRIAL_STRENGTH_LEVEL
    model.strengths = (strength,)
    model.fit(rows.X, rows.y)
    ends = np.array([origin])
    past = Start(levels[-1][None, origin - max(lags) : origin])
    ahead = propagate(model.predictive_, ExactMoments(), Inputs(lags), past, horizon)
    found = chain.undo(ahead, levels, ends, times)
    truth = y[None, origin : origin + horizon]
    if chain.warp == Log():
        var = np.einsum("bhh->bh", found.covariance)
        if np.sqrt(var[0, -1]) > th.LOG_WIDEST:
            raise ValueError("forecasts of the logarithm are too wide")
        return float(np.mean(crps_log_normal(truth, found.mean, var, axis=())))
    return float(np.mean(distribution_of(found, chain.warp).crps(truth)))


def warps_of_short(positive: bool, logarithm: float, root: bool) -> dict[Steps, float]:
    """Return no warp and a logarithm or a root, where they can be, each with a factor.

    Parameters
    ----------
    positive : bool
        Whether a logarithm can be taken.
    logarithm : float
        The factor where growth of the spread speaks for it, else inf.
    root : bool
        Whether anything speaks for a root.
    """
    warps: dict[Steps, float] = {(): 1.0}
    if positive:
        warps[(Log(),)] = min(th.SHORT_LOG, logarithm)
    elif root:
        warps[(BoxCox(th.ROOT),)] = 1.0
    return warps
