"""Moments at Gaussian inputs against fifty digits."""

import numpy as np
import pytest
from oracles import mp_moments
from posterior_cases import one, rows, se_posterior


def line(d):
    return np.resize([1.0, -0.5, 0.25, 0.75], d)  # dyadic, so that its outer product is exact


def root(d):
    return np.random.default_rng(8).standard_normal((d, d))


KINDS = {
    "zero": lambda d: np.zeros((d, d)),
    "rank one": lambda d: 0.25 * np.outer(line(d), line(d)),
    "tiny full": lambda d: 1e-12 * root(d) @ root(d).T,
    "tiny diagonal": lambda d: 1e-12 * np.diag(np.arange(1.0, d + 1.0)),
    "full": lambda d: 0.3 * root(d) @ root(d).T,
    "diagonal": lambda d: np.diag(np.resize([0.5, 0.1, 1.5], d)),
    "one known input": lambda d: np.diag(np.resize([0.5, 0.0], d)),
    "large full": lambda d: 10.0 * root(d) @ root(d).T,
    "large diagonal": lambda d: 10.0 * np.eye(d),
}


def assert_exact(X, y, lengthscales, variance, noise_var, u, S, *, var_rtol, mean_rtol):
    posterior = se_posterior(X, y, lengthscales, variance, noise_var)
    mean, var, gradient = one(posterior.moments(u[None], S[None]))
    true_mean, true_var, true_cross = mp_moments(X, y, lengthscales, variance, noise_var, u, S)
    assert true_var > 0.0
    np.testing.assert_allclose(var, true_var, rtol=var_rtol)
    size = np.abs(posterior.weights).max()  # what the mean is a sum of; its own size may cancel
    np.testing.assert_allclose(mean, true_mean, rtol=mean_rtol, atol=1e-15 * size)
    cross = S @ gradient
    scale = np.abs(true_cross).max()
    np.testing.assert_allclose(cross, true_cross, rtol=mean_rtol, atol=mean_rtol * scale)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise_var", [1e-1, 1e-3])
def test_moments_are_exact_to_nine_digits(kind, noise_var):
    X, y = rows(30, 3)
    S = KINDS[kind](3)
    # The condition of K + noise I is below 1e5 here, which leaves 1e-16 * 1e5 and a margin.
    assert_exact(
        X, y, [0.9, 1.4, 2.5], 1.5, noise_var, np.array([0.3, -0.4, 0.8]), S,
        var_rtol=1e-9, mean_rtol=1e-9,
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_moments_at_little_noise_and_crowded_inputs_are_exact_to_six_digits(kind):
    X, y = rows(40, 2, width=0.7)
    S = KINDS[kind](2)
    assert_exact(
        X, y, [1.0, 1.3], 1.0, 1e-6, np.array([0.2, -0.1]), S, var_rtol=1e-6, mean_rtol=1e-6
    )


@pytest.mark.parametrize("shape", ["full", "diagonal", "rank one"])
def test_variance_survives_where_the_textbook_loses_it(shape):
    """Signal variance 10, noise 1e-6, S = 1e-6: the textbook returns a negative variance."""
    X, y = rows(40, 2, width=1.0)
    S = 1e-6 * KINDS[shape](2) / np.abs(KINDS[shape](2)).max()
    u = np.array([0.2, -0.1])
    assert_exact(X, y, [1.0, 1.3], 10.0, 1e-6, u, S, var_rtol=1e-6, mean_rtol=1e-6)


@pytest.mark.parametrize("ell", [0.05, 0.02])
@pytest.mark.parametrize("size", [1.0, 10.0])
def test_rows_many_length_scales_apart_keep_their_variance(ell, size):
    X = np.random.default_rng(0).uniform(-2.0, 2.0, (30, 1))
    y, u, S = np.sin(3.0 * X[:, 0]), np.array([0.3]), np.array([[size]])
    assert_exact(X, y, [ell], 1.0, 1e-3, u, S, var_rtol=1e-9, mean_rtol=1e-9)
