"""Series and forecasters for the tests of the front door."""

from functools import cache

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess


def fixed(noise_var=0.05, lengthscales=2.0):
    """A Gaussian process that keeps the hyperparameters it is given."""
    return GaussianProcess(
        SquaredExponential(lengthscales=lengthscales, variance=1.5),
        noise_var=noise_var,
        optimizer=None,
    )


def wave(n=80, seed=0):
    """A non-linear cycle of 12 steps with a little noise, around 50."""
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(n)
    return 50 + 5 * np.sin(2 * np.pi * t / 12) + 2 * np.cos(2 * np.pi * t / 6) ** 2 + noise


def driven(n=160, seed=0):
    """y(t) = 0.6 y(t-1) + tanh(u(t)) - 0.5 v(t-2) + noise: a NARX series and its inputs."""
    rng = np.random.default_rng(seed)
    u, v = rng.standard_normal((2, n))
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = 0.6 * y[t - 1] + np.tanh(u[t]) - 0.5 * v[t - 2] + 0.05 * rng.standard_normal()
    index = pd.date_range("2024-01-01", periods=n, freq="D")
    return pd.Series(y, index=index, name="y"), pd.DataFrame({"u": u, "v": v}, index=index)


def fitted(lags=3, y=None, **options):
    options = {"transforms": None, **options}
    return gf.Forecaster(lags, model=fixed(), **options).fit(wave() if y is None else y)


def same(a, b, rtol=1e-12):
    """Whether two forecasts say the same."""
    np.testing.assert_allclose(a.mean, b.mean, rtol=rtol)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=rtol, atol=1e-14)


@cache
def exog_forecaster(n=100):
    y, exog = driven()
    fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
    return fc.fit(y.iloc[:n], exog.iloc[:n]), exog.iloc[n : n + 5]
