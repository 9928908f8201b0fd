"""How well a plain autoregression forecasts after some transforms: a quick trial of them."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import erf

from gpforecast.embedding import LagEmbedding
from gpforecast.models.linear_ar import LinearAR
from gpforecast.propagation.exact import ExactMoments
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.transforms.compose import Compose
from gpforecast.typing import FloatArray

_ORIGINS = 24


def trial_score(y: FloatArray, steps: list[Any], period: int, horizon: int) -> float:
    """Return the mean CRPS of forecasts over the last 40 % of a series.

    Transforms and a linear autoregression are fitted to the first 60 %; forecasts are made from
    places after it.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps.
    steps : list of linear transforms
    period : int
        Lags are 1, 2 and those around the period.
    horizon : int

    Returns
    -------
    float
        In the units of y; inf if the first part is too short.
    """
    n = len(y)
    cut = int(0.6 * n)
    lags = sorted({1, 2, max(period - 1, 1), period, period + 1})
    try:
        chain = Compose(*steps).fit(y[:cut])
        times = chain.clock.times(pd.RangeIndex(n))
        levels = chain.levels(y, times)
        z = levels[-1]
        rows = LagEmbedding(lags).transform(z[chain.n_lost : cut])
        if len(rows.y) < 2 * len(lags) + 2:
            return np.inf
        model = LinearAR().fit(rows.X, rows.y)
    except ValueError:
        return np.inf
    last = n - horizon
    ends = np.unique(np.linspace(cut, last, min(_ORIGINS, last - cut + 1)).astype(int))
    past = z[ends[:, None] + np.arange(-lags[-1], 0)]
    inputs = Inputs(tuple(lags))
    ahead = propagate(model.posterior_, ExactMoments(), inputs, Start(past), horizon)
    found = chain.undo(ahead, levels, ends, times)
    truth = y[ends[:, None] + np.arange(horizon)]
    s = np.sqrt(np.einsum("bhh->bh", found.covariance))
    x = (truth - found.mean) / s
    density = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    # Gneiting et al. (2005), eq. 5
    crps = s * (x * erf(x / np.sqrt(2.0)) + 2.0 * density - 1.0 / np.sqrt(np.pi))
    return float(crps.mean())
