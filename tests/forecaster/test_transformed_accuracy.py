"""Forecasts through transforms against closed forms, another library and known series."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.transforms import Difference


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


def test_statsmodels_arima_agrees():
    from statsmodels.tsa.arima.model import ARIMA

    y = np.cumsum(autoregression(3000, 0.6))
    f = gf.Forecaster([1], transforms=Difference(), model=LinearAR(), max_rows=None).fit(y)
    f = f.predict(20)
    theirs = ARIMA(y, order=(1, 1, 0)).fit().get_forecast(20)
    spread = np.sqrt(theirs.var_pred_mean)
    # They leave the drift out; ours is estimated, to 1 / sqrt(3000) of 2.5 a step.
    assert (np.abs(f.mean - theirs.predicted_mean) < 0.15 * np.arange(1, 21)).all()
    np.testing.assert_allclose(f.std, spread, rtol=0.03)


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
def test_default_forecast_of_the_airline_passengers_errs_by_six_per_cent(dated):
    y = pd.read_csv(AIR).iloc[:, 0]
    if dated:
        y.index = pd.date_range("1949-01", periods=len(y), freq="MS")
    truth = y.iloc[-24:]
    f = gf.Forecaster().fit(y.iloc[:-24]).predict(24)
    assert ((f.median - truth) / truth).abs().mean() <= 0.06
    assert f.score(truth)["coverage_95"] >= 0.9
