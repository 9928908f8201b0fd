"""Shops that never open on some days of the week: steps are the others."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, steps_in_a_year
from gpforecast.plotting import forecasts_by_origin
from gpforecast.series import TimeAxis

DAYS = pd.date_range("2024-01-01", periods=200)


def open_on(closed, days=DAYS):
    return days[~days.day_of_week.isin(closed)]


@pytest.mark.parametrize("closed", [[6], [0, 1]])
def test_days_of_the_week_that_never_come_are_no_steps(closed):
    whole = open_on(closed)
    axis = TimeAxis.of(whole.delete([30, 31, 77]), fill=True)
    assert list(axis.index) == list(whole)
    assert calendar_periods(axis.index) == (7 - len(closed),)
    assert steps_in_a_year(axis.index) == pytest.approx(365.25 * (7 - len(closed)) / 7)
    later = open_on(closed, pd.date_range(DAYS[-1], periods=40)[1:])
    assert list(axis.extended(10).index[-10:]) == list(later[:10])


def test_forecasts_skip_closed_days(tmp_path):
    days = open_on([6])
    values = (
        100 + 20 * (days.day_of_week == 5) + np.random.default_rng(0).standard_normal(len(days))
    )
    y = pd.Series(values, days).drop(days[40])
    fc = gf.Forecaster(model=gf.models.LinearAR(), noise="process", combine=None).fit(y)
    assert "172 open-day values" in fc.summary()
    ahead = fc.predict(14)
    assert not (ahead.index.day_of_week == 6).any()
    fc.save(tmp_path / "shop.gpf")
    again = gf.load(tmp_path / "shop.gpf")
    pd.testing.assert_series_equal(again.predict(14).mean, ahead.mean)
    assert len(again.update(pd.Series([100.0, 101.0], ahead.index[:2])).history_) == 174


FEW = {"lags": (1, 6), "transforms": None, "noise": "process", "combine": None}
FEW |= {"model": gf.models.LinearAR()}


def blank_on(closed, days=DAYS, seed=0):
    """Visits, and whether there are holidays, on all days; none on the closed ones."""
    noise = np.random.default_rng(seed).standard_normal(len(days))
    holidays = pd.DataFrame({"holidays": (np.arange(len(days)) % 20 < 8) * 1.0}, days)
    visits = 100 + 20 * (days.day_of_week == 5) + 9 * holidays["holidays"] + noise
    return visits.where(~days.day_of_week.isin(closed)), holidays


def on_open(values, closed=(0,)):
    return values[~values.index.day_of_week.isin(closed)]


def same(a, b):
    pd.testing.assert_series_equal(a.mean, b.mean, check_freq=False)
    pd.testing.assert_series_equal(a.std, b.std, check_freq=False)


@pytest.mark.parametrize(("closed", "zone"), [([0], None), ([2, 5, 6], "Europe/Berlin")])
def test_days_that_are_always_blank_are_as_if_they_had_no_rows(closed, zone, tmp_path):
    y, _ = blank_on(closed, DAYS.tz_localize(zone))
    y.iloc[[30, 31, 78]] = np.nan
    with_rows = gf.Forecaster(**FEW).fit(y)
    without = gf.Forecaster(**FEW).fit(on_open(y, closed))
    same(with_rows.predict(14), without.predict(14))
    assert not with_rows.history_.index.day_of_week.isin(closed).any()
    said = [note for note in with_rows.notes_ if note.startswith("there is never a value on a ")]
    assert len(said) == 1
    with_rows.save(tmp_path / "museum.gpf")
    same(gf.load(tmp_path / "museum.gpf").predict(14), without.predict(14))


def test_inputs_may_have_rows_on_closed_days_or_not():
    y, holidays = blank_on([0], DAYS[:-20])
    _, whole = blank_on([0])
    future = whole.iloc[-20:]
    expected = gf.Forecaster(**FEW).fit(on_open(y), on_open(holidays)).predict(10, exog=future)
    for given in (holidays, on_open(holidays), whole, holidays.to_numpy()):
        fc = gf.Forecaster(**FEW).fit(y, given)
        assert len(fc.history_) == len(on_open(y))
        same(fc.predict(10, exog=future), expected)
        same(fc.predict(10, exog=on_open(future).iloc[:10]), expected)
    holidays.index = holidays.index[:-1].append(pd.DatetimeIndex([pd.NaT]))
    with pytest.raises(ValueError, match="one row for each of"):
        gf.Forecaster(**FEW).fit(y, holidays)
    monday = DAYS[-20:][DAYS[-20:].day_of_week == 0][1]
    ahead = fc.predict(str(monday.date()), exog=future)
    assert ahead.index[-1] == monday - pd.Timedelta("1D")


def test_an_update_may_hold_blank_closed_days_and_nothing_else():
    y, holidays = blank_on([0])
    new, later = y.iloc[-16:], holidays.iloc[-16:]
    without = gf.Forecaster(**FEW).fit(on_open(y[:-16]), on_open(holidays[:-16]))
    without.update(on_open(new), on_open(later))
    future = pd.DataFrame({"holidays": np.ones(7)}, pd.date_range(DAYS[-1], periods=8)[1:])
    for given in (later, on_open(later), later.to_numpy()):
        fc = gf.Forecaster(**FEW).fit(y[:-16], holidays[:-16]).update(new, given)
        same(fc.predict(5, exog=future), without.predict(5, exog=future))
    n = len(fc.history_)
    for day, value in zip(pd.date_range(DAYS[-1], periods=8)[1:], range(7), strict=True):
        one = pd.Series([np.nan if day.day_of_week == 0 else float(value)], [day])
        fc.update(one, pd.DataFrame({"holidays": [0.0]}, [day]))
    assert len(fc.history_) == n + 6
    with pytest.raises(ValueError, match="must continue the history at 2024-"):
        fc.update(pd.Series([1.0], [pd.Timestamp("2024-07-29")]), [[0.0]])


def test_a_backtest_with_rows_of_closed_days_is_one_without():
    y, holidays = blank_on([0])
    of = [(y, holidays), (on_open(y), on_open(holidays))]
    every = [gf.backtest(gf.Forecaster(**FEW), a, 8, 20, exog=b, refit=40) for a, b in of]
    for found in every:
        np.testing.assert_array_equal(found.mean, every[1].mean)
        np.testing.assert_array_equal(found.truth, every[1].truth)
    assert every[0].notes[0].startswith("there is never a value on a Monday")
    assert len(forecasts_by_origin.picture(every[0], y).index) == len(on_open(y))
