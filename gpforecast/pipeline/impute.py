"""The gaps of the fitted series, filled from both sides."""

import numpy as np
import pandas as pd

from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.remarks import clipped
from gpforecast.propagation import MethodLike, method_named
from gpforecast.propagation.missing import Gaps
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.series.checked import values_of
from gpforecast.transforms.bridging import bridge


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
        mean, var, n_clipped = Gaps(fitted.predictive, method, fitted.inputs, z, exog).filled()
        if n_clipped:
            clipped(n_clipped, len(y), method, fitted.predictive).warn()
        mean, var = chain.undo_one_by_one(mean, var, times)
    if chain.warp is not None:
        mean, var = warped_mean_var(chain.warp, mean, var)
    # What was observed stays itself, to the last digit.
    std = np.where(missing, np.sqrt(var), 0.0)
    return pd.DataFrame({"mean": np.where(missing, mean, y), "std": std}, index=index)
