"""Backtests with exogenous inputs."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fixed

import gpforecast as gf
from gpforecast.backtesting.series import KnownSeries


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
    options = {"horizon": 8, "origins": 1000}
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


def test_forecasts_for_which_a_later_model_lacks_inputs_are_left_out_and_counted(monkeypatch):
    """The transforms of a later training may leave inputs to the model, which needs all of them."""
    y, exog = driven(pd.RangeIndex(120))
    options = {"exog": exog, "horizon": 4, "origins": 20, "refit": 20}
    fc = gf.Forecaster(1, model=fixed())
    whole = gf.backtest(fc, y, **options)

    def missing_later(known, fitted):
        return (np.arange(len(known.y)) == 110) & (len(fitted.history) > 80)

    monkeypatch.setattr(KnownSeries, "missing_inputs", missing_later)
    some = gf.backtest(fc, y, **options)
    kept = [not origin <= 110 < origin + 4 for origin in whole.origins.tolist()]
    assert 0 < sum(kept) < len(kept)
    np.testing.assert_array_equal(some.origins, whole.origins[kept])
    np.testing.assert_array_equal(some.mean, whole.mean[kept])
    n = len(kept) - sum(kept)
    assert any(note.startswith(f"{n} of 20 forecasts are left out") for note in some.notes)

    monkeypatch.setattr(KnownSeries, "missing_inputs", lambda *_: np.ones(120, bool))
    with pytest.raises(ValueError, match=r"each of the .* horizons of 4 steps has a missing input"):
        gf.backtest(fc, y, **options)
