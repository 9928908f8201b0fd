"""Steps of the clock on the wall, and series in UTC that follow one."""

import zoneinfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.series import TimeAxis, checked
from gpforecast.series.clock import Clock, after_a_gap
from gpforecast.series.zoned import clocks_of, utc_note, zoned

# Steps of the clock on the wall, and the moments at which they come


ZONES = sorted(zoneinfo.available_timezones())


def zoned_series(start, periods, freq="h", zone="Europe/Paris"):
    index = pd.date_range(start, periods=periods, freq=freq, tz=zone)
    return pd.Series(np.arange(float(periods)), index)


@settings(max_examples=60, deadline=None)
@given(
    zone=st.sampled_from(ZONES),
    minutes=st.sampled_from([15, 20, 30, 60]),
    year=st.integers(2015, 2030),
    month=st.integers(1, 12),
)
def test_every_moment_of_two_months_is_a_step_of_the_clock_that_shows_its_time(
    zone, minutes, year, month
):
    start = pd.Timestamp(year, month, 1, tz="UTC").tz_convert(zone).normalize()
    index = pd.date_range(start, periods=60 * 24 * 60 // minutes, freq=f"{minutes}min")
    axis = zoned(index)
    if axis is None:  # of a clock that never changes, or by less than a step
        offsets = {time.utcoffset().total_seconds() % (60 * minutes) for time in index[::50]}
        assert index.tz.utcoffset(None) is not None or len(offsets) > 1 or minutes == 60
        return
    pd.testing.assert_index_equal(axis.labels, index, exact="equiv")
    steps = axis.steps_at(index)
    assert (axis.index[steps] == index.tz_localize(None)).all()
    known = axis.part(0, len(axis) // 2)
    ahead = known.ahead(40)
    assert (ahead.times == index[index > known.labels[-1]][:40]).all()


def test_the_skipped_hour_is_missing_without_a_word():
    found = checked(zoned_series("2024-03-31", 6), by_clock=True)
    np.testing.assert_array_equal(found.values, [0.0, 1.0, np.nan, 2.0, 3.0, 4.0, 5.0])
    assert found.axis.index[2] == pd.Timestamp("2024-03-31 02:00")
    assert not found.notes


def test_the_repeated_hour_is_one_step_with_the_mean_of_both_values():
    y = zoned_series("2024-10-27", 5)
    found = checked(y, by_clock=True)
    np.testing.assert_array_equal(found.values, [0.0, 1.0, 2.5, 4.0])
    pd.testing.assert_index_equal(found.axis.labels, y.index)


def test_a_missing_hour_is_counted_and_a_skipped_one_is_not():
    y = zoned_series("2024-03-30", 60)
    found = checked(y.drop(y.index[[5, 40]]), by_clock=True)
    assert found.notes[0].startswith("2 times were missing from the index, the first 2024-03-30 05")


@pytest.mark.parametrize("zone", ["UTC", "Etc/GMT+5"])
def test_clocks_that_never_change_leave_a_series_as_it_is(zone):
    y = zoned_series("2024-03-31", 30, zone=zone)
    pd.testing.assert_index_equal(checked(y, by_clock=True).axis.index, y.index)


def test_steps_of_elapsed_time_that_clocks_shift_stay_as_they_are():
    y = zoned_series("2024-03-01", 300, "6h")
    found = checked(y, by_clock=True)
    pd.testing.assert_index_equal(found.axis.index, y.index)
    assert found.notes[0].startswith("the steps are 6 hours of elapsed time")
    assert "values at the same hours all year would keep a daily season" in found.notes[0]
    assert not checked(zoned_series("2024-03-01", 300), by_clock=True).notes


def test_a_longer_step_that_begins_in_the_gap_begins_at_its_end():
    wall = pd.date_range("2024-03-30", periods=30, freq="2h")
    index = wall.tz_localize("Europe/Paris", nonexistent="shift_forward")
    axis = zoned(index)
    pd.testing.assert_index_equal(axis.index, wall, exact="equiv")
    pd.testing.assert_index_equal(axis.labels, index)
    assert after_a_gap(index).sum() == 1


def test_a_series_may_begin_or_end_with_a_step_whose_beginning_is_skipped():
    wall = pd.date_range("2018-11-04", periods=9)
    days = wall.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")
    pd.testing.assert_index_equal(zoned(days).index, wall, exact="equiv")
    before = pd.date_range("2018-10-30", periods=6)
    until = before.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")
    pd.testing.assert_index_equal(zoned(until).index, before, exact="equiv")
    assert (zoned(until[:-1]).future(1) == until[-1:]).all()


def test_half_hours_of_lord_howe_are_repeated_and_skipped():
    for day, n in (("2024-04-07", 50 - 1), ("2024-10-06", 48 - 1)):
        index = pd.date_range(day, periods=n, freq="30min", tz="Australia/Lord_Howe")
        assert len(zoned(index).index) == 48
        assert len(zoned(index).labels) == n


def test_steps_that_are_pending_come_before_those_that_follow():
    whole = zoned_series("2024-10-26", 60 * 2, "30min").index
    for end in range(48, 58):
        axis = zoned(whole[:end])
        assert (axis.future(8) == whole[end : end + 8]).all()
        pd.testing.assert_index_equal(axis.labels, whole[:end], exact="equiv")
    assert zoned(whole).clock == Clock(whole.tz)


def test_a_series_may_begin_or_end_at_either_side_of_a_change():
    for day, n in (("2024-03-30", 72), ("2024-10-26", 72)):
        whole = pd.date_range(day, periods=n, freq="h", tz="Europe/Paris")
        for end in range(18, 40):
            for part in (whole[:end], whole[end:]):
                axis = zoned(part)
                assert (axis.labels[-3:] == part[-3:]).all()
                assert (axis.steps_at(part) >= 0).all()


# Indexes of dates over changes of the clock


def test_days_of_another_clock_continue_by_elapsed_time():
    # The past contains one change of the clock, so that the two kinds of day differ; so does the
    # future.
    whole = pd.date_range("2024-03-20", periods=300, freq="D", tz="UTC").tz_convert("Europe/Paris")
    for past in (whole[:20], pd.DatetimeIndex(whole[:20], freq=None)):
        assert list(TimeAxis.of(past).future(280)) == list(whole[20:])


def test_a_future_day_that_begins_with_the_clock_going_forward_begins_at_its_first_moment():
    past = pd.date_range("2024-04-20", periods=5, freq="D", tz="Africa/Cairo")
    future = TimeAxis.of(past).future(3)  # no midnight on Friday the 26th
    assert [str(t) for t in future] == [
        "2024-04-25 00:00:00+02:00",
        "2024-04-26 01:00:00+03:00",
        "2024-04-27 00:00:00+03:00",
    ]


@pytest.mark.parametrize(
    ("start", "freq", "zone", "past"),
    [
        ("2018-09-20", "D", "America/Sao_Paulo", 43),  # no midnight on 4 November
        ("2024-03-01 02:30", "D", "Europe/Berlin", 25),  # nor half past two on 31 March
        ("2023-10-01 02:30", "W-SUN", "Europe/Berlin", 20),
        ("2023-10-31 02:30", "ME", "Europe/Berlin", 4),
    ],
)
def test_an_index_over_a_skipped_stamp_is_regular_and_continues_by_the_clock(
    start, freq, zone, past
):
    wall = pd.date_range(start, periods=past + 30, freq=freq)
    whole = wall.tz_localize(zone, ambiguous=np.ones(len(wall), bool), nonexistent="shift_forward")
    assert wall.difference(whole.tz_localize(None)).size == 1  # one has moved
    for first in (0, past - 3):
        joint = whole[first:past].append(TimeAxis.of(whole[:past]).future(10))
        pd.testing.assert_index_equal(
            TimeAxis.of(joint).index, whole[first : past + 10], exact="equiv"
        )
        moved = int(np.argmax(whole.tz_localize(None) != wall))
        for end in (past + 10, moved + 1):  # the last one may be the one that moved
            if end - first > 3:
                assert list(TimeAxis.of(whole[first:end]).future(5)) == list(whole[end : end + 5])


# A series in UTC whose days move when clocks change is told to use local time


HOURS = pd.date_range("2022-02-01", periods=10_000, freq="h", tz="UTC")


def visits(zone, seed=0, noise=6.0):
    clock = HOURS.tz_convert(zone)
    peak = (
        30 * np.exp(-0.5 * ((clock.hour - 19) / 2) ** 2) * np.where(clock.day_of_week > 4, 0.6, 1)
    )
    return pd.Series(peak + noise * np.random.default_rng(seed).standard_normal(len(HOURS)), HOURS)


@pytest.mark.parametrize(
    ("zone", "found"),
    [
        ("Europe/Athens", "Europe/Paris"),
        ("America/Los_Angeles", "America/New_York"),
        ("Australia/Melbourne", "Australia/Sydney"),
        ("Asia/Tokyo", None),
        ("UTC", None),
    ],
)
def test_days_that_follow_a_zone_are_told_from_others(zone, found):
    assert [clocks_of(visits(zone, seed)) for seed in range(3)] == [found] * 3


def test_shorter_steps_and_missing_days_are_no_hindrance():
    quarters = visits("Europe/Paris").resample("15min").ffill()
    quarters.iloc[3000:3400] = np.nan
    assert clocks_of(quarters) == "Europe/Paris"


def test_the_sun_moves_no_day_by_an_hour():
    for latitude in np.radians([0, 45, 60, -40]):
        tilt = np.radians(-23.44 * np.cos(2 * np.pi * (HOURS.day_of_year + 10) / 365))
        turn = 2 * np.pi * (HOURS.hour / 24 - 0.5)
        height = np.sin(latitude) * np.sin(tilt) + np.cos(latitude) * np.cos(tilt) * np.cos(turn)
        assert clocks_of(pd.Series(np.maximum(height, 0.0), HOURS)) is None


def test_noise_and_other_series_follow_no_zone():
    for seed in range(20):
        walk = np.random.default_rng(seed).standard_normal(len(HOURS)).cumsum()
        assert clocks_of(pd.Series(walk, HOURS)) is None
    local = visits("Europe/Paris")
    assert utc_note(local.tz_convert("Europe/Paris")) == utc_note(local.tz_localize(None)) == ()
    assert utc_note(local.iloc[:2000]) == utc_note(local.resample("D").mean()) == ()


def test_a_fit_notes_it():
    few = {"lags": (1, 24), "transforms": None, "noise": "process", "combine": None}
    fc = gf.Forecaster(model=gf.models.LinearAR(), **few).fit(visits("Europe/Paris"))
    assert any("tz_convert('Europe/Paris')" in note for note in fc.notes_)
