"""Backtests over missing values and outliers, and with exogenous inputs."""

import copy

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf

# Backtests over missing values


def holed(n=120):
    y = wave(n)
    y.iloc[[20, 21, 50, 77, 78, 90, 110]] = np.nan
    return y


@pytest.mark.parametrize("transforms", [None, gf.transforms.Difference()])
def test_missing_truths_have_no_score_and_origins_may_follow_gaps(transforms):
    y = holed()
    fc = gf.Forecaster(3, model=fixed(), transforms=transforms)
    result = gf.backtest(fc, y, horizon=6, origins=[70, 79, 91, 100], refit=None)
    known = result.origins[:, None] + np.arange(6)
    np.testing.assert_array_equal(np.isnan(result.truth), y.isna().to_numpy()[known])
    for name, loss in result.losses.items():
        np.testing.assert_array_equal(np.isnan(loss), np.isnan(result.truth))
        at_step = [loss[~np.isnan(loss[:, k]), k].mean() for k in range(6)]
        np.testing.assert_allclose(result.scores[name], at_step, rtol=1e-12)
    assert np.isfinite(result.mean).all()
    fc = gf.Forecaster(3, model=fixed(), transforms=transforms).fit(y.iloc[:60])
    one = fc.predict_from(y.iloc[:79], [79], 6)
    np.testing.assert_allclose(result.mean[1], one.mean[0], rtol=1e-9)


def test_a_step_whose_truth_is_always_missing_has_no_score():
    y = wave(100)
    y.iloc[[72, 82]] = np.nan
    result = gf.backtest(fitted(60), y, horizon=4, origins=[70, 80])
    assert result.scores["mae"].isna().tolist() == [False, False, True, False]
    assert result.standard_errors["mae"].isna().tolist() == [False, False, True, False]
    assert result.summary()["average"].notna().all()


# Outliers between trainings: missing to later forecasts, as after an update, and judged


QUICK = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}


def spiked(n=300):
    y = 100 + 8 * np.random.default_rng(0).standard_normal(n)
    y = pd.Series(y, pd.date_range("2025-01-01", periods=n))
    y.iloc[[60, 220]] = 9999.0
    return y


ORIGINS = [200, 218, 221, 222, 240, 280]


@pytest.mark.parametrize("refit", [None, 200])
def test_outliers_after_the_training_are_missing_to_forecasts_as_after_an_update(refit):
    y = spiked()
    result = gf.backtest(gf.Forecaster(**QUICK), y, 5, ORIGINS, refit=refit)
    fitted = gf.Forecaster(**QUICK).fit(y[:150])
    for row, origin in enumerate(ORIGINS):
        live = copy.deepcopy(fitted).update(y[150:origin])
        assert (220 in live.fitted_.set_aside) == (origin > 220)
        assert result.set_aside[row] == live.fitted_.set_aside
        # It has learned from more values than the model of the backtest.
        np.testing.assert_allclose(result.mean[row], live.predict(5).mean, atol=3.0)
    assert result.mean.max() < 130.0
    kept = gf.backtest(gf.Forecaster(outliers=None, **QUICK), y, 5, ORIGINS, refit=None)
    assert set(kept.set_aside) == {()}


def test_simple_forecasts_do_not_know_outliers_either():
    y = spiked()
    result = gf.backtest(gf.Forecaster(**QUICK), y, 5, ORIGINS, refit=None)
    for simple in result.baselines.values():
        assert np.nanmax(simple.mean) < 150.0
        np.testing.assert_array_equal(simple.truth, result.truth)


# Backtests with exogenous inputs


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
