"""Indexes of dates are regular and continue as their range does."""

import pandas as pd
import pytest
from index_cases import H, N, without_freq

from gpforecast.series import TimeAxis

# Kept whole, a range is the oracle: its first N stamps must be continued by its last H.
DATES = [
    ("h", "2024-03-29 20:00", "Europe/Paris"),  # into summer time
    ("h", "2024-10-25 12:00", "America/New_York"),
    ("15min", "2024-10-26 16:00", "Europe/Paris"),  # out of it
    ("D", "2024-03-01", "Europe/Paris"),
    ("B", "2024-03-01", "Europe/Paris"),
    ("ME", "2023-01-31", "Europe/Paris"),
    ("MS", "2023-01-01", None),
    ("QS", "2000-01-01", None),
    ("3s", "2024-01-01", None),
]


@pytest.mark.parametrize(("freq", "start", "tz"), DATES)
@pytest.mark.parametrize("freq_known", [True, False])
def test_dates_are_regular_and_continue_as_their_range_does(freq, start, tz, freq_known):
    whole = pd.date_range(start, periods=N + H, freq=freq, tz=tz, name="when")
    past = whole[:N] if freq_known else without_freq(whole[:N])
    checked = TimeAxis.of(past).index
    assert checked.freq is not None
    assert checked.equals(past)
    assert checked.name == "when"
    future = TimeAxis.of(past).future(H)
    assert list(future) == list(whole[N:])
    assert (future.dtype, future.name, future.freq) == (past.dtype, "when", checked.freq)


def test_the_same_day_of_every_month_is_regular():
    past = pd.DatetimeIndex(["2023-11-15", "2023-12-15", "2024-01-15"])
    assert [str(t.date()) for t in TimeAxis.of(past).future(2)] == ["2024-02-15", "2024-03-15"]
    quarters = pd.DatetimeIndex(["2023-11-15", "2024-02-15", "2024-05-15"])
    assert str(TimeAxis.of(quarters).future(1)[0].date()) == "2024-08-15"


def test_a_known_frequency_serves_where_pandas_cannot_guess_it():
    holidays = pd.offsets.CustomBusinessDay(holidays=["2024-01-08"])
    for freq in ("2B", "SME", holidays):
        whole = pd.date_range("2024-01-01", periods=10, freq=freq)
        assert list(TimeAxis.of(whole[:4]).future(6)) == list(whole[4:])
    one = pd.DatetimeIndex(["2024-01-01"], freq="D")
    assert str(TimeAxis.of(one).future(1)[0].date()) == "2024-01-02"
