"""In other units, or from another zero, a series has the same forecast in these."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import AveragedGP, GaussianProcess

MANY = int(os.environ.get("GPFORECAST_FUZZ", "0"))
CLOSE = 1e-4  # of a standard deviation; draws that differ moved medians by up to 2e-2


def averaged():
    shared = SquaredExponential(lengthscales=3.0, variance=1.0) + Linear()
    gp = GaussianProcess(shared, noise_var=0.2, prior="weak")
    return AveragedGP(gp, n_draws=8, n_warmup=8)


def short_series(n, shape, seed):
    t, noise = np.arange(n), np.random.default_rng(seed).standard_normal(n)
    return {
        "walk": np.cumsum(noise),
        "noise": noise,
        "wave": 3.0 + np.sin(2 * np.pi * t / 7.3) + 0.3 * noise,
    }[shape]


def off(y, scale, shift, **options):
    """How far medians and standard deviations of the shifted and scaled series are off."""
    spread = y.std()

    def forecast(z):
        return gf.Forecaster(support=None, **options).fit(z).predict(6)

    plain, moved = forecast(y), forecast(scale * (y + shift * spread))
    median = moved.quantile(0.5) / scale - shift * spread
    by = np.abs(median - plain.quantile(0.5)).max() / spread
    return max(by, np.abs(np.log(moved.std / scale / plain.std)).max())


@settings(max_examples=MANY or 4, derandomize=not MANY, deadline=None)
@given(
    n=st.integers(12, 60),
    shape=st.sampled_from(["walk", "noise", "wave"]),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1e-6, 1e-3, 1e3, 1e6]),
    shift=st.sampled_from([0.0, 10.0, -10.0]),
)
def test_the_forecast_of_an_averaged_model_moves_with_the_series(n, shape, seed, scale, shift):
    y = short_series(n, shape, seed)
    assert off(y, scale, shift, lags=4, transforms=None, model=averaged()) < CLOSE


@settings(max_examples=MANY or 3, derandomize=not MANY, deadline=None)
@given(
    n=st.integers(12, 60),
    shape=st.sampled_from(["walk", "noise", "wave"]),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1e-6, 1e-3, 1e3, 1e6]),
)
def test_the_forecast_of_the_default_call_scales_with_the_series(n, shape, seed, scale):
    assert off(short_series(n, shape, seed), scale, 0.0) < CLOSE


@pytest.mark.parametrize(("scale", "shift"), [(1e3, 0.0), (1.0, 10.0)])
def test_draws_do_not_depend_on_the_rounding_of_a_scale_or_shift(scale, shift):
    rng = np.random.default_rng(7)
    walk = np.cumsum(rng.normal(size=12))
    model = AveragedGP(n_draws=8, n_warmup=8)
    assert off(walk, scale, shift, lags=4, transforms=None, model=model) < CLOSE
