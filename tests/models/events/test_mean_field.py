"""Mean-field theory against expectation propagation, a minimiser and its own equations."""

import numpy as np
import pytest
from oracles import central
from scipy import optimize, stats

from gpforecast.models.events.expectation_propagation import propagate_expectations
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.models.events.mean_field import SCHEMES, Cavity, mean_field

PROBIT = Ordinal(np.zeros(1))


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (60, 1))
    Phi = np.exp(-0.5 * (X - np.linspace(-3, 3, 9)) ** 2)
    y = (np.sin(2 * X[:, 0]) + 0.5 * rng.standard_normal(60) > 0).astype(int)
    return Phi, y, rng.uniform(0.1, 2, 9)


def test_tap_is_expectation_propagation_of_the_same_process(problem):
    Phi, y, alpha = problem
    found = mean_field(Phi, PROBIT, y, alpha, scheme="tap")
    ep = propagate_expectations(Phi @ np.diag(1 / alpha) @ Phi.T, PROBIT, y, tolerance=1e-9)
    assert found.converged
    np.testing.assert_allclose(found.log_evidence, ep.log_evidence, atol=1e-8)
    np.testing.assert_allclose(Phi @ found.weights.mean, ep.q.mean, atol=1e-4)
    var = np.einsum("nm,mk,nk->n", Phi, found.weights.covariance, Phi)
    np.testing.assert_allclose(var, ep.q.var, rtol=1e-4)


def test_laplace_is_the_mode_and_its_curvature(problem):
    Phi, y, alpha = problem
    found = mean_field(Phi, PROBIT, y, alpha, scheme="laplace")
    signs = 2 * y - 1

    def negative(w):
        return -stats.norm.logcdf(signs * (Phi @ w)).sum() + 0.5 * alpha @ w**2

    w = optimize.minimize(negative, np.zeros(9), tol=1e-12).x
    np.testing.assert_allclose(found.weights.mean, w, atol=1e-5)
    f = Phi @ w
    ratio = stats.norm.pdf(f) / stats.norm.cdf(signs * f)
    H = Phi.T @ ((ratio**2 + signs * f * ratio)[:, None] * Phi) + np.diag(alpha)
    np.testing.assert_allclose(found.weights.covariance, np.linalg.inv(H), atol=1e-5)
    expected = -negative(w) + 0.5 * np.log(alpha).sum() - 0.5 * np.linalg.slogdet(H)[1]
    np.testing.assert_allclose(found.log_evidence, expected, atol=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_equations_hold(problem, scheme):
    Phi, y, alpha = problem
    found = mean_field(Phi, PROBIT, y, alpha, scheme=scheme)
    np.testing.assert_allclose(found.weights.mean, Phi.T @ found.pull / alpha, atol=1e-5)  # (16)
    Sigma = np.linalg.inv(np.diag(alpha) + Phi.T @ (found.omega[:, None] * Phi))
    np.testing.assert_allclose(found.weights.covariance, Sigma, rtol=1e-6)  # (17)
    cavity = Phi @ found.weights.mean - found.cavity_var * found.pull
    slope = PROBIT.tilted(y, cavity, found.cavity_var).slope
    np.testing.assert_allclose(found.pull, slope, rtol=1e-7)
    prior = ((Phi**2) / alpha).sum(axis=1)
    naive, laplace = scheme == "mean_field", scheme == "laplace"
    if naive or laplace:
        np.testing.assert_allclose(found.cavity_var, prior if naive else 0.0)


@pytest.mark.parametrize("V", [0.0, 1e-3, 1.0, 1e3])
def test_cavities_are_found_however_far_out(V):
    f = np.array([-100.0, -30.0, -1.0, 0.0, 2.0, 100.0])
    for c in (0, 1):
        y, var = np.full(6, c), np.full(6, V)
        found = Cavity.at(PROBIT, y, f, var)
        mean = f - var * found.tilted.slope
        np.testing.assert_allclose(
            PROBIT.tilted(y, mean, var).slope, found.tilted.slope, rtol=1e-6, atol=1e-12
        )


def test_the_slope_of_the_objective_is_the_pull():
    f, V, y = np.linspace(-3, 3, 7), np.full(7, 2.0), np.array([0, 1] * 4)[:7]
    here = Cavity.at(PROBIT, y, f, V)
    found = central(lambda f: Cavity.at(PROBIT, y, f, V).J, f)
    np.testing.assert_allclose(found, here.tilted.slope, rtol=1e-7)
    curvature = central(lambda f: Cavity.at(PROBIT, y, f, V).tilted.slope, f)
    np.testing.assert_allclose(curvature.diagonal(), -here.omega, rtol=1e-6)
