"""Forecasts with inputs that are not known but forecast, too, with their uncertainty."""

import numpy as np
import pandas as pd

from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, ExogLike, FloatArray
from gpforecast.pipeline.fit import fit_checked
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import predict
from gpforecast.propagation import MethodLike
from gpforecast.results.forecast import Forecast
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST
from gpforecast.series.horizon import Horizon, steps_of


def predict_with_inputs(
    fitted: Fitted,
    horizon: Horizon,
    propagation: MethodLike,
    *,
    exog: ExogLike = None,
    exog_cov: ArrayLike | None = None,
) -> Forecast:
    """Forecast as `Forecaster.predict` says; ``exog="forecast"`` forecasts the inputs first."""
    if isinstance(exog, str):
        if exog != "forecast":
            raise ValueError(
                f"exog must be the inputs at the {horizon} future steps, or 'forecast' to have "
                f"them forecast from their own past; got {exog!r}."
            )
        if exog_cov is not None or not fitted.exog.n_given:
            raise ValueError(
                "exog='forecast' forecasts the inputs with their uncertainty; it needs inputs at "
                "the fit, and no exog_cov."
            )
        n = fitted.checked_horizon(steps_of(horizon, fitted.axis))
        exog, exog_cov = forecast_inputs(fitted, n)
    return predict(fitted, horizon, propagation, exog=exog, exog_cov=exog_cov)


def forecast_inputs(fitted: Fitted, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return means (h, q) and the joint covariance (h q, h q) of the user's inputs to come.

    Each column is forecast by a forecaster with default options from its own past; columns are
    taken to be independent of each other.

    Raises
    ------
    ValueError
        If a column is of categories, which have no Gaussian forecast.
    """
    inputs, index, every = fitted.exog, fitted.history.index, np.arange(horizon)
    if fitted.clock is not None:
        moments = fitted.axis.ahead(horizon)
        every, horizon = moments.steps, moments.n_steps
        fitted = fitted.first(len(fitted.history) - fitted.clock.pending)
        inputs, index = fitted.exog, fitted.history.index
    if inputs.categories.levels:
        name = next(iter(inputs.categories.levels))
        raise ValueError(
            f"exog='forecast' forecasts numbers, but the column {name!r} holds categories; pass "
            f"their future values."
        )
    q = inputs.n_given
    mean, cov = np.empty((horizon, q)), np.zeros((horizon, q, horizon, q))
    with bar("forecasting inputs", total=q, unit="columns") as shown:
        for j, column in enumerate(inputs.past.T[:q]):
            one = fit_checked(Options(), checked(pd.Series(column, index=index), least=FEWEST))
            ahead = predict(one, horizon, "auto")
            mean[:, j], cov[:, j, :, j] = ahead.mean, ahead.covariance
            shown.update()
    n = len(every) * q
    return mean[every], cov[every][:, :, every].reshape(n, n)
