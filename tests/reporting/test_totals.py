"""Totals are given where a sum over time means something."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.reporting.totals import have_totals

WHOLE = pd.Series(np.arange(20.0))


@pytest.mark.parametrize(
    "name",
    [
        "temperature",
        "stock price",
        "heart rate bpm",
        "load_mw",
        "heartRate",
        "CPI index",
        "wind speed",
    ],
)
def test_names_of_what_is_no_amount_have_no_total(name):
    assert not have_totals(WHOLE, name)
    assert not have_totals(WHOLE, "value", name)  # the title of the page


@pytest.mark.parametrize(
    "units", ["km/h", "degrees F", "euros a litre", "%", "°C", "percent", "visits per head", "hPa"]
)
def test_units_of_what_is_no_amount_have_no_total(units):
    assert not have_totals(WHOLE, "y", units=units)


@pytest.mark.parametrize(
    "names",
    [("visitors", None), ("downloads", None), ("y", "thousand passengers"), ("sales", "euros"),
     ("units", "pieces a month"), (None, None), ("overload alarms", "")],
)  # fmt: skip
def test_counts_of_other_names_have_one(names):
    assert have_totals(WHOLE, *names)


def test_values_that_are_no_counts_have_none():
    assert not have_totals(WHOLE + 0.5, "y")
    assert not have_totals(WHOLE + 0.5, "salesman")
    assert not have_totals(WHOLE - 3, "sales")
    assert have_totals(WHOLE.where(WHOLE != 3), "sales")


@pytest.mark.parametrize(
    "name",
    ["Sales", "net_revenue", "units sold", "siteVisits", "Umsatz (netto)", "Umsätze", "ventes",
     "Chiffre d'affaires", "Pedidos", "Facturación"],
)  # fmt: skip
def test_amounts_with_cents_have_one_by_their_names(name):
    cents = WHOLE + 0.25
    assert have_totals(cents, name)
    assert have_totals(cents, "y", name)
    assert not have_totals(cents - 3, name)
    assert not have_totals(cents, name, "price")


@pytest.mark.parametrize("name", ["log_sales", "sales growth", "average sales", "sales per head"])
def test_what_is_made_of_amounts_is_none(name):
    assert not have_totals(WHOLE + 0.25, name)


@pytest.mark.parametrize("units", ["EUR", "thousand euros", "k€", "US$", "CHF"])
def test_money_has_one_by_its_units_whatever_its_sign(units):
    cents = WHOLE - 3.25
    assert have_totals(cents, "MRR", units=units)
    assert not have_totals(cents, "share price", units=units)
    assert not have_totals(cents, "MRR")


def test_no_total_counts_times_at_which_there_never_is_a_value():
    hours = pd.date_range("2024-01-01", periods=24 * 10, freq="h")
    calls = pd.Series(np.where(hours.hour < 8, np.nan, 5.0), hours)
    assert have_totals(calls.fillna(0.0), "calls")
    assert not have_totals(calls, "calls")
