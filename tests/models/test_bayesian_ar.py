"""A shrunk autoregression, against explicit integrals of its prior."""

import numpy as np
import pytest
from scipy import stats

from gpforecast.models import BayesianAR


def data(n=15, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.array([0.6, -0.3, 0.1])[:d] + 0.4 * rng.standard_normal(n)


def evidence(X, y, means, scales, strength):
    """Marginal likelihood of all targets: a multivariate Student t."""
    v = np.mean(y**2)
    C = np.eye(len(y)) + X @ np.diag((strength * scales) ** 2 / v) @ X.T
    return stats.multivariate_t(X @ means, v * C, df=2).logpdf(y)


def test_strengths_are_weighed_by_the_evidence_of_student_t():
    X, y = data()
    scales, means = np.array([1.0, 0.5, 0.3]), np.array([0.2, 0.0, 0.0])
    ar = BayesianAR(tuple(scales), tuple(means)).fit(X, y)
    logs = [evidence(X, y, means, scales, s) for s in ar.strengths_]
    expected = np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(ar.weights_, expected / expected.sum(), rtol=1e-9)


def test_a_prediction_has_the_mean_and_the_variance_of_student_t():
    X, y = data()
    ar = BayesianAR(strengths=(0.5,)).fit(X, y)
    at, v = np.array([1.0, -2.0, 0.5]), np.mean(y**2)
    prior = 0.25 / v * np.eye(3)
    C = np.eye(15) + X @ prior @ X.T
    k = X @ prior @ at
    freedom = 2 + len(y)
    noise = (2 * v + y @ np.linalg.solve(C, y)) / freedom * freedom / (freedom - 2)
    mean, std = ar.predict(at[None], return_std=True)
    np.testing.assert_allclose(mean, k @ np.linalg.solve(C, y), rtol=1e-9)
    np.testing.assert_allclose(ar.noise_var_, noise, rtol=1e-9)
    latent = noise * (at @ prior @ at - k @ np.linalg.solve(C, k))
    np.testing.assert_allclose(std**2, latent, rtol=1e-8)


def test_lags_that_sum_to_more_than_one_do_not_explode():
    z = 1.3 ** np.arange(14.0)
    X = np.column_stack([z[1:-1], z[:-2]])
    free = BayesianAR(strengths=(5.0,)).fit(X, z[2:])
    held = BayesianAR(strengths=(5.0,), largest_sum=0.98).fit(X, z[2:])
    assert free.predictive_.parts[0].linear.sum() > 1.05
    assert held.predictive_.parts[0].linear.sum() == pytest.approx(0.98)
