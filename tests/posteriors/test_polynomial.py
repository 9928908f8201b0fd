"""Exact moments of polynomials against fifty digits and quadratures that are exact for them."""

import itertools
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from oracles import quadrature_moments

import gpforecast as gf
from gpforecast.covariances import Constant, Linear, Polynomial
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate

ELL = np.array([0.9, 1.6])
U, S = np.array([0.7, -0.4]), np.array([[0.5, 0.2], [0.2, 0.3]])


def data(n=25, d=2, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, (n, d))
    y = 1.0 + X[:, 0] - 0.5 * X[:, 0] * X[:, -1] ** 2 + noise * rng.standard_normal(n)
    return X, y


def fitted(k, noise_var=0.01, **options):
    X, y = data(**options)
    return gf.models.GaussianProcess(k, noise_var=noise_var, optimizer=None).fit(X, y)


def mp_moments(X, y, degree, noise_var, u, R):
    """Mean, variance and cov(f, x) at x ~ N(u, R R') of a GP with k = 1.3 (1 + x.z/ell^2)^degree.

    The textbook's posterior at the nodes of a Gauss-Hermite rule in 50 digits, which is exact for
    the degree; R is (d, r).
    """
    with mp.workdps(50):
        ell = [mp.mpf(e) for e in ELL]

        def k(a, b):
            return mp.mpf(1.3) * (1 + sum(p * q / e**2 for p, q, e in zip(a, b, ell))) ** degree  # noqa: B905

        rows = [[mp.mpf(v) for v in row] for row in X.tolist()]
        n = len(rows)
        K = mp.matrix(n, n)
        for i, j in itertools.product(range(n), repeat=2):
            K[i, j] = k(rows[i], rows[j]) + (mp.mpf(noise_var) if i == j else 0)
        inverse = K**-1
        alpha = inverse * mp.matrix(y.tolist())
        size = degree + 1
        jacobi = mp.matrix(size, size)
        for i in range(1, size):
            jacobi[i, i - 1] = jacobi[i - 1, i] = mp.sqrt(i)
        nodes, vectors = mp.eigsy(jacobi)
        weights = [vectors[0, i] ** 2 for i in range(size)]
        r = R.shape[1]
        first, second, cross = mp.mpf(0), mp.mpf(0), [mp.mpf(0)] * len(u)
        for index in itertools.product(range(size), repeat=r):
            w = mp.fprod(weights[i] for i in index)
            off = [
                sum(mp.mpf(R[a, b]) * nodes[i] for b, i in enumerate(index)) for a in range(len(u))
            ]
            x = [mp.mpf(c) + o for c, o in zip(u.tolist(), off, strict=True)]
            at = mp.matrix([k(x, row) for row in rows])
            mean = (at.T * alpha)[0]
            var = k(x, x) - (at.T * inverse * at)[0]
            first, second = first + w * mean, second + w * (var + mean**2)
            cross = [c + w * mean * o for c, o in zip(cross, off, strict=True)]
        return float(first), float(second - first**2), np.array([float(c) for c in cross])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("noise_var", [1e-2, 1e-8])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_moments_are_those_of_fifty_digits(degree, noise_var, known):
    k = Polynomial(ELL, 1.3, degree)
    R = np.array([[0.0], [0.6]]) if known else np.linalg.cholesky(S)  # one input known, or none
    gp = fitted(k, noise_var, noise=np.sqrt(noise_var))
    mean, var, cross = mp_moments(*data(noise=np.sqrt(noise_var)), degree, noise_var, U, R)
    f = gp.posterior_.moments(U[None], (R @ R.T)[None])
    # The weights come from a solve with a condition of size / noise_var.
    tolerance = 1e-9 if noise_var > 1e-4 else 1e-5
    assert f.mean[0] == pytest.approx(mean, rel=tolerance)
    assert f.var[0] == pytest.approx(var, rel=tolerance)
    np.testing.assert_allclose(R @ R.T @ f.gradient[0], cross, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("nugget", ["none", "a matrix", "each its own"])
def test_what_is_left_of_the_prior_does_not_depend_on_how_noise_is_given(nugget):
    rng = np.random.default_rng(1)
    X, y = data(6)
    k = Polynomial(ELL, 1.3, 3)
    B = 0.2 * rng.standard_normal((6, 6))
    N = {
        "none": 0.0,
        "a matrix": B @ B.T + 0.01 * np.eye(6),
        "each its own": rng.uniform(0.1, 1, 6),
    }
    noise = N[nugget] if np.ndim(N[nugget]) == 2 else np.diag(N[nugget] * np.ones(6))
    posterior = gf.models.GaussianProcess(k, noise_var=0.1, optimizer=None).fit(X, y).posterior_
    chol = np.linalg.cholesky(k(X) + noise)
    posterior = replace(posterior, chol=chol, nugget=N[nugget])
    _, var, _ = quadrature_moments(posterior, U, S, n_nodes=8)
    assert posterior.moments(U[None], S[None]).var[0] == pytest.approx(var, rel=1e-8)


# --- forecasts ----------------------------------------------------------------------------------


def series(n=80, noise=0.02):
    """A logistic map, slow and noisy: a quadratic autoregression."""
    rng, z = np.random.default_rng(0), np.zeros(n)
    z[0] = 0.3
    for t in range(1, n):
        z[t] = 2.6 * z[t - 1] * (1.0 - z[t - 1]) + noise * rng.standard_normal()
    return z - 0.6


def forecast(k, method):
    z = series()
    X = np.stack([z[1:-1], z[:-2]], axis=1)
    gp = gf.models.GaussianProcess(k, noise_var=4e-4, optimizer=None).fit(X, z[2:])
    return propagate(Columns.of(gp.posterior_, Inputs((1, 2))), method, Start(z[None, -2:]), 12)


@pytest.mark.parametrize("function", ["step", "path"])
def test_a_polynomial_of_degree_one_forecasts_as_a_linear_model(function):
    method = gf.propagation.ExactMoments(function=function)
    by_weights = forecast(Polynomial(2.0, 0.5, 1), method)
    linear = forecast(Linear(0.125) + Constant(0.5), method)
    np.testing.assert_allclose(by_weights.mean, linear.mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(by_weights.covariance, linear.covariance, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("degree", [2, 3])
def test_the_recursion_by_exact_moments_is_that_by_a_quadrature_exact_for_the_degree(degree):
    k, rule = Polynomial(1.0, 0.5, degree), gf.propagation.Cubature("gauss_hermite", 8, 2)
    exact, cubature = forecast(k, gf.propagation.ExactMoments()), forecast(k, rule)
    np.testing.assert_allclose(exact.mean, cubature.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(exact.covariance, cubature.covariance, rtol=1e-6, atol=1e-10)


def test_functions_drawn_are_polynomials_with_the_covariance_of_the_posterior():
    posterior = fitted(Polynomial(ELL, 1.3, 2), noise_var=0.5).posterior_
    n, at = 20_000, data(4, seed=5)[0]
    draw = posterior.draw(n, np.random.default_rng(0))
    f = draw(np.broadcast_to(at, (n, 4, 2)))
    joint = posterior.joint(at)
    off = f - joint.mean
    products = off[:, :, None] * off[:, None]
    assert (np.abs(off.mean(axis=0)) < 5.0 * off.std(axis=0) / np.sqrt(n)).all()
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - joint.cov) < 5.0 * error).all()
    line = at[0] + np.linspace(-3.0, 3.0, 6)[:, None] * np.array([0.6, -0.8])
    on_line = draw(np.broadcast_to(line, (n, 6, 2)))[:5]
    third = np.diff(on_line, 3, axis=1)  # a quadratic along every line
    np.testing.assert_allclose(third, 0.0, atol=1e-9 * np.abs(on_line).max())
