"""Days of the month and the year that come back are detected and forecast; others are not."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.cleaned import cleaned
from gpforecast.automatic.month_days import days_in, days_of_month
from gpforecast.series import TimeAxis


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def detected(y):
    return [name for _, names in days_of_month(y, TimeAxis(y.index)).value for name in names]


@pytest.mark.parametrize(
    ("freq", "n", "on", "name"),
    [
        ("D", 500, lambda i: i.day == 15, "day 15"),
        ("D", 300, lambda i: i.is_month_end, "month end"),
        ("D", 400, lambda i: (i.day - 1) // 7 == 1, "week 2 of the month"),
        ("B", 300, lambda i: ~pd.Series(i).dt.month.diff().eq(0).to_numpy(), "working day 1"),
        ("W", 150, lambda i: (i.day >= 15) & (i.day <= 21), "day 15"),
        ("D", 1300, lambda i: (i.month == 7) & (i.day == 4), "4 July"),
        ("B", 1300, lambda i: (i.month == 12) & (i.day == 24), "24 December"),
        ("6h", 4000, lambda i: i.day == 15, "day 15"),
        ("6h", 6000, lambda i: (i.month == 12) & (i.day == 25), "25 December"),
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


def test_a_season_that_the_baseline_leaves_makes_no_days_of_the_month():
    weeks = pd.date_range("2018-01-07", periods=200, freq="W")  # too few for a season of a year
    for seed in range(10):
        shape = np.random.default_rng(seed).standard_normal(53).cumsum()
        y = pd.Series(3 * shape[weeks.isocalendar().week - 1] + noise(200, seed), weeks)
        assert detected(y) == []


def test_what_came_in_one_year_is_no_date_that_comes_back():
    index = pd.date_range("2022-01-01", periods=20_000, freq="h")
    y = pd.Series(noise(20_000), index)
    y[(index.year == 2023) & (index.month == 5) & (index.day <= 3)] += 5.0
    assert detected(y) == []


def test_a_date_that_comes_back_each_year_is_forecast_and_no_outlier():
    index = pd.date_range("2018-03-01", "2023-12-31")  # with a leap day
    eve = (index.month == 12) & (index.day == 24)
    y = pd.Series(50 + 9 * eve + noise(len(index)), index)
    fc = gf.Forecaster(combine=None).fit(y[:-31])
    assert fc.fitted_.set_aside == ()
    f = fc.predict(31).mean
    assert f["2023-12-24"] - f["2023-12-23"] == pytest.approx(9, abs=1.5)
    assert np.abs(f.drop(f.index[23]) - 50).max() < 1


def test_weeks_that_come_back_each_year_are_set_aside_in_none():
    index = pd.date_range("2018-03-01", "2023-11-30")
    weeks = (index.month == 12) & (index.day < 25)
    y = pd.Series(50 + 0.5 * weeks * index.day + noise(len(index)), index)
    assert not weeks[cleaned(y).aside].any()


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


def test_a_day_of_the_month_is_no_cycle_of_thirty_days():
    days = pd.date_range("2021-01-01", "2024-03-31")
    rng = np.random.default_rng(2)
    y = pd.Series(100 + 60 * (days.day == 15) + rng.normal(0, 5, len(days)), days)
    mean = gf.Forecaster().fit(y).predict(60).mean
    payday = mean.index.day == 15
    assert mean[payday].mean() - mean[~payday].mean() > 40
