import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.indexes import (
    array_without_infinities,
    as_series,
    begins_with,
    check_regular,
    counts_rows_of,
    future_index,
    joined,
)

N, H = 40, 30

# Kept whole, a range is the oracle: its first N stamps must be continued by its last H.
DATES = [
    ("h", "2024-03-29 20:00", None),
    ("h", "2024-03-29 20:00", "Europe/Paris"),  # into summer time
    ("h", "2024-10-25 12:00", "America/New_York"),
    ("15min", "2024-10-26 16:00", "Europe/Paris"),  # out of it
    ("6h", "2024-03-25", "Europe/Paris"),
    ("D", "2024-02-20", None),
    ("D", "2024-03-01", "Europe/Paris"),
    ("D", "2024-10-01", "America/New_York"),
    ("2D", "2024-03-01", "Europe/Paris"),
    ("B", "2024-03-01", None),
    ("B", "2024-03-01", "Europe/Paris"),
    ("W-WED", "2024-01-01", None),
    ("W-SUN", "2024-01-01", "Europe/Paris"),
    ("ME", "2023-01-31", None),
    ("ME", "2023-01-31", "Europe/Paris"),
    ("MS", "2023-01-01", None),
    ("QS", "2000-01-01", None),
    ("QE", "2000-01-01", None),
    ("YE", "1950-12-31", None),
    ("3s", "2024-01-01", None),
]


def without_freq(index):
    return pd.DatetimeIndex(list(index), name=index.name).astype(index.dtype)


def refused(index, *, error=ValueError):
    with pytest.raises(error) as caught:
        check_regular(index)
    return str(caught.value)


@pytest.mark.parametrize(("freq", "start", "tz"), DATES)
@pytest.mark.parametrize("freq_known", [True, False])
def test_dates_are_regular_and_continue_as_their_range_does(freq, start, tz, freq_known):
    whole = pd.date_range(start, periods=N + H, freq=freq, tz=tz, name="when")
    past = whole[:N] if freq_known else without_freq(whole[:N])
    checked = check_regular(past)
    assert checked.freq is not None
    assert checked.equals(past)
    assert checked.name == "when"
    future = future_index(past, H)
    assert list(future) == list(whole[N:])
    assert (future.dtype, future.name, future.freq) == (past.dtype, "when", checked.freq)


@pytest.mark.parametrize("tz", [None, "Europe/Paris"])
def test_attaching_a_frequency_leaves_the_given_index_alone(tz):
    given = without_freq(pd.date_range("2024-03-20", periods=20, tz=tz))
    check_regular(given)
    future_index(given, 3)
    assert given.freq is None


def test_every_time_unit_is_kept():
    for unit in ("s", "ms", "us", "ns"):
        past = pd.date_range("2024-01-01", periods=5, freq="D", tz="Asia/Tokyo").as_unit(unit)
        assert future_index(past, 2).dtype == past.dtype


def test_days_of_another_clock_continue_by_elapsed_time():
    # The past contains one change of the clock, so that the two kinds of day differ; so does the
    # future.
    whole = pd.date_range("2024-03-20", periods=300, freq="D", tz="UTC").tz_convert("Europe/Paris")
    for past in (whole[:20], without_freq(whole[:20])):
        assert list(future_index(past, 280)) == list(whole[20:])


def test_a_future_day_that_begins_with_the_clock_going_forward_begins_at_its_first_moment():
    past = pd.date_range("2024-04-20", periods=5, freq="D", tz="Africa/Cairo")
    future = future_index(past, 3)  # no midnight on Friday the 26th
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
        joint = joined(whole[first:past], future_index(check_regular(whole[:past]), 10))
        pd.testing.assert_index_equal(check_regular(joint), whole[first : past + 10], exact="equiv")
        moved = int(np.argmax(whole.tz_localize(None) != wall))
        for end in (past + 10, moved + 1):  # the last one may be the one that moved
            if end - first > 3:
                assert list(future_index(whole[first:end], 5)) == list(whole[end : end + 5])


def test_a_forecaster_goes_on_after_an_update_over_a_skipped_stamp():
    days = pd.date_range("2018-09-20", periods=43, freq="D", tz="America/Sao_Paulo")
    y = pd.Series(np.random.default_rng(0).standard_normal(43), index=days)
    fc = gf.Forecaster(lags=2, transforms=None).fit(y).update([0.1, 0.2, 0.3, 0.4])
    forecast = fc.predict(3)
    assert [str(t)[:16] for t in forecast.index] == [f"2018-11-0{d} 00:00" for d in (6, 7, 8)]
    again = gf.Forecaster(lags=2, transforms=None).fit(fc.history_).predict(1)
    assert again.index[0] == forecast.index[0]


def test_nth_weekdays_of_months_are_irregular_where_a_month_is_missing():
    fridays = pd.date_range("2024-01-12", periods=12, freq="WOM-2FRI")
    assert check_regular(without_freq(fridays)).freqstr == "WOM-2FRI"
    with pytest.raises(ValueError, match="1 step other than the usual 'WOM-2FRI', the first betw"):
        check_regular(fridays.delete(3))


def test_the_same_day_of_every_month_is_regular():
    past = pd.DatetimeIndex(["2023-11-15", "2023-12-15", "2024-01-15"])
    assert [str(t.date()) for t in future_index(past, 2)] == ["2024-02-15", "2024-03-15"]
    quarters = pd.DatetimeIndex(["2023-11-15", "2024-02-15", "2024-05-15"])
    assert str(future_index(quarters, 1)[0].date()) == "2024-08-15"


def test_a_known_frequency_serves_where_pandas_cannot_guess_it():
    holidays = pd.offsets.CustomBusinessDay(holidays=["2024-01-08"])
    for freq in ("2B", "SME", holidays):
        whole = pd.date_range("2024-01-01", periods=10, freq=freq)
        assert list(future_index(whole[:4], 6)) == list(whole[4:])
    one = pd.DatetimeIndex(["2024-01-01"], freq="D")
    assert str(future_index(one, 1)[0].date()) == "2024-01-02"


@pytest.mark.parametrize("freq", ["h", "D", "W-SUN", "M", "Q-DEC", "Y-DEC", "2M", "15min"])
def test_consecutive_periods_continue(freq):
    whole = pd.period_range("2024-01-01", periods=N + H, freq=freq, name="when")
    assert check_regular(whole[:N]) is not None
    future = future_index(whole[:N], H)
    pd.testing.assert_index_equal(future, whole[N:])
    pd.testing.assert_index_equal(future_index(whole[:1], 2), whole[1:3])


@pytest.mark.parametrize("step", ["1D", "90min", "250ms"])
def test_time_steps_continue(step):
    whole = pd.timedelta_range("1h", periods=N + H, freq=step, name="age")
    bare = pd.TimedeltaIndex(list(whole[:N]), name="age").astype(whole.dtype)
    assert check_regular(bare).freq is not None
    pd.testing.assert_index_equal(future_index(bare, H), whole[N:])
    assert bare.freq is None


@pytest.mark.parametrize("dtype", ["int64", "int16", "uint8", "float32", "float64", "Int64"])
def test_numbers_continue_in_their_own_dtype(dtype):
    whole = pd.Index(np.arange(10, 10 + 3 * 20, 3), dtype=dtype, name="n")
    future = future_index(whole[:15], 5)
    pd.testing.assert_index_equal(future, whole[15:])


def test_range_continues_as_a_range_even_from_nothing():
    future = future_index(pd.RangeIndex(3, 30, 4, name="n"), 3)
    pd.testing.assert_index_equal(future, pd.RangeIndex(31, 43, 4, name="n"))
    assert list(future_index(pd.RangeIndex(0), 2)) == [0, 1]


@given(
    start=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    n=st.integers(2, 60),
    relative=st.floats(-2e-7, 2e-7),
)
@settings(max_examples=60, deadline=None)
def test_float_steps_are_read_to_a_millionth(start, step, n, relative):
    stamps = start + step * (np.arange(n) + relative * (-1) ** np.arange(n))
    future = future_index(pd.Index(stamps), 3)
    expected = start + step * np.arange(n, n + 3)
    # The step comes from both ends, each off by at most 2e-7 steps; 3 steps are extrapolated.
    assert np.all(np.abs(future - expected) <= 2e-6 * step + 1e-14 * np.abs(expected).max())


def test_a_float_step_off_by_more_than_a_millionth_is_irregular():
    stamps = np.arange(10) * 0.1
    stamps[6] += 1e-6
    assert "between 0.5 and 0.6" in refused(pd.Index(stamps))


def test_rounding_of_large_floats_is_no_irregularity():
    assert check_regular(pd.Index(1.7e9 + 0.1 * np.arange(500))) is not None


@given(
    drop=st.integers(1, N - 2), freq=st.sampled_from(["h", "D", "ME", "W-SUN"]), tz=st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_a_missing_stamp_is_found_where_it_is(drop, freq, tz):
    whole = pd.date_range("2024-02-20", periods=N, freq=freq, tz="Europe/Paris" if tz else None)
    message = refused(whole.delete(drop))
    assert message.startswith("series must have a regular index; got 1 step other than the usual")
    assert f"the first between {whole[drop - 1]} and {whole[drop + 1]}" in message
    assert f"asfreq({freq!r})" in message


def test_a_missing_business_day_is_found_among_weekends():
    days = pd.date_range("2024-03-01", periods=60, freq="B").delete([33, 50])
    message = refused(days)
    assert "got 2 steps other than the usual 'B'" in message
    assert f"between {days[32]} and {days[33]}" in message


def test_random_dates_have_no_usual_step():
    rng = np.random.default_rng(0)
    seconds = np.cumsum(rng.integers(1, 10**6, 30))
    message = refused(pd.DatetimeIndex(pd.Timestamp("2024-01-01") + pd.to_timedelta(seconds, "s")))
    assert "no step that most rows share" in message


@pytest.mark.parametrize(
    ("index", "place"),
    [
        (pd.Index([0, 1, 2, 4, 5, 7]), "2 steps other than the usual 1, the first between 2 and 4"),
        (pd.Index([0.0, 0.5, 1.5, 2.0, 2.5]), "usual 0.5, the first between 0.5 and 1.5"),
        (
            pd.PeriodIndex(["2024-01", "2024-02", "2024-04"], freq="M"),
            "usual 'M', the first between 2024-02 and 2024-04",
        ),
        (
            pd.to_timedelta(["1h", "2h", "3h", "5h"]),
            "usual 'h', the first between 0 days 03:00:00 and 0 days 05:00:00",
        ),
    ],
)
def test_an_odd_step_is_found_in_other_indexes(index, place):
    assert place in refused(index)


def test_duplicates_are_counted_and_the_first_is_named():
    message = refused(pd.DatetimeIndex(["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-02"]))
    assert "got 2 duplicated stamps, the first 2024-01-02 00:00:00;" in message
    assert "groupby(level=0).mean()" in message


@pytest.mark.parametrize(
    "index", [pd.Index([0, 2, 1]), pd.RangeIndex(5, 0, -1), pd.date_range("2024", periods=4)[::-1]]
)
def test_an_index_out_of_order_is_to_be_sorted(index):
    assert "series.sort_index()" in refused(index)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (pd.Index(["2024-01-01", "2024-01-02"]), "such as '2024-01-01'"),
        (pd.Index([pd.Timestamp("2024-01-01").date()]), "datetime.date(2024, 1, 1)"),
        (pd.MultiIndex.from_product([["a"], [1, 2]]), "MultiIndex with 2"),
        (pd.Index([True, False]), "dtype bool"),
        (pd.CategoricalIndex(["a", "b"]), "dtype category"),
        ([1, 2, 3], "got list"),
    ],
)
def test_indexes_of_other_kinds_are_refused(index, words):
    assert words in refused(index, error=TypeError)


@pytest.mark.parametrize(
    "index",
    [
        pd.DatetimeIndex(["2024-01-01", None, "2024-01-03"]),
        pd.PeriodIndex(["2024-01", None], freq="M"),
        pd.Index([0.0, np.nan]),
    ],
)
def test_a_missing_stamp_is_refused_with_its_position(index):
    assert "got 1 missing in its index, the first at position 1" in refused(index)


def test_an_infinite_stamp_is_refused():
    assert "infinite" in refused(pd.Index([0.0, 1.0, np.inf]))


def test_too_few_stamps_to_tell_the_step_are_refused():
    assert "at least 3 rows" in refused(pd.DatetimeIndex(["2024-01-01", "2024-01-02"]))
    assert "got 0 rows" in refused(pd.DatetimeIndex([]))
    assert "at least 2 rows" in refused(pd.Index([3]))
    assert "at least 2 rows" in refused(pd.to_timedelta(["1h"]))


def test_the_message_calls_the_series_by_the_name_given():
    with pytest.raises(ValueError, match=re.escape("y.sort_index()")):
        check_regular(pd.Index([1, 0]), name="y")


@pytest.mark.parametrize("horizon", [0, -1, 2.5, True, "3"])
def test_horizon_must_be_a_positive_integer(horizon):
    with pytest.raises(ValueError, match="horizon must be a positive integer; got"):
        future_index(pd.RangeIndex(3), horizon)


def test_nothing_does_not_go_on():
    with pytest.raises(ValueError, match="at least 1 stamp"):
        future_index(pd.date_range("2024-01-01", periods=0), 1)


def test_series_come_from_all_that_holds_one_column():
    when = pd.date_range("2024-01-01", periods=3)
    frame = pd.DataFrame({"y": [1, 2, 3]}, index=when)
    for source in (frame, frame["y"], frame["y"].astype("Int64"), frame["y"].astype(object)):
        series = as_series(source)
        assert (series.dtype, series.name, series.tolist()) == ("float64", "y", [1.0, 2.0, 3.0])
        assert series.index.equals(when)
    for source in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])):
        series = as_series(source)
        assert series.tolist() == [1.0, 2.0, 3.0]
        assert isinstance(series.index, pd.RangeIndex)
        assert series.name is None


def test_a_series_shares_no_memory_with_its_source():
    array = np.arange(3.0)
    for source in (array, pd.Series(array)):
        series = as_series(source)
        assert not np.shares_memory(series.to_numpy(), np.asarray(source))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([1.0, np.nan], ValueError, "series has 1 missing (NaN) value, the first at position 1"),
        ([np.inf, 1.0], ValueError, "infinite"),
        (["a", "b"], TypeError, "real numbers"),
        (3.0, ValueError, "one column of values"),
        (np.ones((3, 1)), ValueError, "shape (3, 1)"),
        (pd.DataFrame(np.ones((3, 2))), ValueError, "2 columns"),
        (pd.Series([1.0, 2.0], index=["a", "b"]), TypeError, "dates, periods"),
    ],
)
def test_what_is_no_series_is_refused(given, error, words):
    with pytest.raises(error, match=re.escape(words)):
        as_series(given)


def test_missing_values_pass_where_allowed_and_infinite_ones_do_not():
    assert np.isnan(as_series([1.0, None, 2.0], allow_missing=True).iloc[1])
    with pytest.raises(ValueError, match=r"y has 2 infinite values, the first at position 1"):
        as_series([1.0, np.inf, np.nan, -np.inf], "y", allow_missing=True)
    with pytest.raises(ValueError, match=r"1 infinite value, the first at position \(0, 1\)"):
        array_without_infinities([[0.0, np.inf]], "exog")


# Labels that are row numbers


@pytest.mark.parametrize(
    ("given", "times", "counts"),
    [
        (pd.RangeIndex(5), pd.RangeIndex(50, 55), True),
        (pd.RangeIndex(3), pd.date_range("2024-01-01", periods=5), True),
        (pd.RangeIndex(5), pd.RangeIndex(2, 7), True),  # it overlaps, but is no longer than that
        (pd.RangeIndex(6), pd.RangeIndex(2, 7), False),
        (pd.RangeIndex(50, 55), pd.RangeIndex(50, 55), False),
        (pd.RangeIndex(0, 10, 2), pd.RangeIndex(50, 55), False),
        (pd.date_range("2024-01-01", periods=5), pd.RangeIndex(50, 55), False),
    ],
)
def test_only_a_count_from_0_no_longer_than_the_steps_goes_row_by_row(given, times, counts):
    assert counts_rows_of(given, times) is counts


def test_whole_series_begins_with_its_history_in_any_number_type():
    history = pd.Series([1.1, 2.2, 3.3])
    whole = pd.Series([1.1, 2.2, 3.3, 4.4, np.nan])
    for other in (whole, whole.astype("float32"), whole.astype("Float64"), whole.astype(object)):
        assert begins_with(other, history)
    assert not begins_with(whole.iloc[:3], history)  # nothing follows
    assert not begins_with(whole + 1, history)
    assert not begins_with(whole.set_axis(range(1, 6)), history)
    days = pd.date_range("2024-01-01", periods=3, freq="D")
    assert not begins_with(whole, history.set_axis(days))
