"""Simple forecasts beside a backtest: closed forms, the same origins, nothing of the future."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, wave

import gpforecast as gf
from gpforecast.backtesting.baselines import baselines, random_walk
from gpforecast.backtesting.result import Backtest


def by_hand(values, origin, k, m):
    """The last value of a place in the season, and its variance, by going back one at a time."""
    steps = [(values[t] - values[t - m]) ** 2 for t in range(m, origin)]
    s2, at, back = np.nanmean(steps), origin + k, 0
    while at >= origin or np.isnan(values[at]):
        at, back = at - m, back + 1
    return values[at], back * s2


@pytest.mark.parametrize("period", [1, 4])
def test_random_walks_have_the_last_known_value_and_a_variance_that_grows(period):
    values = np.random.default_rng(0).standard_normal(40).cumsum()
    values[[17, 18, 29]] = np.nan
    origins = np.array([19, 30, 33])
    found = random_walk(values, origins, 9, period)
    for row, origin in enumerate(origins):
        for k in range(9):
            mean, var = by_hand(values, origin, k, period)
            np.testing.assert_allclose(found.mean[row, k], mean)
            np.testing.assert_allclose(found.var[row, k], var)


def test_steps_of_a_random_walk_depend_on_each_other_as_its_sums_do():
    """Steps of one place share their changes: A A' with the sums A, written out."""
    values = np.random.default_rng(1).standard_normal(30)
    found = random_walk(values, np.array([20]), 7, 3)
    A = np.array([[float(k >= i and (k - i) % 3 == 0) for i in range(7)] for k in range(7)])
    s2 = np.mean((values[3:20] - values[:17]) ** 2)
    np.testing.assert_allclose(found.covariance[0], s2 * A @ A.T)


def test_baselines_look_at_nothing_beyond_their_origin():
    y = wave()
    y.index = pd.period_range("2000-01", periods=len(y), freq="M")
    later = y.copy()
    later.iloc[80:] = 1000.0
    a = gf.backtest(gf.Forecaster(3, model=gf.models.LinearAR()), y, 10, [72, 80]).baselines
    b = gf.backtest(gf.Forecaster(3, model=gf.models.LinearAR()), later, 10, [72, 80]).baselines
    assert list(a) == list(b) == ["naive", "seasonal naive", "linear"]
    for name in a:
        np.testing.assert_allclose(a[name].mean, b[name].mean)
        np.testing.assert_allclose(a[name].var, b[name].var)


def test_the_linear_one_learns_from_the_same_values_as_the_forecaster():
    y = wave()
    y.index = pd.period_range("2000-01", periods=len(y), freq="M")
    first = gf.Forecaster(3, model=gf.models.LinearAR()).fit(y[:60])
    linear = gf.backtest(first, y, 6, [64, 90]).baselines["linear"]
    assert linear.trained.tolist() == [60, 60]
    # A season and one more would be 13 lags; 60 values give five to each of 12.
    fc = gf.Forecaster(12, transforms=None, model=gf.models.LinearAR(), noise="process")
    expected = fc.fit(y[:60]).predict_from(y, [64, 90], 6)
    np.testing.assert_allclose(linear.mean, expected.mean)


def test_the_table_compares_averages_over_the_same_values():
    y = wave()
    y.iloc[[75, 76]] = np.nan
    tested = gf.backtest(fitted(60), y, 6, [64, 73])
    table = tested.beside()
    assert table.index[0] == "forecaster"
    shared = ~np.isnan(tested.truth)
    assert table.loc["forecaster", "crps"] == pytest.approx(tested.crps[shared].mean())
    errors = np.abs(tested.truth - tested.baselines["naive"].mean)[shared]
    assert table.loc["naive", "mae"] == pytest.approx(errors.mean())


def test_a_constant_series_and_a_short_one_have_baselines():
    where = np.array([20, 30])
    flat = baselines(pd.Series(np.full(40, 7.0)), where, 3, where, kind=Backtest)
    assert list(flat) == ["naive"]
    assert flat["naive"].losses["mae"].max() == 0.0
    assert flat["naive"].losses["coverage_95"].min() == 1.0
    short = gf.backtest(gf.Forecaster(1, transforms=None, model=gf.models.LinearAR()), wave(9), 2)
    assert "linear" not in short.beside().index


@pytest.mark.parametrize(("first", "there"), [(23, False), (24, True)])
def test_the_season_of_a_calendar_is_repeated_once_it_was_seen_twice(first, there):
    months = pd.period_range("2000-01", periods=40, freq="M")
    noise = pd.Series(np.random.default_rng(1).standard_normal(40), months)
    where = np.array([first, 30])
    assert ("seasonal naive" in baselines(noise, where, 3, where, kind=Backtest)) is there
