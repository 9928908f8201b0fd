"""A noisy wave and forecasters that keep their hyperparameters, for backtests."""

import numpy as np
import pandas as pd
from forecaster_cases import fixed

import gpforecast as gf
from gpforecast.backtesting.result import Backtest
from gpforecast.results.distribution import Gaussian


def wave(n=120, seed=0):
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(n)
    return pd.Series(5 * np.sin(2 * np.pi * t / 12) + np.cos(2 * np.pi * t / 5) + noise)


def fitted(n=60, **options):
    return gf.Forecaster(3, model=fixed(), **options).fit(wave().iloc[:n])


def backtest_of(errors, origins, h, std=1.0):
    """Forecasts N(0, std^2) of errors (n,), from some origins, h steps each."""
    truth = errors[origins[:, None] + np.arange(h)]
    shape = truth.shape
    cov = np.broadcast_to(np.eye(h) * std**2, (*shape, h))
    return Backtest.of(
        Gaussian(np.zeros(shape), cov, np.full(shape, std**2)), truth, origins, "exact"
    )


def plain():
    return gf.Forecaster(3, model=gf.models.LinearAR(), transforms=None, noise="process")
