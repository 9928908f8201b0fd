"""Days of the month that come back are detected and forecast, and no outliers; others are not."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.month_days import days_in, days_of_month


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def detected(y):
    return [name for _, names in days_of_month(y).value for name in names]


@pytest.mark.parametrize(
    ("freq", "n", "on", "name"),
    [
        ("D", 500, lambda i: i.day == 15, "day 15"),
        ("D", 300, lambda i: i.is_month_end, "month end"),
        ("D", 400, lambda i: (i.day - 1) // 7 == 1, "week 2 of the month"),
        ("B", 300, lambda i: ~pd.Series(i).dt.month.diff().eq(0).to_numpy(), "working day 1"),
        ("W", 150, lambda i: (i.day >= 15) & (i.day <= 21), "day 15"),
    ],
)
def test_the_day_that_comes_back_is_detected_in_steps_of_up_to_a_week(freq, n, on, name):
    index = pd.date_range("2021-01-01", periods=n, freq=freq)
    y = pd.Series(100 - 40 * on(index) + 6 * noise(n), index)
    assert name in detected(y)


def test_noise_of_heavy_tails_and_one_large_value_make_no_calendar():
    index = pd.date_range("2023-01-01", periods=300)
    for seed in range(20):
        y = np.random.default_rng(seed).standard_t(4, 300)
        y[100] = 1e3
        assert days_in(y, index, 7) == []


def test_payments_of_a_day_are_forecast_and_no_outliers_unless_the_calendar_is_declined():
    index = pd.date_range("2022-01-01", periods=480)
    y = pd.Series(100 + 60 * (index.day == 15) + 5 * noise(480), index)
    fc = gf.Forecaster().fit(y[:450])
    assert fc.fitted_.set_aside == ()
    assert any("the calendar explains part of the series: day 15" in note for note in fc.notes_)
    f = fc.predict(30).mean
    rise = f[f.index.day == 15].mean() - f[f.index.day != 15].mean()
    assert rise == pytest.approx(60, abs=6)
    assert gf.Forecaster(calendar=[], combine=None).fit(y[:450]).fitted_.exog.columns == ()
