"""Short series: few candidates, with priors, and one shrunk autoregression."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.grid import Hyperparameters, left_out
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.models import BayesianAR, LinearAR
from gpforecast.transforms import DampedMean, Difference


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def years(values):
    return pd.Series(values, pd.date_range("1980", periods=len(values), freq="YS"))


def months(values):
    return pd.Series(values, pd.date_range("1980", periods=len(values), freq="MS"))


@pytest.mark.parametrize("n", [8, 12, 23])
def test_a_trend_of_few_values_goes_on(n):
    """Without a transform a forecast of 12 values fell back to their mean."""
    rising = 100 + 5.0 * np.arange(n)
    f = gf.Forecaster().fit(years(rising + noise(n))).predict(6)
    truth = 100 + 5.0 * (n + np.arange(6))
    assert (f.mean.to_numpy() > rising[-1] - 2).all()
    assert np.abs(f.mean.to_numpy() - truth).max() < 16  # the slope may fade
    assert gf.Forecaster().fit(years(rising)).predict(3).mean.is_monotonic_increasing


@pytest.mark.parametrize("n", [4, 7])
def test_a_handful_of_values_goes_on_from_the_newest(n):
    """A Gaussian process of two or three rows gave intervals of hundreds of times the range."""
    y = 100 + noise(n, 3).cumsum()
    fc = gf.Forecaster().fit(years(y))
    f = fc.predict(6)
    assert np.abs(f.mean - y[-1]).max() < np.ptp(y)
    assert f.interval(0.95).abs().sub(y[-1]).to_numpy().max() < 20 * np.ptp(y)


def test_growth_does_not_explode():
    """Roots above 1 made errors of up to 55 times those of others."""
    for rate, n in ((1.1, 14), (1.15, 14), (1.15, 9)):
        y = 100 * rate ** np.arange(n) * np.exp(0.05 * noise(n))
        f = gf.Forecaster().fit(years(y)).predict(6)
        assert f.mean.max() < 2.0 * y[-1] * rate**6
        assert f.std.max() < 2.0 * y[-1] * rate**6
        assert f.mean.min() > 0.8 * y[-1]


def of_logarithm(y):
    rows = choose_transforms(months(y)).value.portfolio.rows
    return sum(weight for words, weight, _ in rows if "logarithm" in words)


def test_a_logarithm_counts_where_swings_grow_and_not_where_they_stay():
    t = np.arange(96)
    level = 0.012 * t + 0.02 * np.cumsum(noise(96))
    grows = np.exp(4 + level + 0.25 * np.sin(2 * np.pi * t / 12) + 0.02 * noise(96, 1))
    stays = 100 + 0.5 * t + 10 * np.sin(2 * np.pi * t / 12) + np.cumsum(noise(96))
    assert of_logarithm(grows) > 0.5 > of_logarithm(stays)


def test_noise_of_differences_does_not_collapse():
    """A flexible process fitted 100 to 200 rows of noise, down to half of it and less."""
    for seed in range(2):
        walk = 200 + np.cumsum(noise(160, seed))
        fc = gf.Forecaster(transforms=[Difference(), DampedMean(0.9)]).fit(walk)
        assert type(fc.model_) is BayesianAR
        z = np.diff(walk)
        linear = LinearAR().fit(np.column_stack([z[3:-1], z[2:-2], z[1:-3], z[:-4]]), z[4:])
        noise_var = fc.model_.noise_var_ * fc.transforms_.unit**2
        assert 0.9 < noise_var / linear.noise_var_ < 1.1


def test_noise_around_a_level_is_forecast_at_the_level():
    for seed in range(4):
        f = gf.Forecaster().fit(years(50 + noise(60, seed))).predict(12)
        assert np.abs(f.mean - 50).max() < 1.2
        assert f.std.max() < 2.5


def test_a_process_that_fits_all_noise_predicts_no_row_that_it_was_not_given():
    fits_all = Hyperparameters(0.5, 1.0, 1e-6, 0.0).model
    assert left_out(noise(200), (1, 2), fits_all) > 0.25
    assert left_out(np.sqrt(2) * np.sin(0.3 * np.arange(200)), (1, 2), fits_all) < 1e-3
    fc = gf.Forecaster(transforms=None).fit(noise(300))
    assert "next to no noise" not in fc.summary()


def test_a_season_that_changes_is_not_described_by_a_fixed_one():
    wandering = 5 * np.sin(2 * np.pi * np.arange(120) / 12)
    for k in range(12, 120):
        wandering[k] = wandering[k - 12] + 0.8 * noise(120, 2)[k]
    rows = choose_transforms(months(wandering)).value.portfolio.rows
    fixed = sum(w for words, w, _ in rows if "fixed season" in words or "a mean for each" in words)
    changing = sum(w for words, w, _ in rows if "changes over 12 steps" in words)
    assert changing > max(0.25, 2.0 * fixed)


def test_two_whole_seasons_are_enough_to_forecast_the_next():
    t = np.arange(36)
    y = 100.0 + 20.0 * np.sin(2.0 * np.pi * t / 12) + 3.0 * np.random.default_rng(0).normal(size=36)
    months = pd.Series(y, pd.date_range("2022-01-01", periods=36, freq="MS"))
    f = gf.Forecaster().fit(months[:24]).predict(12)
    assert np.sqrt(np.mean((f.mean - months[24:]) ** 2)) < 6.0
