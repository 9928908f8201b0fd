"""Retail months of 4, 4 and 5 weeks are regular steps."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, steps_in_a_year
from gpforecast.series import TimeAxis
from gpforecast.series.days import spans, weeks_in_words

ORDERS = [(4, 4, 5), (4, 5, 4), (5, 4, 4)]
FEW = {"lags": (1, 2), "transforms": None, "noise": "process", "combine": None}
FEW |= {"model": gf.models.LinearAR()}


def months(n, weeks=(4, 4, 5), start="2019-02-02", longer=()):
    """Dates of retail months, with a week more in some of them."""
    steps = np.resize(weeks, n - 1)
    steps[[*longer]] += 1
    days = 7 * np.concatenate([[0], np.cumsum(steps)])
    return pd.DatetimeIndex(pd.Timestamp(start) + pd.to_timedelta(days, unit="D"))


@pytest.mark.parametrize("weeks", ORDERS)
@pytest.mark.parametrize("longer", [(), (46,), (11, 71)])
def test_they_go_on_as_they_were(weeks, longer):
    for start in ("2019-02-02", "2019-02-04"):  # a Saturday, a Monday
        whole = months(100, weeks, start, longer)
        given = whole[:90].delete([14, 30])
        axis = TimeAxis.of(given, fill=True)
        assert list(axis.index) == list(whole[:90])
        assert list(axis.future(10)) == list(whole[90:])
        assert axis.locate(TimeAxis.of(whole[40:60])).first == 40


def test_years_of_53_weeks_come_every_fifth_or_sixth():
    with pytest.raises(ValueError, match="every fifth or sixth year"):
        TimeAxis.of(months(90, longer=(11, 47)))


@pytest.mark.parametrize("n", [4, 5, 6])
def test_too_few_are_not_told_to_become_four_weeks(n):
    with pytest.raises(ValueError, match="retail calendar") as said:
        TimeAxis.of(months(n), fill=True)
    assert "28D" not in str(said.value)


def test_a_year_has_12_of_them():
    axis = TimeAxis.of(months(30))
    assert calendar_periods(axis.index) == (12,)
    assert steps_in_a_year(axis.index) is None


@pytest.mark.parametrize(("start", "at"), [("2019-02-02", "end"), ("2019-02-04", "start")])
def test_each_holds_all_its_days(start, at):
    index = TimeAxis.of(months(30, start=start)).index
    first, last = spans(index)
    assert (first[1:] == last[:-1] + np.timedelta64(1, "D")).all()
    assert f"each retail month {at}s" in weeks_in_words(index)[0].replace("begins", "starts")
    ends = first if at == "start" else last
    assert (ends == index.to_numpy().astype("datetime64[D]")).all()


def test_a_forecast_is_saved_updated_and_described(tmp_path):
    index = months(63)
    y = pd.Series(np.random.default_rng(0).normal(100.0, 5.0, 60), index[:60])
    fc = gf.Forecaster(**FEW).fit(y)
    assert "53rd week" in fc.notes_[0]
    assert "60 retail-month values" in fc.summary()
    fc.save(tmp_path / "retail.gpf")
    again = gf.load(tmp_path / "retail.gpf").update(pd.Series([100.0], index[60:61]))
    assert list(again.predict(2).index) == list(index[61:])


def test_last_fridays_of_months_are_regular():
    rule = pd.offsets.LastWeekOfMonth(weekday=4)
    fridays = pd.DatetimeIndex(pd.date_range("2019-01-01", periods=40, freq=rule).to_numpy())
    axis = TimeAxis.of(fridays.delete([5, 17]), fill=True)
    assert list(axis.index) == list(fridays)
    assert axis.future(1)[0] == fridays[-1] + rule
