"""A fitted forecaster asked for any steps around the last known value, ahead of it or before it."""

import numpy as np
import pandas as pd

from gpforecast.forecast import Forecast
from gpforecast.forecaster import Forecaster
from gpforecast.propagation import method_named
from gpforecast.typing import FloatArray, IntArray


def forecast_at(
    forecaster: Forecaster,
    values: FloatArray,  # (n,)
    steps: IntArray,  # (s,)
    exog: pd.DataFrame | None = None,  # (n + largest step, q)
) -> Forecast:
    """Predict the values at some steps, as other libraries number them.

    Parameters
    ----------
    forecaster : Forecaster
        Fitted to an array. It may have seen fewer values than `values`, or more; it is not
        trained or conditioned here.
    values : ndarray (n,)
        What is known, in the units of the series.
    steps : ndarray of int (s,)
        Counted from the last known value: 1 is the next, 0 that value itself, -1 the one before.
        A step ahead is forecast from all of `values`. A value that is known is predicted one step
        ahead from those before it; without enough of those for the lags, its prediction is the
        mean and variance of all known values.
    exog : DataFrame, optional
        Exogenous inputs at all known times and at the horizon, on ``RangeIndex``.

    Returns
    -------
    Forecast
        With `steps` as its index. The errors of one-step predictions count as independent, of each
        other and of the steps ahead.

    Raises
    ------
    ValueError
        If a step lies before the first value, or the forecaster asks for other inputs.
    """
    n, horizon = len(values), max(int(steps.max()), 0)
    ahead = steps > 0
    index = pd.Index(steps)
    mean, latent_var = np.empty(len(steps)), np.empty(len(steps))
    covariance = np.zeros((len(steps), len(steps)))
    paths, notes = None, forecaster.notes_
    if horizon:
        future = _after(forecaster, values, horizon, exog)
        at = steps[ahead] - 1
        mean[ahead] = future.mean.to_numpy()[at]
        latent_var[ahead] = future.latent_var.to_numpy()[at]
        covariance[np.ix_(ahead, ahead)] = future.covariance.to_numpy()[np.ix_(at, at)]
        if ahead.all() and future.paths is not None:
            paths = pd.DataFrame(future.paths.to_numpy()[at], index=index)
        notes = future.notes
    if not ahead.all():
        known = _one_step(forecaster, values, n - 1 + steps[~ahead], exog)
        mean[~ahead], latent_var[~ahead] = known[0], known[1]
        covariance[~ahead, ~ahead] = known[2]
    return Forecast(
        mean=pd.Series(mean, index=index, name="mean"),
        covariance=pd.DataFrame(covariance, index=index, columns=index),
        latent_var=pd.Series(latent_var, index=index, name="latent_var"),
        history=pd.Series(values),
        propagation=method_named(forecaster.propagation).name,
        paths=paths,
        notes=notes,
    )


def _after(
    forecaster: Forecaster, values: FloatArray, horizon: int, exog: pd.DataFrame | None
) -> Forecast:
    """Forecast what follows `values`."""
    n = len(values)
    if np.array_equal(forecaster.history_.to_numpy(), values):
        return forecaster.predict(horizon, exog=None if exog is None else exog.iloc[n:])
    # Only the length of what stands beyond the origin counts; it is never read.
    padded = np.concatenate([values, np.repeat(values[-1:], horizon)])
    result = forecaster.predict_from(padded, [n], horizon, exog=exog)
    index = pd.RangeIndex(n, n + horizon)
    return Forecast(
        mean=pd.Series(result.mean[0], index=index, name="mean"),
        covariance=pd.DataFrame(result.covariance[0], index=index, columns=index),
        latent_var=pd.Series(result.latent_var[0], index=index, name="latent_var"),
        history=pd.Series(values),
        propagation=method_named(forecaster.propagation).name,
        paths=None if result.paths is None else pd.DataFrame(result.paths[0], index=index),
        notes=forecaster.notes_,
    )


def _one_step(
    forecaster: Forecaster, values: FloatArray, positions: IntArray, exog: pd.DataFrame | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, latent variance and variance of known values, each from those before it."""
    if positions.min() < 0:
        raise ValueError(
            f"the first of {len(values)} known values is step {1 - len(values)}; "
            f"got {positions.min() - len(values) + 1}."
        )
    mean = np.full(len(positions), values.mean())
    var = np.full(len(positions), values.var())
    latent_var = var.copy()
    reached = positions >= forecaster.n_past
    if reached.any():
        # All inputs are known, so that every method agrees and the cheapest will do.
        result = forecaster.predict_from(
            values,
            positions[reached],
            1,
            exog=None if exog is None else exog.iloc[: len(values)],
            propagation="naive",
        )
        mean[reached] = result.mean[:, 0]
        latent_var[reached] = result.latent_var[:, 0]
        var[reached] = result.covariance[:, 0, 0]
    return mean, latent_var, var
