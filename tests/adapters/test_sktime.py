import warnings

import numpy as np
import pandas as pd
import pytest
from oracles import ar_forecast

import gpforecast as gf

pytest.importorskip("sktime")
pytest.importorskip("skpro")

from sktime.utils.estimator_checks import check_estimator

from gpforecast.adapters.sktime import GPForecaster

STEPS = [1, 2, 3, 4, 5, 6]


def series(n=80, freq="M", seed=0):
    rng = np.random.default_rng(seed)
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = 3 + 0.6 * y[t - 1] - 0.3 * y[t - 2] + rng.normal()
    return pd.Series(y, index=pd.period_range("2000-01", periods=n, freq=freq), name="y")


def with_input(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)}, series(n).index)
    y = pd.Series(2 * X["a"] + 0.1 * rng.normal(size=n), name="y")
    return y, X


@pytest.fixture(scope="module")
def fitted():
    y = series()
    return GPForecaster(lags=3).fit(y), gf.Forecaster(lags=3).fit(y).predict(6), y


def test_every_check_of_sktime_passes(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(GPForecaster, verbose=False)
    failed = {name: result for name, result in results.items() if str(result) != "PASSED"}
    with capsys.disabled():
        print(f"\nGPForecaster: check_estimator {len(results)} checks, {len(failed)} failed")
    assert not failed
    assert len(results) > 700


def test_its_forecast_is_the_forecasters(fitted):
    face, own, y = fitted
    got = face.predict(fh=STEPS)
    np.testing.assert_array_equal(got, own.mean)
    assert got.index.equals(pd.period_range("2006-09", periods=6, freq="M"))
    assert got.name == y.name
    np.testing.assert_array_equal(face.predict_var(fh=STEPS)["y"], own.var)
    joint = face.predict_var(fh=STEPS, cov=True)
    np.testing.assert_array_equal(joint, own.covariance)
    assert joint.columns.tolist() == [("y", time) for time in got.index]


def test_intervals_and_quantiles_are_the_forecasters(fitted):
    face, own, _ = fitted
    got = face.predict_interval(fh=STEPS, coverage=[0.5, 0.9])
    np.testing.assert_allclose(got["y", 0.5], own.interval(0.5))
    np.testing.assert_allclose(got["y", 0.9], own.interval(0.9))
    quantiles = face.predict_quantiles(fh=STEPS, alpha=[0.2, 0.7])
    np.testing.assert_array_equal(quantiles, own.quantile([0.2, 0.7]))


def test_the_joint_distribution_keeps_the_correlations(fitted):
    face, own, _ = fitted
    got = face.predict_proba(fh=STEPS, marginal=False)
    paths = got.spl["y"].to_numpy().reshape(-1, 6)  # sample by time
    assert paths.shape == (1000, 6)
    S = own.covariance.to_numpy()
    spread = np.sqrt((S**2 + np.outer(np.diag(S), np.diag(S))) / 1000)
    assert (np.abs(np.cov(paths.T) - S) < 5 * spread).all()
    drawn = got.sample(5)["y"].to_numpy().reshape(-1, 6)
    assert all((paths == path).all(axis=1).any() for path in drawn)  # whole paths


def test_a_step_in_sample_is_predicted_from_the_values_before_it():
    y = series()
    face = GPForecaster(lags=3, transforms=None).fit(y)
    got = face.predict(fh=[-4, 0])
    known, std = face.forecaster_.model_.predict(rows_before(y, [75, 79]), return_std=True)
    scale = y.std(ddof=0)
    np.testing.assert_allclose(got, y.mean() + scale * known, rtol=1e-10)
    var = scale**2 * (std**2 + face.forecaster_.model_.noise_var_)
    np.testing.assert_allclose(face.predict_var(fh=[-4, 0])["y"], var, rtol=1e-8)
    np.testing.assert_allclose(face.predict_residuals(y.iloc[[75, 79]]), y.iloc[[75, 79]] - got)


def rows_before(y, positions):
    z = ((y - y.mean()) / y.std(ddof=0)).to_numpy()
    return np.array([[z[t - lag] for lag in (1, 2, 3)] for t in positions])


def test_an_update_conditions_without_a_search():
    y = series()
    face = GPForecaster(lags=3).fit(y[:60])
    face.update(y[60:])
    own = gf.Forecaster(lags=3).fit(y[:60]).update(y[60:].to_numpy())
    np.testing.assert_array_equal(face.predict(fh=STEPS), own.predict(6).mean)
    assert face.cutoff[0] == y.index[-1]


def test_an_update_without_parameters_only_moves_the_origin():
    y = series()
    plain = {"transforms": None, "model": gf.models.LinearAR()}
    face = GPForecaster(lags=2, **plain).fit(y[:60])
    face.update(y[60:], update_params=False)
    t = np.arange(2, 60)
    v = y.to_numpy()
    rows = np.column_stack([v[t - 1], v[t - 2], np.ones(58)])
    a, b, constant = np.linalg.lstsq(rows, v[t], rcond=None)[0]
    mean, _ = ar_forecast([a, b], [1, 2], v, 6, constant=constant, noise_var=1.0)
    np.testing.assert_allclose(face.predict(fh=STEPS), mean, rtol=1e-9)
    assert len(face.forecaster_.history_) == 60


def test_a_model_that_cannot_be_conditioned_is_trained_anew():
    class Last:  # predicts the first lag
        noise_var_ = 0.1

        def fit(self, X, y):
            self.predictive_ = self
            self.n_inputs, self.noise_var, self.lengthscales = X.shape[1], 0.1, np.ones(X.shape[1])
            self.n_rows = len(y)
            return self

        def predict(self, X, **options):
            raise NotImplementedError

        def gradient(self, X):
            raise NotImplementedError

    y = series()
    face = GPForecaster(lags=3, model=Last()).fit(y[:60]).update(y[60:])
    assert face.forecaster_.model_.n_rows == 77


def test_an_update_after_a_gap_is_refused():
    y = series()
    face = GPForecaster(lags=3).fit(y[:60])
    with pytest.raises(ValueError, match="must continue the history at 2005-01"):
        face.update(y[62:])
    np.testing.assert_array_equal(face._cur_y, y[:60])


def test_exogenous_inputs_drive_the_forecast():
    y, X = with_input()
    face = GPForecaster(lags=1).fit(y[:70], X[:70])
    own = gf.Forecaster(lags=1).fit(y[:70], X[:70])
    got = face.predict(fh=STEPS, X=X[70:])
    np.testing.assert_allclose(got, own.predict(6, exog=X[70:76]).mean, rtol=1e-12)
    assert np.abs(got - y[70:76]).max() < 0.6
    shuffled = face.predict(fh=STEPS, X=X[["b", "a"]])
    np.testing.assert_array_equal(shuffled, got)
    assert len(face.predict(fh=[-1, 0])) == 2  # X is known there


def test_a_future_without_inputs_is_refused_with_the_row_that_is_missing():
    y, X = with_input()
    face = GPForecaster(lags=1).fit(y[:70], X[:70])
    with pytest.raises(ValueError, match=r"each of the 5 steps after 2005-10.*the first 2005-11"):
        face.predict(fh=[5])
    with pytest.raises(ValueError, match=r"4 missing, the first 2005-11"):
        face.predict(fh=[5], X=X[74:75])
    with pytest.raises(ValueError, match="pass X to update if, and only if"):
        face.update(y[70:])
    with pytest.raises(ValueError, match="X is given but was not when it was fitted"):
        GPForecaster(lags=1).fit(y[:70]).predict(fh=[1], X=X[70:])
