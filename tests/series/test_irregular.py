"""An odd step is found where it is, and named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import N, refused


@given(
    drop=st.integers(1, N - 2), freq=st.sampled_from(["h", "D", "ME", "W-SUN"]), tz=st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_a_missing_stamp_is_found_where_it_is(drop, freq, tz):
    whole = pd.date_range("2024-02-20", periods=N, freq=freq, tz="Europe/Paris" if tz else None)
    message = refused(whole.delete(drop))
    assert message.startswith(
        "series must have timestamps at a regular step; got 1 step unlike most"
    )
    assert f"the first between {whole[drop - 1]} and {whole[drop + 1]}" in message
    assert f"asfreq({freq!r})" in message


def test_random_dates_have_no_usual_step():
    rng = np.random.default_rng(0)
    seconds = np.cumsum(rng.integers(1, 10**6, 30))
    message = refused(pd.DatetimeIndex(pd.Timestamp("2024-01-01") + pd.to_timedelta(seconds, "s")))
    assert "at most half of the steps are alike" in message


@pytest.mark.parametrize(
    ("index", "place"),
    [
        (pd.Index([0, 1, 2, 4, 5, 7]), "2 steps unlike most, the first between 2 and 4"),
        (pd.Index([0.0, 0.5, 1.5, 2.0, 2.5]), "the first between 0.5 and 1.5"),
        (
            pd.PeriodIndex(["2024-01", "2024-02", "2024-04"], freq="M"),
            "the first between 2024-02 and 2024-04",
        ),
        (
            pd.to_timedelta(["1h", "2h", "3h", "5h"]),
            "the first between 0 days 03:00:00 and 0 days 05:00:00",
        ),
    ],
)
def test_an_odd_step_is_found_in_other_indexes(index, place):
    assert place in refused(index)
