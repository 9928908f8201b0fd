"""EP and its evidence against integrals over f in two and three dimensions."""

import numpy as np
import pytest
from oracles import central, hermite_grid
from scipy import stats

from gpforecast.covariances import Constant, Linear, Matern, SquaredExponential
from gpforecast.models.conditioning import conditioned
from gpforecast.models.events.event_evidence import EventEvidence, filtered
from gpforecast.models.events.expectation_propagation import (
    Approximation,
    Sites,
    propagate_expectations,
)
from gpforecast.models.events.likelihoods import NullCategory, Ordinal, Tilted
from gpforecast.models.greedy import information_gain_rows

PROBIT = Ordinal(np.array([0.2]))
THREE = Ordinal(np.array([-0.6, 0.7]))


def direct(likelihood, y, f):
    """p(y | f) as it is defined, by scipy's normal."""
    edges = np.concatenate([[-np.inf], likelihood.thresholds, [np.inf]])
    return stats.norm.cdf(edges[y + 1] - f) - stats.norm.cdf(edges[y] - f)


@pytest.mark.parametrize("likelihood", [PROBIT, THREE], ids=["probit", "ordinal"])
@pytest.mark.parametrize("y", [(0, 0), (1, 0), (1, 1, 0)])
def test_a_few_rows_have_nearly_the_posterior_of_an_integral(likelihood, y):
    places, y, variance = np.array([0.0, 0.8, 2.0])[: len(y)], np.array(y), 3.0
    K = variance * np.exp(-0.5 * np.subtract.outer(places, places) ** 2)
    found = propagate_expectations(K, likelihood, y)
    f, w = hermite_grid(np.zeros(len(y)), K, 40)
    w = w * np.prod([direct(likelihood, y[i], f[:, i]) for i in range(len(y))], axis=0)
    Z, w = w.sum(), w / w.sum()
    mean = w @ f
    cov = (f - mean).T * w @ (f - mean)
    assert found.converged
    np.testing.assert_allclose(np.exp(found.log_evidence), Z, rtol=3e-3)
    np.testing.assert_allclose(found.q.mean, mean, atol=0.01 * np.sqrt(variance))
    Sigma = K - K @ found.q.explained() @ K
    np.testing.assert_allclose(Sigma, cov, atol=0.012 * variance)
    np.testing.assert_allclose(found.q.var, np.diag(Sigma), rtol=1e-10)


def test_a_fixed_point_matches_the_moments_of_every_row():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 6, (60, 2))
    y = rng.integers(0, 3, 60)
    found = propagate_expectations(SquaredExponential(1.5, 5.0)(X), THREE, y)
    mean, var = found.q.cavity
    np.testing.assert_allclose(mean + var * found.tilted.slope, found.q.mean, atol=1e-5)
    np.testing.assert_allclose(var + var**2 * found.tilted.curvature, found.q.var, rtol=1e-5)


def test_gaussian_sites_give_the_regression():
    rng = np.random.default_rng(2)
    X = rng.uniform(0, 6, (30, 2))
    K, noise = SquaredExponential(1.5, 2.0)(X), rng.uniform(0.1, 2.0, 30)
    t = rng.standard_normal(30)
    q = Approximation(K, Sites(1.0 / noise, t / noise))
    gain = K @ np.linalg.inv(K + np.diag(noise))
    np.testing.assert_allclose(q.mean, gain @ t, rtol=1e-9)
    np.testing.assert_allclose(q.var, np.diag(K - gain @ K), rtol=1e-9)


COVARIANCES = [
    SquaredExponential([1.5, 2.0], 2.0),
    SquaredExponential([1.5, 2.0], 2.0) + Linear(0.3),
    Linear(0.3) + Constant(0.5),
    Matern(1.5, 2.0),
]


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 5, (n, 2))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] - 0.8 + 0.6 * rng.standard_normal(n)


@pytest.mark.parametrize("covariance", COVARIANCES, ids=lambda k: type(k).__name__)
@pytest.mark.parametrize("likelihood", [THREE], ids=["ordinal"])
def test_the_gradient_of_the_evidence_is_that_of_differences(covariance, likelihood, monkeypatch):
    monkeypatch.setattr("gpforecast.models.events.event_evidence._TOLERANCE", 1e-11)
    X, z = rows()
    y = np.searchsorted(likelihood.thresholds, z).astype(float)
    problem = EventEvidence.started(
        X, y, covariance, 1.0, y_var=1.0, likelihood=likelihood, weak_prior=True
    )
    theta = problem.start + 0.1
    value, slopes = problem.negative(theta)
    np.testing.assert_allclose(value, problem.value(theta), rtol=1e-10)
    expected = central(problem.value, theta, h=1e-4)
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-6)


def test_the_gradient_with_sites_held_is_that_of_differences():
    X, z = rows()
    y = np.where(np.arange(40) % 4 == 0, (z > 0).astype(float), -1.0)
    problem = EventEvidence.started(
        X, y, COVARIANCES[1], 0.1, y_var=1.0, likelihood=NullCategory(0.2, 0.1)
    )
    held, evidence = problem.with_sites_held()
    np.testing.assert_allclose(evidence, -problem.value(problem.start), atol=1e-3)
    theta = held.start + 0.05
    _, slopes = held.negative(theta)
    np.testing.assert_allclose(slopes, central(held.value, theta), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("covariance", COVARIANCES, ids=lambda k: type(k).__name__)
def test_the_posterior_has_the_moments_of_ep_at_the_rows(covariance):
    X, z = rows()
    y = np.searchsorted(THREE.thresholds, z)
    found = propagate_expectations(covariance(X), THREE, y)
    at = found.q.sites.posterior(covariance, X, 1.0).predict(X)
    np.testing.assert_allclose(at.mean, found.q.mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(at.var, found.q.var, rtol=1e-7)


def test_a_linear_function_is_found_where_a_row_is_all_zeros():
    X, z = rows()
    X[3] = 0.0
    y = np.searchsorted(THREE.thresholds, z)
    found = propagate_expectations(Linear(1.0)(X), THREE, y)
    at = found.q.sites.posterior(Linear(1.0), X, 1.0).predict(X)
    np.testing.assert_allclose(at.mean, found.q.mean, rtol=1e-8, atol=1e-9)


def test_a_sum_takes_the_compiled_slopes_of_its_kernel(monkeypatch):
    X, z = rows()
    problem = EventEvidence.started(
        X, (z > 0).astype(float), COVARIANCES[1], 1.0, y_var=1.0, likelihood=THREE
    )
    monkeypatch.delattr("gpforecast.covariances.base.Covariance.gram_slopes")
    assert np.isfinite(problem.negative(problem.start)[1]).all()


def assumed(m, V, i, y):
    """Mean and covariance of all rows after the class of row i, and the log of its probability."""
    t = THREE.tilted(y[[i]], m[[i]], V[[i], [i]])
    s = V[i]
    return m + s * t.slope, V + np.outer(s, s) * t.curvature, t.log_z[0]


def test_filtering_one_row_after_the_other_is_that_of_dense_matrices():
    X, z = rows(15)
    y = np.searchsorted(THREE.thresholds, z)
    found = filtered(COVARIANCES[0], THREE, X, y)
    m, V, total = np.zeros(15), COVARIANCES[0](X), 0.0
    for i in range(15):
        m, V, log_z = assumed(m, V, i, y)
        total += log_z
    q = Approximation(COVARIANCES[0](X), found.sites)
    np.testing.assert_allclose(q.mean, m, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(q.var, np.diag(V), rtol=1e-8)
    np.testing.assert_allclose(found.log_evidence, total, rtol=1e-12)


@pytest.mark.parametrize("criterion", ["entropy", "expected_entropy"])
def test_informative_rows_lower_the_entropy_most(criterion):
    """Each step against the determinants of the covariance with every row added."""
    X, z = rows(12)
    y = np.searchsorted(THREE.thresholds, z)
    found = filtered(COVARIANCES[0], THREE, X, y, 5, criterion=criterion)
    m, V, taken = np.zeros(12), COVARIANCES[0](X) + 1e-9 * np.eye(12), []

    def fall(i, c):
        _, after, log_z = assumed(m, V, i, np.full(12, c))
        return 0.5 * (np.linalg.slogdet(V)[1] - np.linalg.slogdet(after)[1]), np.exp(log_z)

    for chosen in found.rows:
        falls = np.full(12, -np.inf)
        for i in set(range(12)) - set(taken):
            pairs = [fall(i, c) for c in range(3)]
            expected = sum(drop * share for drop, share in pairs)
            falls[i] = pairs[y[i]][0] if criterion == "entropy" else expected
        assert falls[chosen] > falls.max() - 1e-6
        m, V, _ = assumed(m, V, chosen, y)
        taken.append(chosen)


class Gaussian:
    """Noise of regression, with the place of the target as a class; it has two derivatives."""

    noise_var, n_classes = 0.3, 1

    def tilted(self, y, mean, var):
        s = var + self.noise_var
        log_z = stats.norm.logpdf(y, mean, np.sqrt(s))
        return Tilted(log_z, (y - mean) / s, -1.0 / s)


def test_with_gaussian_noise_selection_is_by_information_gain_and_filtering_exact():
    X, z = rows(30)
    y = np.round(3.0 * z).astype(int)
    found = filtered(COVARIANCES[0], Gaussian(), X, y, 8)
    expected = information_gain_rows(X, 8, covariance=COVARIANCES[0], noise_var=0.3)
    np.testing.assert_array_equal(found.rows, expected)
    exact = conditioned(COVARIANCES[0], 0.3, X, y.astype(float))
    every = filtered(COVARIANCES[0], Gaussian(), X[::-1], y[::-1])
    np.testing.assert_allclose(every.log_evidence, exact.log_evidence, rtol=1e-9)
    ep = propagate_expectations(COVARIANCES[0](X), Gaussian(), y)
    np.testing.assert_allclose(ep.log_evidence, exact.log_evidence, rtol=1e-9)
    np.testing.assert_allclose(ep.q.mean, exact.posterior.predict(X).mean, rtol=1e-6)
