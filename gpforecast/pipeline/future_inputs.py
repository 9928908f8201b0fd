"""Inputs that are not known but forecast, too, with their uncertainty."""

import numpy as np
import pandas as pd

from gpforecast.common.progress import bar
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.pipeline.fit import fit_checked
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import predict
from gpforecast.series import checked
from gpforecast.series.checked import FEWEST
from gpforecast.series.horizon import Horizon


def forecast_inputs(
    fitted: Fitted, horizon: Horizon, how: str, exog_cov: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Return means (h, q) and the joint covariance (h q, h q) of the user's inputs to come.

    Each column is forecast by a forecaster with default options from its own past; columns are
    taken to be independent of each other.

    Parameters
    ----------
    fitted : Fitted
    horizon : int, date, or length of time
    how : {"forecast"}
    exog_cov : None

    Raises
    ------
    ValueError
        If there are no inputs or their covariance is given, or if a column is of categories, which
        have no Gaussian forecast.
    """
    if how != "forecast":
        raise ValueError(
            f"exog must be the inputs at the {horizon} future steps, or 'forecast' to have "
            f"them forecast from their own past; got {how!r}."
        )
    if exog_cov is not None or not fitted.exog.n_given:
        raise ValueError(
            "exog='forecast' forecasts the inputs with their uncertainty; it needs inputs at "
            "the fit, and no exog_cov."
        )
    moments, fitted = fitted.moments_ahead(horizon), fitted.settled
    every, h = moments.steps, moments.n_steps
    inputs, index = fitted.exog, fitted.history.index
    if inputs.categories.levels:
        name = next(iter(inputs.categories.levels))
        raise ValueError(
            f"exog='forecast' forecasts numbers, but the column {name!r} holds categories; pass "
            f"their future values."
        )
    q = inputs.n_given
    mean, cov = np.empty((h, q)), np.zeros((h, q, h, q))
    with bar("forecasting inputs", total=q, unit="columns") as shown:
        for j, column in enumerate(inputs.past.T[:q]):
            one = fit_checked(Options(), checked(pd.Series(column, index=index), least=FEWEST))
            ahead = predict(one, h, "auto")
            mean[:, j], cov[:, j, :, j] = ahead.mean, ahead.covariance
            shown.update()
    n = len(every) * q
    return mean[every], cov[every][:, :, every].reshape(n, n)
