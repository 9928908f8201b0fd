"""Inputs: which rows a later call needs, how sure they are, and columns of categories."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis
from gpforecast.series.calendars import DayOfWeek
from gpforecast.series.categories import Categories
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.labels import check_same_times

# How sure future inputs are: as variances, or as a joint covariance ordered step by step


DAYS = pd.date_range("2024-01-01", periods=30, freq="D")
RNG = np.random.default_rng(0)
VALUES = RNG.standard_normal((30, 2)) * [3.0, 0.5] + [10.0, -2.0]
LOADINGS = RNG.standard_normal((6, 6))
JOINT = LOADINGS @ LOADINGS.T  # of 3 steps of 2 inputs


def test_variances_are_the_diagonal_of_a_joint_covariance_that_is_taken_as_it_is():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS))
    variances = JOINT.diagonal().reshape(3, 2)
    np.testing.assert_array_equal(inputs.covariance(variances, 3), np.diag(JOINT.diagonal()))
    np.testing.assert_array_equal(inputs.covariance(JOINT, 3), JOINT)


def test_columns_of_a_calendar_are_certain_beside_uncertain_inputs():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS), [DayOfWeek()])
    S = inputs.covariance(JOINT, 3)
    q = len(inputs)
    of_user = np.concatenate([k * q + np.arange(2) for k in range(3)])
    np.testing.assert_array_equal(S[np.ix_(of_user, of_user)], JOINT)
    S[np.ix_(of_user, of_user)] = 0.0
    assert not S.any()


def test_scaled_covariances_are_those_of_scaled_inputs():
    inputs = Exogenous.fit(VALUES, TimeAxis(DAYS))
    drawn = RNG.multivariate_normal(np.zeros(6), JOINT, 50)
    scaled = np.array([inputs.scaled(path.reshape(3, 2)).ravel() for path in drawn])
    S = np.cov(drawn.T)
    np.testing.assert_allclose(inputs.scaled_covariance(S), np.cov(scaled.T), rtol=1e-10)


@pytest.mark.parametrize("shape", [(3, 3), (6, 5)])
def test_any_other_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"shape \(3, 2\), or a joint covariance, shape \(6, 6\)"):
        Exogenous.fit(VALUES, TimeAxis(DAYS)).covariance(np.zeros(shape), 3)


# Inputs of a later call: more rows than are needed, none, and text for numbers


TIMES = pd.date_range("2024-01-01", periods=30)
INPUTS = pd.DataFrame({"heat": np.arange(30.0), "price": np.arange(30.0) ** 2}, TIMES)
FITTED = Exogenous.fit(INPUTS[:20], TimeAxis(TIMES[:20]))
AHEAD = TIMES[20:24]


@pytest.mark.parametrize("rows", [slice(20, 30), slice(None, None, -1)])
def test_rows_beyond_those_that_are_needed_are_left_out_by_label(rows):
    found = FITTED.over(INPUTS[rows], AHEAD, "the forecast")
    np.testing.assert_array_equal(found, INPUTS[20:24])


def test_more_rows_without_those_that_are_needed_are_refused():
    with pytest.raises(ValueError, match="exog must have one row for each of the 4 times"):
        FITTED.over(INPUTS[22:30], AHEAD, "the forecast")


# Inputs without the rows that are needed are refused with what is needed and what came


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


# Columns of categories become columns of zeros and ones, against the most frequent one


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
