"""The values of the fitted series: predicted from those before, missing ones from both sides."""

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.predict import predict_from
from gpforecast.pipeline.remarks import clipped
from gpforecast.propagation import MethodLike, method_named
from gpforecast.propagation.missing import Gaps
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.series.checked import values_of
from gpforecast.transforms.bridging import bridge


def predict_in_sample(fitted: Fitted, propagation: MethodLike) -> pd.DataFrame:
    """Predict every value one step ahead, as `Forecaster.predict_in_sample` says.

    The method matters only where a value or an input before it is missing.
    """
    y, exog = values_of(fitted.history), fitted.exog.past
    times = np.arange(fitted.n_past, len(y))
    inputs_known = ~np.isnan(exog[times]).any(axis=1)
    n_unknown = _count(np.isnan(y) | np.isnan(exog).any(axis=1))
    whole = inputs_known & (n_unknown[times] == n_unknown[times - fitted.n_past])
    enough = inputs_known
    if fitted.chain.n_lost:
        enough = inputs_known & (_count(~np.isnan(y))[times] >= fitted.reach)
    mean, var = np.full(len(times), np.nan), np.full(len(times), np.nan)
    # At known inputs every method gives the same, and naive iteration costs least.
    for chosen, method in ((whole, "naive"), (enough & ~whole, propagation)):
        if chosen.any():
            where, given = times[chosen], exog if fitted.exog else None
            found = predict_from(fitted, fitted.history, where, 1, method, exog=given)
            mean[chosen], var[chosen] = found.mean[:, 0], found.var[:, 0]
    columns = {
        "observed": y[times],
        "mean": mean,
        "std": np.sqrt(var),
        "residual": y[times] - mean,
    }
    return pd.DataFrame(columns, index=fitted.history.index[fitted.n_past :])


def fill_missing(fitted: Fitted, propagation: MethodLike) -> pd.DataFrame:
    """Return mean and std of every value given all observed, as `Forecaster.fill_missing` says."""
    y, index = values_of(fitted.history), fitted.history.index
    missing = np.isnan(y)
    if not missing.any():
        return pd.DataFrame({"mean": y, "std": np.zeros(len(y))}, index=index)
    chain, times = fitted.chain, fitted.chain.axis.locate(fitted.axis)
    if chain.n_lost:
        level = chain.forward(y)
        mean, var = bridge(chain, level, times).fill(level)
    else:
        method = method_named(propagation)
        z, exog = chain.levels(y, times)[-1], fitted.exog.scaled(fitted.exog.past)
        gaps = Gaps(fitted.predictive, method, fitted.inputs, z, exog)
        mean, var, n_clipped = gaps.filled()
        if n_clipped:
            clipped(n_clipped, len(y), method, fitted.predictive)
        mean, var = chain.undo_one_by_one(mean, var, times)
    if chain.warp is not None:
        mean, var = warped_mean_var(chain.warp, mean, var)
    # What was observed stays itself, to the last digit.
    std = np.where(missing, np.sqrt(var), 0.0)
    return pd.DataFrame({"mean": np.where(missing, mean, y), "std": std}, index=index)


def _count(flags: BoolArray) -> IntArray:
    """Return how many come before each position, (n + 1,)."""
    return np.concatenate([[0], np.cumsum(flags)])
