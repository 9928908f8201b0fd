"""Whether noise moves a series or only its measurements: decided by forecasts from its own past."""

import copy
import logging

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.base import OneStepModel
from gpforecast.models.lag_errors import LearnsMeasured, Measurements
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Inputs, propagate
from gpforecast.results.distribution import Gaussian

logger = logging.getLogger(__name__)

_PROCESS = "process noise"
_MEASUREMENT = "measurement noise"


def choose_noise(
    model: OneStepModel,
    X: FloatArray,
    y: FloatArray,
    places: IntArray,
    *,
    z: FloatArray,
    exog: FloatArray,
    inputs: Inputs,
) -> Decision[str]:
    """Return "measurement" or "process", by forecasts of the last part of the series.

    The model is fitted to the rows of the first part, with each kind of noise, and forecasts what
    follows from the same origins. What counts is the mean CRPS over all steps.

    Parameters
    ----------
    model : fitted one-step model
    X, y : ndarray (n, d) and (n,)
        All rows.
    places : ndarray (n,)
        Positions of their targets in z.
    z : ndarray (T,)
        The transformed series, NaN where missing.
    exog : ndarray (T, q)
        Scaled exogenous columns.
    inputs : Inputs

    Notes
    -----
    Two fits to 70 % of the rows, two filters and at most 24 origins of at most 48 steps.
    """
    cut = int(th.NOISE_PART * len(z))
    horizon = min(th.NOISE_STEPS, (len(z) - cut) // 2)
    early = places < cut
    few = int(early.sum())
    if few < th.NOISE_ROWS_AN_INPUT * X.shape[1] or horizon < 2:
        return Decision("process", f"{_PROCESS}: {few} rows are too few to tell it from others")
    origins = np.unique(np.linspace(cut, len(z) - horizon, th.NOISE_ORIGINS).astype(np.int64))
    plain = copy.deepcopy(model).fit(X[early], y[early])
    assert isinstance(plain, LearnsMeasured)
    measurements = Measurements(places[early], inputs.lags, np.ones(len(z)))
    try:
        measured = plain.measured(X[early], y[early], measurements)
        share = measured.measurement_var_ / (measured.measurement_var_ + measured.noise_var_)
        if share < th.NOISE_LEAST_SHARE:
            return Decision("process", f"{_PROCESS}: measurement noise is {share:.0%} of it")
        scores = [_crps(fitted, z, exog, inputs, origins, horizon) for fitted in (plain, measured)]
    except (ValueError, np.linalg.LinAlgError) as error:
        return Decision("process", f"{_PROCESS}: with measurement noise, {error}")
    logger.debug("CRPS with process noise %.4g, with measurement noise %.4g", *scores)
    candidates = [
        Candidate("process", _PROCESS, scores[0]),
        Candidate("measurement", _MEASUREMENT, scores[1], th.NOISE_HANDICAP),
    ]
    return best_of(candidates, f"by {len(origins)} forecasts of {horizon} steps")


def _crps(
    model: LearnsMeasured,
    z: FloatArray,
    exog: FloatArray,
    inputs: Inputs,
    origins: IntArray,
    horizon: int,
) -> float:
    """Return the mean CRPS of forecasts from some origins, standardised units."""
    predictive, s = predictive_of(model), model.measurement_var_
    supports: frozenset[str] = getattr(predictive, "supports", frozenset())
    cheap = len(z) ** 2 * len(origins) * horizon <= th.NOISE_PAIRS
    wanted = ("exact", "taylor") if cheap else ("taylor", "exact")
    method = method_named(next((name for name in wanted if name in supports), "cubature"))
    noise = np.full(len(z), s) if s > 0.0 else None
    start = Gaps(predictive, method, inputs, z, exog, noise).starts(origins, horizon)
    found = propagate(predictive, method, inputs, start, horizon)
    if s > 0.0:
        found = found.measured(s, seed=0)
    joint = Gaussian(found.mean, found.covariance, found.latent_var)
    truth = z[origins[:, None] + np.arange(horizon)]
    return float(np.nanmean(joint.crps(truth)))
