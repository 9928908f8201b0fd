"""Indexes of every kind: regular, continued in their own kind, or refused."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.series import TimeAxis

# Indexes of dates are regular and continue as their range does


N, H = 40, 30


def without_freq(index):
    return pd.DatetimeIndex(list(index), name=index.name).astype(index.dtype)


def refused(index, *, error=ValueError):
    with pytest.raises(error) as caught:
        TimeAxis.of(index)
    return str(caught.value)


# Kept whole, a range is the oracle: its first N stamps must be continued by its last H.
DATES = [
    ("h", "2024-03-29 20:00", "Europe/Paris"),  # into summer time: a label is skipped
    ("h", "2024-10-25 12:00", "America/New_York"),
    ("h", "2024-10-25 12:00", "Europe/Paris"),  # out of it: a label occurs twice
    ("15min", "2024-10-26 16:00", "Europe/Paris"),
    ("D", "2024-03-01", "Europe/Paris"),
    ("B", "2024-03-01", "Europe/Paris"),
    ("2W-TUE", "2024-01-01", None),
    ("ME", "2023-01-31", "Europe/Paris"),
    ("MS", "2023-01-01", None),
    ("QS", "2000-01-01", None),
    ("QE-JAN", "2000-01-31", None),
    ("3s", "2024-01-01", None),
]
TAKEN = [3, 11, 12, 13, 29]


@pytest.mark.parametrize(("freq", "start", "tz"), DATES)
@pytest.mark.parametrize("kind", ["as made", "without its frequency", "with gaps"])
def test_dates_are_regular_and_continue_as_their_range_does(freq, start, tz, kind):
    whole = pd.date_range(start, periods=N + H, freq=freq, tz=tz, name="when")
    past = whole[:N] if kind == "as made" else without_freq(whole[:N])
    gaps = kind == "with gaps"
    axis = TimeAxis.of(without_freq(past.delete(TAKEN)) if gaps else past, fill=gaps)
    assert axis.index.freq is not None
    assert axis.index.equals(past)
    future = axis.future(H)
    assert list(future) == list(whole[N:])
    assert (future.dtype, future.name, future.freq) == (past.dtype, "when", axis.index.freq)


COUNTED = 10 + 3 * np.arange(N + H)
OTHERS = {
    "tens": pd.Index(np.arange(1000, 1000 + 10 * (N + H), 10)),
    "years in months": pd.Index(1959 + np.arange(N + H) / 12),
    **{dtype: pd.Index(COUNTED, dtype=dtype) for dtype in ("uint8", "float32", "Int64")},
    **{step: pd.timedelta_range("1h", periods=N + H, freq=step) for step in ("90min", "250ms")},
    **{freq: pd.period_range("2024", periods=N + H, freq=freq) for freq in ("W-SUN", "2M")},
}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("whole", OTHERS.values(), ids=OTHERS)
def test_numbers_durations_and_periods_are_regular_and_continue_in_their_own_kind(whole, gaps):
    whole = whole.rename("n")
    axis = TimeAxis.of(whole[:N].delete(TAKEN) if gaps else whole[:N], fill=gaps)
    same = pd.testing.assert_index_equal
    same(axis.index, whole[:N], exact="equiv", check_exact=False, rtol=1e-12)
    same(axis.future(H), whole[N:], exact="equiv", check_exact=False, rtol=1e-12)


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


# Indexes of periods, time steps and numbers continue in their own kind


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


# An odd step is found where it is, and named


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
        (pd.PeriodIndex(["2024-01", "2024-02", "2024-04"], freq="M"),
         "the first between 2024-02 and 2024-04"),
        (pd.to_timedelta(["1h", "2h", "3h", "5h"]),
         "the first between 0 days 03:00:00 and 0 days 05:00:00"),
    ],
)  # fmt: skip
def test_an_odd_step_is_found_in_other_indexes(index, place):
    assert place in refused(index)


# Indexes that cannot be used are refused with what to do


def test_duplicates_are_counted_and_the_first_is_named():
    message = refused(pd.DatetimeIndex(["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-02"]))
    assert "got 2 duplicated timestamps, the first 2024-01-02 00:00:00;" in message
    assert "groupby(level=0).mean()" in message


@pytest.mark.parametrize("index", [pd.RangeIndex(5, 0, -1), pd.date_range("2024", periods=4)[::-1]])
def test_an_index_out_of_order_is_to_be_sorted(index):
    message = refused(index)
    assert "sort the rows by timestamp" in message
    assert "sort_index" not in message  # polars has no such call


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (pd.Index(["2024-01-01", "2024-01-02"]), "such as '2024-01-01'"),
        (pd.MultiIndex.from_product([["a"], [1, 2]]), "MultiIndex with 2"),
    ],
)
def test_indexes_of_other_kinds_are_refused(index, words):
    assert words in refused(index, error=TypeError)


@pytest.mark.parametrize(
    "index",
    [
        pd.DatetimeIndex(["2024-01-01", None, "2024-01-03"]),
        pd.Index([0.0, np.nan]),
        pd.Index([0.0, np.inf]),
    ],
)
def test_a_missing_stamp_is_refused_with_its_position(index):
    assert "got 1 missing or infinite, the first at position 1" in refused(index)


def test_too_few_stamps_to_tell_the_step_are_refused():
    assert "at least 3 rows" in refused(pd.DatetimeIndex(["2024-01-01", "2024-01-02"]))
    assert "got 0 rows" in refused(pd.DatetimeIndex([]))
    assert "at least 2 rows" in refused(pd.Index([3]))
    assert "at least 2 rows" in refused(pd.to_timedelta(["1h"]))


HOURS = pd.date_range("2024-01-01", periods=30, freq="h")


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (HOURS[20:].tz_localize("UTC"),
         "dates in UTC, and those of the series dates without a time zone"),
        (HOURS[[20, 21, 21]], "got 1 duplicated timestamp, the first 2024-01-01 21:00:00"),
        (HOURS[[21, 20]], "got 2024-01-01 20:00:00 after 2024-01-01 21:00:00; sort the rows"),
        (HOURS[20:].to_period("D"), "These times are periods (D), and those of the series dates"),
        (pd.Index(["a", "b"]), "These times are text"),
    ],
)  # fmt: skip
def test_labels_that_do_not_follow_are_refused_with_what_is_wrong_with_them(labels, said):
    axis = TimeAxis.of(HOURS[:20])
    with pytest.raises(ValueError, match=re.escape(said)):
        axis.continued_by(labels)


def test_a_series_without_rows_is_refused():
    with pytest.raises(ValueError, match="series must have at least 1 row"):
        gf.Forecaster().fit(pd.Series([], pd.DatetimeIndex([]), dtype=float))


def test_a_series_among_its_own_inputs_is_refused():
    y = pd.Series(np.arange(30.0) % 7, name="units")
    with pytest.raises(ValueError, match="exog must not hold the series itself, as 'units' is"):
        gf.Forecaster().fit(y, exog=pd.DataFrame({"promo": y.index % 2, "units": y}))
