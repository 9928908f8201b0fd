"""Forecasts of parts of a series by what its other parts show, for choices about a model."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.origins import evenly
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.models.measured import LearnsMeasured
from gpforecast.posteriors.base import supported
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Inputs, propagate
from gpforecast.results.distribution import Gaussian

# Of some of the rows, given as a mask (n,), the model conditioned on them.
Conditioning = Callable[[BoolArray], LearnsMeasured]


def held_out_crps(
    candidates: Sequence[Conditioning],
    places: IntArray,
    z: FloatArray,
    exog: FloatArray,
    inputs: Inputs,
    horizon: int,
) -> list[float]:
    """Return the mean CRPS of every candidate; nothing if the lags reach back too far.

    Each is conditioned on all rows but those of one part, and forecasts that part from the same
    origins; so for each of six parts.

    Parameters
    ----------
    candidates : sequence of callable
    places : ndarray (n,)
        Positions of the targets of all rows in z.
    z : ndarray (T,)
        The transformed series, NaN where missing.
    exog : ndarray (T, q)
        Scaled exogenous columns.
    inputs : Inputs
    horizon : int

    Raises
    ------
    ValueError, TypeError, LinAlgError
        If a forecast is no longer a finite number, or cannot be made.
    """
    n, scores = len(z), []
    for begin, end in pairwise(np.linspace(0, n, th.PARTS + 1).astype(int).tolist()):
        first = max(begin, inputs.n_past, inputs.n_past_exog)
        if first > end - horizon:
            continue
        rest = (places < begin) | (places >= end + inputs.n_past)
        origins = evenly(first, end - horizon, th.LAG_ORIGINS)
        truth = z[origins[:, None] + np.arange(horizon)]
        if np.isnan(truth).all():
            continue
        scores.append([_crps(of(rest), z, exog, inputs, origins, truth) for of in candidates])
    return np.nanmean(scores, axis=0).tolist() if scores else []


def _crps(
    model: LearnsMeasured,
    z: FloatArray,
    exog: FloatArray,
    inputs: Inputs,
    origins: IntArray,
    truth: FloatArray,  # (b, horizon)
) -> float:
    """Return the mean CRPS of forecasts from some origins, standardised units."""
    horizon = truth.shape[1]
    predictive, s = predictive_of(model), model.measurement_var_
    supports = supported(predictive)
    wanted = ("exact", "taylor")
    method = method_named(next((name for name in wanted if name in supports), "cubature"))
    noise = np.full(len(z), s) if s > 0.0 else None
    start = Gaps(predictive, method, inputs, z, exog, noise).starts(origins, horizon)
    found = propagate(predictive, method, inputs, start, horizon)
    if s > 0.0:
        found = found.measured(s, seed=0)
    joint = Gaussian(found.mean, found.joint, found.latent_var)
    return float(np.nanmean(joint.crps(truth)))
