"""Forecasters of series that were measured with noise."""

import numpy as np
import pandas as pd
import pytest
from series_cases import autoregression

import gpforecast as gf
from gpforecast import Forecaster

NOISE = 1e-3


@pytest.fixture(scope="module")
def series():
    return gf.datasets.mackey_glass(800, normalise=True, noise_var=NOISE, seed=2)


@pytest.fixture(scope="module")
def fitted(series):
    return Forecaster(lags=16, noise="measurement").fit(series.iloc[:200])


@pytest.fixture(scope="module")
def small(series):
    """Eighty values and four lags: quick to fit, for what does not depend on how good it is."""
    return series.iloc[:80]


def test_a_chaotic_series_measured_with_noise_is_forecast_better_and_honestly(series, fitted):
    plain = Forecaster(lags=16, noise="process").fit(series.iloc[:200])
    scores = [gf.backtest(fc, series, 60, 25, seed=0).scores.mean() for fc in (fitted, plain)]
    assert scores[0]["crps"] < 0.6 * scores[1]["crps"]
    assert 0.93 <= scores[0]["coverage_95"] <= 0.98
    found = fitted.transforms_.unit * fitted.fitted_.measurement.variance**0.5
    assert found == pytest.approx(NOISE**0.5, rel=0.15)


def test_smoothing_takes_the_noise_away(fitted):
    clean = gf.datasets.mackey_glass(800, normalise=True).iloc[:200]
    smooth, measured = fitted.smooth(), fitted.history_
    assert smooth.index.equals(measured.index)
    error = smooth["mean"] - clean
    assert error.std() < 0.6 * (measured - clean).std()
    assert 0.85 < np.mean(np.abs(error) < 1.96 * smooth["std"]) <= 1.0


def test_an_observation_has_measurement_noise_and_the_latent_value_has_not(fitted):
    forecast = fitted.predict(5)
    unit, fit = fitted.transforms_.unit, fitted.fitted_
    both = unit**2 * (fit.measurement.variance + fit.model.noise_var_)
    latent = np.asarray(forecast.distribution.latent_var)
    np.testing.assert_allclose(np.diag(forecast.covariance) - latent, both, rtol=1e-9)


def test_an_update_conditions_on_noisy_values(series):
    fc = Forecaster(lags=16, noise="measurement").fit(series.iloc[:150])
    noise, before = fc.model_.noise_var_, fc.fitted_.measurement
    fc.update(series.iloc[150:160])
    assert (fc.model_.noise_var_, fc.fitted_.measurement) == (noise, before)
    assert fc.n_rows_ == 144
    assert len(fc.smooth()) == 160
    off = fc.predict(1).mean.iloc[0] - series.iloc[160]
    assert abs(off) < 0.3


def test_a_saved_forecaster_forecasts_the_same(small, fitted, tmp_path):
    noise = pd.Series(np.linspace(1e-3, 2e-3, 80), index=small.index)
    for fc in (fitted, Forecaster(lags=4, noise=noise).fit(small)):
        fc.save(tmp_path / "model.gpf")
        again = gf.load(tmp_path / "model.gpf")
        np.testing.assert_array_equal(fc.predict(5).covariance, again.predict(5).covariance)
        pd.testing.assert_frame_equal(fc.smooth(), again.smooth())


def test_known_variances_may_be_one_or_one_a_value(small):
    one = Forecaster(lags=4, noise=2e-3).fit(small)
    other = Forecaster(lags=4, noise=pd.Series(2e-3, index=small.index)).fit(small)
    np.testing.assert_allclose(one.predict(5).mean, other.predict(5).mean, rtol=1e-9)
    assert "as given" in one.summary()
    assert one.transforms_.unit**2 * one.fitted_.measurement.variance == pytest.approx(2e-3)


def test_gaps_and_inputs_go_along(small):
    holes, u = small.copy(), pd.Series(np.cos(np.arange(90)), index=range(90), name="u")
    holes.iloc[[20, 21, 78]] = np.nan
    fc = Forecaster(lags=4, noise="measurement", transforms=None).fit(holes, exog=u.iloc[:80])
    assert np.isfinite(fc.predict(5, exog=u.iloc[80:85]).std).all()
    smooth, filled = fc.smooth(), fc.fill_missing()
    assert smooth["std"].iloc[20] > 1.2 * smooth["std"].iloc[19]
    noise = fc.transforms_.unit**2 * fc.fitted_.measurement.variance
    np.testing.assert_allclose(filled["std"].iloc[20] ** 2 - smooth["std"].iloc[20] ** 2, noise)
    assert (filled["std"].iloc[:20] == 0.0).all()
    in_sample = fc.predict_in_sample()
    assert np.isfinite(in_sample["std"]).all()


def test_a_logarithm_is_undone(small):
    positive = np.exp(0.3 * small)
    fc = Forecaster(lags=4, noise="measurement", transforms=gf.transforms.Log()).fit(positive)
    smooth = fc.smooth()
    assert (smooth["mean"] > 0.0).all()
    of_log = fc.transforms_.unit * fc.fitted_.measurement.variance**0.5
    assert (smooth["std"] < of_log * smooth["mean"] * 1.05).all()
    known = Forecaster(lags=4, noise=1e-4, transforms=gf.transforms.Log()).fit(positive)
    expected = np.mean(1e-4 / positive**2) / known.transforms_.unit**2
    assert known.fitted_.measurement.variance == pytest.approx(expected)


def test_auto_leaves_an_autoregression_alone():
    y = autoregression(300, 1.5, -0.75)
    fc, plain = Forecaster(lags=4, noise="auto").fit(y), Forecaster(lags=4).fit(y)
    assert fc.fitted_.measurement is None
    assert "process noise" in fc.summary()
    np.testing.assert_array_equal(fc.predict(5).covariance, plain.predict(5).covariance)


def test_auto_finds_measurement_noise_and_says_why(series):
    fc = Forecaster(lags=16, noise="auto").fit(series.iloc[:200])
    assert fc.fitted_.measurement is not None
    said = " ".join(fc.summary().split())
    assert "part of the noise only blurs the measurements (measurement noise)" in said


REFUSED = [
    ("sensor", {}, "noise must be"),
    (-1.0, {}, "not negative"),
    ([1.0, -1.0], {}, "not negative"),
    ([1.0, 2.0], {}, "one for each of the 80 values"),
    (pd.Series([1.0, 2.0]), {}, "noise has 78 missing"),
    ("measurement", {"transforms": "difference"}, "differencing hides.*without a difference"),
    ("measurement", {"model": gf.models.NearestNeighbours()}, "NearestNeighbours cannot tell"),
]


@pytest.mark.parametrize(("noise", "options", "message"), REFUSED)
def test_noise_that_makes_no_sense_or_cannot_be_told_apart_is_refused(
    noise, options, message, small
):
    with pytest.raises(ValueError, match=message):
        Forecaster(4, noise=noise, **options).fit(small)


def test_the_default_model_of_a_short_series_tells_measurement_noise_where_it_is_wanted():
    y = (np.random.default_rng(0).random(20) < 0.4).astype(float)
    for noise in ("measurement", 0.1):
        fc = gf.Forecaster(noise=noise).fit(y)
        assert fc.fitted_.measurement is not None
        assert np.isfinite(fc.predict(3).mean).all()
