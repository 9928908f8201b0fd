"""Indexes of periods, time steps and numbers continue in their own kind."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from index_cases import H, N

from gpforecast.series import TimeAxis


@pytest.mark.parametrize("freq", ["W-SUN", "2M"])
def test_consecutive_periods_continue(freq):
    whole = pd.period_range("2024-01-01", periods=N + H, freq=freq, name="when")
    assert TimeAxis.of(whole[:N]).index.equals(whole[:N])
    future = TimeAxis.of(whole[:N]).future(H)
    pd.testing.assert_index_equal(future, whole[N:])
    pd.testing.assert_index_equal(TimeAxis.of(whole[:1]).future(2), whole[1:3])


@pytest.mark.parametrize("step", ["90min", "250ms"])
def test_time_steps_continue(step):
    whole = pd.timedelta_range("1h", periods=N + H, freq=step, name="age")
    bare = pd.TimedeltaIndex(list(whole[:N]), name="age").astype(whole.dtype)
    assert TimeAxis.of(bare).index.freq is not None
    pd.testing.assert_index_equal(TimeAxis.of(bare).future(H), whole[N:])
    assert bare.freq is None


@pytest.mark.parametrize("dtype", ["uint8", "float32", "Int64"])
def test_numbers_continue_in_their_own_dtype(dtype):
    whole = pd.Index(np.arange(10, 10 + 3 * 20, 3), dtype=dtype, name="n")
    future = TimeAxis.of(whole[:15]).future(5)
    pd.testing.assert_index_equal(future, whole[15:])


@given(
    start=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    n=st.integers(2, 60),
    relative=st.floats(-2e-7, 2e-7),
)
@example(start=0.0, step=1.0, n=50, relative=2e-7)
@settings(max_examples=30, deadline=None)
def test_float_steps_are_read_to_a_millionth(start, step, n, relative):
    stamps = start + step * (np.arange(n) + relative * (-1) ** np.arange(n))
    future = TimeAxis.of(pd.Index(stamps)).future(3)
    expected = start + step * np.arange(n, n + 3)
    # The step comes from both ends, each off by at most 2e-7 steps; 3 steps are extrapolated.
    off = 2e-7 * step * (1 + 3 * 2 / (n - 1))
    assert np.all(np.abs(future - expected) <= off + 1e-14 * np.abs(expected).max())


@pytest.mark.parametrize(
    "last",
    [
        pd.to_timedelta(np.arange(N) + 106_752 - N, unit="D").as_unit("ns"),
        pd.date_range("2262-04-11", periods=N, freq="-1D")[::-1].as_unit("ns"),
        pd.date_range("2262-03-31", periods=N, freq="-1ME")[::-1].as_unit("ns"),
    ],
    ids=["durations", "days", "months"],
)
def test_the_end_of_nanoseconds_is_said_in_own_words(last):
    said = r"^the index ends at .*there are no labels for the next 6 steps; forecast fewer"
    with pytest.raises(ValueError, match=said + r".* or give .*\.as_unit\('s'\)\.$"):
        TimeAxis.of(last).future(6)
    assert len(TimeAxis.of(last.as_unit("s")).future(6)) == 6
