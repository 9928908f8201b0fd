"""Series from all that holds one column: labels, scale, missing timestamps and values."""

import re

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis, checked
from gpforecast.series.labels import begins_with, counts_rows_of
from gpforecast.series.scaling import location_and_scale

# Series from all that holds one column, and labels that only count rows


def test_series_come_from_all_that_holds_one_column():
    when = pd.date_range("2024-01-01", periods=3)
    frame = pd.DataFrame({"y": [1, 2, 3]}, index=when)
    for source in (frame, frame["y"], frame["y"].astype("Int64"), frame["y"].astype(object)):
        series = checked(source).series
        assert (series.dtype, series.name, series.tolist()) == ("float64", "y", [1.0, 2.0, 3.0])
        assert series.index.equals(when)
    for source in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])):
        series = checked(source).series
        assert series.tolist() == [1.0, 2.0, 3.0]
        assert isinstance(series.index, pd.RangeIndex)
        assert series.name is None


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([1.0, np.nan], ValueError, "series has 1 missing (NaN) value, the first at position 1"),
        ([np.inf, 1.0], ValueError, "infinite"),
        (["a", "b"], TypeError, "real numbers"),
        (3.0, ValueError, "one column of values"),
        (pd.DataFrame(np.ones((3, 2))), ValueError, "2 columns"),
        (pd.Series([1.0, 2.0], index=["a", "b"]), TypeError, "dates, periods"),
    ],
)
def test_what_is_no_series_is_refused(given, error, words):
    with pytest.raises(error, match=re.escape(words)):
        checked(given, complete=True)


@pytest.mark.parametrize(
    ("given", "times", "counts"),
    [
        (pd.RangeIndex(5), pd.RangeIndex(50, 55), True),
        (pd.RangeIndex(5), pd.RangeIndex(2, 7), True),  # it overlaps, but is no longer than that
        (pd.RangeIndex(6), pd.RangeIndex(2, 7), False),
        (pd.RangeIndex(50, 55), pd.RangeIndex(50, 55), False),
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


# Missing stamps and values: what is put in is a regular index with some stamps taken out


@pytest.mark.parametrize(
    "index",
    [
        pd.DatetimeIndex(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04 06:00"]),
        pd.DatetimeIndex(["2024-01-01", "2024-01-02", "2024-01-03", "2034-01-04"]),  # mostly gap
        pd.PeriodIndex(["2024-01-01 00:00", "2024-01-01 00:01", "2100-01-01"], freq="s"),
        pd.Index([0.0, 1.0, 2.0, 3.5, 4.5]),
        pd.Index([0, 1, 2, 10**15]),
        pd.Index([1, 2, 2, 3]),
    ],
    ids=str,
)
def test_an_index_without_a_usual_step_is_refused_as_it_is_without_gaps(index):
    messages = []
    for fill in (True, False):
        with pytest.raises(ValueError, match="series must have") as caught:
            TimeAxis.of(index, fill=fill)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


# Series


def test_missing_stamps_become_missing_values_and_are_counted():
    whole = pd.date_range("2024-01-01", periods=20, freq="D")
    y = pd.Series(np.arange(20.0), index=whole, name="y")
    y.iloc[15] = np.nan
    given = y.drop(whole[[4, 5]])
    before = given.copy()
    found = checked(given)
    expected = y.copy()
    expected.iloc[[4, 5]] = np.nan
    pd.testing.assert_series_equal(found.series, expected, check_freq=False)
    assert found.exog is None
    (note,) = found.notes
    assert note == (
        "2 times were missing from the index, the first 2024-01-05; with them, 3 of 20 values are "
        "missing"
    )
    assert found.n_filled == 2
    pd.testing.assert_series_equal(given, before)


@pytest.mark.parametrize("kind", ["frame", "array", "whole frame"])
def test_inputs_are_put_on_the_whole_index_too(kind):
    whole = pd.date_range("2024-01-01", periods=20, freq="D")
    y = pd.Series(np.arange(20.0), index=whole).drop(whole[4])
    x = pd.DataFrame({"x": np.arange(20.0)}, index=whole)
    given = {"frame": x.drop(whole[4]), "array": x.drop(whole[4]).to_numpy(), "whole frame": x}[
        kind
    ]
    exog = checked(y, given).exog
    expected = np.arange(20.0)
    if kind != "whole frame":
        expected[4] = np.nan
    np.testing.assert_array_equal(np.asarray(exog).ravel(), expected)
    if kind != "array":
        assert list(exog.index) == list(whole)


def test_a_series_of_nothing_but_missing_values_is_refused():
    with pytest.raises(ValueError, match="series must hold at least one value; all 3 are missing"):
        checked([np.nan] * 3)


def test_the_hour_that_naive_clocks_skip_is_a_gap():
    zoned = pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Paris")
    naive = pd.DatetimeIndex(zoned.tz_localize(None).to_list())
    found = checked(pd.Series(np.arange(60.0), index=naive))
    assert len(found.values) == 61
    assert np.isnan(found.values).sum() == 1
    assert "2024-03-31 02:00; " in found.notes[0]


def test_the_hour_that_naive_clocks_repeat_is_to_be_given_a_zone_which_then_works():
    zoned = pd.date_range("2024-10-26", periods=60, freq="h", tz="Europe/Paris")
    naive = pd.DatetimeIndex(zoned.tz_localize(None).to_list())
    y = pd.Series(np.arange(60.0), index=naive)
    with pytest.raises(ValueError, match=r"1 duplicated timestamp.*tz_localize.*ambiguous='infer'"):
        checked(y)
    y.index = y.index.tz_localize("Europe/Paris", ambiguous="infer")  # as it says
    found = checked(y)
    assert list(found.axis.index) == list(zoned)
    assert found.notes == ()


GAPS = [
    (pd.date_range("2020-01-01", periods=20).append(pd.date_range("2020-08-08", periods=20)),
     "asfreq('D')"),
    (pd.to_datetime(["2000-01", "2000-04", "2002-01", "2002-04"]), "asfreq('3MS')"),
    (pd.Index([0, 1, 2, 3, 50]), "numpy.arange"),
    (pd.PeriodIndex(["2000-01", "2000-02", "2003-05"], freq="M"), "period_range"),
]  # fmt: skip


@pytest.mark.parametrize(("index", "call"), GAPS)
def test_gaps_of_more_than_half_are_refused_with_what_makes_one_step(index, call):
    with pytest.raises(ValueError, match="where at least half of all timestamps are") as caught:
        TimeAxis.of(index, fill=True)
    assert call in str(caught.value).split("in pandas, ")[1]


# Location and scale in any units, and what stands in for a spread that is not there


Y = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_location_and_scale_are_mean_and_standard_deviation_in_any_unit(unit):
    location, scale = location_and_scale(unit * Y)
    np.testing.assert_allclose([location / unit, scale / unit], [Y.mean(), Y.std()], rtol=1e-14)


@pytest.mark.parametrize("value", [-0.1, 1e-151])
def test_a_constant_is_its_own_scale(value):
    assert location_and_scale(np.full(7, value)) == (value, abs(value))


@pytest.mark.parametrize("value", [0.0, -1e160])
def test_a_constant_whose_square_is_no_number_has_scale_one(value):
    assert location_and_scale([value, value]) == (value, 1.0)


def test_a_spread_of_rounding_counts_as_none():
    y = 1e6 + np.array([0.0, 1e-9, -1e-9])
    location, scale = location_and_scale(y)
    assert scale == location == pytest.approx(1e6, rel=1e-14)
    assert location_and_scale(1e6 + np.array([0.0, 1e-6]))[1] < 1e-6
