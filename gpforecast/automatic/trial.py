"""How well a plain autoregression forecasts after some transforms: a quick trial of them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import erf, log_ndtr

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.linear_ar import LinearAR
from gpforecast.propagation.exact import ExactMoments
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.compose import Compose

logger = logging.getLogger(__name__)

_ORIGINS = 8  # in each part
_PARTS = (0.7, 0.8, 0.9, 1.0)
_FAR = 1e3  # ranges of the series: what no honest forecast is wrong by


def trial(y: FloatArray, steps: Sequence[Any], lags: Sequence[int], horizon: int) -> float:
    """Return the mean CRPS of forecasts of the second half of a series, each from its own past.

    Transforms and a linear autoregression are fitted to the first half and forecast, over the
    horizon, from places of the sixth that follows; then again with two thirds, and five sixths.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps; positive if the first step is a logarithm.
    steps : sequence of transforms
    lags : sequence of int
        Those that reach too far back for what is left of a part are left out.
    horizon : int

    Returns
    -------
    float
        In the units of y; inf if there is too little to learn from.

    Notes
    -----
    Three least-squares fits and 24 forecasts: some milliseconds.
    """
    parts = _parts(y, steps, lags, horizon)
    score = float(np.concatenate([part.crps() for part in parts]).mean()) if parts else np.inf
    score = score if score < _FAR * np.ptp(y) else np.inf
    logger.debug("trial of %s with lags %s: CRPS %.3g", steps, lags, score)
    return score


def log_spread(y: FloatArray, steps: Sequence[Any], lags: Sequence[int], horizon: int) -> float:
    """Return the standard deviation of the logarithm at the last step of the forecasts of a trial.

    The median over all of them; 0 if there is too little to learn from. Parameters as for `trial`,
    the first of the steps a logarithm.
    """
    parts = _parts(y, steps, lags, horizon)
    return float(np.median(np.concatenate([part.std[:, -1] for part in parts]))) if parts else 0.0


@dataclass(frozen=True)
class _Part:
    """Forecasts of one part: moments in units of the warp, and what came; (origins, horizon)."""

    warped: bool
    mean: FloatArray
    std: FloatArray
    truth: FloatArray

    def crps(self) -> FloatArray:
        score = crps_log_normal if self.warped else crps_normal
        return score(self.truth, self.mean, self.std)


def _parts(y: FloatArray, steps: Sequence[Any], lags: Sequence[int], horizon: int) -> list[_Part]:
    """Return the forecasts of every part; none if one is too short for the steps."""
    n = len(y)
    cuts = [int(part * n) for part in _PARTS]
    found: list[_Part] = []
    for start, stop in pairwise(cuts):
        last = min(stop, n - horizon)
        if last < start:
            continue
        ends = np.unique(np.linspace(start, last, _ORIGINS).astype(int))
        try:
            found.append(_one_part(y, steps, lags, ends, horizon))
        except ValueError:  # too short for the steps
            return []
    return found


def _one_part(
    y: FloatArray, steps: Sequence[Any], lags: Sequence[int], ends: IntArray, horizon: int
) -> _Part:
    """Fit to what is before the first origin, and forecast from all of them."""
    first = ends[0]
    chain = Compose(*steps).fit(y[:first])
    times = TimeAxis.rows(len(y))
    levels = chain.levels(y, times)
    z = levels[-1]
    rows = LagEmbedding(list(lags)).transform(z[chain.n_lost : first])
    if len(rows.y) < 2 * len(lags) + 2:
        raise ValueError("too few rows")
    model = LinearAR().fit(rows.X, rows.y)
    past = z[ends[:, None] + np.arange(-max(lags), 0)]
    ahead = propagate(model.posterior_, ExactMoments(), Inputs(tuple(lags)), Start(past), horizon)
    found = chain.undo(ahead, levels, ends, times)
    truth = y[ends[:, None] + np.arange(horizon)]
    s = np.sqrt(np.einsum("bhh->bh", found.covariance))
    return _Part(chain.warp is not None, found.mean, s, truth)


def crps_normal(y: FloatArray, mean: FloatArray, s: FloatArray) -> FloatArray:
    """Return the CRPS of normal distributions; Gneiting et al. (2005), eq. 5."""
    x = (y - mean) / s
    density = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    result: FloatArray = s * (x * erf(x / np.sqrt(2.0)) + 2.0 * density - 1.0 / np.sqrt(np.pi))
    return result


def crps_log_normal(y: FloatArray, mean: FloatArray, s: FloatArray) -> FloatArray:
    """Return the CRPS of exp(z), z normal; Baran and Lerch (2015), eq. 3."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        x = (np.log(y) - mean) / s  # a zero lies below all of it
        centre = mean + 0.5 * s**2  # logarithm of the expected value
        spread = np.exp(centre + log_ndtr(-s / np.sqrt(2.0))) - np.exp(centre + log_ndtr(x - s))
        result = y * erf(x / np.sqrt(2.0)) + 2.0 * spread
    return np.where(np.isfinite(result), result, np.inf)
