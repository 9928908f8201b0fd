"""Outliers between trainings: missing to later forecasts, as after an update, and judged."""

import copy

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

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
