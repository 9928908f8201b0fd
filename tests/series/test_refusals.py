"""Indexes that cannot be used are refused with what to do."""

import re

import numpy as np
import pandas as pd
import pytest
from index_cases import refused

import gpforecast as gf
from gpforecast.series import TimeAxis


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
        (
            HOURS[20:].tz_localize("UTC"),
            "dates in UTC, and those of the series dates without a time zone",
        ),
        (HOURS[[20, 21, 21]], "got 1 duplicated timestamp, the first 2024-01-01 21:00:00"),
        (HOURS[[21, 20]], "got 2024-01-01 20:00:00 after 2024-01-01 21:00:00; sort the rows"),
        (HOURS[20:].to_period("D"), "These times are periods (D), and those of the series dates"),
        (pd.Index(["a", "b"]), "These times are text"),
    ],
)
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
