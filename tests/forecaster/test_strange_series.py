"""Series that are strange but possible: constant, very short, tiny, huge."""

import numpy as np
import pytest
from forecaster_cases import fitted, wave

import gpforecast as gf
from gpforecast.transforms import Deterministic


@pytest.mark.parametrize("level", [0.0, 5.0, -1e6])
def test_constant_series_is_forecast_to_stay(level):
    f = gf.Forecaster(2).fit(np.full(30, level)).predict(10)
    np.testing.assert_allclose(f.mean, level, rtol=1e-9, atol=1e-9)
    assert (f.std > 0).all()
    assert (f.std < 1e-3 * (abs(level) or 1.0)).all()  # the smallest noise a model is given


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rate", [0.0, 0.02, 1.0])
@pytest.mark.parametrize(
    "options",
    [{}, {"transforms": [Deterministic(1)]}, {"model": gf.models.ReducedRankGP(n_support=5)}],
    ids=["default", "trend", "reduced rank"],
)
def test_zeros_and_ones_are_forecast_without_a_warning(options, rate):
    y = (np.random.default_rng(0).random(60) < rate).astype(float)
    f = gf.Forecaster(**options).fit(y).predict(5)
    assert np.isfinite(f.to_frame()).all(axis=None)


@pytest.mark.parametrize("lags", [1, 3])
def test_shortest_series_possible_is_forecast_within_reason(lags):
    y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])[: lags + 2]
    f = gf.Forecaster(lags).fit(y).predict(5)
    assert np.isfinite(f.mean).all()
    assert (f.std > 0).all()
    assert (f.mean > y.min() - 5 * np.ptp(y)).all()
    assert (f.mean < y.max() + 5 * np.ptp(y)).all()


@pytest.mark.parametrize("scale", [1e-150, 1e140])
def test_tiny_and_huge_units_are_no_trouble(scale):
    f, g = fitted().predict(5), fitted(y=scale * wave()).predict(5)
    np.testing.assert_allclose(g.mean / scale, f.mean, rtol=1e-8)
    np.testing.assert_allclose(g.std / scale, f.std, rtol=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("slope", [2.0, -0.1])
def test_a_straight_line_goes_on_and_its_intervals_are_narrow(n, slope):
    y = 50.0 + slope * np.arange(n + 6)
    f = gf.Forecaster().fit(y[:n]).predict(6)
    np.testing.assert_allclose(f.mean, y[n:], atol=0.02 * abs(slope))
    assert np.sqrt(f.var).max() < 0.25 * abs(slope)


def test_differences_that_are_all_the_same_leave_next_to_no_noise():
    y = 5.0 + 2.0 * np.arange(30)
    steps = [gf.transforms.Difference(), gf.transforms.DampedMean(1.0, halflife=10.0)]
    ar = gf.models.BayesianAR()
    f = gf.Forecaster(lags=2, transforms=steps, model=ar).fit(y).predict(5)
    np.testing.assert_allclose(f.mean, y[-1] + 2.0 * np.arange(1, 6), rtol=1e-9)
    assert np.sqrt(f.var).max() < 1e-4


def test_a_season_at_a_high_level_that_repeats_has_narrow_intervals():
    y = 1e6 + np.tile([3.0, -3.0, 1.0, 2.0], 6)
    fc = gf.Forecaster(transforms=gf.transforms.SeasonalDifference(4), combine=None)
    f = fc.fit(y).predict(4)
    np.testing.assert_allclose(f.mean, y[:4], atol=1e-3)
    assert f.std.max() < 0.06
