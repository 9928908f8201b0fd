import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

pytest.importorskip("statsforecast")

from statsforecast import StatsForecast
from statsforecast.models import Naive
from statsforecast.utils import ConformalIntervals

from gpforecast.adapters.statsforecast import GPForecaster

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def values(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = 3 + 0.6 * y[t - 1] - 0.3 * y[t - 2] + rng.normal()
    return y


def frame(n=60, seeds=(0, 1)):
    times = pd.date_range("2000-01-01", periods=n, freq="MS")
    parts = [
        pd.DataFrame({"unique_id": f"series {s}", "ds": times, "y": values(n, s)}) for s in seeds
    ]
    return pd.concat(parts, ignore_index=True)


def own(n=60, h=6, seed=0):
    return gf.Forecaster(lags=3).fit(values(n, seed)).predict(h)


def test_a_prediction_is_the_forecasters():
    got = GPForecaster(lags=3).fit(values()).predict(h=6, level=[95, 80])
    truth = own()
    assert list(got) == ["mean", "lo-95", "lo-80", "hi-80", "hi-95"]
    np.testing.assert_array_equal(got["mean"], truth.mean)
    for level in (80, 95):
        bounds = truth.interval(level / 100)
        np.testing.assert_array_equal(got[f"lo-{level}"], bounds["lower"])
        np.testing.assert_array_equal(got[f"hi-{level}"], bounds["upper"])
    assert list(GPForecaster(lags=3).fit(values()).predict(2)) == ["mean"]


def test_forecast_is_fit_and_predict_and_keeps_nothing():
    face = GPForecaster(lags=3)
    got = face.forecast(values(), 6, level=[80], fitted=True)
    fitted = GPForecaster(lags=3).fit(values())
    expected = fitted.predict(6, level=[80]) | fitted.predict_in_sample(level=[80])
    assert got.keys() == expected.keys()
    for key in got:
        np.testing.assert_array_equal(got[key], expected[key])
    assert not hasattr(face, "forecaster_")


def test_forward_applies_the_model_to_more_of_the_series():
    y = values()
    face = GPForecaster(lags=3).fit(y[:50])
    np.testing.assert_array_equal(face.forward(y[:50], 4)["mean"], face.predict(4)["mean"])
    got = face.forward(y, 1, level=[80], fitted=True)
    step = face.forecaster_.predict_from(y, [60], 1)
    np.testing.assert_allclose(got["mean"], step.mean[0], rtol=1e-12)
    assert len(got["fitted"]) == len(got["fitted-lo-80"]) == 60
    assert len(face.forecaster_.history_) == 50


def test_many_series_many_models_with_levels():
    models = [GPForecaster(lags=3), GPForecaster(lags=[1, 12], alias="seasonal"), Naive()]
    table = StatsForecast(models=models, freq="MS")
    got = table.forecast(df=frame(), h=6, level=[80, 95], fitted=True)
    assert got.shape == (12, 2 + 3 * 5)
    for seed in (0, 1):
        part = got[got["unique_id"] == f"series {seed}"]
        truth = own(seed=seed)
        np.testing.assert_allclose(part["GPForecaster"], truth.mean, rtol=1e-12)
        low = truth.interval(0.95)["lower"]
        np.testing.assert_allclose(part["GPForecaster-lo-95"], low, rtol=1e-12)
    known = table.forecast_fitted_values()
    fitted = GPForecaster(lags=3).fit(values()).predict_in_sample()["fitted"]
    np.testing.assert_allclose(known["GPForecaster"][:60], fitted, rtol=1e-12)
    assert not np.allclose(got["seasonal"], got["GPForecaster"])


@pytest.mark.parametrize("refit", [True, False])
def test_cross_validation_forecasts_from_every_cutoff(refit):
    table = StatsForecast(models=[GPForecaster(lags=3)], freq="MS")
    got = table.cross_validation(
        df=frame(), h=3, n_windows=2, step_size=3, level=[80], refit=refit, fitted=refit
    )
    assert len(got) == 2 * 2 * 3
    first = got[(got["unique_id"] == "series 0") & (got["cutoff"] == got["cutoff"].min())]
    np.testing.assert_allclose(first["GPForecaster"], own(54, 3).mean, rtol=1e-12)
    last = got[(got["unique_id"] == "series 0") & (got["cutoff"] == got["cutoff"].max())]
    if refit:
        np.testing.assert_allclose(last["GPForecaster"], own(57, 3).mean, rtol=1e-12)
        assert len(table.cross_validation_fitted_values()) == 2 * (54 + 57)
    else:
        model = gf.Forecaster(lags=3).fit(values()[:54])
        moved = model.predict_from(values(), [57], 3).mean[0]
        np.testing.assert_allclose(last["GPForecaster"], moved, rtol=1e-12)


def test_exogenous_columns_are_used():
    table = frame(seeds=(0,))
    x = np.random.default_rng(2).normal(size=60)
    table["x"], table["y"] = x, 2 * x + 0.1 * values()
    past, future = table[:50], table[50:]
    model = StatsForecast(models=[GPForecaster(lags=1)], freq="MS")
    got = model.forecast(df=past, h=10, X_df=future.drop(columns="y"), fitted=True)
    assert np.abs(got["GPForecaster"].to_numpy() - future["y"].to_numpy()).max() < 1.0
    two = model.fit(past).predict(h=10, X_df=future.drop(columns="y"))
    np.testing.assert_array_equal(two["GPForecaster"], got["GPForecaster"])
    face = GPForecaster(lags=1).fit(past["y"].to_numpy(), past[["x"]].to_numpy())
    with pytest.raises(ValueError, match="over the 2 future steps, or over neither"):
        face.predict(2)


def test_conformal_intervals_take_the_place_of_its_own():
    conformal = ConformalIntervals(h=3, n_windows=4)
    y = values()
    got = GPForecaster(lags=3, prediction_intervals=conformal).forecast(y, 3, level=[80])
    errors = []
    for end in (48, 51, 54, 57):
        mean = gf.Forecaster(lags=3).fit(y[:end]).predict(3).mean.to_numpy()
        errors.append(np.abs(y[end : end + 3] - mean))
    samples = np.concatenate([got["mean"] - errors, got["mean"] + errors])
    np.testing.assert_allclose(got["hi-80"], np.quantile(samples, 0.9, axis=0), rtol=1e-10)
    fitted = GPForecaster(lags=3, prediction_intervals=conformal).fit(y).predict(3, level=[80])
    np.testing.assert_allclose(fitted["lo-80"], got["lo-80"])
