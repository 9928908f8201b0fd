"""Values, indexes and seeds at the edge: a forecast, or a sentence that says what to do."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

T = np.arange(80.0)
NOISE = np.random.default_rng(0).standard_normal(80)
WAVE = np.sin(T / 5.0) + 0.1 * NOISE


@pytest.mark.parametrize("size", [1e155, 1e-170])
def test_values_whose_squares_are_no_numbers_are_refused(size):
    with pytest.raises(ValueError, match=r"whose squares are numbers.*Use larger or smaller units"):
        gf.Forecaster().fit(size * WAVE)


@pytest.mark.parametrize("size", [1e140, 1e-140])
def test_large_and_small_units_change_nothing_else(size):
    small = gf.Forecaster(lags=2).fit(WAVE).predict(5)
    large = gf.Forecaster(lags=2).fit(size * WAVE).predict(5)
    np.testing.assert_allclose(large.mean / size, small.mean, rtol=1e-7)
    np.testing.assert_allclose(large.std / size, small.std, rtol=1e-7)


def test_what_is_masked_is_missing():
    values = np.where(T == 40.0, 1e20, NOISE)
    masked = gf.Forecaster(lags=2).fit(np.ma.masked_greater(values, 1e19))
    missing = gf.Forecaster(lags=2).fit(np.where(T == 40.0, np.nan, NOISE))
    np.testing.assert_array_equal(masked.history_, missing.history_)


def test_whole_numbers_without_successors_are_refused():
    index = pd.Index([2**63 - 85 + k for k in range(80)])
    with pytest.raises(ValueError, match="ount from a smaller number"):
        gf.Forecaster(lags=2).fit(pd.Series(NOISE, index)).predict(20)


def test_dates_beyond_those_of_their_unit_are_refused_with_a_remedy():
    dates = pd.date_range("2181-01-01", periods=80, freq="YS").as_unit("ns")
    fc = gf.Forecaster(lags=2, transforms=None)
    with pytest.raises(
        ValueError, match=r"ends at 2260.*no labels for the next 20.*as_unit\('s'\)"
    ):
        fc.fit(pd.Series(NOISE, dates)).predict(20)
    later = fc.fit(pd.Series(NOISE, dates.as_unit("s"))).predict(20).index
    assert later[-1].year == 2280


@pytest.mark.parametrize("seed", ["a", -1, 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0 up"):
        gf.Forecaster(seed=seed)
    with pytest.raises(ValueError, match="seed must be a whole number from 0 up"):
        gf.Forecaster(lags=2).fit(NOISE).predict(2).sample(3, seed=seed)


@pytest.mark.parametrize("exog", [None, 3.0])
def test_simulating_no_inputs_is_refused(exog):
    with pytest.raises(ValueError, match="exog must hold the inputs at each time"):
        gf.Forecaster(lags=1).fit(WAVE, exog=NOISE).simulate(exog)


def test_six_known_values_of_eighty_are_forecast_within_reason():
    holes = np.where(T % 37 > 1, np.nan, NOISE)
    f = gf.Forecaster().fit(holes).predict(5)
    assert f.interval(0.95).abs().to_numpy().max() < 10.0 * np.nanmax(abs(holes))


def test_an_interval_a_hundred_times_as_wide_as_the_series_is_said():
    holes = np.where(
        np.random.default_rng(4).random(80) < 0.3, np.nan, np.exp(0.05 * T + 0.2 * NOISE)
    )
    steps = [gf.transforms.Log(), gf.transforms.Difference(), gf.transforms.Difference()]
    with pytest.warns(gf.NumericalWarning) as said:
        f = gf.Forecaster(transforms=steps).fit(holes).predict(20)
    assert any("knows little" in note or "run away" in note for note in f.notes)
    assert len(said) >= 1
