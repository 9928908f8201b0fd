"""Inputs that act later than at once are named with their lag, and ones that do not seldom are."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.pipeline.later_inputs import found_in

MORE = "exog_lags=range(25)"


@pytest.mark.parametrize("lag", [1, 5, 24])
@pytest.mark.parametrize("kind", ["noise", "walk", "rare events"])
def test_the_lag_of_a_late_effect_is_found_in_correlated_noise(lag, kind):
    rng, n = np.random.default_rng(lag), 400
    u = {
        "noise": rng.standard_normal(n),
        "walk": np.cumsum(rng.standard_normal(n)),
        "rare events": 4.0 * (rng.random(n) < 0.1),
    }[kind]
    z = lfilter([1.0], [1.0, -0.7], rng.standard_normal(n)) + 0.8 * np.roll(u, lag)
    z[[50, 120]] = np.nan
    (found,) = found_in(z, u[:, None])
    assert found.lag == lag
    assert 0.0 < found.correlation < 1.0


def test_columns_that_do_not_act_are_seldom_named():
    """With two columns of 24 lags, in 1 % of series: of 200, more than 8 have p = 0.0002."""
    rng, n_named = np.random.default_rng(0), 0
    for _ in range(200):
        z = lfilter([1.0], [1.0, -0.8], rng.standard_t(5, 250))
        walk, events = np.cumsum(rng.standard_normal(250)), rng.random(250) < 0.05
        n_named += any(found_in(z, np.column_stack([walk, events])))
    assert n_named <= 8


def test_too_short_still_and_missing_columns_are_not_named():
    rng = np.random.default_rng(0)
    z, still = rng.standard_normal(100), np.ones(100)
    assert found_in(z[:40], np.roll(z[:40], -1)[:, None]) == [None]
    assert found_in(z, np.column_stack([still, np.full(100, np.nan)])) == [None, None]
    assert found_in(np.zeros(100), z[:, None]) == [None]


def seasonal(n=240, seed=0):
    t = np.arange(n)
    noise = np.random.default_rng(seed).standard_normal(n)
    y = 50.0 + 10.0 * np.sin(2 * np.pi * t / 12) + 0.5 * noise
    return pd.Series(y, pd.date_range("2000-01-01", periods=n, freq="MS"))


def test_a_note_names_the_lag_and_the_argument_where_an_input_acts_later():
    y, rng = seasonal(), np.random.default_rng(1)
    u = pd.DataFrame({"power": rng.random(240) < 0.2}, y.index).astype(float)
    y = y + 1.5 * u["power"].shift(2, fill_value=0.0)
    fc = gf.Forecaster().fit(y, exog=u)
    (note,) = (note for note in fc.notes_ if "exog_lags" in note)
    assert "power 2 steps before (correlation 0." in note
    assert MORE in note
    asked = gf.Forecaster(exog_lags=[0, 2]).fit(y, exog=u)
    assert not any("act later" in note for note in asked.notes_)


def test_a_note_asks_whether_a_column_without_effect_acts_later():
    y = seasonal()
    u = pd.DataFrame({"power": np.random.default_rng(2).standard_normal(240)}, y.index)
    notes = gf.Forecaster().fit(y, exog=u).notes_
    assert any(
        f"if power acts later than at the time of the value, pass {MORE}" in n for n in notes
    )


def test_few_lags_are_suggested_where_values_are_few():
    y = seasonal(60)
    u = pd.DataFrame({"power": np.random.default_rng(2).standard_normal(60)}, y.index)
    notes = gf.Forecaster(combine=None).fit(y, exog=u).notes_
    assert any("if power acts later" in n and "pass exog_lags=range(4)" in n for n in notes)
