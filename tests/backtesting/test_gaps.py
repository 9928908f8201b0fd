"""Backtests over missing values."""

import numpy as np
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf


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
