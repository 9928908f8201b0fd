"""Whether noise moves a series or only its measurements: a fit with both, and its forecasts."""

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.grid import evenly
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import per_cent
from gpforecast.common.wording import in_digits
from gpforecast.models.measured import LearnsMeasured, Measurements
from gpforecast.posteriors.base import supported
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Columns, Inputs, propagate
from gpforecast.results.distribution import Gaussian

_MOVES = "the noise moves the series itself (process noise)"
_BLURS = "part of the noise only blurs the measurements (measurement noise)"


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
    """Return the model as it is, or with measurement noise if that is larger and forecasts better.

    The model is fitted with both kinds of noise, whose variances maximise the evidence: errors of
    measurements correlate the errors of neighbouring rows, and noise of the process does not.

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
    A search with measurement noise, a filter, and twice 12 forecasts of a sixth of the rows; on at
    most 300 of them.
    """
    few = min(len(y), th.NEWEST)
    if not np.ptp(y):
        return Decision(model, f"{_MOVES}: there is nothing to tell apart in a constant")
    if len(y) < max(th.FEWEST_ROWS, th.VALUES_A_LAG * X.shape[1]):
        return Decision(
            model, f"{_MOVES}: {len(y)} rows are too few to tell measurement noise from it"
        )
    newest, ones = (X[-few:], y[-few:]), np.ones(len(z))
    try:
        known = model.condition(*newest) if few < len(y) else model
        measured = known.measured(*newest, Measurements(places[-few:], inputs.lags, ones))
        of_measurements, of_process = measured.measurement_var_, measured.noise_var_
        blurs = of_measurements > of_process
        share = per_cent(of_measurements / (of_measurements + of_process))
        found = f"{share} of it is of the measurements where both are fitted"
        if blurs:
            origins = evenly(int(places[-few]), len(z) - few // th.PARTS, th.LAG_ORIGINS)
            process, measurement = (_crps(m, z, exog, inputs, origins) for m in (known, measured))
            blurs = measurement < process
            found += (
                f", and the CRPS of forecasts of its past is {in_digits(measurement)} standard "
                f"deviations with measurement noise, {in_digits(process)} without"
            )
        if blurs and few < len(y):
            every = Measurements(places, inputs.lags, ones)
            measured = measured.measured(X, y, every, search=False)
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        return Decision(model, f"{_MOVES}: measurement noise cannot be found: {error}")
    if few < len(y):
        found += f"; tried in the newest {few} rows"
    value, which = (measured, _BLURS) if blurs else (model, _MOVES)
    return Decision(value, f"{which}: {found}")


def _crps(
    model: LearnsMeasured, z: FloatArray, exog: FloatArray, inputs: Inputs, origins: IntArray
) -> float:
    """Return the mean CRPS of forecasts from some origins to the end of z, standardised units."""
    horizon = len(z) - int(origins[-1])
    predictive, s = predictive_of(model), model.measurement_var_
    supports = supported(predictive)
    wanted = ("exact", "taylor")
    method = method_named(next((name for name in wanted if name in supports), "cubature"))
    noise = np.full(len(z), s) if s > 0.0 else None
    start = Gaps(predictive, method, inputs, z, exog, noise).starts(origins, horizon)
    found = propagate(Columns.of(predictive, inputs), method, start, horizon)
    if s > 0.0:
        found = found.measured(s, seed=0)
    joint = Gaussian(found.mean, found.joint, found.latent_var)
    return float(np.nanmean(joint.crps(z[origins[:, None] + np.arange(horizon)])))
