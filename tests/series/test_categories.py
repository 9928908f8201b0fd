"""Columns of categories become columns of zeros and ones, against the most frequent one."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series.categories import Categories

WEATHER = pd.Series(["sun", "rain", "sun", None, "snow", "sun"], name="weather")


def test_each_category_but_the_most_frequent_has_a_column():
    found = Categories.of(WEATHER)
    assert found.named("weather") == ("weather=rain", "weather=snow")
    made = found.encoded(WEATHER)
    np.testing.assert_array_equal(made["weather=rain"], [0.0, 1.0, 0.0, np.nan, 0.0, 0.0])
    np.testing.assert_array_equal(made["weather=snow"], [0.0, 0.0, 0.0, np.nan, 1.0, 0.0])


def test_other_columns_stay_as_they_are_and_where_they_are():
    table = pd.DataFrame({"x": [1.0, 2.0], "kind": ["b", "a"], "y": [True, False]})
    found = Categories.of(table)
    assert list(found.levels) == ["kind"]
    assert found.named("x") == ("x",)
    made = found.encoded(table)
    assert list(made) == ["x", "kind=b", "y"]
    pd.testing.assert_frame_equal(made[["x", "y"]], table[["x", "y"]])
    assert found.encoded(None) is None


def test_a_category_that_was_not_seen_is_refused():
    with pytest.raises(ValueError, match="of the fit, 'rain', 'snow', 'sun'; got 'hail' at 1"):
        Categories.of(WEATHER).encoded(pd.Series(["sun", "hail"], name="weather"))
