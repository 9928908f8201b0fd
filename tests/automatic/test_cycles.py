"""Cycles that no index suggests, and the year."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic.cycles import find_cycle, find_year
from gpforecast.automatic.settings import settings_for
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.transforms import Deterministic


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def cycle(n, period):
    angle = 2 * np.pi * np.arange(n) / period
    return np.sin(angle) + 0.5 * np.cos(2 * angle)


@pytest.mark.parametrize("period", [5, 17, 21, 17.37])
def test_cycle_of_any_period_is_found_in_noise(period):
    found = find_cycle(2 * cycle(500, period) + noise(500))
    assert found.value.period == pytest.approx(period, abs=0.05)


def test_noise_and_cycles_that_drift_are_no_cycles():
    drifting = [1, -2 * 0.97 * np.cos(2 * np.pi / 17), 0.97**2]
    for seed in range(4):
        assert find_cycle(noise(300, seed)) is None
        assert find_cycle(np.cumsum(noise(300, seed))) is None
        assert find_cycle(lfilter([1], drifting, noise(600, seed))) is None


@pytest.mark.parametrize("period", [7, 12, 52])
def test_cycle_of_any_shape_is_found_in_noise(period):
    spikes = 3.0 * np.sqrt(period) * (np.arange(8 * period) % period == 2)
    assert find_cycle(spikes + noise(8 * period)).value.whole == period


def test_a_season_that_no_index_suggests_is_found_in_four_whole_cycles():
    y = cycle(48, 12) + 0.3 * noise(48)
    assert find_cycle(y).value.period == 12
    assert find_cycle(y[:47]) is None


def test_years_in_daily_temperatures_from_two_years_on():
    rng = np.random.default_rng(1)
    n = 1461
    t = np.arange(n)
    week = np.resize([0, 0, 0, 0, 0, 4.0, 4.0], n)
    weather = lfilter([1], [1, -0.7], 2 * rng.standard_normal(n))
    y = pd.Series(
        10 - 9 * np.cos(2 * np.pi * t / 365.25) + week + weather,
        pd.date_range("2020-01-01", periods=n, freq="D"),
    )
    for size in (800, n):
        plan = choose_transforms(y[:size]).value
        years = [s for s in plan.transforms.steps if isinstance(s, Deterministic)]
        assert any(s.period == 365.25 for s in years)
        assert plan.period == 7


def test_a_weak_year_is_found_in_weather():
    weather = lfilter([1], [1, -0.7], noise(1100))
    year = np.cos(2 * np.pi * np.arange(1100) / 365.25)
    assert find_year(year + weather, 365.25).value.pairs == 1
    assert find_year(weather, 365.25) is None


def test_wandering_series_has_no_year():
    assert find_year(np.cumsum(noise(1100)), 365.25) is None
    assert find_year(noise(700), 365.25) is None  # less than two years
    assert find_year(noise(700), None) is None


def test_months_stamped_on_any_day_have_their_season():
    t = np.arange(96)
    index = pd.date_range("2010-01-28", periods=96, freq=pd.DateOffset(months=1))
    y = pd.Series(10 * np.sin(2 * np.pi * t / 12) + noise(96), pd.DatetimeIndex(index, freq=None))
    fc = gf.Forecaster().fit(y)
    assert fc.transforms_.period == 12


def test_structural_models_of_days_know_the_year_too():
    t = np.arange(900)
    weather = lfilter([1], [1, -0.7], noise(900))
    y = 10 - 9 * np.cos(2 * np.pi * t / 365.25) + weather
    days = pd.Series(y, pd.date_range("2020-01-01", periods=900))
    members = settings_for(days).ensemble.value.members
    assert members
    assert all(one.cycles for one in members)
    forecast = gf.Forecaster().fit(days).predict(120)
    later = 10 - 9 * np.cos(2 * np.pi * np.arange(900, 1020) / 365.25)
    assert np.abs(forecast.mean - later).max() < 3.0
    np.testing.assert_allclose(forecast.components.total, forecast.mean)


def test_a_season_that_changes_brings_no_cycle_beside_it():
    t = np.arange(960)
    swings = (2.0 + np.cos(2 * np.pi * t / 1500)) * np.sin(2 * np.pi * t / 24)
    y = pd.Series(swings + 0.3 * noise(960), pd.date_range("2024-01-01", periods=960, freq="h"))
    assert choose_transforms(y).value.cycles == ()
