"""Forecasts through transforms from many origins, by time and by row."""

import numpy as np
import pandas as pd
import pytest
from transformed_cases import CHAINS, fixed, model_of, positive

import gpforecast as gf
from gpforecast.transforms import Deterministic, Difference, Log


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("method", ["exact", "naive"])
def test_many_origins_equal_one_at_a_time(chain, method):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    batch = fc.predict_from(y, [120, 60, 140], 7, propagation=method)
    for i, origin in enumerate((120, 60, 140)):
        one = fc.predict_from(y[:origin], [origin], 7, propagation=method)
        np.testing.assert_allclose(batch.mean[i], one.mean[0], rtol=1e-9)
        np.testing.assert_allclose(batch.covariance[i], one.covariance[0], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(batch.mean[0], fc.predict(7, propagation=method).mean, rtol=1e-9)


def test_a_stretch_of_the_series_is_forecast_at_its_own_time():
    index = pd.date_range("2020-01-01", periods=150, freq="D")
    y = positive(150, index=index)
    fc = gf.Forecaster(2, transforms=Deterministic(1, 2, 7, [("D", "W")]), model=fixed())
    fc.fit(y[:100])
    whole = fc.predict_from(y, [130], 5)
    late = fc.predict_from(y[90:], [40], 5)
    np.testing.assert_allclose(whole.mean, late.mean, rtol=1e-10)


def test_time_is_counted_over_a_stamp_that_the_clock_skips():
    wall = pd.date_range("2018-10-03", periods=60, freq="D")
    days = wall.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")
    y = positive(60, index=days)
    plain = y.set_axis(wall)
    for first in (0, 31, 32):  # the 32nd day has no midnight
        fc, same_days = (
            gf.Forecaster(2, transforms=Deterministic(1, 2, 7), model=fixed()).fit(s[first:])
            for s in (y, plain)
        )
        for begin in (first, first + 3):
            np.testing.assert_allclose(
                fc.predict_from(y[begin:], [10], 3).mean,
                same_days.predict_from(plain[begin:], [10], 3).mean,
            )


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_backtest_scores_what_predict_says(chain):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    result = gf.backtest(fc, y, horizon=5, origins=[120, 130])
    f = fc.predict(5)
    truth = y[120:125]
    np.testing.assert_allclose(result.mean[0], f.mean, rtol=1e-9)
    np.testing.assert_allclose(result.lower[95.0][0], f.interval(0.95)["lower"], rtol=1e-9)
    assert result.crps[0].mean() == pytest.approx(f.score(truth)["crps"], rel=1e-9)
    assert result.nlpd[0].mean() == pytest.approx(f.score(truth)["nlpd"], rel=1e-9)
    inside = (result.pit[0] > 0.025) & (result.pit[0] < 0.975)
    np.testing.assert_array_equal(inside, result.losses["coverage_95"][0] == 1)


@pytest.mark.parametrize("chain", [Log(), [Log(), Difference()]], ids=["log", "difference"])
def test_a_zero_after_an_origin_stops_no_forecast_from_it(chain):
    y = positive(150)
    y[[140, 60]] = 0.0, np.nan
    fc = model_of(chain).fit(y[:120])
    got = fc.predict_from(y, [100, 64, 140], 3)
    alone = fc.predict_from(y[:140], [100, 64, 140], 3)
    np.testing.assert_array_equal(got.mean, alone.mean)
    result = gf.backtest(fc, y, horizon=5, origins=[125, 138])
    assert np.isfinite(result.crps).all()
    assert np.isposinf(result.nlpd[1, 2])
    with pytest.raises(ValueError, match=r"series must be positive.*position 140"):
        fc.predict_from(y, [145], 3)


@pytest.mark.parametrize("noise", ["process", "measurement"])
def test_origins_with_two_inputs_are_those_of_a_forecast(noise):
    """With measurement noise a backtest had 2.3 times the error of the forecasts themselves."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=150)
    exog = pd.DataFrame({"a": rng.uniform(size=150), "b": rng.uniform(size=150)}, index=days)
    y = np.zeros(150)
    for t in range(1, 150):
        y[t] = 0.8 * y[t - 1] + exog["a"].iloc[t] - 2.0 * exog["b"].iloc[t]
    y = pd.Series(y + 0.3 * rng.standard_normal(150), index=days)
    options = {"transforms": None, "model": gf.models.LinearAR(), "noise": noise}
    fc = gf.Forecaster(lags=2, **options).fit(y[:120], exog=exog[:120])
    f, late = fc.predict(3, exog=exog), fc.predict_from(y, [120], 3, exog=exog)
    np.testing.assert_allclose(late.mean[0], f.mean, rtol=1e-6)
    np.testing.assert_allclose(late.std[0], f.std, rtol=1e-6)
