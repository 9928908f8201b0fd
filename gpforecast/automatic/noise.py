"""Whether noise moves a series or only its measurements: decided by forecasts of its own values."""

import logging
from itertools import pairwise

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.origins import evenly
from gpforecast.common.types import FloatArray, IntArray
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
    model: LearnsMeasured,
    X: FloatArray,
    y: FloatArray,
    places: IntArray,
    *,
    z: FloatArray,
    exog: FloatArray,
    inputs: Inputs,
) -> Decision[LearnsMeasured]:
    """Return the model as it is or with measurement noise, by forecasts of parts of the series.

    The model is fitted with each kind of noise. Then it is conditioned on all rows but those of one
    part, and forecasts that part from the same origins; so for each part. What counts is the mean
    CRPS over all steps. Hyperparameters are those of the whole series for both kinds: found on the
    first part of a short series, they would differ more than the kinds of noise do.

    Parameters
    ----------
    model : fitted one-step model
        All of its noise is of the process.
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
    A search with measurement noise, and for each of six parts two factorisations, a filter, and
    twice at most 5 forecasts of 48 steps.
    """
    n = len(z)
    horizon = min(th.NOISE_STEPS, 2 * n // (3 * th.NOISE_PARTS))
    if len(y) < max(th.NOISE_FEWEST_ROWS, th.NOISE_ROWS_AN_INPUT * X.shape[1]):
        return Decision(model, f"{_PROCESS}: {len(y)} rows are too few to tell it from others")
    ones = np.ones(n)
    try:
        measured = model.measured(X, y, Measurements(places, inputs.lags, ones))
        factor = measured.measurement_var_
        share = factor / (factor + measured.noise_var_)
        if share < th.NOISE_LEAST_SHARE:
            return Decision(model, f"{_PROCESS}: measurement noise is {share:.0%} of it")
        scores = []
        for begin, end in pairwise(np.linspace(0, n, th.NOISE_PARTS + 1).astype(int).tolist()):
            first = max(begin, inputs.n_past, inputs.n_past_exog)
            if first > end - horizon:
                continue
            rest = (places < begin) | (places >= end + inputs.n_past)
            origins = evenly(first, end - horizon, th.NOISE_ORIGINS)
            others = Measurements(places[rest], inputs.lags, ones)
            parts = (
                model.condition(X[rest], y[rest]),
                measured.measured(X[rest], y[rest], others, search=False),
            )
            scores.append([_crps(part, z, exog, inputs, origins, horizon) for part in parts])
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        return Decision(model, f"{_PROCESS}: measurement noise cannot be compared: {error}")
    if not scores:
        return Decision(model, f"{_PROCESS}: the lags reach back too far to tell it from others")
    process, measurement = np.nanmean(scores, axis=0).tolist()
    logger.debug("CRPS with process noise %.4g, measurement noise %.4g", process, measurement)
    candidates = [
        Candidate(model, _PROCESS, process),
        Candidate(measured, _MEASUREMENT, measurement, th.NOISE_HANDICAP),
    ]
    return best_of(
        candidates,
        f"forecasts of {horizon} steps in {th.NOISE_PARTS} parts, by what the others show",
    )


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
