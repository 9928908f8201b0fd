"""A noisy wave and forecasters that keep their hyperparameters, for backtests."""

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess


def fixed():
    """A Gaussian process that keeps the hyperparameters it is given."""
    covariance = SquaredExponential(lengthscales=2.0, variance=1.5)
    return GaussianProcess(covariance, noise_var=0.05, optimizer=None)


def wave(n=120, seed=0):
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(n)
    return pd.Series(5 * np.sin(2 * np.pi * t / 12) + np.cos(2 * np.pi * t / 5) + noise)


def fitted(n=60, **options):
    return gf.Forecaster(3, model=fixed(), **options).fit(wave().iloc[:n])
