"""A growing series and chains of transforms to forecast it through."""

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.transforms import (
    BoxCox,
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)


def fixed(noise_var=0.05):
    return GaussianProcess(
        SquaredExponential(lengthscales=2.0, variance=1.5), noise_var=noise_var, optimizer=None
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
