"""Generalised least squares, against explicit covariances of the known times."""

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.optimize import minimize_scalar
from statsmodels.tsa.arima_process import arma_acovf

from gpforecast.transforms.regression import _most_likely, generalised_least_squares

RHOS = [[], [0.98], [0.4, 0.19, 0.3, 0.1]]


def covariance(rho, n):
    """The covariance of n values of an autoregression of unit innovations."""
    return toeplitz(arma_acovf(np.r_[1, -np.asarray(rho)], [1.0], nobs=n))


def holes(kind, n=60):
    known = np.ones(n, dtype=bool)
    if kind == "gap":
        known[20:33] = False
    elif kind == "ends":
        known[[0, 1, 2, -1]] = False
    elif kind == "scattered":
        known = np.random.default_rng(5).random(n) < 0.6
    return known


@pytest.mark.parametrize("kind", ["none", "gap", "ends", "scattered"])
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_coefficients_and_covariance_are_those_of_the_explicit_covariance(rho, kind):
    n = 60
    known = holes(kind)
    t = np.arange(n) / n
    D = np.column_stack([np.ones(n), t, np.cos(20 * t)])
    y = D @ [50, -3, 1] + np.random.default_rng(0).standard_normal(n).cumsum()
    W = np.linalg.inv(covariance(rho, n)[np.ix_(known, known)])
    X = D[known]
    C = np.linalg.inv(X.T @ W @ X)
    theta = C @ X.T @ W @ y[known]
    e = y[known] - X @ theta
    found, V = generalised_least_squares(np.where(known, y, np.nan), D, np.array(rho))
    np.testing.assert_allclose(found, theta, rtol=1e-8)
    np.testing.assert_allclose(V, C * (e @ W @ e) / (known.sum() - 3), rtol=1e-7)


@pytest.mark.parametrize("kind", ["none", "gap", "ends", "scattered"])
def test_the_autoregression_has_the_largest_restricted_likelihood_of_the_known_values(kind):
    n, rng = 60, np.random.default_rng(4)
    known = holes(kind)
    D = np.column_stack([np.ones(n), np.arange(n) / n, np.cos(np.arange(n)), np.arange(n) ** 2])
    e = np.zeros(n)
    for t in range(1, n):
        e[t] = 0.7 * e[t - 1] + rng.standard_normal()
    X, y = D[known], e[known]

    def explicit(rho):
        S = covariance([rho], n)[np.ix_(known, known)]
        W = np.linalg.inv(S)
        inner = X.T @ W @ X
        rss = y @ W @ y - y @ W @ X @ np.linalg.solve(inner, X.T @ W @ y)
        logs = np.linalg.slogdet(S)[1] + np.linalg.slogdet(inner)[1]
        return (known.sum() - 4) * np.log(rss) + logs

    best = minimize_scalar(explicit, bounds=(0.0, 0.99), method="bounded", options={"xatol": 1e-9})
    found = _most_likely(np.where(known, e, np.nan), D, known, np.array([0.5]))
    assert found[0] == pytest.approx(best.x, abs=2e-3)
