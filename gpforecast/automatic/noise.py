"""Whether noise moves a series or only its measurements: decided by forecasts of its own values."""

import logging

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.held_out import held_out_crps
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import in_digits
from gpforecast.models.measured import LearnsMeasured, Measurements
from gpforecast.propagation.recursion import Inputs

logger = logging.getLogger(__name__)

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
    """Return the model as it is or with measurement noise, by forecasts of parts of the series.

    The model is fitted with each kind of noise, and both forecast each part of the series by what
    the others show (`held_out_crps`). What counts is the mean CRPS over all steps. Hyperparameters
    are those of the whole series for both kinds: found on the first part of a short series, they
    would differ more than the kinds of noise do.

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
    twice at most 12 forecasts of two thirds of a part; on at most 300 rows.
    """
    few = min(len(y), th.NEWEST)
    begin = int(places[-few]) - max(inputs.n_past, inputs.n_past_exog) if few < len(y) else 0
    if not np.ptp(y):
        return Decision(model, f"{_MOVES}: there is nothing to tell apart in a constant")
    if len(y) < max(th.FEWEST_ROWS, th.VALUES_A_LAG * X.shape[1]):
        return Decision(
            model, f"{_MOVES}: {len(y)} rows are too few to tell measurement noise from it"
        )
    newest, known = (X[-few:], y[-few:]), model  # which decide
    at, ones = places[-few:] - begin, np.ones(len(z) - begin)
    horizon = 2 * (len(z) - begin) // (3 * th.PARTS)
    try:
        if few < len(y):
            known = model.condition(*newest)
        measured = known.measured(*newest, Measurements(at, inputs.lags, ones))
        whole = measured.measurement_var_ + measured.noise_var_
        if whole <= th.AS_GOOD_AS_BEST * measured.noise_var_:
            share = per_cent(measured.measurement_var_ / whole)
            could = f"{share} of its variance could be measurement noise, too little"
            return Decision(model, f"{_MOVES}: {could}")

        def kept(rest: BoolArray) -> LearnsMeasured:
            return known.condition(newest[0][rest], newest[1][rest])

        def split(rest: BoolArray) -> LearnsMeasured:
            others = Measurements(at[rest], inputs.lags, ones)
            return measured.measured(newest[0][rest], newest[1][rest], others, search=False)

        given = z[begin:], exog[begin:], inputs, horizon
        scores = held_out_crps((kept, split), at, *given)
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        return Decision(model, f"{_MOVES}: measurement noise cannot be compared: {error}")
    if not scores:
        return Decision(
            model, f"{_MOVES}: the lags reach back too far to tell measurement noise from it"
        )
    process, measurement = scores
    logger.debug("CRPS with process noise %.4g, measurement noise %.4g", process, measurement)
    blurs = th.AS_GOOD_AS_BEST * measurement < process
    trials = (
        f"in forecasts of {counted(horizon, 'step')} in each of {th.PARTS} parts of the "
        f"series, made from the others, the CRPS is {in_digits(process)} standard deviations with "
        f"process noise and {in_digits(measurement)} with measurement noise, which most series do "
        f"not have"
    )
    if few < len(y):
        trials += f"; tried in the newest {few} rows"
        if blurs:
            every = Measurements(places, inputs.lags, np.ones(len(z)))
            measured = measured.measured(X, y, every, search=False)
    value, which = (measured, _BLURS) if blurs else (model, _MOVES)
    each = {"process noise": process, "measurement noise": measurement}
    return Decision(value, f"{which}: {trials}", each)
