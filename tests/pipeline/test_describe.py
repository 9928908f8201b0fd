"""What the summary of a fitted forecaster says: times, transforms in words, numbers with units."""

import numpy as np
import pandas as pd
import pytest
from series_cases import noise

import gpforecast as gf


def on(values, freq):
    return pd.Series(values, pd.date_range("2020-01-01", periods=len(values), freq=freq))


@pytest.mark.parametrize(
    ("freq", "said"),
    [
        ("h", "40 hourly values, 2020-01-01 00:00 to 2020-01-02 15:00"),
        ("15min", "40 values, one every 15min, 2020-01-01 00:00 to 2020-01-01 09:45"),
        ("QE", "40 quarterly values, 2020Q1 to 2029Q4"),
    ],
)
def test_times_are_said_with_a_clock_only_where_there_is_one(freq, said):
    fc = gf.Forecaster(2, transforms=None, combine=None).fit(on(noise(40), freq))
    assert fc.summary().splitlines()[0] == f"series: {said}"


@pytest.mark.parametrize(("n", "period", "freq"), [(740, 365.25, "D"), (240, 12, "MS")])
def test_errors_of_trials_are_in_the_units_of_the_series(n, period, freq):
    y = 1000 + 300 * np.cos(2 * np.pi * np.arange(n) / period) + 40 * noise(n)
    crps = gf.Forecaster().fit(on(y, freq)).candidates_["crps"]
    assert 15 < crps.min() < 30  # of noise with standard deviation 40, it is 40 / sqrt(pi)


def test_a_constant_has_reasons_of_a_constant():
    text = " ".join(gf.Forecaster().fit(np.full(30, 7.0)).summary().split())
    assert "the series is constant" in text
    assert "(process noise): there is nothing to tell apart in a constant" in text


def test_inputs_are_named_with_their_lags():
    rng = np.random.default_rng(0)
    u = pd.DataFrame({"valve": rng.standard_normal(80), "door": rng.standard_normal(80)})
    y = 0.5 * u["valve"].shift(2).fillna(0.0) + u["door"]
    few = {"lags": 1, "transforms": None, "model": gf.models.LinearAR(), "combine": None}
    fc = gf.Forecaster(exog_lags={"valve": [0, 2], "door": [0]}, **few).fit(y, exog=u)
    said = " ".join(fc.summary().split())
    assert "Inputs: valve (lags 0 and 2), door." in said
    assert "lags of valve 0, 2 lags of door 0 model" in said
