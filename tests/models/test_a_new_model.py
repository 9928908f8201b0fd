"""A one-step model of a user's own: its class, a line of the package, a line of the conformance.

Here the two lines are one list. Nothing else of the package knows of the models.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from conformance import METHODS, NEEDS, check_method, embedded_series
from scipy.linalg import solve_triangular

import gpforecast as gf
from gpforecast.common.parameters import POSITIVE, POSITIVE_INTEGER, parameter
from gpforecast.models.estimator import Estimator
from gpforecast.posteriors.base import Prediction
from gpforecast.storage import storable


@storable
@dataclass(eq=False, repr=False)
class BasisRegression(Estimator):
    """Bayesian regression on Gaussian basis functions at a few rows: an extended linear model."""

    n_functions: int = parameter(12, POSITIVE_INTEGER)
    noise_var: float = parameter(0.05, POSITIVE)

    def _train(self, X, y):
        at = np.unique(np.linspace(0, len(X) - 1, self.n_functions).astype(int))
        m, d = len(at), X.shape[1]
        self.posterior_ = gf.Posterior(X[at], 1.5 * X.std(axis=0), np.zeros(m), np.zeros(d))
        self._recondition(X, y)

    def _recondition(self, X, y):
        Phi = self.posterior_.features(X)
        m, d = Phi.shape[1], X.shape[1]
        L = np.linalg.cholesky(Phi.T @ Phi / self.noise_var + np.eye(m))
        root = solve_triangular(L, np.eye(m), lower=True).T  # of the weights' covariance
        added = np.concatenate([root, np.zeros((d + 1, m))])
        weights = root @ (root.T @ (Phi.T @ y)) / self.noise_var
        self.posterior_ = replace(
            self.posterior_, weights=weights, noise_var=self.noise_var, added=added
        )


@storable
@dataclass(frozen=True, eq=False)
class Plane:
    """A smoothed mean of all rows: no more than a prediction, a slope and three numbers."""

    X: np.ndarray
    y: np.ndarray
    noise_var: float = 0.1
    lengthscales: np.ndarray = None
    n_inputs: int = 2

    def predict(self, X):
        weights = self._weights(X)
        return Prediction(weights @ self.y, self.noise_var * (weights**2).sum(axis=1))

    def gradient(self, X):
        weights, h = self._weights(X), 1e-6
        moved = [self._weights(X + h * e) for e in np.eye(self.n_inputs)]
        return np.stack([(w - weights) @ self.y / h for w in moved], axis=1)

    def _weights(self, X):
        away = ((X[:, None] - self.X) / self.lengthscales) ** 2
        weights = np.exp(-0.5 * away.sum(axis=2)) + 1e-12
        return weights / weights.sum(axis=1, keepdims=True)


@storable
class KernelSmoother(Estimator):
    """A model without a closed form of any kind."""

    def _train(self, X, y):
        self.predictive_ = Plane(X, y, 0.1, X.std(axis=0) / 2, X.shape[1])

    _recondition = _train


MODELS = {"basis regression": BasisRegression, "kernel smoother": KernelSmoother}
LAGS = (1, 2, 5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
def test_it_goes_through_every_method_that_suits_it(model, method):
    fitted = MODELS[model]().fit(*embedded_series(LAGS)[1:])
    suits = model == "basis regression" or method not in NEEDS
    assert check_method(fitted, method, LAGS, 12) == suits


@pytest.mark.parametrize("model", MODELS)
def test_it_forecasts_is_updated_saved_and_judged_over_many_origins(model, tmp_path):
    series = embedded_series(LAGS, n=120)[0]
    fc = gf.Forecaster(LAGS, transforms=None, model=MODELS[model](), propagation="cubature")
    before = fc.fit(series[:100]).predict(8)
    f = fc.update(series[100:110]).predict(8)
    assert not np.array_equal(f.mean, before.mean)
    fc.save(tmp_path / "saved.gpf")
    again = gf.load(tmp_path / "saved.gpf").predict(8)
    np.testing.assert_array_equal(again.covariance, f.covariance)
    result = gf.backtest(fc, series, horizon=4, origins=5, refit=2)
    assert np.isfinite(result.summary().to_numpy(float)).all()


def test_its_parameters_are_checked_and_shown():
    assert repr(BasisRegression(5)) == "BasisRegression(n_functions=5)"
    _, X, y = embedded_series(LAGS)
    with pytest.raises(ValueError, match="n_functions must be a positive integer; got 0"):
        BasisRegression(0).fit(X, y)
    with pytest.raises(RuntimeError, match="this BasisRegression is not fitted yet"):
        BasisRegression().predict(X)
    assert isinstance(BasisRegression(), gf.models.OneStepModel)
