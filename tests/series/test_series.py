"""Series from all that holds one column, and labels that only count rows."""

import re

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import checked
from gpforecast.series.labels import begins_with, counts_rows_of


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
