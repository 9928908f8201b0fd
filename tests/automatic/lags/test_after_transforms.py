"""Lags of a transformed series, and what is said of them."""

import re

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.automatic import settings_for
from gpforecast.automatic.process import Process
from gpforecast.transforms import Log, SeasonalDifference


def few_values_of_a_wave():
    t = np.arange(24)
    rng = np.random.default_rng(0)
    noisy = np.sin(t * rng.uniform(0.4, 1.0)) + 0.3 * rng.standard_normal(24)
    return np.sin(2 * np.pi * t / 5) + np.sin(2 * np.pi * t / 3.3) + 0.1 * noisy


def test_few_values_choose_few_lags():
    z = few_values_of_a_wave()
    assert len(Process(z).found[0].value) <= 4


def indexed(y, freq):
    return pd.Series(y, pd.date_range("2000-01-02", periods=len(y), freq=freq))


def lags_of(y, **given):
    return settings_for(y, gf.Forecaster(**given).given).lags


def test_a_day_of_hours_brings_the_week():
    rng = np.random.default_rng(0)
    t = np.arange(24 * 30)
    y = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 168) + 0.3 * rng.normal(size=720)
    for series in (indexed(y, "h"), pd.Series(y)):
        lags = lags_of(series, transforms=None, season_length=24)
        assert {1, 24, 168} <= set(lags.value)
        assert re.search(r"those around the season of 24 and 168 steps", lags.reason)


def monthly(n=144, seed=0):
    t = np.arange(n)
    rng = np.random.default_rng(seed)
    return indexed(0.1 * t + 3 * np.sin(2 * np.pi * t / 12) + rng.standard_normal(n), "MS")


def test_after_a_removed_season_lags_are_those_of_a_seasonal_autoregression():
    lags = lags_of(monthly(240) + 20.0, transforms=[Log(), SeasonalDifference(12)])
    assert lags.value == (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13)
    assert "those around the season of 12 steps" in lags.reason


def test_the_model_that_judged_the_lags_is_kept_in_any_units():
    z = np.full(200, 0.3)
    for i in range(199):
        z[i + 1] = 3.8 * z[i] * (1.0 - z[i])
    for y in (z, 1e3 * z, 1e3 * z + 5e3):
        assert Process(y).found[1] is not None
