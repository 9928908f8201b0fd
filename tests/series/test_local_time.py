"""A series in UTC whose days move when clocks change is told to use local time."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.series.zoned import clocks_of, utc_note

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
