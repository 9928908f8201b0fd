"""Reduced-rank processes against the explicit N x N covariance: evidence, slopes, prediction."""

import mpmath as mp
import numpy as np
import pytest
from conformance import check_expansion
from oracles import central, mp_kernel, mp_matrix
from reduced_rank_cases import (
    AT,
    COVARIANCES,
    NOISE,
    SUPPORT,
    approximate_covariance,
    data,
    every_covariance,
    evidence_of,
    held,
)
from scipy.stats import multivariate_normal

from gpforecast.covariances import SquaredExponential
from gpforecast.models.reduced_rank_gp import best_noise


@every_covariance
def test_evidence_is_that_of_the_explicit_covariance(k):
    X, y = data()
    Q = approximate_covariance(k, X, SUPPORT)
    expected = multivariate_normal(np.zeros(len(y)), Q).logpdf(y)
    fitted = held(k).fit(X, y)
    # K_MM has a 1e-10th of the variance on its diagonal.
    np.testing.assert_allclose(fitted.log_marginal_likelihood_, expected, rtol=1e-7)
    problem = evidence_of(k, X, y)
    np.testing.assert_allclose(-problem.value(problem.start), expected, rtol=1e-7)


@every_covariance
@pytest.mark.parametrize("noise_var", [0.03, 1e-4])
def test_slopes_are_those_of_the_evidence(k, noise_var):
    X, y = data()
    problem = evidence_of(k, X, y, noise_var=noise_var)
    theta = problem.start
    value, slopes = problem.negative(theta)
    assert value == problem.value(theta)
    differences = central(problem.value, theta)
    size = np.abs(slopes).max()
    # Central differences: h^2 of truncation, and 1e-16/h times the evidence of rounding.
    np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-8 * size)


def test_slopes_know_of_the_nugget():
    # Nearly coinciding support inputs: K_MM owes its smallest eigenvalues to the nugget.
    X, y = data()
    support = np.concatenate([SUPPORT, SUPPORT + 1e-7])
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, support)
    differences = central(problem.value, problem.start, h=1e-4)
    slopes = problem.negative(problem.start)[1]
    np.testing.assert_allclose(slopes, differences, rtol=1e-4, atol=1e-4)


def test_the_best_noise_is_better_than_any_other():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    factors = evidence_of(k, X, y, noise_var=1e-3).first_factors
    problem = evidence_of(k, X, y, noise_var=best_noise(factors, np.log([1e-8, 10.0])))
    theta, best = problem.start, problem.value(problem.start)
    steps = [0.9, -0.9, 0.3, -0.3, 0.15, -0.15]  # the grid's are 0.1
    assert all(problem.value(theta + np.append(np.zeros(3), s)) > best for s in steps)


@every_covariance
def test_degenerate_moments_are_those_of_the_weights(k):
    X, y = data()
    K, at = k(X, SUPPORT), k(AT, SUPPORT)
    Sigma = np.linalg.inv(K.T @ K / NOISE + k(SUPPORT))  # (3.26)
    mu = Sigma @ K.T @ y / NOISE
    posterior = held(k, augmented=False).fit(X, y).posterior_
    found = posterior.predict(AT)
    np.testing.assert_allclose(found.mean, at @ mu, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.var, np.einsum("bi,ij,bj->b", at, Sigma, at), rtol=1e-6)
    assert posterior.noise_var == NOISE


def augmented_by_hand(k, X, y, at, support=SUPPORT, noise_var=NOISE):
    """Eq. (3.29) with its variance as in (A.17), one input after the other."""
    found = []
    for x in at:
        k_M, k_N, k_own = k(support, x[None])[:, 0], k(X, x[None])[:, 0], k(x[None])[0, 0]
        a = np.linalg.solve(k(support), k_M)
        v, c = k_N - k(X, support) @ a, k_own - k_M @ a
        Q = approximate_covariance(k, X, support, noise_var) + np.outer(v, v) / c
        solved = np.linalg.solve(Q, np.column_stack([y, k_N]))
        found.append((k_N @ solved[:, 0], k_own - k_N @ solved[:, 1]))
    return np.array(found).T


@every_covariance
def test_augmented_moments_are_those_of_the_thesis(k):
    X, y = data()
    mean, var = augmented_by_hand(k, X, y, AT)
    found = held(k).fit(X, y).predictive_.predict(AT)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.var, var, rtol=1e-6)


def test_augmented_moments_keep_their_digits_at_little_noise():
    X, y = data(14)
    support, noise, at = X[:6] + 0.05, 1e-9, AT[:3]
    ell, variance = np.array([0.8, 1.7]), 1.4
    found = held(SquaredExponential(ell, variance), support, noise).fit(X, y).predictive_
    with mp.workdps(50):

        def matrix(A, B):
            return mp_kernel(A, B, ell, variance)

        K_MM = matrix(support, support)
        K_MM += mp.mpf("1e-10") * mp.mpf(variance) * mp.eye(6)
        K_NM, target = matrix(X, support), mp_matrix(y)
        for x in at:
            k_M, k_N = matrix(support, x[None]), matrix(X, x[None])
            a = mp.lu_solve(K_MM, k_M)
            v, c = k_N - K_NM * a, mp.mpf(variance) - (k_M.T * a)[0]
            Q = mp.mpf(noise) * mp.eye(14) + K_NM * K_MM**-1 * K_NM.T + v * v.T / c
            mean = float((k_N.T * mp.lu_solve(Q, target))[0])
            var = float(mp.mpf(variance) - (k_N.T * mp.lu_solve(Q, k_N))[0])
            result = found.predict(x[None])
            np.testing.assert_allclose(result.mean, mean, rtol=1e-6)
            np.testing.assert_allclose(result.var, var, rtol=1e-6)


@every_covariance
def test_augmented_by_several_inputs_at_once_it_is_the_process_with_all_of_their_weights(k):
    X, y = data()
    a = np.linalg.solve(k(SUPPORT), k(SUPPORT, AT))
    v, c = k(X, AT) - k(X, SUPPORT) @ a, k(AT) - k(AT, SUPPORT) @ a
    Q = approximate_covariance(k, X, SUPPORT) + v @ np.linalg.solve(c, v.T)
    model = held(k).fit(X, y)
    mean, cov = model.predict(AT, return_cov=True)
    expected = k(AT) - k(AT, X) @ np.linalg.solve(Q, k(X, AT))
    np.testing.assert_allclose(mean, k(AT, X) @ np.linalg.solve(Q, y), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(cov, expected, rtol=1e-5, atol=1e-7)
    alone = [model.predict(x[None], return_cov=True) for x in AT]
    one_by_one = model.predictive_.predict(AT)
    np.testing.assert_allclose([m[0] for m, _ in alone], one_by_one.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose([V[0, 0] for _, V in alone], one_by_one.var, rtol=1e-7)


@every_covariance
def test_its_expansion_is_that_of_finite_differences(k):
    augmented = held(k).fit(*data()).predictive_
    root = np.array([[0.2, 0.0], [0.1, 0.15]])
    check_expansion(augmented, AT, np.broadcast_to(root @ root.T, (9, 2, 2)), rtol=1e-6)
