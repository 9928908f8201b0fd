"""Inputs without the rows that are needed are refused with what is needed and what came."""

import pandas as pd
import pytest

from gpforecast.series.labels import check_same_times

MONTHS = pd.date_range("2025-01-01", periods=6, freq="MS")
NEEDED = (
    r"exog must have one row for each of the 6 times of the forecast, 2025-01 to 2025-06 "
    r"\(freq 'MS'\); got "
)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (MONTHS[:4], "4 rows, 2025-01 to 2025-04. There is no row for 2025-05 and 1 other"),
        (MONTHS.shift(1), "6 rows, 2025-02 to 2025-07. There is no row for 2025-01."),
        (MONTHS[::-1], "pass those alone, each once, sorted by time."),
        (pd.date_range("2024-01-01", periods=20, freq="MS"), "20 rows, .* pass those alone"),
        (MONTHS.strftime("%Y-%m-%d"), "times are text, and those of the series dates"),
        (MONTHS.tz_localize("UTC"), "dates in UTC, and those of the series dates without a time"),
        (pd.RangeIndex(5), "5 rows, 0 to 4. These rows have no times: pass as many as are needed"),
        (pd.Index([]), r"none\.$"),
    ],
)
def test_wrong_times_are_refused_with_what_is_needed_what_came_and_how_they_differ(given, words):
    with pytest.raises(ValueError, match=NEEDED + ".*" + words):
        check_same_times(given, MONTHS, "the forecast")


def test_equal_times_of_another_index_are_the_same():
    check_same_times(pd.Index(list(MONTHS), dtype=object), MONTHS, "the forecast")
    check_same_times(pd.DatetimeIndex(MONTHS, freq=None), MONTHS, "the forecast")
