"""The sentences of a report, and the totals that it gives."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.common.wording import number
from gpforecast.reporting import words
from gpforecast.reporting.totals import have_totals
from gpforecast.results.forecast import expected_at
from gpforecast.transforms import Deterministic

# The sentences of a report: what they name is what the forecast says


SEASONAL = Deterministic(trend=1, fourier=1, period=12)


def monthly(n=120, season=10.0, slope=0.0, noise=0.3):
    t = np.arange(n)
    values = 100 + slope * t + season * np.sin(2 * np.pi * t / 12)
    values = values + noise * np.random.default_rng(0).standard_normal(n)
    return pd.Series(values, index=pd.period_range("2010-01", periods=n, freq="M"), name="sales")


def fitted(y, transforms=SEASONAL, **options):
    options = {"noise": "process", "combine": None} | options
    return gf.Forecaster(1, transforms=transforms, model=gf.models.LinearAR(), **options).fit(y)


def forecast(y, transforms=SEASONAL, h=12):
    return fitted(y, transforms).predict(h)


def test_the_answer_has_the_level_the_range_and_the_last_value():
    f = forecast(monthly())
    said = f"{expected_at(f, -1, 'tons')} {words.context(f)}"
    low, high = f.interval(0.95).iloc[-1]
    scale = (high - low) / 4
    for part in (f.mean.iloc[-1], low, high, f.history.iloc[-1]):
        assert number(part, scale) in said
    assert "For 2020-12 we expect" in said
    assert "last known value, of 2019-12," in said
    low, high = f.mean.idxmin(), f.mean.idxmax()
    assert f"lowest for {low} ({number(f.mean[low], scale)}) and highest for {high} (" in said


@pytest.mark.parametrize(("h", "ago"), [(7, "One season before, 2019-07"), (12, "")])
def test_a_season_is_compared_with_the_same_place_of_one_before(h, ago):
    y = monthly()
    said = words.context(forecast(y, h=h), (12,))
    assert said.startswith(f"{ago}, it was {y['2019-07']:.2f}; the last" if ago else "The last")


def test_months_are_written_as_months_throughout():
    y = monthly()
    said = words.context(forecast(y.to_timestamp()), (12,))
    assert said == words.context(forecast(y), (12,))
    assert "lowest for 2020-" in said


def test_closed_times_are_neither_the_end_nor_the_lowest_of_a_forecast():
    days = pd.date_range("2024-01-01", periods=203)  # 29 weeks, from a Monday on
    y = pd.Series(np.random.default_rng(0).normal(300.0, 30.0, 203).round(), days)
    y[days.day_of_week == 0] = 0.0
    fc = gf.Forecaster(7, model=gf.models.LinearAR(), noise="process", combine=None).fit(y)
    f = fc.predict(8)  # up to a Monday
    assert f.interval(0.95).iloc[-1].tolist() == [0.0, 0.0]
    assert words.open_steps(f)[-1] == f.horizon - 2
    assert "(0)" not in words.context(f, (7,))


def test_what_moves_a_forecast_is_named_by_size():
    assert "What moves it: the season (" in words.drivers(forecast(monthly()))
    both = words.drivers(forecast(monthly(season=3.0, slope=2.0)))
    assert both.startswith("What moves it: mostly the trend (up by 22")
    assert "then the season (" in both
    still = forecast(monthly(season=0.0, noise=5.0), None)
    assert words.drivers(still).startswith("Nothing known moves it much")
    assert words.drivers(forecast(monthly(), h=1)) == ""


@pytest.mark.parametrize(("h", "start"), [(12, 108), (24, 96)])
def test_the_total_is_compared_with_the_same_months_before(h, start):
    y = monthly(slope=0.3)
    f = forecast(y, h=h)
    said = words.whole_horizon(f, "tons", (12,))
    before, total = y.iloc[start : start + h].sum(), f.sum()
    change, *ends = (100 * (v / before - 1) for v in (total.mean, *total.interval(0.95)))
    assert said.startswith(f"From 2020-01 to {f.index[-1]} we expect a total of about ")
    assert f"{number(total.mean, total.std)} tons, and with 95 % probability" in said
    first, last = y.index[start], y.index[start + h - 1]
    assert f"That is {change:.1f} % more than from {first} to {last} (" in said
    assert said.endswith(f"({ends[0]:+.1f} to {ends[1]:+.1f} %).")


def test_a_total_is_compared_with_nothing_but_whole_seasons_that_are_known():
    assert "That is" not in words.whole_horizon(forecast(monthly(slope=0.3), h=13), "", (12,))
    assert "That is" not in words.whole_horizon(forecast(monthly()), "", (60 * 12,))
    assert words.whole_horizon(forecast(monthly(), h=1), "", (12,)) == ""


def test_a_year_of_weeks_is_compared_with_the_year_before():
    year = Deterministic(1, fourier=2, period=365.25 / 7)
    weeks = pd.date_range("2021-01-04", periods=160, freq="W-MON")
    y = pd.Series(100 + 10 * np.sin(2 * np.pi * np.arange(160) / 52.18), weeks)
    fc = fitted(y + np.random.default_rng(0).standard_normal(160), [year])
    assert words.seasons_of(fc.transforms_) == (52,)
    said = words.whole_horizon(fc.predict(13), "", (52,))
    assert f"from {weeks[108].date()} to {weeks[120].date()}" in said


# Totals are given where a sum over time means something


WHOLE = pd.Series(np.arange(20.0))


@pytest.mark.parametrize(
    ("names", "units", "counts", "cents"),
    [
        (("visitors",), None, True, True),
        (("y", "net_revenue"), None, True, True),
        (("overload alarms", None), "", True, False),
        (("y",), "pieces a month", True, False),
        (("y",), "€", True, True),
        (("Umsatz €",), None, True, True),
        (("price",), "€", False, False),
        (("stock price",), None, False, False),
        (("heartRate",), None, False, False),
        (("value", "average sales"), None, False, False),
        (("y",), "km/h", False, False),
        (("y",), "visits per head", False, False),
    ],
)
def test_names_and_units_say_which_values_have_a_total(names, units, counts, cents):
    assert have_totals(WHOLE, *names, units=units) == counts
    assert have_totals(WHOLE + 0.25, *names, units=units) == cents


def test_negative_values_have_no_total_and_missing_ones_do():
    assert not have_totals(WHOLE - 3, "sales")
    assert have_totals(WHOLE.where(WHOLE != 3), "sales")


def test_no_total_counts_times_at_which_there_never_is_a_value():
    hours = pd.date_range("2024-01-01", periods=24 * 10, freq="h")
    calls = pd.Series(np.where(hours.hour < 8, np.nan, 5.0), hours)
    assert have_totals(calls.fillna(0.0), "calls")
    assert not have_totals(calls, "calls")
