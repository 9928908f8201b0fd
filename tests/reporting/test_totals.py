"""Totals are given where a sum over time means something."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.reporting.totals import have_totals

WHOLE = pd.Series(np.arange(20.0))


@pytest.mark.parametrize(
    ("names", "units", "counts", "cents"),
    [
        (("visitors",), None, True, True),
        (("y", "net_revenue"), None, True, True),
        (("overload alarms", None), "", True, False),
        (("y",), "pieces a month", True, False),
        (("y",), "€", True, True),
        (("Umsatz €",), None, True, True),
        (("price",), "€", False, False),
        (("stock price",), None, False, False),
        (("heartRate",), None, False, False),
        (("value", "average sales"), None, False, False),
        (("y",), "km/h", False, False),
        (("y",), "visits per head", False, False),
    ],
)
def test_names_and_units_say_which_values_have_a_total(names, units, counts, cents):
    assert have_totals(WHOLE, *names, units=units) == counts
    assert have_totals(WHOLE + 0.25, *names, units=units) == cents


def test_negative_values_have_no_total_and_missing_ones_do():
    assert not have_totals(WHOLE - 3, "sales")
    assert have_totals(WHOLE.where(WHOLE != 3), "sales")


def test_no_total_counts_times_at_which_there_never_is_a_value():
    hours = pd.date_range("2024-01-01", periods=24 * 10, freq="h")
    calls = pd.Series(np.where(hours.hour < 8, np.nan, 5.0), hours)
    assert have_totals(calls.fillna(0.0), "calls")
    assert not have_totals(calls, "calls")
