"""Missing stamps and values: what is put in is a regular index with some stamps taken out."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis, checked

RANGES = [
    ("h", "2024-03-29 20:00", "Europe/Paris"),  # into summer time: a label is skipped
    ("h", "2024-10-25 12:00", "Europe/Paris"),  # out of it: a label occurs twice
    ("15min", "2024-10-26 22:00", "America/New_York"),
    ("D", "2024-03-01", "Europe/Paris"),
    ("B", "2024-03-01", "Europe/Paris"),
    ("2W-TUE", "2024-01-01", None),
    ("ME", "2023-01-31", "Europe/Paris"),
    ("MS", "2023-01-01", None),
    ("QE-JAN", "2000-01-31", None),
]
TAKEN = [3, 11, 12, 13, 29]


def whole_of(index):
    return TimeAxis.of(index, fill=True).index


def bare(index):
    return pd.DatetimeIndex(list(index), name=index.name).astype(index.dtype)


@pytest.mark.parametrize(("freq", "start", "tz"), RANGES)
def test_missing_dates_are_put_back(freq, start, tz):
    whole = pd.date_range(start, periods=40, freq=freq, tz=tz, name="when")
    found = whole_of(bare(whole.delete(TAKEN)))
    pd.testing.assert_index_equal(bare(found), bare(whole))
    assert found.name == "when"
    # What is found goes on as the range does.
    later = pd.date_range(start, periods=43, freq=freq, tz=tz)[40:]
    assert list(TimeAxis.of(found).future(3)) == list(later)


@pytest.mark.parametrize(
    "whole",
    [
        pd.Index(np.arange(1000, 1400, 10)),
        pd.Index(1959 + np.arange(40) / 12),
        pd.timedelta_range("0s", periods=40, freq="90s"),
    ],
    ids=["tens", "years in months", "time steps"],
)
def test_missing_numbers_and_time_steps_are_put_back(whole):
    given = whole.delete(TAKEN)
    found = whole_of(given)
    assert len(found) == 40
    assert found.dtype == whole.dtype
    assert given.isin(found).all()
    if whole.dtype.kind == "f":
        np.testing.assert_allclose(found, whole, rtol=1e-12)
    else:
        assert list(found) == list(whole)
    TimeAxis.of(found)


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
