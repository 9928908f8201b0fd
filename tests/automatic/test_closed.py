"""Times without values and days off, in series that are closed at night."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic.cleaned import cleaned
from gpforecast.automatic.closed import closed_times, days_off
from gpforecast.series.time_axis import TimeAxis


def visits(rate=9.0, n_days=56, seed=0, zone=None):
    """Counts from 8 to 20 every day."""
    hours = pd.date_range("2024-01-01", periods=24 * n_days, freq="h", tz=zone)
    often = rate * ((hours.hour >= 8) & (hours.hour < 20))
    return pd.Series(np.random.default_rng(seed).poisson(often).astype(float), hours)


def off_in(y):
    closed = closed_times(y.to_numpy(), TimeAxis(y.index))
    return days_off(y.to_numpy(), closed, y.index)


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_days_on_which_nothing_came_are_off_and_count_as_missing(zone):
    y = visits(zone=zone)
    holiday = y.index.normalize().isin(y.index[[24 * 9, 24 * 40]].normalize())
    usual = y[~holiday & (y.index.hour == 12)].mean()
    y[holiday] = 0.0
    places, expected = off_in(y)
    noon = y.index.hour[places] == 12
    assert set(places[noon]) == set(np.flatnonzero(holiday & (y.index.hour == 12)))
    assert len(places) == 2 * 14  # an hour beside those with visits is not closed
    np.testing.assert_allclose(expected[noon].mean(), usual, rtol=0.2)
    assert set(places) <= set(cleaned(y).outliers.value)


def test_days_off_that_are_no_exception_are_kept():
    y = visits()
    y[np.isin(np.arange(len(y)) // 24, np.random.default_rng(0).choice(56, 12))] = 0.0
    assert len(off_in(y)[0]) == 0
