"""Every value of the fitted series, predicted from those before it."""

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.predict import predict_from
from gpforecast.propagation import MethodLike
from gpforecast.series.checked import values_of


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
            found = predict_from(
                fitted,
                fitted.history,
                times[chosen],
                1,
                method,
                exog=exog if fitted.exog else None,
            )
            mean[chosen], var[chosen] = found.mean[:, 0], found.var[:, 0]
    columns = {
        "observed": y[times],
        "mean": mean,
        "std": np.sqrt(var),
        "residual": y[times] - mean,
    }
    return pd.DataFrame(columns, index=fitted.history.index[fitted.n_past :])


def _count(flags: BoolArray) -> IntArray:
    """Return how many come before each position, (n + 1,)."""
    return np.concatenate([[0], np.cumsum(flags)])
