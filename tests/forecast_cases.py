"""Forecasts made by hand: a correlated Gaussian, and skewed paths."""

import numpy as np
import pandas as pd

from gpforecast.results import Forecast, Gaussian, Paths

H = 6
DATES = pd.date_range("2024-03-01", periods=H, freq="D")
TRUTH = pd.Series([10.2, 9.0, 13.0, 11.0, 8.0, 12.5], index=DATES)


def gaussian(index=DATES, seed=0):
    """A correlated Gaussian forecast, made by hand."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((H, H))
    S = root @ root.T + 0.5 * np.eye(H)
    step = index[1] - index[0]
    past = index[:3] - 3 * step
    return Forecast(
        Gaussian(np.linspace(10, 12, H), S, np.diag(S) - 0.2),
        index,
        history=pd.Series([8.0, 9.0, 9.5], index=past, name="load"),
        propagation="exact",
    )


def sampled(n=400, seed=0):
    """A Monte Carlo forecast with skewed paths."""
    rng = np.random.default_rng(seed)
    paths = np.exp(np.cumsum(0.3 * rng.standard_normal((H, n)), axis=0))
    return Forecast(
        Paths.of(paths, paths.var(axis=-1)),
        DATES,
        history=pd.Series([1.0], index=DATES[:1] - pd.Timedelta(1, unit="D")),
        propagation="monte_carlo",
    )


MONTHS = pd.period_range("2024-11", periods=16, freq="M")
PAST = pd.Series(np.arange(1.0, 23.0), pd.period_range("2023-01", periods=22, freq="M"))


def walk(h=16, index=MONTHS, history=PAST, drift=0.3):
    """A random walk from 22, whose joint distribution is known."""
    k = np.arange(1.0, h + 1.0)
    d = Gaussian(22.0 + drift * k, np.minimum(k[:, None], k), k - 0.5)
    return Forecast(d, index[:h], history, "exact")
