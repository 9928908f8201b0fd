"""Indexes of dates over changes of the clock."""

import numpy as np
import pandas as pd
import pytest
from index_cases import without_freq

from gpforecast.series import TimeAxis


def test_days_of_another_clock_continue_by_elapsed_time():
    # The past contains one change of the clock, so that the two kinds of day differ; so does the
    # future.
    whole = pd.date_range("2024-03-20", periods=300, freq="D", tz="UTC").tz_convert("Europe/Paris")
    for past in (whole[:20], without_freq(whole[:20])):
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
