"""Indexes and names of series come back from a file."""

from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from storage_cases import fixed, identical, reload, same_index, wave

import gpforecast as gf

HOLIDAYS = pd.offsets.CustomBusinessDay(
    holidays=["2024-01-01", "2024-05-01"], weekmask="Mon Thu Fri"
)
MIDNIGHT = pd.offsets.MonthEnd(normalize=True)
BERLIN = "Europe/Berlin"
OFFSET = timezone(timedelta(hours=-3, minutes=30))
INDEXES = {
    "range": pd.RangeIndex(7, 307, 5, name="t"),
    "integers": pd.Index(np.arange(1900, 1960), name=("year", 1)),
    "nullable integers": pd.Index(np.arange(60), dtype="Int64"),
    "numbers": pd.Index(0.1 * np.arange(60)),
    "daily": pd.date_range("2024-01-30", periods=60, freq="D", name="day"),
    "in nanoseconds": pd.date_range("2024-01-30", periods=60, freq="7ns", unit="ns"),
    "month ends at midnight": pd.date_range("2015-01-31", periods=60, freq=MIDNIGHT),
    "business days": pd.bdate_range("2024-01-01", periods=60),
    "a calendar with holidays": pd.date_range("2024-01-01", periods=60, freq=HOLIDAYS),
    "the 15th": pd.date_range("2015-01-15", periods=60, freq=pd.DateOffset(months=1)),
    "days over a clock change": pd.date_range("2024-03-10", periods=60, freq="D", tz=BERLIN),
    "zoneinfo": pd.date_range("2024-03-10", periods=60, freq="D", tz=ZoneInfo("America/New_York")),
    "UTC": pd.date_range("2024-03-10", periods=60, freq="min", tz="UTC"),
    "fixed offset": pd.date_range("2024-03-10", periods=60, freq="h", tz=OFFSET),
    "months as periods": pd.period_range("1990-01", periods=60, freq="M", name="m"),
    "two weeks as periods": pd.period_range("1990-01-01", periods=60, freq="2W-TUE"),
    "durations": pd.timedelta_range("5s", periods=60, freq="30s", name="elapsed"),
}  # fmt: skip


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_forecast_on_any_index_comes_back_with_zone_and_frequency(index, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(60, index))
    again = reload(fc, tmp_path)
    same_index(again.history_.index, fc.history_.index)
    identical(again.predict(3), fc.predict(3))


@pytest.mark.parametrize("name", [None, "load", ("a", None, 1), np.int64(4)])
def test_name_of_the_series_comes_back(name, tmp_path):
    fc = gf.Forecaster(2, model=fixed()).fit(wave(name=name))
    assert reload(fc, tmp_path).history_.name == name
