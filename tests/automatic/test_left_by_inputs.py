"""Outliers of driven processes: found beside the inputs, and never what an input explains."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.outliers import find_unusual
from gpforecast.series.exogenous import Exogenous


def found(y, u):
    y = pd.Series(y)
    return cleaned_beside(y, Exogenous.fit(np.asarray(u), y.index)).outliers.value


def driven(u, rng, through=lambda v: v):
    y = np.zeros(len(u))
    for t in range(1, len(u)):
        y[t] = 0.7 * y[t - 1] + through(u[t - 1]) + 0.2 * rng.standard_normal()
    return y


def steps(rng, n):
    return np.repeat(rng.standard_normal(n // 25 + 1), 25)[:n]


def pulses(rng, n):
    u = np.zeros(n)
    u[10 + rng.choice(n - 20, 6, replace=False)] = 5.0
    return u


@pytest.mark.parametrize(("draw", "through"), [(steps, lambda v: np.exp(1.5 * v)), (pulses, abs)])
def test_what_an_input_explains_is_no_outlier_and_a_gross_one_is_found(draw, through):
    alone, n_hit = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        u = draw(rng, 600)
        y = driven(u, rng, through)
        alone += len(find_unusual(y, None).outliers) > 0
        assert found(y, u) == ()
        y[300] += 20.0 * y.std()
        hit = found(y, u)
        n_hit += 300 in hit and len(hit) <= 3
    assert alone > 0  # a search that knows no inputs calls their effects outliers
    assert n_hit >= 5


def test_outlier_where_inputs_drive_the_model_is_said_and_does_not_widen_the_intervals():
    rng, n = np.random.default_rng(0), 600
    hours = pd.date_range("2025-01-06", periods=n, freq="h")
    power = np.clip(rng.normal(1.0, 0.5, n), 0.0, None)
    y = pd.Series(20.0 + driven(power - 1.0, rng, np.sin), hours)
    y.iloc[350] = 85.0
    exog = pd.DataFrame({"power": power}, hours)
    fc = gf.Forecaster(exog_lags=[1]).fit(y[:576], exog=exog[:576])
    assert fc.fitted_.exog.in_model
    assert fc.fitted_.set_aside == (350,)
    (note,) = (note for note in fc.notes_ if "outlier" in note)
    assert "(85 where about 19.85 was" in note
    assert np.diff(fc.predict(24, exog=exog[576:]).interval(0.95).to_numpy()).max() < 2.0
    kept = gf.Forecaster(exog_lags=[1], outliers=None).fit(y[:576], exog=exog[:576])
    assert kept.fitted_.set_aside == ()
