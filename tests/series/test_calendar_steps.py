"""Steps of a calendar that are not all alike: closed days, retail months, coarser steps."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, steps_in_a_year
from gpforecast.plotting import forecasts_by_origin
from gpforecast.series import TimeAxis
from gpforecast.series.checked import checked
from gpforecast.series.days import spans, weeks_in_words

# Shops that never open on some days of the week: steps are the others


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


WEEKLY = {"lags": (1, 6), "transforms": None, "noise": "process", "combine": None}
WEEKLY |= {"model": gf.models.LinearAR()}


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
    with_rows = gf.Forecaster(**WEEKLY).fit(y)
    without = gf.Forecaster(**WEEKLY).fit(on_open(y, closed))
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
    expected = gf.Forecaster(**WEEKLY).fit(on_open(y), on_open(holidays)).predict(10, exog=future)
    for given in (holidays, on_open(holidays), whole, holidays.to_numpy()):
        fc = gf.Forecaster(**WEEKLY).fit(y, given)
        assert len(fc.history_) == len(on_open(y))
        same(fc.predict(10, exog=future), expected)
        same(fc.predict(10, exog=on_open(future).iloc[:10]), expected)
    holidays.index = holidays.index[:-1].append(pd.DatetimeIndex([pd.NaT]))
    with pytest.raises(ValueError, match="one row for each of"):
        gf.Forecaster(**WEEKLY).fit(y, holidays)
    monday = DAYS[-20:][DAYS[-20:].day_of_week == 0][1]
    ahead = fc.predict(str(monday.date()), exog=future)
    assert ahead.index[-1] == monday - pd.Timedelta("1D")


def test_an_update_may_hold_blank_closed_days_and_nothing_else():
    y, holidays = blank_on([0])
    new, later = y.iloc[-16:], holidays.iloc[-16:]
    without = gf.Forecaster(**WEEKLY).fit(on_open(y[:-16]), on_open(holidays[:-16]))
    without.update(on_open(new), on_open(later))
    future = pd.DataFrame({"holidays": np.ones(7)}, pd.date_range(DAYS[-1], periods=8)[1:])
    for given in (later, on_open(later), later.to_numpy()):
        fc = gf.Forecaster(**WEEKLY).fit(y[:-16], holidays[:-16]).update(new, given)
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
    every = [gf.backtest(gf.Forecaster(**WEEKLY), a, 8, 20, exog=b, refit=40) for a, b in of]
    for found in every:
        np.testing.assert_array_equal(found.mean, every[1].mean)
        np.testing.assert_array_equal(found.truth, every[1].truth)
    assert every[0].notes[0].startswith("there is never a value on a Monday")
    assert len(forecasts_by_origin.picture(every[0], y).index) == len(on_open(y))


# Retail months of 4, 4 and 5 weeks are regular steps


ORDERS = [(4, 4, 5), (4, 5, 4), (5, 4, 4)]
MONTHLY = {"lags": (1, 2), "transforms": None, "noise": "process", "combine": None}
MONTHLY |= {"model": gf.models.LinearAR()}


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
    fc = gf.Forecaster(**MONTHLY).fit(y)
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


# Steps coarser than the labels: quarters among months, half-years, every second day


MONTHS = pd.period_range("2012-03", periods=142, freq="M")
FEW = {"model": gf.models.LinearAR(), "noise": "process", "combine": None, "outliers": None}


def series(index, seed=0):
    t = np.arange(len(index))
    return pd.Series(
        50 + 10 * (t % 4 == 0) + np.random.default_rng(seed).standard_normal(len(t)), index
    )


@pytest.mark.parametrize(
    ("fine", "k", "words"),
    [
        (MONTHS, 3, "3 months"),
        (pd.period_range("2000Q1", periods=81, freq="Q"), 2, "2 quarters"),
        (pd.period_range("2024-01-01", periods=81, freq="D"), 2, "2 days"),
        (pd.date_range("2024-01-01", periods=81), 2, "2 days"),
        (pd.date_range("2024-01-01", periods=81, freq="h", tz="Asia/Tokyo"), 3, "3 hours"),
        (pd.date_range("2024-01-01", periods=81, freq="MS"), 3, "1 quarter"),
    ],
)
def test_blank_rows_between_coarser_steps_are_left_out(fine, k, words):
    fine = fine[: (len(fine) - 1) // k * k + 1]
    y = series(fine[::k])
    sparse = y.drop(y.index[[4, 9]]).reindex(fine)
    found = checked(sparse, open_days=True)
    assert list(found.axis.index) == list(y.index)
    assert words in found.notes[0]
    assert np.flatnonzero(np.isnan(found.values)).tolist() == [4, 9]
    ahead = fine.append(fine[-1:] + k * fine.freq)
    assert found.axis.future(1)[0] == ahead[-1]


@pytest.mark.parametrize("share", [0.3, 0.4, 0.6])
def test_gaps_at_random_are_no_coarser_steps(share):
    days = pd.date_range("2024-01-01", periods=200)
    for seed in range(20):
        y = series(days)
        y[np.random.default_rng(seed).random(len(y)) > share] = np.nan
        assert len(checked(y, open_days=True).values) == 200


def test_values_at_odd_places_too_keep_the_finer_step():
    y = series(MONTHS[::3]).reindex(MONTHS)
    y.iloc[7] = 1.0
    assert len(checked(y, open_days=True).values) == len(MONTHS)


def test_every_so_many_periods_are_regular_with_a_few_gaps():
    quarters = MONTHS[::3]
    axis = TimeAxis.of(quarters.delete([5, 6, 20]), fill=True)
    assert list(axis.index) == list(quarters)
    assert [str(label) for label in axis.future(3)] == ["2024-03", "2024-06", "2024-09"]
    assert axis.locate(TimeAxis.of(quarters[7:9])).first == 7


def test_seasons_and_years_are_those_of_the_steps():
    half_years = pd.period_range("2000Q1", periods=40, freq="Q")[::2]
    assert calendar_periods(MONTHS[::3]) == (4,)
    assert calendar_periods(half_years) == (2,)
    days = pd.period_range("2024-01-01", periods=40, freq="D")[::2]
    assert steps_in_a_year(days) == pytest.approx(365.25 / 2)


def test_a_forecaster_goes_on_at_the_coarser_step(tmp_path):
    y = series(MONTHS[::3])
    fc = gf.Forecaster(**FEW).fit(y)
    assert fc.notes_[0] == "the steps are 3 months, and so are those ahead"
    assert "one every 3M" in fc.summary()
    assert [str(t) for t in fc.predict("2024-09").index] == ["2024-03", "2024-06", "2024-09"]
    fc.save(tmp_path / "quarters.gpf")
    again = gf.load(tmp_path / "quarters.gpf")
    later = pd.Series([np.nan, np.nan, 50.0], pd.period_range("2024-01", periods=3, freq="M"))
    assert str(again.update(later).history_.index[-1]) == "2024-03"
    again.update(pd.Series([51.0], pd.PeriodIndex(["2024-06"], freq="M")))
    assert str(again.predict(1).index[0]) == "2024-09"


def test_inputs_of_all_months_serve_quarters():
    inputs = pd.DataFrame(
        {"x": np.arange(150) % 7.0}, pd.period_range("2012-03", periods=150, freq="M")
    )
    y = series(MONTHS[::3])
    for given in (y, y.reindex(MONTHS)):
        fc = gf.Forecaster(**FEW).fit(given, exog=inputs)
        np.testing.assert_array_equal(fc.fitted_.exog.past[:, 0], inputs["x"].iloc[:142:3])
        assert str(fc.predict(1, exog=inputs).index[0]) == "2024-03"


def test_calendars_count_all_days_up_to_the_next_step():
    event = gf.calendars.Event("sale", ["2014-05-20", "2017-05-20", "2024-05-20"])
    fc = gf.Forecaster(calendar=event, **FEW).fit(series(MONTHS[::3]))
    assert np.flatnonzero(fc.fitted_.exog.past[:, 0]).tolist() == [8, 20]
    assert fc.fitted_.exog.over(None, fc.predict(1).index, "ahead") == [[1.0]]
    assert any("label='end'" in note for note in fc.notes_)
    ends = gf.Forecaster(calendar=event, label="end", **FEW).fit(series(MONTHS[::3]))
    assert np.flatnonzero(ends.fitted_.exog.past[:, 0]).tolist() == [9, 21]
    assert not any("label=" in note for note in ends.notes_)


def test_vectors_classes_and_panels_know_them():
    y = series(MONTHS[::3])
    frame = pd.DataFrame({"a": y, "b": y.shift(1)}).iloc[1:]
    vector = gf.VectorForecaster(model=gf.models.LinearAR()).fit(frame.reindex(MONTHS[3:]))
    assert [str(t) for t in vector.predict(2).index] == ["2024-03", "2024-06"]
    assert "3 months" in vector.notes_[0]
    states = pd.Series(np.where(y > 52, "high", "low"), y.index).reindex(MONTHS)
    classes = gf.EventForecaster().fit(states)
    assert str(classes.predict(1).index[0]) == "2024-03"
    assert any("3 months" in note for note in classes.notes_)
    table = pd.DataFrame({"unique_id": "a", "ds": y.index, "y": y.to_numpy()})
    options = {"forecaster": gf.Forecaster(**FEW)}
    ahead = gf.forecast_panel(table, horizon=2, progress=False, **options).to_frame()
    assert ahead["ds"].astype(str).tolist() == ["2024-03", "2024-06"]
