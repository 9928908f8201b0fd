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


def mp_matrix(values):
    """The floats of an array, taken as exact; of a vector, a column."""
    return mp.matrix(np.asarray(values, float).tolist())


def mp_kernel(A, B, lengthscales, variance):
    """The squared exponential between rows (n, d) and (m, d)."""
    scales = mp_matrix(np.broadcast_to(lengthscales, np.shape(A)[1]))
    A, B = mp_matrix(A), mp_matrix(B)
    K = mp.matrix(A.rows, B.rows)
    for i, j in np.ndindex(A.rows, B.rows):
        apart = mp.fsum(((A[i, c] - B[j, c]) / scales[c]) ** 2 for c in range(A.cols))
        K[i, j] = mp.mpf(variance) * mp.exp(-apart / 2)
    return K


def mp_moments(X, y, lengthscales, variance, noise_var, u, S):
    """Mean, variance and cov(f, x) of a GP at x ~ N(u, S), by the textbook, in 50 digits.

    Quinonero-Candela, Girard and Rasmussen (2003), eqs. 30 and 33 (mean), 35 and 37 (variance),
    53 (covariance with the input), from K + noise I on.
    """
    d = np.shape(X)[1]
    lengthscales = tuple(np.broadcast_to(np.asarray(lengthscales, float), d).tolist())
    rows = tuple(map(tuple, X.tolist()))
    with mp.workdps(DIGITS):
        gp = _MpGP(rows, tuple(y.tolist()), lengthscales, float(variance), float(noise_var))
        mean, var, cross = gp.moments(mp_matrix(u), mp_matrix(S))
        return float(mean), float(var), np.array([float(c) for c in cross])


@lru_cache(maxsize=16)
class _MpGP:
    def __init__(self, X, y, lengthscales, variance, noise_var):
        self.X, self.ell, self.variance = X, mp_matrix(lengthscales), mp.mpf(variance)
        K = mp_kernel(X, X, lengthscales, variance) + mp.mpf(noise_var) * mp.eye(len(X))
        self.inverse = mp.inverse(K)
        self.beta = self.inverse * mp_matrix(y)  # eq. 30

    def moments(self, u, S):
        d, n = len(u), len(self.X)
        Lambda = mp.diag([e**2 for e in self.ell])
        precision = Lambda**-1
        near, apart = mp.inverse(S + Lambda), mp.inverse(Lambda / 2 + S)
        root_l = 1 / mp.sqrt(mp.det(precision * S + mp.eye(d)))
        root_L = 1 / mp.sqrt(mp.det(2 * precision * S + mp.eye(d)))

        offset = [mp_matrix(row) - u for row in self.X]
        l_ = [self.variance * root_l * mp.exp(-_quadratic(near, o) / 2) for o in offset]  # eq. 33
        mean = mp.fsum(b * v for b, v in zip(self.beta, l_, strict=True))

        var = self.variance - mean**2  # eq. 35
        for i in range(n):
            for j in range(i + 1):
                middle, gap = (offset[i] + offset[j]) / 2, offset[i] - offset[j]
                exponent = _quadratic(apart, middle) + _quadratic(precision, gap) / 2
                L = self.variance**2 * root_L * mp.exp(-exponent / 2)  # eq. 37
                times = 1 if i == j else 2
                var += times * L * (self.beta[i] * self.beta[j] - self.inverse[i, j])

        pull = mp.matrix(d, 1)
        for b, v, o in zip(self.beta, l_, offset, strict=True):
            pull += b * v * (near * o)
        return mean, var, list(S * pull)  # eq. 53


def _quadratic(A, v):
    return (v.T * A * v)[0]


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
    k = basis_matrix(X, posterior.centers, posterior.lengthscales)
    psi = np.column_stack([k, X, np.ones(len(X))])
    cov = posterior.prior_var * basis_matrix(X, X, posterior.lengthscales)
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


# --- linear models over time --------------------------------------------------------------------


def linear_gaussian(terms, level, covariance):
    """Mean and covariance of z = L z + level + e, solved at once.

    `terms` has, of each place whose value depends on others, pairs of a weight and a place.
    """
    L = np.zeros((len(level), len(level)))
    for place, pairs in terms.items():
        for weight, other in pairs:
            L[place, other] += weight
    solve = np.linalg.inv(np.eye(len(level)) - L)
    return solve @ level, solve @ covariance @ solve.T


def conditioned(mean, covariance, known, values):
    """Mean and covariance of all of a Gaussian vector given some of it."""
    gain = covariance[:, known] @ np.linalg.inv(covariance[np.ix_(known, known)])
    return mean + gain @ (values - mean[known]), covariance - gain @ covariance[known]


def ar_forecast(weights, lags, past, horizon, *, constant=0.0, noise_var):
    """Mean and joint covariance of a linear AR with known weights, over the whole horizon."""
    exog = np.zeros((horizon, 0))
    return arx_forecast(
        weights, lags, (), (), past, exog, None, horizon, constant=constant, noise_var=noise_var
    )


def arx_forecast(
    weights, lags, exog_weights, exog_terms, past, exog, exog_cov, horizon, *,
    constant=0.0, noise_var,
):  # fmt: skip
    """The same with exogenous inputs, of which `exog` (n_past_exog + horizon, q) are the means.

    `exog_terms` are (column, lag), `exog_cov` is over the future rows, row by row.
    """
    past = past[len(past) - max(lags, default=0) :]
    p, (rows, q) = len(past), exog.shape
    n, earlier = p + horizon, rows - horizon
    terms = {}
    for k in range(horizon):
        own = [(w, p + k - lag) for w, lag in zip(weights, lags, strict=True)]
        terms[p + k] = own + [
            (w, n + (earlier + k - lag) * q + column)
            for w, (column, lag) in zip(exog_weights, exog_terms, strict=True)
        ]
    covariance = np.diag(np.repeat([0.0, noise_var, 0.0], [p, horizon, rows * q]))
    if q:
        covariance[n + earlier * q :, n + earlier * q :] = exog_cov
    level = np.concatenate([past, np.full(horizon, constant), exog.ravel()])
    mean, covariance = linear_gaussian(terms, level, covariance)
    return mean[p:n], covariance[p:n, p:n]


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

    def as_gp(self, x, prior_var):
        """Mean and variance at x with a basis function there: a GP, eq. (2.44), N x N."""
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
