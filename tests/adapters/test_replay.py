import numpy as np
import pandas as pd
import pytest
from oracles import ar_forecast

import gpforecast as gf
from gpforecast.adapters.replay import steps_of

STEPS = np.arange(1, 7)


def at(forecaster, values, steps, exog=None):
    return steps_of(forecaster, pd.Series(values), steps, exog)


def ar_series(n=80, seed=0):
    rng = np.random.default_rng(seed)
    y = np.zeros(n)
    for t in range(3, n):
        y[t] = 2.0 + 0.5 * y[t - 1] - 0.4 * y[t - 3] + rng.normal()
    return y


def least_squares(y, lags, exog=None):
    """Coefficients of the lags, of exog at the same time, and the constant."""
    t = np.arange(max(lags), len(y))
    columns = [y[t - lag] for lag in lags] + ([] if exog is None else [exog[t]])
    return np.linalg.lstsq(np.column_stack([*columns, np.ones(len(t))]), y[t], rcond=None)[0]


@pytest.mark.parametrize("known", [20000, 15000, 3])
def test_steps_ahead_of_any_origin_are_those_of_the_autoregression(known):
    y = ar_series(20000)
    plain = {"transforms": None, "max_rows": None}
    fc = gf.Forecaster([1, 3], model=gf.models.LinearAR(), **plain).fit(y)
    a, b, constant = least_squares(y, [1, 3])
    got = at(fc, y[:known], STEPS)
    mean, covariance = ar_forecast(
        [a, b], [1, 3], y[:known], 6, constant=constant, noise_var=got.var[0]
    )
    np.testing.assert_allclose(got.mean, mean, rtol=1e-9)
    # The oracle knows the coefficients; from 20000 rows they are known to about 1 in 140.
    np.testing.assert_allclose(got.covariance, covariance, rtol=1e-3, atol=1e-3)
    residuals = y[3:] - a * y[2:-1] - b * y[:-3] - constant
    np.testing.assert_allclose(got.var[0], residuals.var(), rtol=1e-3)


def test_where_the_forecaster_stands_the_result_is_its_own():
    y = np.sin(np.arange(60) / 3) + 0.1 * np.random.default_rng(0).normal(size=60)
    fc = gf.Forecaster(5).fit(y)
    own, got = fc.predict(6), at(fc, y, STEPS)
    np.testing.assert_array_equal(got.mean, own.mean)
    np.testing.assert_array_equal(got.covariance, own.covariance)
    np.testing.assert_array_equal(got.quantile([0.1, 0.8]), own.quantile([0.1, 0.8]))
    np.testing.assert_array_equal(got.sample(5, seed=1), own.sample(5, seed=1))


def test_a_known_value_is_predicted_from_those_before_it():
    y = ar_series()
    fc = gf.Forecaster(4).fit(y[:-3])
    ahead = fc.predict(1)
    got = at(fc, y, np.array([-2]))
    np.testing.assert_allclose(got.mean[0], ahead.mean.iloc[0], rtol=1e-12)
    np.testing.assert_allclose(got.var[0], ahead.var.iloc[0], rtol=1e-10)
    np.testing.assert_allclose(got.quantile([0.3]), ahead.quantile([0.3]), rtol=1e-10)


def test_known_values_without_a_past_get_the_mean_and_variance_of_the_series():
    y = ar_series()
    fc = gf.Forecaster(4).fit(y)
    got = at(fc, y, np.array([-79, -76, -75]))
    np.testing.assert_allclose(got.mean[:2], y.mean())
    np.testing.assert_allclose(got.var[:2], y.var())
    assert got.mean[2] != got.mean[1]


def test_exogenous_inputs_follow_the_origin():
    rng = np.random.default_rng(1)
    x = rng.normal(size=70)
    y = np.zeros(70)
    for t in range(1, 70):
        y[t] = 0.6 * y[t - 1] + 2 * x[t] + 0.1 * rng.normal()
    exog = pd.DataFrame({"x": x})
    fc = gf.Forecaster([1], exog_lags=[0], model=gf.models.LinearAR())
    fc.fit(y[:60], exog.iloc[:60])
    a, b, constant = least_squares(y[:60], [1], x[:60])
    for known in (60, 40):
        truth = []
        last = y[known - 1]
        for t in range(known, known + 3):
            last = a * last + b * x[t] + constant
            truth.append(last)
        got = at(fc, y[:known], np.arange(1, 4), exog.iloc[: known + 3])
        np.testing.assert_allclose(got.mean, truth, rtol=1e-9)
    got = at(fc, y[:60], np.array([-9]), exog.iloc[:60])
    np.testing.assert_allclose(got.mean[0], a * y[49] + b * x[50] + constant, rtol=1e-9)


def test_a_step_before_the_first_value_is_refused():
    fc = gf.Forecaster(4).fit(ar_series())
    with pytest.raises(ValueError, match=r"the first of 80 known values is step -79; got -80"):
        at(fc, ar_series(), np.array([-80]))


def test_steps_of_a_warped_series_keep_the_warp():
    y = np.exp(0.3 * np.random.default_rng(0).normal(size=70) + np.sin(np.arange(70) / 3))
    options = {"transforms": gf.transforms.Log(), "lags": 3}
    fc = gf.Forecaster(**options).fit(y)
    shorter = gf.Forecaster(**options).fit(y[:60])
    own = fc.predict(1)
    moved = steps_of(fc, pd.Series(np.append(y, 1.0)), np.array([0, -70]))
    levels = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(moved.quantile(levels)[0], own.quantile(levels).iloc[0], rtol=1e-9)
    np.testing.assert_allclose(moved.mean[0], own.mean.iloc[0], rtol=1e-9)
    assert (moved.quantile(levels) > 0).all()
    ahead = steps_of(shorter, pd.Series(y), np.array([1, 2]))
    assert not ahead.is_gaussian
    assert (ahead.quantile([1e-6]) > 0).all()
