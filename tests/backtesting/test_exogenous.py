"""Backtests with exogenous inputs."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fixed

import gpforecast as gf


def driven(index):
    rng = np.random.default_rng(0)
    u = rng.standard_normal(len(index))
    y = np.zeros(len(index))
    for t in range(1, len(y)):
        y[t] = 0.5 * y[t - 1] + np.tanh(u[t]) + 0.05 * rng.standard_normal()
    return pd.Series(y, index=index), pd.DataFrame({"u": u}, index=index)


def test_inputs_are_known_at_every_origin():
    y, exog = driven(pd.date_range("2024-01-01", periods=120, freq="h"))
    fc = gf.Forecaster(1, model=fixed())
    options = {"horizon": 8, "origins": 20, "refit": None}
    result = gf.backtest(fc, y, exog=exog, **options)
    blind = gf.backtest(fc, y, **options)
    assert result.scores["mae"].mean() < 0.5 * blind.scores["mae"].mean()
    as_array = gf.backtest(fc, y, exog=exog.to_numpy(), **options)
    np.testing.assert_allclose(as_array.mean, result.mean, rtol=1e-12)


def test_missing_inputs_are_asked_for():
    y, exog = driven(pd.RangeIndex(120))
    fc = gf.Forecaster(1, model=fixed()).fit(y.iloc[:60], exog.iloc[:60])
    with pytest.raises(ValueError, match=r"pass exog.*whole series"):
        gf.backtest(fc, y, horizon=8)


def test_origins_have_all_inputs_over_their_horizon():
    y, exog = driven(pd.RangeIndex(120))
    exog.iloc[100] = np.nan
    fc = gf.Forecaster(1, model=fixed(), transforms=None)
    result = gf.backtest(fc, y, 4, 1000, exog=exog)
    assert not set(range(97, 101)) & set(result.origins.tolist())
    exog.iloc[60::4] = np.nan
    with pytest.raises(ValueError, match=r"no origin is left.* must know its lags and inputs"):
        gf.backtest(fc, y, 4, exog=exog)
