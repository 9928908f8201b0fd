"""Degenerate and augmented prediction against eqs. (3.26) to (3.29) by explicit matrices."""

import mpmath as mp
import numpy as np
from conformance import check_expansion
from reduced_rank_cases import (
    AT,
    NOISE,
    SUPPORT,
    approximate_covariance,
    data,
    every_covariance,
    held,
)

from gpforecast.covariances import SquaredExponential


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
            rows = [
                [
                    mp.mpf(variance)
                    * mp.exp(
                        -sum(((mp.mpf(p) - q) / s) ** 2 for p, q, s in zip(a, b, ell, strict=True))
                        / 2
                    )
                    for b in B.tolist()
                ]
                for a in A.tolist()
            ]
            return mp.matrix(rows)

        K_MM = matrix(support, support)
        for i in range(6):
            K_MM[i, i] += mp.mpf("1e-10") * mp.mpf(variance)
        K_NM, target = matrix(X, support), mp.matrix(y.tolist())
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
