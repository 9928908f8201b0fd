"""The choice between measurement noise and process noise."""

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from gpforecast.automatic.noise import choose_noise
from gpforecast.datasets import mackey_glass
from gpforecast.forecaster import Forecaster
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.propagation.recursion import Inputs


def decided(z, lags, model=None):
    n, back = len(z), max(lags)
    places = np.arange(back, n)
    X = np.column_stack([z[places - lag] for lag in lags])
    model = (GaussianProcess() if model is None else model).fit(X, z[places])
    exog = np.empty((n, 0))
    inputs = Inputs(tuple(lags))
    return model, choose_noise(model, X, z[places], places, z=z, exog=exog, inputs=inputs)


@pytest.mark.parametrize("noise_var", [1e-4, 1e-2])
def test_the_noise_of_the_measurements_of_a_chaotic_series_is_found(noise_var):
    z = mackey_glass(200, normalise=True, noise_var=noise_var, seed=3).to_numpy()
    model, decision = decided(z, range(1, 17))
    assert decision.value is not model
    assert decision.value.measurement_var_ == pytest.approx(noise_var, rel=0.25)


@pytest.mark.parametrize("model", [GaussianProcess(), LinearAR()])
def test_the_noise_of_an_autoregression_moves_it(model):
    for seed in range(4):
        noise = np.random.default_rng(seed).standard_normal(250)
        model, decision = decided(lfilter([1.0], [1.0, -1.5, 0.75], noise), [1, 2], model)
        assert decision.value is model
        assert decision.reason.startswith("the noise moves the series itself (process noise)")


def test_a_linear_autoregression_finds_noise_of_its_measurements():
    rng = np.random.default_rng(0)
    z = np.zeros(400)
    for t in range(2, 400):
        z[t] = 1.8 * z[t - 1] - 0.95 * z[t - 2] + 0.1 * rng.standard_normal()
    y = z / z.std() + 0.5 * rng.standard_normal(400)
    _, decision = decided(y, [1, 2], LinearAR())
    assert decision.value.measurement_var_**0.5 > 0.4


def test_a_part_of_the_series_without_known_values_is_left_out_of_the_comparison():
    z = np.cumsum(np.random.default_rng(0).standard_normal(300))
    z[150:265] = np.nan
    fc = Forecaster(lags=5, transforms=None, model=LinearAR())
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # such as that of a mean of nothing
        fc.fit(z)


def test_of_a_long_series_the_newest_rows_decide_and_the_model_has_all():
    rng = np.random.default_rng(0)
    z = np.zeros(700)
    for t in range(2, 700):
        z[t] = 1.8 * z[t - 1] - 0.95 * z[t - 2] + 0.1 * rng.standard_normal()
    y = z / z.std() + 0.5 * rng.standard_normal(700)
    _, of_all = decided(y, [1, 2], LinearAR())
    _, of_newest = decided(y[-302:], [1, 2], LinearAR())
    assert "in the newest 300 rows" in of_all.reason
    slopes = [model.value.posterior_.linear for model in (of_all, of_newest)]
    exact = np.array([1.8, -0.95])
    assert np.abs(slopes[0] - exact).max() < np.abs(slopes[1] - exact).max()
