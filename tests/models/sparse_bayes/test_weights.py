"""The posterior of weights, the evidence and its ascent: against explicit n x n algebra."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import lapack
from sparse_bayes_cases import log_evidence, run, slope, wave

from gpforecast.models import FullEM
from gpforecast.models.sparse_bayes.machine import Basis, Machine
from gpforecast.models.sparse_bayes.training import Ascent, evidence_slopes
from gpforecast.models.sparse_bayes.weights import infer_from_products


def problem(n=40, d=3, m=7, seed=0, *, bias=True):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n)
    rows = Basis(X - X.mean(axis=0), y, bias)
    active = np.append(rng.choice(n, m - bias, replace=False), [n] * bias).astype(int)
    alpha = np.exp(rng.standard_normal(m))
    return rows, Machine(rows, active, alpha, 0.05, np.array([0.8, 1.5, 2.5]))


def posterior(rows, model):
    return rows.functions(model.active, model.lengthscales), replace(model, basis=rows).weights


def test_basis_functions_are_gaussians_at_rows_and_a_constant():
    rows, model = problem()
    Phi = rows.functions(model.active, model.lengthscales)
    for column, j in enumerate(model.active[:-1]):
        away = (rows.X - rows.X[j]) / model.lengthscales
        np.testing.assert_allclose(Phi[:, column], np.exp(-0.5 * (away**2).sum(axis=1)), rtol=1e-12)
    np.testing.assert_array_equal(Phi[:, -1], 1.0)
    few = rows.functions(model.active, model.lengthscales, rows.X[5:9])
    np.testing.assert_allclose(few, Phi[5:9], rtol=1e-14)


def test_posterior_of_the_weights_is_the_explicit_one():
    rows, model = problem()
    Phi, weights = posterior(rows, model)
    Sigma = np.linalg.inv(Phi.T @ Phi / model.noise_var + np.diag(model.alpha))  # (2.18)
    mu = Sigma @ Phi.T @ rows.y / model.noise_var  # (2.19)
    np.testing.assert_allclose(weights.covariance, Sigma, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(weights.mean, mu, rtol=1e-9)
    np.testing.assert_allclose(weights.variance, np.diag(Sigma), rtol=1e-9)
    np.testing.assert_allclose(weights.gamma, 1.0 - model.alpha * np.diag(Sigma), rtol=1e-9)
    np.testing.assert_allclose(weights.squares, np.sum((rows.y - Phi @ mu) ** 2), rtol=1e-12)


def test_a_prior_on_the_noise_is_one_more_residual():
    """A Gamma density of the noise's precision, shape 1/2 and rate e/2, but for its constants."""
    rows, model = problem()
    expected = 0.7

    def log_posterior(log_noise):
        moved = replace(model, noise_var=float(np.exp(log_noise)))
        prior = stats.norm(0.0, np.exp(0.5 * log_noise)).logpdf(np.sqrt(expected))
        return log_evidence(moved) + prior

    known = replace(model, basis=replace(rows, expected=expected))
    at = np.log(model.noise_var)
    value, *_, by_noise = evidence_slopes(known)
    np.testing.assert_allclose(value, log_posterior(at), rtol=1e-10)
    np.testing.assert_allclose(known.quick_weights().log_evidence, value, rtol=1e-8)
    h = 1e-4
    slope = (log_posterior(at + h) - log_posterior(at - h)) / (2 * h)
    np.testing.assert_allclose(by_noise, slope, rtol=1e-6)
    gammas = stats.gamma(0.5, scale=2.0 / expected).logpdf(1.0 / np.exp([at, at + 1.0]))
    # Of 1 / s, whose density differs from that of log s by s; constants go in the difference.
    likelihood = [
        log_posterior(at + k) - log_evidence(replace(model, noise_var=np.exp(at + k)))
        for k in (0, 1)
    ]
    np.testing.assert_allclose(np.diff(likelihood), np.diff(gammas) - 1.0, rtol=1e-8)


def test_inner_products_give_the_same_posterior_or_none():
    rows, model = problem()
    Phi, expected = posterior(rows, model)
    products = (Phi.T @ Phi, Phi.T @ rows.y, rows.y @ rows.y, rows.n)
    found = infer_from_products(*products, model.alpha, model.noise_var)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-10)
    np.testing.assert_allclose(found.squares, expected.squares, rtol=1e-10)
    np.testing.assert_allclose(found.log_evidence, expected.log_evidence, rtol=1e-12)
    exact = Basis(rows.X, Phi @ np.arange(1.0, 8.0), True)  # noise-free: all digits cancel
    products = (Phi.T @ Phi, Phi.T @ exact.y, exact.y @ exact.y, rows.n)
    assert infer_from_products(*products, np.full(7, 1e-8), 1e-10) is None


@pytest.mark.parametrize("noise_var", [1e-6, 0.05, 10.0])
def test_log_evidence_is_that_of_the_explicit_covariance(noise_var):
    rows, model = problem()
    model = replace(model, noise_var=noise_var)
    # The oracle's own matrix has a condition of 1e7 at the smallest noise.
    expected = log_evidence(model)
    np.testing.assert_allclose(posterior(rows, model)[1].log_evidence, expected, rtol=1e-8)


def test_log_evidence_keeps_its_digits_where_cholesky_fails(monkeypatch):
    rows, model = problem()
    _, expected = posterior(rows, model)
    monkeypatch.setattr(lapack, "dpotrf", lambda B, **_: (B, 1))
    _, weights = posterior(rows, model)
    np.testing.assert_allclose(weights.log_evidence, expected.log_evidence, rtol=1e-13)
    np.testing.assert_allclose(weights.mean, expected.mean, rtol=1e-10)
    np.testing.assert_allclose(weights.root, expected.root, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("bias", [True, False])
def test_slopes_are_those_of_finite_differences(bias):
    _, model = problem(bias=bias)
    value, by_width, by_alpha, by_noise = evidence_slopes(model)
    assert value == model.weights.log_evidence
    widths = [slope(model, lengthscales=e) for e in np.eye(3)]
    alphas = [slope(model, alpha=e) for e in np.eye(len(model.alpha))]
    # Central differences at 1e-5 of values of order 10: 1e-9 of rounding.
    np.testing.assert_allclose(by_width, widths, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_alpha, alphas, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_noise, slope(model, noise_var=1.0), rtol=1e-6)


@pytest.mark.parametrize("shared", [True, False])
def test_the_joint_ascent_ends_where_every_slope_vanishes(shared):
    rows = wave(n=60)
    model, _, _ = run(rows, FullEM())
    narrowest = np.full(2, 1e-3)
    end = Ascent(narrowest, shared).climb(model, 3000)
    assert log_evidence(end) > log_evidence(model)
    directions = [np.ones(2)] if shared else list(np.eye(2))
    slopes = [slope(end, 1e-4, lengthscales=e) for e in directions]
    slopes.append(slope(end, 1e-4, noise_var=1.0))
    np.testing.assert_allclose(slopes, 0.0, atol=0.05)
