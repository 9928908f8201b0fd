"""Shops that never open on some days of the week: steps are the others."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, steps_in_a_year
from gpforecast.series import TimeAxis

DAYS = pd.date_range("2024-01-01", periods=200)


def open_on(closed, days=DAYS):
    return days[~days.day_of_week.isin(closed)]


@pytest.mark.parametrize("closed", [[6], [0], [0, 1], [2, 5, 6]])
@pytest.mark.parametrize("holidays", [[], [30, 31, 77]])
def test_days_of_the_week_that_never_come_are_no_steps(closed, holidays):
    whole = open_on(closed)
    axis = TimeAxis.of(whole.delete(holidays), fill=True)
    assert list(axis.index) == list(whole)
    assert calendar_periods(axis.index) == (7 - len(closed),)
    assert steps_in_a_year(axis.index) == pytest.approx(365.25 * (7 - len(closed)) / 7)
    later = open_on(closed, pd.date_range(DAYS[-1], periods=40)[1:])
    assert list(axis.extended(10).index[-10:]) == list(later[:10])


def test_working_days_are_what_they_were():
    assert TimeAxis.of(open_on([5, 6]), fill=True).index.freqstr == "B"
    assert TimeAxis.of(DAYS.delete([6, 40, 101]), fill=True).index.freqstr == "D"


def test_a_few_weeks_or_days_that_are_often_missing_show_nothing():
    assert TimeAxis.of(open_on([6])[:20], fill=True).index.freqstr == "D"
    seldom = (DAYS.day_of_week == 0) & (np.arange(len(DAYS)) // 7 % 2 == 0)
    assert TimeAxis.of(DAYS[~seldom & (DAYS.day_of_week != 6)], fill=True).index.freqstr == "D"
    hours = pd.date_range("2024-01-01", periods=2000, freq="h")
    assert TimeAxis.of(open_on([6], hours), fill=True).index.freqstr == "h"


def test_forecasts_skip_closed_days_and_a_note_says_so(tmp_path):
    days = open_on([6])
    values = 100 + 20 * (days.day_of_week == 5) + np.arange(len(days)) % 5
    y = pd.Series(values, days).drop(days[40])
    fc = gf.Forecaster(model=gf.models.LinearAR(), combine=None).fit(y)
    (note,) = (note for note in fc.notes_ if "never" in note)
    assert note.startswith("there is never a value on a Sunday: the steps, and those ahead,")
    assert "172 working-day values" in fc.summary()
    ahead = fc.predict(14)
    assert not (ahead.index.day_of_week == 6).any()
    fc.save(tmp_path / "shop.gpf")
    again = gf.load(tmp_path / "shop.gpf")
    pd.testing.assert_series_equal(again.predict(14).mean, ahead.mean)
    assert len(again.update(pd.Series([100.0, 101.0], ahead.index[:2])).history_) == 174


def test_a_value_on_a_closed_day_asks_for_a_new_fit():
    days = open_on([6])
    y = pd.Series(np.random.default_rng(0).standard_normal(len(days)), days)
    fc = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR()).fit(y[:-4])
    sunday = pd.Series([1.0], pd.DatetimeIndex(["2024-07-14"]))
    with pytest.raises(ValueError, match="The steps have no Sunday, as the series had none: fit"):
        fc.update(sunday)


def test_the_advice_for_irregular_days_names_steps_that_lose_nothing():
    index = open_on([6], pd.date_range("2024-01-01 10:00", periods=120))
    odd = index.where(np.arange(len(index)) != 50, index + pd.Timedelta("3h"))
    with pytest.raises(ValueError, match=r"series\.asfreq\('D'\)"):
        TimeAxis.of(odd, fill=True)
