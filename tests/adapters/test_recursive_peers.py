"""The scikit-learn faces inside other libraries' recursive forecasters."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from gpforecast.adapters.sklearn import GPRegressor

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def y():
    return pd.Series(10 + np.sin(np.arange(120) / 4), pd.date_range("2000-01-01", periods=120))


@pytest.fixture(scope="module")
def own(y):
    """Plug-in iteration of a regressor fitted to 100 values, its inputs newest first."""
    X = np.column_stack([y.to_numpy()[6 - lag : 100 - lag] for lag in range(1, 7)])
    model, known = GPRegressor().fit(X, y[6:100]), [*y[:100]]
    for _ in range(12):
        known.append(model.predict(np.array([known[-1:-7:-1]]))[0])
    return np.array(known[-12:])


def test_skforecast_iterates_it(y, own):
    recursive = pytest.importorskip("skforecast.recursive")
    forecaster = recursive.ForecasterRecursive(GPRegressor(), lags=6)
    forecaster.fit(y[:100], store_in_sample_residuals=True)
    got = forecaster.predict(12)
    np.testing.assert_allclose(got, own, rtol=1e-8)
    assert np.abs(got - y[100:112]).max() < 0.1
    bands = forecaster.predict_interval(12, interval=[0.1, 0.9], n_boot=20)
    assert bands.shape == (12, 3)


def test_mlforecast_iterates_it(y, own):
    mlforecast = pytest.importorskip("mlforecast")
    table = pd.DataFrame({"unique_id": "a", "ds": y.index, "y": y.to_numpy()})
    forecaster = mlforecast.MLForecast(
        models={"face": GPRegressor()}, freq="D", lags=list(range(1, 7))
    )
    forecaster.fit(table[:100])
    got = forecaster.predict(12)["face"].to_numpy()
    np.testing.assert_allclose(got, own, rtol=1e-8)
    windows = forecaster.cross_validation(table, n_windows=2, h=5)
    assert np.abs(windows["face"] - windows["y"]).max() < 0.1
