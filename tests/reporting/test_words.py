"""The sentences of a report: what they name is what the forecast says."""

import re

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.backtesting.verdict import comparison
from gpforecast.common.wording import number
from gpforecast.reporting import words
from gpforecast.results.in_words import expected_at
from gpforecast.series.labels import time_at
from gpforecast.transforms import Deterministic


def monthly(n=120, season=10.0, slope=0.0, noise=0.3):
    t = np.arange(n)
    values = 100 + slope * t + season * np.sin(2 * np.pi * t / 12)
    values = values + noise * np.random.default_rng(0).standard_normal(n)
    return pd.Series(values, index=pd.period_range("2010-01", periods=n, freq="M"), name="sales")


SEASONAL = gf.transforms.Deterministic(trend=1, fourier=1, period=12)


def forecast(y, transforms=SEASONAL, h=12):
    fc = gf.Forecaster(1, transforms=transforms, model=gf.models.LinearAR(), noise="process")
    return fc.fit(y).predict(h)


def test_the_answer_has_the_level_the_range_and_the_last_value():
    f = forecast(monthly())
    said = f"{expected_at(f, -1, 'tons')} {words.beside(f)}"
    low, high = f.interval(0.95).iloc[-1]
    scale = (high - low) / 4
    for part in (f.mean.iloc[-1], low, high, f.history.iloc[-1]):
        assert number(part, scale) in said
    assert "For 2020-12 we expect" in said
    assert "tons, and with 95 % probability" in said
    assert "last known value, of 2019-12," in said
    low, high = f.mean.idxmin(), f.mean.idxmax()
    assert f"lowest for {low} ({number(f.mean[low], scale)}) and highest for {high} (" in said


@pytest.mark.parametrize(
    ("h", "ago", "when"),
    [(7, "one season", "2019-07"), (14, "2 seasons", "2019-02"), (12, "", "2019-12")],
)
def test_a_season_is_compared_with_the_same_place_of_one_before(h, ago, when):
    y = monthly()
    said = words.beside(forecast(y, h=h), (12,))
    assert (
        f"{ago.capitalize()} before, {when}, it was {y[when]:.2f}; the last known" in said
    ) == bool(ago)
    assert "the last known value, of 2019-12, is" in said.replace("The", "the")
    assert "season" not in words.beside(forecast(y, h=h))


def test_closed_times_are_neither_the_end_nor_the_lowest_of_a_forecast():
    """A museum's report said of a Monday that about 0 are expected, between 0 and 0."""
    days = pd.date_range("2024-01-01", periods=203)  # 29 weeks, from a Monday on
    y = pd.Series(np.random.default_rng(0).normal(300.0, 30.0, 203).round(), days)
    y[days.day_of_week == 0] = 0.0
    fc = gf.Forecaster(lags=7, model=gf.models.LinearAR(), combine=None).fit(y)
    f = fc.predict(8)  # up to a Monday
    assert f.interval(0.95).iloc[-1].tolist() == [0.0, 0.0]
    assert words.open_steps(f)[-1] == f.horizon - 2
    assert "(0)" not in words.beside(f, (7,))


def test_a_missing_value_of_the_season_before_is_not_compared_with():
    y = monthly()
    y["2019-07"] = np.nan
    assert "before, it was" not in words.beside(forecast(y, h=7), (12,))


def test_the_trend_is_named_beside_a_large_season():
    said = words.drivers(forecast(monthly(slope=0.1)))
    assert said.startswith("What moves it: mostly the season (")
    assert "then the trend (up by 1.1" in said


def test_whole_numbers_stay_whole_and_what_does_not_move_has_no_extremes():
    counts = pd.Series(np.random.default_rng(0).poisson(3.0, 80))
    fc = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR(), noise="process")
    said = words.beside(fc.fit(counts).predict(5))
    assert f"The last known value, of 79, is {counts.iloc[-1]}." in said
    assert "On the way" not in said


def test_what_moves_a_forecast_is_named_by_size():
    assert "What moves it: the season (" in words.drivers(forecast(monthly()))
    both = words.drivers(forecast(monthly(season=3.0, slope=2.0)))
    assert both.startswith("What moves it: mostly the trend (up by 22")
    assert "then the season (" in both
    down = words.drivers(forecast(monthly(season=0.0, slope=-2.0), gf.transforms.Deterministic(1)))
    assert "the trend (down by 22" in down


def test_a_forecast_that_nothing_moves_is_called_level():
    still = forecast(monthly(season=0.0, noise=5.0), None)
    assert words.drivers(still).startswith("Nothing known moves it much")
    assert words.drivers(forecast(monthly(), h=1)) == ""


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (pd.date_range("2024-03-01", periods=3, freq="MS"), "2024-05"),
        (pd.date_range("2024-01-01", periods=3, freq="QS"), "2024Q3"),
        (pd.date_range("2024-01-01", periods=3, freq="YS"), "2026"),
        (pd.date_range("2024-03-01", periods=3, freq="D"), "2024-03-03"),
        (pd.date_range("2024-03-01", periods=3, freq="15min"), "2024-03-01 00:30"),
        (pd.date_range("2024-03-01", periods=3, freq="h", tz="Europe/Paris"), "2024-03-01 02:00"),
        (pd.date_range("2024-03-01", periods=3, freq="ms"), "2024-03-01 00:00:00.002000"),
        (pd.date_range("2024-01-31", periods=3, freq="ME"), "2024-03"),
        (pd.period_range("2024-01", periods=3, freq="M"), "2024-03"),
        (pd.RangeIndex(7, 10), "9"),
    ],
)
def test_times_are_written_as_their_frequency_asks(index, said):
    assert time_at(index, 2) == said


def test_choices_are_sentences_without_code():
    fc = gf.Forecaster([1, 12], transforms=SEASONAL, model=gf.models.LinearAR()).fit(monthly())
    said = words.choices(fc.fitted_)
    assert said["What it looks at"] == "The values 1 and 12 steps before."
    assert said["How it learns"].startswith("By a straight-line rule")
    text = " ".join(said.values())
    assert "a fixed season of 12 steps" in text
    assert "=" not in text
    assert "Deterministic" not in text


def test_a_better_and_a_worse_forecast_are_told_apart_and_an_equal_one_is_not():
    y = monthly(200)
    good = gf.Forecaster(1, transforms=SEASONAL, model=gf.models.LinearAR())
    assert "smaller than those of the best simple forecast" in compared(good, y)[0]
    bad = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR())  # knows of no season
    sentence, advice = compared(bad, y)
    assert "times those of the best simple forecast, a linear autoregression." in sentence
    assert advice.startswith("What to do: use the simple forecast")
    noise = monthly(200, season=0.0, noise=1.0)
    same = gf.Forecaster(4, transforms=None, model=gf.models.LinearAR())
    sentence, advice = compared(same, noise)
    assert "smaller" in sentence or "can be chance" in sentence


def compared(forecaster, y):
    return comparison(gf.backtest(forecaster, y, 12, 60))


@pytest.mark.parametrize(("h", "start"), [(12, 108), (6, 108), (24, 96)])
def test_the_total_is_compared_with_the_same_months_before(h, start):
    y = monthly(slope=0.3)
    f = forecast(y, h=h)
    said = words.whole_horizon(f, "tons", (12,))
    before, total = y.iloc[start : start + h].sum(), f.sum()
    change, *ends = (100 * (v / before - 1) for v in (total.mean, *total.interval(0.95)))
    assert said.startswith(f"From 2020-01 to {f.index[-1]} we expect a total of about ")
    assert f"{number(total.mean, total.std)} tons, and with 95 % probability" in said
    assert change > 0
    first, last = y.index[start], y.index[start + h - 1]
    assert f"That is {change:.1f} % more than from {first} to {last} (" in said
    assert said.endswith(f"({ends[0]:+.1f} to {ends[1]:+.1f} %).")


def test_a_total_of_a_season_and_a_part_of_one_is_compared_with_nothing():
    """A month more and the growth was that of two years: 1.6 % became 21.6 %."""
    assert "That is" not in words.whole_horizon(forecast(monthly(slope=0.3), h=13), "", (12,))


def test_a_total_of_days_is_compared_with_the_same_days_a_year_before():
    days = pd.date_range("2021-03-01", periods=900)
    y = pd.Series(np.random.default_rng(0).normal(50.0, 1.0, 900), days)
    fc = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR(), combine=None).fit(y)
    said = words.whole_horizon(fc.predict(30), "", (7, 365))
    assert f"than from {days[535].date()} to {days[564].date()}" in said
    said = words.whole_horizon(fc.predict(30), "", (7,))
    assert f"than from {days[870].date()} to {days[899].date()}" in said


def test_a_total_that_stays_the_same_is_not_nought_per_cent_more():
    y = pd.Series(np.full(48, 250.0), pd.period_range("2020-01", periods=48, freq="M"))
    said = words.whole_horizon(gf.Forecaster().fit(y).predict(12), "", (12,))
    assert "That is as much as from 2023-01 to 2023-12 (" in said


def test_a_total_without_what_came_before_has_no_change():
    f = forecast(monthly())
    assert "That is" not in words.whole_horizon(f, "", (60 * 12,))
    assert words.whole_horizon(forecast(monthly(), h=1), "", (12,)) == ""


def test_a_report_begins_with_the_total_where_totals_mean_something():
    y = monthly()
    fc = gf.Forecaster(1, transforms=SEASONAL, model=gf.models.LinearAR())
    for total in (True, False):
        page = gf.report(y, 12, forecaster=fc, total=total, origins=5, units="tons a month")
        assert ('class="answer">From 2020-01 to 2020-12 we expect a total' in page.html) == total
        found = re.search(r"a total of about [\d,.\s\xa0]+(.*?),? and with", page.html)
        assert (found and found[1]) == ("tons" if total else None)


def test_a_column_that_was_left_out_is_not_among_what_the_model_knows():
    rng = np.random.default_rng(1)
    y = monthly(noise=1.0)
    columns = pd.DataFrame(
        {"promo": rng.integers(0, 2, 120), "price": rng.normal(size=120)}, y.index
    )
    fc = gf.Forecaster(
        1, transforms=[gf.transforms.InputEffects(), SEASONAL], model=gf.models.LinearAR()
    ).fit(y + 8 * columns["price"], exog=columns)
    effects = fc.transforms_.effects
    assert effects.beta[1] > 5
    assert not effects.beta[0]
    assert words.choices(fc.fitted_)["What else it knows"] == "Other columns: price."
    assert "knows the input price, whose effects" in " ".join(fc.summary().split())
    alone = fc.fit(y, exog=columns[["promo"]])
    assert not alone.transforms_.effects.beta.any()
    assert "What else it knows" not in words.choices(alone.fitted_)


def test_each_cause_is_named_once_and_the_error_of_a_value_in_its_units():
    both = words.drivers(forecast(monthly(season=3.0, slope=2.0)))
    assert both.count("the trend") == both.count("the season") == 1
    y = 500.0 + 20.0 * gf.datasets.mackey_glass(150, noise_var=0.04, seed=0)
    fc = gf.Forecaster(8, transforms=None, noise="measurement", support=None).fit(y)
    said = words.choices(fc.fitted_)
    off = float(said["Measurement error"].removesuffix(".").split("about ")[1])
    assert 2.0 < off < 8.0  # 4 was added


def test_a_year_of_weeks_is_compared_with_the_year_before():
    """The cycle of 52.18 weeks is no season of whole steps, and yet what a reader compares with."""
    year = Deterministic(1, fourier=2, period=365.25 / 7)
    weeks = pd.date_range("2021-01-04", periods=160, freq="W-MON")
    y = pd.Series(100 + 10 * np.sin(2 * np.pi * np.arange(160) / 52.18), weeks)
    y += np.random.default_rng(0).standard_normal(160)
    few = {"lags": 1, "model": gf.models.LinearAR(), "combine": None}
    fc = gf.Forecaster(transforms=[year], **few).fit(y)
    assert fc.transforms_.period is None
    assert words.seasons_of(fc.transforms_) == (52,)
    said = words.whole_horizon(fc.predict(13), "", words.seasons_of(fc.transforms_))
    assert f"from {weeks[108].date()} to {weeks[120].date()}" in said
