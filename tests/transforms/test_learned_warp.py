"""A warp that is learned with a process of the series: what it finds, and forecasts through it."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from storage_cases import identical, reload
from transformed_cases import fixed

import gpforecast as gf
from gpforecast.results import Warped
from gpforecast.transforms import LearnedWarp, Warp


def latent(n=250, seed=0):
    """An autoregression with Gaussian noise."""
    rng = np.random.default_rng(seed)
    z = np.zeros(n + 50)
    for t in range(2, len(z)):
        z[t] = 1.2 * z[t - 1] - 0.4 * z[t - 2] + 0.5 * rng.standard_normal()
    return z[50:]


SHAPES = {"cube root": np.cbrt, "saturating at both ends": lambda z: np.tanh(0.8 * z)}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shape_that_hides_a_gaussian_series_is_found(shape):
    z = latent()
    y = SHAPES[shape](z)
    warp = LearnedWarp().fit(y)
    assert isinstance(warp, Warp)
    found = np.corrcoef(warp.forward(y), z)[0, 1]
    assert found > 0.98
    assert 1.0 - found < 0.5 * (1.0 - np.corrcoef(y, z)[0, 1])


def test_few_rows_and_constant_series_keep_a_straight_line():
    for y in ([], [1.0], [3.0] * 90, [np.nan] * 90, np.arange(20.0)):
        warp = LearnedWarp().fit(y)
        assert warp.a == ()
        np.testing.assert_array_equal(warp.log_gradient(np.arange(3.0)), -np.log(warp.scale))


# --- forecasts --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forecaster():
    y = pd.Series(np.cbrt(latent()), name="y")
    return gf.Forecaster(lags=2, transforms=LearnedWarp(), model=fixed()).fit(y)


def test_forecasts_are_images_of_gaussian_ones(forecaster):
    forecast = forecaster.predict(10)
    joint = forecast.distribution
    assert isinstance(joint, Warped)
    warp, z = joint.warp, joint.gaussian
    expected = warp.backward(stats.norm(z.mean, np.sqrt(z.var)).ppf(0.9))
    np.testing.assert_allclose(joint.quantile([0.9])[:, 0], expected, rtol=1e-9)
    low, high = joint.quantile([1e-10, 1 - 1e-10])[3]
    y = np.linspace(low, high, 20_001)
    density = np.exp(-Warped(z.over(np.array([3])), warp).nlpd(y[:, None])[:, 0])
    np.testing.assert_allclose(integrate.simpson(density, x=y), 1.0, atol=1e-6)
    mean = integrate.simpson(y * density, x=y)
    # 96 nodes miss 0.3 % of a spread of 0.8 where the inverse is nearly a cube root.
    np.testing.assert_allclose(forecast.mean.iloc[3], mean, atol=4e-3)
    var = integrate.simpson((y - mean) ** 2 * density, x=y)
    np.testing.assert_allclose(joint.var[3], var, rtol=5e-3)


def test_a_forecaster_is_saved_updated_and_described(forecaster, tmp_path):
    again = reload(forecaster, tmp_path)
    identical(again.predict(5), forecaster.predict(5))
    assert "LearnedWarp" in repr(again)
    assert again.update([0.1, 0.2]).predict(3).mean.index[0] == 252
    summary = " ".join(forecaster.summary().split())
    assert "A learned function of the values." in summary
    assert "of a learned function of the values a step" in summary


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("edge", ["lowest", "highest"])
def test_series_that_look_censored_are_refused(edge):
    y = latent()
    y = np.maximum(y, -0.7) if edge == "lowest" else np.minimum(y, 0.7)
    with pytest.raises(ValueError, match=f"values are equal to the {edge}.*look censored"):
        LearnedWarp().fit(y)
