"""Oracles: the same quantities by other means, sharing no code with the package.

Fifty-digit arithmetic from the raw data, explicit inverses, quadrature, and the closed form of a
linear autoregression. Slow and plain on purpose.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mpmath as mp
import numpy as np
from scipy.stats import multivariate_normal

DIGITS = 50


# --- fifty digits, from the raw data ------------------------------------------------------------


def central(f, at, h=1e-5):
    """Slopes of f at an array by central differences: the axes of `at`, then those of f."""
    at = np.asarray(at, float)
    steps = h * np.eye(at.size).reshape(-1, *at.shape)
    slopes = np.array([(f(at + e) - f(at - e)) / (2.0 * h) for e in steps])
    return slopes.reshape(*at.shape, *slopes.shape[1:])


def row_slopes(f, X, h=1e-5):
    """Slopes (n, d) of f, (n,), in the inputs of each row, by central differences."""
    return np.stack([(f(X + e) - f(X - e)) / (2.0 * h) for e in h * np.eye(X.shape[1])], axis=1)


def mp_moments(X, y, lengthscales, variance, noise_var, u, S):
    """Mean, variance and cov(f, x) of a GP at x ~ N(u, S), by the textbook, in 50 digits.

    Quinonero-Candela, Girard and Rasmussen (2003), eqs. 30 and 33 (mean), 35 and 37 (variance),
    53 (covariance with the input), from K + noise I on; the floats passed are taken as exact.
    """
    d = np.shape(X)[1]
    lengthscales = np.broadcast_to(np.asarray(lengthscales, float), d)
    gp = _mp_gp(
        tuple(map(tuple, np.asarray(X, float).tolist())),
        tuple(np.asarray(y, float).tolist()),
        tuple(lengthscales.tolist()),
        float(variance),
        float(noise_var),
    )
    with mp.workdps(DIGITS):
        mean, var, cross = gp.moments(_mp_row(u), mp.matrix(np.asarray(S, float).tolist()))
        return float(mean), float(var), np.array([float(c) for c in cross])


def _mp_row(values):
    return [mp.mpf(float(v)) for v in values]


@lru_cache(maxsize=16)
def _mp_gp(X, y, lengthscales, variance, noise_var):
    with mp.workdps(DIGITS):
        return _MpGP(
            [_mp_row(row) for row in X],
            _mp_row(y),
            _mp_row(lengthscales),
            mp.mpf(variance),
            mp.mpf(noise_var),
        )


class _MpGP:
    def __init__(self, X, y, lengthscales, variance, noise_var):
        self.X, self.ell, self.variance = X, lengthscales, variance
        n = len(X)
        K = mp.matrix(n, n)
        for i in range(n):
            for j in range(i + 1):
                apart = mp.fsum(
                    ((a - b) / e) ** 2 for a, b, e in zip(X[i], X[j], lengthscales, strict=True)
                )
                K[i, j] = K[j, i] = variance * mp.exp(-apart / 2)
            K[i, i] += noise_var
        self.inverse = mp.inverse(K)
        self.beta = [
            mp.fsum(self.inverse[i, j] * y[j] for j in range(n)) for i in range(n)
        ]  # eq. 30

    def moments(self, u, S):
        d, n = len(u), len(self.X)
        eye = mp.eye(d)
        Lambda = mp.diag([e**2 for e in self.ell])
        precision = mp.diag([1 / e**2 for e in self.ell])
        near = mp.inverse(S + Lambda)
        apart = mp.inverse(Lambda / 2 + S)
        root_l = 1 / mp.sqrt(mp.det(precision * S + eye))
        root_L = 1 / mp.sqrt(mp.det(2 * precision * S + eye))

        offset = [[x - m for x, m in zip(row, u, strict=True)] for row in self.X]
        l_ = [self.variance * root_l * mp.exp(-_quadratic(near, o) / 2) for o in offset]  # eq. 33
        mean = mp.fsum(b * v for b, v in zip(self.beta, l_, strict=True))

        var = self.variance - mean**2  # eq. 35
        for i in range(n):
            for j in range(i + 1):
                middle = [(a + b) / 2 for a, b in zip(offset[i], offset[j], strict=True)]
                gap = [(a - b) / e for a, b, e in zip(offset[i], offset[j], self.ell, strict=True)]
                exponent = _quadratic(apart, middle) + mp.fsum(g * g for g in gap) / 2
                L = self.variance**2 * root_L * mp.exp(-exponent / 2)  # eq. 37
                times = 1 if i == j else 2
                var += times * L * (self.beta[i] * self.beta[j] - self.inverse[i, j])

        pull = mp.matrix([0] * d)
        for b, v, o in zip(self.beta, l_, offset, strict=True):
            pull += b * v * (near * mp.matrix(o))
        return mean, var, list(S * pull)  # eq. 53


def _quadratic(A, v):
    d = len(v)
    return mp.fsum(v[i] * A[i, j] * v[j] for i in range(d) for j in range(d))


def mp_exp_remainder(t):
    """exp(t) - 1 - t, rounded once: with digits enough for the cancellation of a tiny t."""
    digits = 40 + 2 * max(0, int(-np.log10(abs(t)))) if t else 40
    with mp.workdps(digits):
        exact = mp.mpf(float(t))
        return float(mp.exp(exact) - 1 - exact)


# --- a GP by explicit inverses ------------------------------------------------------------------


@dataclass(frozen=True)
class BruteForceGP:
    """N x N prediction and evidence under a covariance function."""

    X: np.ndarray
    y: np.ndarray
    noise_var: float
    k: Callable[[np.ndarray, np.ndarray], np.ndarray]

    @cached_property
    def inverse(self):
        return np.linalg.inv(self.k(self.X, self.X) + self.noise_var * np.eye(len(self.X)))

    def predict(self, X):
        k = self.k(X, self.X)
        var = np.diag(self.k(X, X)) - np.einsum("ni,ij,nj->n", k, self.inverse, k)
        return k @ self.inverse @ self.y, var

    def log_evidence(self):
        K = self.k(self.X, self.X) + self.noise_var * np.eye(len(self.X))
        log_det = np.linalg.slogdet(K)[1]
        fit = self.y @ self.inverse @ self.y
        return -0.5 * (fit + log_det + len(self.y) * np.log(2.0 * np.pi))


def posterior_covariance(posterior, X):
    """cov(f(x), f(x')) of a Posterior at the rows of X, by its definition, explicit inverse."""
    scaled = (X[:, None] - posterior.centers[None]) / posterior.lengthscales
    k = np.exp(-0.5 * (scaled**2).sum(axis=2))
    psi = np.column_stack([k, X, np.ones(len(X))])
    own = (X[:, None] - X[None]) / posterior.lengthscales
    cov = posterior.prior_var * np.exp(-0.5 * (own**2).sum(axis=2))
    if posterior.chol is not None:
        cov -= k @ np.linalg.inv(posterior.chol @ posterior.chol.T) @ k.T
    if posterior.added is not None:
        cov += psi @ posterior.added @ posterior.added.T @ psi.T
    return cov


# --- quadrature ---------------------------------------------------------------------------------


def hermite_grid(u, S, n_nodes):
    """Points and weights for expectations over N(u, S), S positive definite, d = 1 or 2."""
    u, S = np.atleast_1d(np.asarray(u, float)), np.atleast_2d(np.asarray(S, float))
    t, w = np.polynomial.hermite_e.hermegauss(n_nodes)
    w = w / w.sum()
    mesh = np.stack(np.meshgrid(*[t] * len(u), indexing="ij"), axis=-1).reshape(-1, len(u))
    weights = np.ones(1)
    for _ in range(len(u)):
        weights = np.outer(weights, w).ravel()
    return u + mesh @ np.linalg.cholesky(S).T, weights


def quadrature_moments(posterior, u, S, *, n_nodes=80):
    """Mean, variance and expected gradient at N(u, S), from `predict` alone.

    The gradient is that of the expectation with respect to u, which is S^-1 cov(x, f).
    """
    x, w = hermite_grid(u, S, n_nodes)
    at = posterior.predict(x)
    mean = w @ at.mean
    var = w @ at.var + w @ (at.mean - mean) ** 2
    cross = (w * (at.mean - mean)) @ (x - np.atleast_1d(u))
    return mean, var, np.linalg.solve(np.atleast_2d(S), cross)


# --- a linear autoregression --------------------------------------------------------------------


def ar_forecast(weights, lags, past, horizon, *, constant=0.0, noise_var):
    """Mean and joint covariance of a linear AR with known weights, over the whole horizon.

    By powers of the companion matrix; covariance = noise_var * Psi Psi' with the psi-weights
    (the response to a unit shock) in the lower triangle of Psi. Box and Jenkins, chapter 5.
    """
    p = max(lags)
    companion = np.zeros((p + 1, p + 1))  # state: last p values, newest first, and a one
    for weight, lag in zip(weights, lags, strict=True):
        companion[0, lag - 1] += weight
    companion[0, p] = constant
    companion[1:p, : p - 1] = np.eye(p - 1)
    companion[p, p] = 1.0
    state = np.append(np.asarray(past, float)[::-1][:p], 1.0)
    mean = np.array([(np.linalg.matrix_power(companion, k) @ state)[0] for k in _steps(horizon)])
    psi = [np.linalg.matrix_power(companion, k)[0, 0] for k in range(horizon)]
    Psi = np.array(
        [[psi[i - j] if i >= j else 0.0 for j in range(horizon)] for i in range(horizon)]
    )
    return mean, noise_var * Psi @ Psi.T


def _steps(horizon):
    return range(1, horizon + 1)


def arx_forecast(
    weights, lags, exog_weights, exog_terms, past, exog, exog_cov, horizon, *, noise_var
):
    """The same with exogenous inputs, as one linear system over all future values.

    The future y solves (I - A) y = B past + C exog + e. `exog` is (n_past_exog + horizon, q),
    `exog_terms` are (column, lag), `exog_cov` is over the future rows, row by row.
    """
    A = np.zeros((horizon, horizon))
    known = np.zeros(horizon)
    q = exog.shape[1]
    first = len(exog) - horizon
    C = np.zeros((horizon, horizon * q))
    for k in range(horizon):
        for weight, lag in zip(weights, lags, strict=True):
            if k >= lag:
                A[k, k - lag] += weight
            else:
                known[k] += weight * past[len(past) + k - lag]
        for weight, (column, lag) in zip(exog_weights, exog_terms, strict=True):
            known[k] += weight * exog[first + k - lag, column]
            if k >= lag:
                C[k, (k - lag) * q + column] += weight
    solve = np.linalg.inv(np.eye(horizon) - A)
    shocks = noise_var * np.eye(horizon) + C @ exog_cov @ C.T
    return solve @ known, solve @ shocks @ solve.T


# --- a relevance vector machine -----------------------------------------------------------------


def basis_matrix(X, centers, lengthscales):
    scaled = (X[:, None, :] - centers[None]) / lengthscales
    return np.exp(-0.5 * (scaled**2).sum(axis=2))


@dataclass(frozen=True)
class BruteForceRVM:
    """Basis functions, perhaps a bias in the last column, given precisions; explicit inverses."""

    X: np.ndarray
    y: np.ndarray
    centers: np.ndarray
    lengthscales: np.ndarray
    alpha: np.ndarray  # one more than there are centers where there is a bias
    noise_var: float

    def features(self, X):
        Phi = basis_matrix(X, self.centers, self.lengthscales)
        bias = len(self.alpha) > len(self.centers)
        return np.column_stack([Phi, np.ones(len(X))]) if bias else Phi

    @cached_property
    def Sigma(self):  # noqa: N802
        """Quinonero-Candela (2004), eq. (2.18)."""
        Phi = self.features(self.X)
        return np.linalg.inv(Phi.T @ Phi / self.noise_var + np.diag(self.alpha))

    @cached_property
    def mu(self):
        return self.Sigma @ self.features(self.X).T @ self.y / self.noise_var

    def predict(self, X):
        Phi = self.features(X)
        return Phi @ self.mu, np.einsum("nm,mk,nk->n", Phi, self.Sigma, Phi)

    def augmented(self, x, prior_var):
        """Mean and variance at x with a basis function there: the joint posterior of eq. (2.40)."""
        Phi = self.features(self.X)
        star = basis_matrix(self.X, x[None], self.lengthscales)
        corner = 1.0 / prior_var + star.T @ star / self.noise_var
        side = Phi.T @ star / self.noise_var
        Sigma = np.linalg.inv(np.block([[np.linalg.inv(self.Sigma), side], [side.T, corner]]))
        mu = Sigma @ np.concatenate([Phi.T, star.T]) @ self.y / self.noise_var
        phi = np.append(self.features(x[None])[0], 1.0)
        return phi @ mu, phi @ Sigma @ phi

    def as_gp(self, x, prior_var):
        """The same as a Gaussian process with the covariance of eq. (2.44), N x N."""
        at = np.concatenate([self.X, x[None]])
        Phi = self.features(at)
        star = basis_matrix(at, x[None], self.lengthscales)
        K = Phi / self.alpha @ Phi.T + prior_var * star @ star.T
        inverse = np.linalg.inv(K[:-1, :-1] + self.noise_var * np.eye(len(self.X)))
        k = K[-1, :-1]
        return k @ inverse @ self.y, K[-1, -1] - k @ inverse @ k


def weights_log_evidence(Phi, alpha, noise_var, y):
    """log N(y | 0, s2 I + Phi A^-1 Phi'), by the n x n matrix."""
    C = noise_var * np.eye(len(y)) + (Phi / alpha) @ Phi.T
    return multivariate_normal(np.zeros(len(y)), C).logpdf(y)


def mp_weights_log_evidence(Phi, alpha, noise_var, y):
    """The same in 50 digits: log|C| = n log s2 + log|A + Phi'Phi / s2| - log|A|."""
    with mp.workdps(DIGITS):
        P, v, s2 = mp.matrix(Phi.tolist()), mp.matrix(y.tolist()), mp.mpf(float(noise_var))
        A = mp.diag([mp.mpf(float(a)) for a in alpha])
        H = A + P.T * P / s2
        mu = mp.lu_solve(H, P.T * v / s2)
        r = v - P * mu
        fit = (r.T * r)[0] / s2 + (mu.T * A * mu)[0]
        chol = mp.cholesky(H)
        log_det = 2 * sum(mp.log(chol[i, i]) for i in range(H.rows))
        log_det += len(y) * mp.log(s2) - sum(mp.log(float(a)) for a in alpha)
        return float(-(fit + log_det + len(y) * mp.log(2 * mp.pi)) / 2)
