"""Inputs of a later call: more rows than are needed, none, and text for numbers."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.series import TimeAxis
from gpforecast.series.exogenous import Exogenous

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
