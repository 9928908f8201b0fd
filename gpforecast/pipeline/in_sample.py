"""The values of the fitted series: predicted from those before, missing ones from both sides."""

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.predict import clipped, predict_from
from gpforecast.propagation import MethodLike, method_named
from gpforecast.propagation.missing import Gaps
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.series.checked import values_of
from gpforecast.series.exogenous import Encoded
from gpforecast.transforms.bridging import bridge


def predict_in_sample(fitted: Fitted, propagation: MethodLike) -> pd.DataFrame:
    """Predict every value one step ahead, as `Forecaster.predict_in_sample` says.

    The method matters only where a value or an input before it is missing.
    """
    y, exog = fitted.known, fitted.exog.past
    times = np.arange(fitted.n_past, len(y))
    inputs_known = ~np.isnan(exog[times]).any(axis=1)
    n_unknown = _count(np.isnan(y) | np.isnan(exog).any(axis=1))
    noisy = fitted.measurement is not None
    whole = inputs_known & (not noisy) & (n_unknown[times] == n_unknown[times - fitted.n_past])
    enough = inputs_known
    if fitted.chain.n_lost:
        enough = inputs_known & (_count(~np.isnan(y))[times] >= fitted.reach)
    mean, var = np.full(len(times), np.nan), np.full(len(times), np.nan)
    # At known inputs every method gives the same, and naive iteration costs least.
    for chosen, method in ((whole, "naive"), (enough & ~whole, propagation)):
        if chosen.any():
            where, given = times[chosen], Encoded(exog) if fitted.exog else None
            found = predict_from(fitted, fitted.history, where, 1, method, exog=given)
            mean[chosen], var[chosen] = found.mean[:, 0], found.var[:, 0]
    seen = values_of(fitted.history)[times]
    columns = {"observed": seen, "mean": mean, "std": np.sqrt(var), "residual": seen - mean}
    return pd.DataFrame(columns, index=fitted.history.index[fitted.n_past :])


def fill_missing(fitted: Fitted, propagation: MethodLike) -> pd.DataFrame:
    """Return mean and std of every value given all observed, as `Forecaster.fill_missing` says."""
    given, y, index = values_of(fitted.history), fitted.known, fitted.history.index
    missing = np.isnan(given)
    if not missing.any():
        return pd.DataFrame({"mean": given, "std": np.zeros(len(y))}, index=index)
    chain, times = fitted.chain, fitted.chain.axis.locate(fitted.axis)
    if chain.n_lost:
        level = chain.forward(y)
        mean, var = bridge(chain, level, times).fill(level)
        if chain.warp is not None:
            mean, var = warped_mean_var(chain.warp, mean, var)
    else:
        of_noise = 0.0 if fitted.measurement is None else fitted.measurement.variance
        mean, var = _smoothed(fitted, propagation, of_noise)
    if (closing := chain.closing) is not None:
        closed = closing.at(times)
        mean = np.where(closed, chain.backward(np.array(closing.level)), mean)
        var = np.where(closed, 0.0, var)
    if fitted.support is not None:
        mean = fitted.support.clip(mean)
    # Observed values are returned exactly.
    std = np.where(missing, np.sqrt(var), 0.0)
    return pd.DataFrame({"mean": np.where(missing, mean, given), "std": std}, index=index)


def smooth(fitted: Fitted, propagation: MethodLike) -> pd.DataFrame:
    """Return mean and std of every value without measurement noise, as `Forecaster.smooth` says."""
    if fitted.measurement is None:
        return fill_missing(fitted, propagation)
    mean, var = _smoothed(fitted, propagation, 0.0)
    if fitted.support is not None:
        mean = fitted.support.clip(mean)
    return pd.DataFrame({"mean": mean, "std": np.sqrt(var)}, index=fitted.history.index)


def _smoothed(
    fitted: Fitted, propagation: MethodLike, more_var: float
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of every value given all observed, in the units of the series.

    `more_var` is added to the variances in transformed units.
    """
    chain, times = fitted.chain, fitted.chain.axis.locate(fitted.axis)
    method, y = method_named(propagation), fitted.known
    z, exog = chain.levels(y, times)[-1], fitted.exog.scaled(fitted.exog.past)
    noise = fitted.measurement_variances
    gaps = Gaps(fitted.predictive, method, fitted.inputs, z, exog, noise)
    mean, var, n_clipped = gaps.filled()
    if n_clipped:
        clipped(n_clipped, len(y), method, fitted.predictive)
    mean, var = chain.undo_one_by_one(mean, var + more_var, times)
    return (mean, var) if chain.warp is None else warped_mean_var(chain.warp, mean, var)


def _count(flags: BoolArray) -> IntArray:
    """Return how many come before each position, (n + 1,)."""
    return np.concatenate([[0], np.cumsum(flags)])
