"""Forecasts through transforms against closed forms, another library and known series."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.transforms import Deterministic, Difference, SeasonalDifference


def test_random_walk_with_drift_has_its_exact_mean_and_variance():
    # y(t+h) ~ N(y(t) + h drift, h s^2); the differences' mean and spread are estimated.
    y = 3 + 0.4 * np.arange(200) + np.cumsum(np.random.default_rng(0).standard_normal(200))
    fc = gf.Forecaster([1], transforms=Difference(), model=LinearAR()).fit(y)
    posterior = fc.model_.posterior_
    drift, s = np.diff(y).mean(), np.diff(y).std()
    f = fc.predict(30)
    # An autoregression of order 1 in the differences, ARIMA(1, 1, 0), iterated by hand.
    phi, c = float(posterior.linear[0]), float(posterior.constant)
    z, level, var_of = (np.diff(y)[-1] - drift) / s, y[-1], []
    expected = []
    for h in range(1, 31):
        z = c + phi * z
        level = level + drift + s * z
        expected.append(level)
        # psi weights of the integrated process: sums of phi^j
        psi = np.array([(1 - phi ** (j + 1)) / (1 - phi) for j in range(h)])
        var_of.append((psi**2).sum() * s**2 * posterior.noise_var)
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9)
    # With 198 rows the uncertainty of the weights adds about 2 / 198 at each step.
    assert (f.var.to_numpy() > np.array(var_of)).all()
    np.testing.assert_allclose(f.var[:5], var_of[:5], rtol=0.08)


@pytest.mark.parametrize("seed", range(3))
def test_statsmodels_arima_agrees(seed):
    from statsmodels.tsa.arima.model import ARIMA

    rng = np.random.default_rng(seed)
    z = np.zeros(3000)
    for t in range(1, 3000):
        z[t] = 0.6 * z[t - 1] + rng.standard_normal()
    y = np.cumsum(z)
    f = gf.Forecaster([1], transforms=Difference(), model=LinearAR(), max_rows=None).fit(y)
    f = f.predict(20)
    theirs = ARIMA(y, order=(1, 1, 0)).fit().get_forecast(20)
    spread = np.sqrt(theirs.var_pred_mean)
    # They leave the drift out; ours is estimated, to 1 / sqrt(3000) of 2.5 a step.
    assert (np.abs(f.mean - theirs.predicted_mean) < 0.15 * np.arange(1, 21)).all()
    np.testing.assert_allclose(f.std, spread, rtol=0.03)


def test_interval_of_a_random_walk_holds_at_step_50():
    inside = []
    for seed in range(40):
        y = np.cumsum(np.random.default_rng(seed).standard_normal(350))
        fc = gf.Forecaster(2, transforms=Difference(), model=LinearAR()).fit(y[:300])
        low, high = fc.predict(50).interval(0.95).iloc[-1]
        inside.append(low < y[349] < high)
    assert sum(inside) >= 34  # 38 expected; 34 or fewer has a probability of 5 %


@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize(
    "chain",
    [
        Deterministic(1),
        Difference(),
        [SeasonalDifference(6), Difference()],
        [Deterministic(1), Difference()],
    ],
    ids=str,
)
def test_a_line_that_transforms_leave_nothing_of_is_no_surer_than_a_constant(chain, slope):
    y = 5.1 + slope * np.arange(40)
    f = gf.Forecaster(2, transforms=chain).fit(y).predict(3)
    constant = gf.Forecaster(2, transforms=None).fit(np.full(40, 5.1)).predict(1)
    np.testing.assert_allclose(f.mean, 5.1 + slope * np.arange(40, 43), rtol=1e-9)
    # What is left has no scale, and is given that of the series or of its steps.
    assert f.std.min() > (0.3 / 5.1 if slope else 1) * 0.2 * constant.std.iloc[0]
    assert f.std.iloc[0] < 10 * (1 + slope * 8) * constant.std.iloc[0]


def test_exogenous_inputs_go_with_differences():
    rng = np.random.default_rng(0)
    u = rng.standard_normal(200)
    y = np.cumsum(np.tanh(u) + 0.05 * rng.standard_normal(200))
    fc = gf.Forecaster(1, transforms=Difference()).fit(y[:180], u[:180])
    f = fc.predict(20, exog=u[180:])
    assert f.score(y[180:])["mae"] < 0.3
    assert f.score(y[180:])["coverage_95"] >= 0.8


AIR = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic" / "AirPassengers.csv"


@pytest.mark.skipif(not AIR.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("dated", [True, False])
def test_default_forecast_of_the_airline_passengers_errs_by_five_per_cent(dated):
    y = pd.read_csv(AIR).iloc[:, 0]
    if dated:
        y.index = pd.date_range("1949-01", periods=len(y), freq="MS")
    truth = y.iloc[-24:]
    f = gf.Forecaster().fit(y.iloc[:-24]).predict(24)
    assert ((f.median - truth) / truth).abs().mean() <= 0.05
    assert f.score(truth)["coverage_95"] >= 0.9
