"""Inputs of a later call: more rows than are needed, none, and text for numbers."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series.exogenous import Exogenous

TIMES = pd.date_range("2024-01-01", periods=30)
INPUTS = pd.DataFrame({"heat": np.arange(30.0), "price": np.arange(30.0) ** 2}, TIMES)
FITTED = Exogenous.fit(INPUTS[:20], TIMES[:20])
AHEAD = TIMES[20:24]


@pytest.mark.parametrize("rows", [slice(20, 30), slice(None), slice(None, None, -1)])
def test_rows_beyond_those_that_are_needed_are_left_out_by_label(rows):
    found = FITTED.over(INPUTS[rows], AHEAD, "the forecast")
    np.testing.assert_array_equal(found, INPUTS[20:24])


@pytest.mark.parametrize("shop", [INPUTS, INPUTS.assign(price=["low"] * 25 + ["high"] * 5)])
def test_the_fit_leaves_out_rows_of_the_future(shop):
    found, expected = (Exogenous.fit(rows, TIMES[:20]) for rows in (shop, shop[:20]))
    np.testing.assert_array_equal(found.past, expected.past)
    assert found.columns == expected.columns


@pytest.mark.parametrize("rows", [slice(22, 30), slice(0, 20)])
def test_more_rows_without_those_that_are_needed_are_refused(rows):
    with pytest.raises(ValueError, match="exog must have one row for each of the 4 times"):
        FITTED.over(INPUTS[rows], AHEAD, "the forecast")


def test_only_a_forecast_is_told_that_inputs_can_be_forecast():
    with pytest.raises(ValueError, match='exog="forecast" in predict'):
        FITTED.over(None, AHEAD, "the forecast")
    with pytest.raises(ValueError, match=r"freq 'D'\) \(NaN where unknown\)\.$"):
        FITTED.over(None, AHEAD, "the new values", missing=True)


def test_a_column_of_text_that_held_numbers_at_the_fit_is_named():
    later = INPUTS[20:24].assign(price="low")
    with pytest.raises(TypeError, match=r"'price' must hold real numbers, as it did .* 'low'"):
        FITTED.over(later, AHEAD, "the forecast")
