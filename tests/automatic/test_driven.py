"""Lags of driven processes: chosen by trials beside the inputs, not by the series alone."""

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.driven import lags_with_inputs
from gpforecast.series.exogenous import Exogenous


def exchanger(n=520, dead=10):
    """A temperature that follows its valve after a dead time and through two stores of heat."""
    rng = np.random.default_rng(0)
    u = rng.uniform(-1.0, 1.0, n).repeat(rng.integers(5, 40, n))[:n]
    x, y = np.zeros((2, n))
    for t in range(1, n):
        x[t] = 0.85 * x[t - 1] + 0.45 * (u[t - 1 - dead] if t > dead else 0.0)
        y[t] = 0.9 * y[t - 1] + 0.1 * x[t] + 0.01 * rng.standard_normal()
    return pd.Series(60.0 + 4.0 * y), pd.DataFrame({"valve": u})


def test_a_process_with_a_dead_time_is_forecast_by_inputs_beyond_it():
    """By the lags of the series alone and inputs up to 8 the error was that of its mean."""
    y, u = exchanger()
    fc = gf.Forecaster().fit(y[:480], exog=u[:480])
    assert fc.lags_ == tuple(range(1, 9))
    assert max(lag for _, lag in fc.fitted_.inputs.exog) == 20
    why = fc.fitted_.lags_reason
    assert why.startswith("lags 1 to 8: the error of trials is ")
    assert "which the series alone suggests, and inputs at lag 0 (CRPS " in why
    (note,) = [n for n in fc.notes_ if "lags 0 to 20" in n]
    assert note.startswith("inputs count up to 20 steps before the value")
    score = fc.predict(40, exog=u[480:]).score(y[480:])
    assert score["mae"] < 0.06 * y.std()
    assert score["coverage_95"] > 0.8


def test_lags_that_a_user_names_stay():
    y, u = exchanger()
    own, inputs = lags_with_inputs(y, Exogenous.fit(u, y.index), Decision((1, 2)), given=True)
    assert own.value == (1, 2)
    assert max(inputs.value) == 20
    assert all(name.startswith("lags 1 and 2 ") for name in inputs.scores)


def test_an_input_that_acts_at_once_keeps_the_lags_of_the_series():
    rng = np.random.default_rng(0)
    u, y = rng.standard_normal(300), np.zeros(300)
    for t in range(1, 300):
        y[t] = 0.7 * y[t - 1] + u[t] + 0.3 * rng.standard_normal()
    fc = gf.Forecaster().fit(y, exog=u)
    assert {lag for _, lag in fc.fitted_.inputs.exog} == {0}
    assert "inputs" not in fc.fitted_.lags_reason


def test_a_series_of_zeros_divides_nothing_by_zero():
    """Warnings are errors here: there were five of an invalid value."""
    u = pd.DataFrame({"u": np.random.default_rng(0).standard_normal(80)})
    kept, found = lags_with_inputs(
        pd.Series(np.zeros(80)), Exogenous.fit(u, u.index), Decision((1,))
    )
    assert kept.value == (1,)
    assert found.value is None
