"""Telling the noise of measurements from the noise of the process, for a fitted model.

``Forecaster(noise="process")`` takes the observed values for the state of the series: all of its
noise moves it. With ``"measurement"`` the values are :math:`y_t = z_t + e_t` and z is
predicted from lags of z. Training finds the variances of both noises (see
`gpforecast.models.measured`); a forecast starts from the last values of z, as a filter knows them
from all measurements before (`gpforecast.propagation.missing`), and an observation has measurement
noise besides. Differences of y would have noise that is not independent, and are refused. With a
logarithm or a power, z and the noise are those of the warped values.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.noise import choose_noise
from gpforecast.common.kinds import is_auto, is_series, is_word
from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike
from gpforecast.common.validation import finite_array
from gpforecast.models.base import OneStepModel, fit_notes
from gpforecast.models.measured import LearnsMeasured, Measurements
from gpforecast.pipeline.fitted import Fitted, Measurement, in_transformed_units


def with_noise(fitted: Fitted, noise: str | float | ArrayLike) -> Fitted:
    """Return the fitted model with the noise that an option names.

    Parameters
    ----------
    fitted : Fitted
        All of its noise is of the process.
    noise : {"process", "measurement", "auto"}, float or array-like (n,)
        Numbers are known variances of the measurement noise, in squared units of the series.

    Raises
    ------
    ValueError
        If the noise cannot be separated in this series or by this model.
    """
    if is_word(noise, "process"):
        return fitted
    known = None if isinstance(noise, str) else _known(noise, fitted)
    if known is not None and not known.any():
        return fitted
    model, rows, chain = fitted.model, fitted.rows, fitted.chain
    if chain.n_lost:
        why = "differencing hides measurement noise"
        remedy = "pass transforms without a difference"
    else:
        why = f"{type(model).__name__} cannot tell measurement noise from process noise"
        remedy = "use GaussianProcess, AveragedGP, SparseGaussianProcess or LinearAR"
    if chain.n_lost or not isinstance(model, LearnsMeasured):
        if not is_auto(noise):
            raise ValueError(f'{why}; {remedy}, or noise="process".')
        reason = f"the noise moves the series itself (process noise): {why}"
        return replace(fitted, noise_reasons=(reason,))
    measurements = _measurements(fitted, known)
    if is_auto(noise):
        exog = fitted.exog.scaled(fitted.exog.past)
        z = chain.levels(fitted.known, chain.axis.locate(fitted.axis))[-1]
        given = model, rows.X, rows.y, rows.places
        with bar("comparing kinds of noise"):
            decision = choose_noise(*given, z=z, exog=exog, inputs=fitted.inputs)
        fitted = replace(fitted, noise_reasons=decision.reasons)
        if decision.value is model:
            return fitted
        model = decision.value
    else:
        model = model.measured(rows.X, rows.y, measurements)
    variance = model.measurement_var_ * float(measurements.variances.mean())
    measured = replace(fitted, model=model, measurement=Measurement(variance, known))
    return measured.noting(*fit_notes(model))


def conditioned(fitted: Fitted) -> OneStepModel:
    """Return the model conditioned on the rows as they are now, its hyperparameters kept."""
    model, measurement = fitted.model, fitted.measurement
    if measurement is None or not isinstance(model, LearnsMeasured):
        return fitted.rows.conditioned(model)
    measurements = _measurements(fitted, measurement.known)
    return model.measured(fitted.rows.X, fitted.rows.y, measurements, search=False)


def _measurements(fitted: Fitted, known: "pd.Series[float] | None") -> Measurements:
    """Return what is known of the measurements that the rows consist of."""
    variances = in_transformed_units(known, fitted.chain, fitted.known, fitted.history.index)
    return Measurements(fitted.rows.places, fitted.inputs.lags, variances, known is not None)


def _known(noise: float | ArrayLike, fitted: Fitted) -> "pd.Series[float]":
    """Return known variances on the index of the history."""
    index, every = fitted.history.index, fitted.axis.labels
    n = len(every)
    if is_series(noise):
        noise = noise.reindex(every)  # what is missing is refused
    variances = finite_array(np.atleast_1d(np.asarray(noise)), "noise", ndim=1)
    if len(variances) not in (1, n):
        raise ValueError(
            f"noise must be one variance, or one for each of the {n} values of the series; got "
            f"{len(variances)}."
        )
    return pd.Series(np.broadcast_to(variances, (n,))[fitted.axis.moments.rows], index)
