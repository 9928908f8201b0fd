"""A growing series and chains of transforms to forecast it through."""

import numpy as np
import pandas as pd
from forecaster_cases import fixed

import gpforecast as gf
from gpforecast.propagation.recursion import Propagated
from gpforecast.series import TimeAxis
from gpforecast.transforms import (
    BoxCox,
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)


def positive(n=120, seed=0, index=None):
    """Trend, season and noise, all growing with the level."""
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    y = np.exp(2 + 0.01 * t + 0.3 * np.sin(2 * np.pi * t / 6) + 0.05 * rng.standard_normal(n))
    return pd.Series(y, index=index, name="sales")


CHAINS = {
    "difference": Difference(),
    "two differences": [Difference(2)],
    "season": [SeasonalDifference(6), Difference()],
    "line and cycle": Deterministic(1, 2, 6),
    "log and damped slope": Compose(Log(), Difference(), DampedMean(0.9, 6)),
    "log": Log(),
    "log and season": [Log(), SeasonalDifference(6)],
    "box-cox and line": Compose(BoxCox(0.3), Deterministic(1, 3, 6)),
}


def model_of(chain):
    return gf.Forecaster([1, 2, 6], transforms=chain, model=fixed())


def ahead_of(fitted, n, horizon, times=None):
    """What a transform adds to a forecast of zeros after n values."""
    times = TimeAxis.rows(n + horizon) if times is None else times
    zeros = Propagated.certain(np.zeros((1, horizon)))
    return fitted.undo(zeros, np.empty((1, 0)), np.array([n]), times)
