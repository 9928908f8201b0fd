"""Generalised least squares, against explicit covariances of the known times."""

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.optimize import minimize_scalar
from statsmodels.tsa.arima_process import arma_acovf

from gpforecast.transforms import Deterministic, regression
from gpforecast.transforms.regression import (
    Whitening,
    _most_likely,
    _sloped_cost,
    generalised_least_squares,
)

RHOS = [[], [0.8], [0.98], [1.5, -0.8], [0.3, 0.2, 0.4], [0.4, 0.19, 0.3, 0.1]]


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


@pytest.mark.parametrize("kind", ["gap", "scattered"])
@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_whitening_gives_the_quadratic_form_and_the_determinant_of_the_known_times(rho, kind):
    known = holes(kind)
    S = covariance(rho, 60)[np.ix_(known, known)]
    white = Whitening(np.array(rho), known)
    np.testing.assert_allclose(white.log_det, np.linalg.slogdet(S)[1], rtol=1e-8, atol=1e-9)
    X = np.random.default_rng(1).standard_normal((60, 2))
    z = white.apply(X)
    np.testing.assert_allclose(z.T @ z, X[known].T @ np.linalg.solve(S, X[known]), rtol=1e-8)


def daily(seed=1):
    """A week's rhythm on a slow cycle of 180 days: a line's errors are near a unit root."""
    t = np.arange(300)
    e = np.random.default_rng(seed).standard_normal(300)
    return 50 + 10 * np.isin(t % 7, [5, 6]) + 5 * np.sin(2 * np.pi * t / 180) + 2 * e


@pytest.mark.parametrize("r", [1, 2, 4])
def test_the_restricted_likelihood_and_its_gradient_of_partial_autocorrelations(r):
    """Beside the explicit covariance of the autoregression, and finite differences."""
    n, rng = 40, np.random.default_rng(r)
    D = np.column_stack([np.ones(n), np.arange(n) / n, np.cos(np.arange(n))])
    y = D @ [3.0, 1.0, -1.0] + rng.standard_normal(n).cumsum()
    e = y - D @ np.linalg.lstsq(D, y, rcond=None)[0]
    both = np.column_stack([D, e])
    x = 0.5 * rng.standard_normal(r)

    def explicit(x):
        rho = np.zeros(0)
        for k in np.tanh(x):  # Durbin and Levinson
            rho = np.append(rho - k * rho[::-1], k)
        S = covariance(rho, n)
        W = np.linalg.inv(S)
        inner = D.T @ W @ D
        rss = e @ W @ e - e @ W @ D @ np.linalg.solve(inner, D.T @ W @ e)
        logs = np.linalg.slogdet(S)[1] + np.linalg.slogdet(inner)[1]
        return 0.5 * ((n - 3) * np.log(rss) + logs) / n

    value, slopes = _sloped_cost(both, x)
    assert value == pytest.approx(explicit(x), rel=1e-9)
    h = 1e-5
    differences = [(explicit(x + step) - explicit(x - step)) / (2 * h) for step in h * np.eye(r)]
    np.testing.assert_allclose(slopes, differences, rtol=1e-5, atol=1e-8)


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


@pytest.mark.parametrize("rho", RHOS)
def test_a_long_series_is_worked_on_in_blocks(rho, monkeypatch):
    rng, n = np.random.default_rng(0), 500
    D = np.column_stack([np.ones(n), np.linspace(-1.0, 1.0, n), np.sin(np.arange(n) / 5.0)])
    y = D @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(n)
    theta, V = generalised_least_squares(y, D, np.array(rho))
    monkeypatch.setattr(regression, "_MANY", 400)
    monkeypatch.setattr("gpforecast.numerics.condensing._BLOCK", 150)
    by_blocks, V_by_blocks = generalised_least_squares(y, D, np.array(rho))
    np.testing.assert_allclose(by_blocks, theta, rtol=1e-11)
    np.testing.assert_allclose(V_by_blocks, V, rtol=1e-9)


def test_a_line_needs_two_values_more_than_it_has_coefficients():
    with pytest.raises(ValueError, match="at least 4"):
        Deterministic(trend=1).fit([1.0, 2.0, np.nan, 3.5])
    assert np.isfinite(Deterministic(trend=1).fit([1.0, 2.0, np.nan, 3.5, 4.0]).theta).all()
