"""Calendars: columns of dates, against the calendar of the standard library and by counting."""

import sys
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis, calendars
from gpforecast.series.exogenous import Exogenous

holidays = pytest.importorskip("holidays")

DAYS = pd.date_range("2022-12-20", "2024-02-10")


_RULES = ["30min", "W-WED", "B", "2MS", pd.DateOffset(months=1)]


def table(calendar, index):
    names = calendar.names(index)
    return pd.DataFrame(calendar.columns(index, names), index=index, columns=list(names))


def test_a_holiday_has_a_column_that_marks_its_dates():
    found = table(calendars.Holidays("US"), DAYS)
    given = holidays.country_holidays("US", years=[2022, 2023, 2024])
    for day, row in found.iterrows():
        names = given.get(day.date(), "").split("; ")
        expected = {name.removesuffix(" (observed)") for name in names} - {""}
        assert set(row.index[row > 0]) == expected
    alone = table(calendars.Holidays("US", each=False), DAYS)
    assert list(alone) == ["holiday US"]
    np.testing.assert_array_equal(alone["holiday US"], (found.sum(axis=1) > 0).astype(float))


def test_days_before_and_after_have_columns_across_the_edges_of_the_index():
    calendar = calendars.Holidays("DE", before=2, after=1)
    names = calendar.names(DAYS)
    christmas = "Christmas Day"
    assert {f"{christmas} -2", f"{christmas} -1", f"{christmas} +1"} < set(names)
    later = pd.date_range("2024-12-23", periods=2)
    found = pd.DataFrame(calendar.columns(later, names), columns=list(names))
    assert found[f"{christmas} -2"].tolist() == [1.0, 0.0]
    assert found[f"{christmas} -1"].tolist() == [0.0, 1.0]


def test_holidays_of_two_places_that_share_names_are_told_apart_by_the_place():
    pair = (calendars.Holidays("DE"), calendars.Holidays("AT"))
    found = Exogenous.fit(None, TimeAxis(DAYS), pair)
    for country, calendar in zip(("DE", "AT"), pair, strict=True):
        for name, column in table(calendar, DAYS).items():
            np.testing.assert_array_equal(
                found.past[:, found.columns.index(f"{country}: {name}")], column
            )
    later = pd.date_range("2024-05-01", periods=30)
    expected = np.hstack([c.columns(later, c.names(DAYS)) for c in pair])
    np.testing.assert_array_equal(found.over(None, later, "later"), expected)
    assert Exogenous.fit(None, TimeAxis(DAYS), pair[:1]).columns == pair[0].names(DAYS)
    parts = [calendars.Holidays("DE", part, each=False) for part in ("BY", "SN")]
    assert Exogenous.fit(None, TimeAxis(DAYS), parts).columns == (
        "DE-BY: holiday DE",
        "DE-SN: holiday DE",
    )
    with pytest.raises(ValueError, match="distinct column names; got 'Ascension Day' twice"):
        Exogenous.fit(None, TimeAxis(DAYS), (pair[0], pair[0]))


def test_steps_longer_than_a_day_count_days():
    months = pd.period_range("2023-01", "2023-12", freq="M")
    stamps = {
        "MS": pd.date_range("2023-01-01", periods=12, freq="MS"),
        "ME": pd.date_range("2023-01-31", periods=12, freq="ME"),
    }
    given = holidays.country_holidays("FR", years=[2023])
    days = [date(2023, 1, 1) + timedelta(k) for k in range(365)]
    of_month = [[day for day in days if day.month == m] for m in range(1, 13)]
    by_hand = [[sum(day.weekday() == k for day in held) for k in range(7)] for held in of_month]
    off = [sum(day in given for day in held) for held in of_month]
    works = [sum(day.weekday() < 5 and day not in given for day in held) for held in of_month]
    for index in (months, *stamps.values()):
        np.testing.assert_array_equal(table(calendars.DayOfWeek(), index), by_hand)
        every = table(calendars.Holidays("FR", each=False), index)
        assert every["holiday FR"].tolist() == off
        assert table(calendars.WorkingDays("FR"), index)["working days"].tolist() == works


@pytest.mark.parametrize("freq", _RULES)
def test_every_kind_of_step_has_columns_that_go_on_in_the_future(freq):
    index = pd.date_range("2023-01-04", periods=120, freq=freq)
    every = (calendars.Holidays("GB"), calendars.DayOfWeek(), calendars.MonthOfYear())
    every += (calendars.DayOfMonth(), calendars.WeekOfMonth(), calendars.MonthEnd(before=1))
    every += (calendars.WorkingDayOfMonth(2, 1), calendars.WorkingDayOfMonth(country="GB"))
    for calendar in (*every, calendars.WorkingDays("GB"), calendars.Event("sale", ["2023-02-01"])):
        names = calendar.names(index)
        whole = calendar.columns(index, names)
        assert whole.shape == (120, len(names))
        np.testing.assert_array_equal(calendar.columns(index[100:], names), whole[100:])
        np.testing.assert_array_equal(calendar.columns(index[-1:], names), whole[-1:])
    np.testing.assert_array_equal(
        calendar.columns(index[119:], names), whole[119:], err_msg="of one step alone"
    )


def test_places_in_a_month_are_those_that_pandas_counts():
    days = pd.date_range("2023-11-28", "2024-03-02")
    found = table(calendars.DayOfMonth(), days)
    assert list(found) == [f"day {k}" for k in range(2, 32)]
    np.testing.assert_array_equal(found.to_numpy() @ np.arange(2, 32), days.day * (days.day > 1))
    weeks = table(calendars.WeekOfMonth(), days)
    np.testing.assert_array_equal(weeks.to_numpy() @ np.arange(1, 5), (days.day - 1) // 7)
    ends = table(calendars.MonthEnd(before=1), days)
    np.testing.assert_array_equal(ends["month end"], days.is_month_end)
    np.testing.assert_array_equal(ends["month end -1"], (days + pd.Timedelta(1, "D")).is_month_end)


def test_dates_of_a_year_are_marked_in_every_year_and_the_leap_day_in_leap_years():
    days = pd.date_range("2020-01-01", "2024-12-31")
    found = table(calendars.DayOfYear(), days)
    assert list(found.columns) == [f"{i.day} {i.month_name()}" for i in days[:366]]
    np.testing.assert_array_equal(
        found.columns[found.to_numpy().argmax(axis=1)], days.strftime("%-d %B")
    )
    assert days[found["29 February"] > 0].year.tolist() == [2020, 2024]
    weeks = pd.date_range("2024-12-01", periods=5, freq="W")
    eve = table(calendars.DayOfYear("24 December"), weeks)["24 December"]
    assert eve.tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("freq", ["D", "B", "h"])
def test_working_days_of_a_month_are_counted_from_both_ends(freq):
    times = pd.date_range("2023-12-01", "2024-02-29 23:00", freq=freq)
    found = table(calendars.WorkingDayOfMonth(2, 1, country="FR"), times)
    assert list(found) == ["working day 1", "working day 2", "working day -1"]
    working = {  # 1 January is a holiday, 31 December a Sunday
        "working day 1": ["2023-12-01", "2024-01-02", "2024-02-01"],
        "working day 2": ["2023-12-04", "2024-01-03", "2024-02-02"],
        "working day -1": ["2023-12-29", "2024-01-31", "2024-02-29"],
    }
    for name, dates in working.items():
        np.testing.assert_array_equal(found[name], times.normalize().isin(pd.to_datetime(dates)))


def test_holidays_at_the_end_of_a_month_are_no_working_days():
    may = pd.date_range("2023-05-01", "2023-05-31")  # the 29th is Whit Monday
    found = table(calendars.WorkingDayOfMonth(0, 3, country="FR"), may)
    assert [may[found[name] > 0].day.tolist() for name in found] == [[31], [30], [26]]


def test_days_of_a_month_count_in_the_week_that_holds_them():
    weeks = pd.period_range("2024-01-01", periods=20, freq="W")
    found = table(calendars.DayOfMonth(), weeks)["day 15"]
    held = [any((at.start_time + timedelta(k)).day == 15 for k in range(7)) for at in weeks]
    np.testing.assert_array_equal(found, held)


def test_days_are_those_of_the_clock_on_the_wall():
    index = pd.date_range("2023-12-24 12:00", periods=48, freq="h", tz="America/New_York")
    found = table(calendars.Event("eve", ["2023-12-25"]), index)["eve"]
    np.testing.assert_array_equal(found, (index.day == 25).astype(float))


def test_events_take_dates_of_any_kind_and_windows():
    dates = ["2023-01-01", date(2023, 1, 5), pd.Timestamp("2023-01-08 10:00")]
    found = table(calendars.Event("match", dates, before=1, after=1), DAYS)
    assert list(found) == ["match", "match -1", "match +1"]
    assert DAYS[found["match"] > 0].day.tolist() == [1, 5, 8]
    assert DAYS[found["match -1"] > 0].day.tolist() == [31, 4, 7]
    assert calendars.Event("match", dates) == calendars.Event("match", tuple(dates))
    assert calendars.Event("match", "2023-01-01").dates == ("2023-01-01",)
    zoned = [date(2023, 5, 1), pd.Timestamp("2023-05-03 23:30", tz="US/Eastern")]
    assert calendars.Event("match", zoned).dates == ("2023-05-01", "2023-05-03")


MISTAKES = [
    (lambda: calendars.WorkingDayOfMonth(0, 0), "first and last must not both be 0"),
    (lambda: calendars.DayOfYear(["24 December", "30 February"]), "December'; got '30 February'"),
    (lambda: calendars.DayOfYear(24), "dates such as '24 December'; got 24"),
    (lambda: calendars.DayOfWeek().names(pd.RangeIndex(9)), "dates or periods; got RangeIndex"),
    (lambda: calendars.Holidays(None), "country must be one ISO code, such as 'DE'"),
    (lambda: calendars.Holidays(["DE", "FR"]), "country must be one ISO code, such as 'DE'"),
    (lambda: calendars.Holidays("XX").names(DAYS), "country must be an ISO code"),
    *((lambda day=day: calendars.Event("sale", [day]), "dates must be .* year first; got")
      for day in ("soon", "01/05/2023", "2023-05", pd.NaT)),
    (lambda: calendars.Holidays("DE", before=-1), "before must be"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_mistakes_are_sentences(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_without_the_package_of_holidays_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "holidays", None)
    with pytest.raises(ImportError, match=r"pip install holidays"):
        calendars.Holidays("DE").names(DAYS)


@pytest.mark.parametrize("columns", [np.zeros((3, 1)), np.full((9, 1), np.nan)])
def test_a_calendar_of_the_users_own_must_have_a_finite_row_for_each_time(columns):
    class Payday:
        def names(self, _index):
            return ("payday",)

        def columns(self, _index, _names):
            return columns

    with pytest.raises(ValueError, match=r"finite numbers of shape \(9, 1\)"):
        Exogenous.fit(None, TimeAxis(DAYS[:9]), [Payday()])
