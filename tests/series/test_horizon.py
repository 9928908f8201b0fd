"""A horizon as a date or as a length of time."""

import datetime as dt
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis
from gpforecast.series.horizon import steps_of

MONTHS = pd.date_range("1958-01", periods=12, freq="MS")
MISSING = ("", pd.NaT)
TOO_LATE = ("99999999999999999999 days", pd.DateOffset(years=10**9), np.timedelta64(10**18, "D"))


@pytest.mark.parametrize(
    ("index", "horizon", "n"),
    [
        (MONTHS, "1960", 24),
        (MONTHS, dt.date(1959, 6, 15), 6),
        (MONTHS, pd.DateOffset(years=10), 120),
        (pd.date_range("2024-01-01", periods=60), pd.offsets.BusinessDay(5), 7),
        (pd.date_range("2024-03-03", periods=9, freq="D"), np.timedelta64(5, "D"), 5),
        (MONTHS, "6M", 6),
        (MONTHS, "2 Quarters", 6),
        (pd.date_range("2023-01-31", "2023-02-28", freq="ME"), "1 month", 1),
        (pd.date_range("2024-03-03", periods=9, freq="15min"), "90 min", 6),
        (MONTHS.to_period("M"), pd.Period("1959Q1"), 3),
        (pd.date_range("2024-03-01", periods=9, freq="h", tz="Europe/Paris"), "2024-03-01", 15),
    ],
)
def test_a_date_or_a_length_is_so_many_steps(index, horizon, n):
    assert steps_of(horizon, TimeAxis.of(index)) == n


@pytest.mark.parametrize(
    ("index", "horizon", "sentence"),
    [
        (MONTHS, "1958-12", r"value \(1958-12\), that of 1959-01; '1958-12' ends before it. Pass"),
        (MONTHS, "soon", "a date such as '2026-12-31'"),
        (MONTHS, "6 moons", "'18 months', '2 years'.*; got '6 moons'"),
        (MONTHS, "6m", "got '6m'"),
        *((MONTHS, nothing, "a date such as '2026-12-31'.* '36h'; got ") for nothing in MISSING),
        *((MONTHS, late, "'36h'; got ") for late in TOO_LATE),
        (pd.RangeIndex(12), "2 years", "needs a series that is indexed by dates"),
        (MONTHS, "07/06/1960", "with the year first, .*; got '07/06/1960'"),
        (MONTHS, pd.Timestamp("1960", tz="UTC"), "without a time zone"),
        (MONTHS, "500ms", "a number of steps"),
    ],
)
def test_what_is_no_horizon_is_refused_in_a_sentence(index, horizon, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        steps_of(horizon, TimeAxis.of(index))


def test_a_date_that_is_too_many_steps_away_is_refused_before_their_dates_are_made():
    axis = TimeAxis.of(pd.date_range("2024-01-01", periods=40, freq="s"))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"^horizon must be at most 22360, .* got '2100'"):
        steps_of("2100", axis)
    assert tracemalloc.get_traced_memory()[1] < 20e6  # bytes; the seconds of a year take 250e6
    tracemalloc.stop()


@pytest.mark.parametrize("n", [0, 4, 9])
def test_an_axis_is_cut_or_continued_to_a_length(n):
    whole = pd.date_range("2024-01-01", periods=9, freq="D")
    axis = TimeAxis.of(whole[:5])
    pd.testing.assert_index_equal(axis.of_length(n).index, whole[:n])
    counted = axis.locate(TimeAxis.of(pd.RangeIndex(n)))  # no times of their own
    pd.testing.assert_index_equal(counted.index, whole[:n])
