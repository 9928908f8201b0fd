"""Posteriors of every kind, and Gaussian inputs to them."""

from dataclasses import replace

import numpy as np
from conditioned import gp_posterior

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.extended_linear import Posterior


def rows(n=30, d=2, seed=0, width=2.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-width, width, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * np.cos(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


def se_posterior(X, y, lengthscales, variance, noise_var):
    return gp_posterior(SquaredExponential(lengthscales, variance), noise_var, X, y)[0]


def with_all_parts(seed=0, m=7, d=3, p=4, *, prior_var=1.3, chol=True, basis=True):
    """Basis functions, linear and constant terms, C and A, none of them from data."""
    rng = np.random.default_rng(seed)
    m = m if basis else 0
    X = rng.standard_normal((m, d))
    ell = rng.uniform(0.8, 2.0, d)
    C = None
    if chol and m:
        k = np.exp(-0.5 * (((X[:, None] - X) / ell) ** 2).sum(axis=2))
        C = np.linalg.cholesky((prior_var * k + 0.3 * np.eye(m)) / prior_var**2)
    return Posterior(
        centers=X,
        lengthscales=ell,
        weights=rng.standard_normal(m),
        linear=rng.standard_normal(d),
        constant=0.7,
        prior_var=prior_var,
        chol=C,
        nugget=0.3,
        added=0.4 * rng.standard_normal((m + d + 1, p)),
    )


POSTERIORS = {
    "all parts": with_all_parts(),
    "no added": replace(with_all_parts(), added=None),
    "like a relevance vector machine": with_all_parts(prior_var=0.0, chol=False),
    "known weights": replace(with_all_parts(prior_var=0.0, chol=False), added=None),
    "no basis functions": with_all_parts(prior_var=0.0, basis=False),
    "no basis functions, known weights": replace(
        with_all_parts(prior_var=0.0, basis=False), added=None
    ),
    "a GP of one input": se_posterior(*rows(20, 1), 0.9, 1.5, 1e-2),
}


def one(moments):
    return moments.mean[0], moments.var[0], moments.gradient[0]


def assert_moments(found, mean, var, gradient, *, rtol, atol=0.0):
    """Means, variances and gradients, and a tenth of the accuracy for the latter two."""
    np.testing.assert_allclose(found.mean, mean, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.var, var, rtol=10 * rtol, atol=atol)
    np.testing.assert_allclose(found.gradient, gradient, rtol=10 * rtol, atol=atol)


def gaussian_inputs(b, d, seed=3, rank=None):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((b, d, d if rank is None else rank))
    scale = 10.0 ** rng.uniform(-3.0, 0.5, (b, 1, 1))
    return rng.standard_normal((b, d)), scale * root @ np.swapaxes(root, 1, 2)
