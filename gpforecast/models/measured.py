r"""Rows of a series that was measured with noise: one wrong value is a target and many lags.

The values are :math:`y_t = z_t + e_t` with measurement noise :math:`e_t \sim N(0, s_t)`, and
:math:`z_t = f(z_{t-1}, \dots) + \epsilon_t` with process noise :math:`\epsilon_t \sim N(0, q)`.
With X the measured lags and g the slopes of f there, to first order in e

.. math::

    y = f(X) + G e + \epsilon, \qquad (G e)_t = e_t - \sum_j g_{tj}\, e_{t-j},

a regression whose noise is correlated between rows, with the covariance
:math:`R = G\, \mathrm{diag}(s)\, G' + q I`. The rows stay at the measured lags: around them slopes
are determined, while smoothed lags lie close to a surface on which any slope off it fits. McHutchon
and Rasmussen (2011), "Gaussian process training with input noise", treat rows whose errors are
independent of each other this way.
"""

from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.models.base import CanBeConditioned
from gpforecast.models.evidence import FAILED, Evidence, Objective

ROUNDS = 2  # of finding slopes, and then everything else given them
FACTOR = 0.01  # of all noise: the process noise that the prior expects
SPREAD = 1.0  # its standard deviation in the logarithm


@dataclass(frozen=True, eq=False)
class Measurements:
    """Where the rows of a series were taken from, and what is known of its measurement noise.

    Attributes
    ----------
    places : ndarray (n,)
        The position of each row's target in the series.
    lags : tuple of int
        Of the first inputs; other inputs are known exactly.
    variances : ndarray (T,)
        Of the measurement noise of every value, in squared units of the targets; ones if it is to
        be found.
    known : bool
        Whether the variances are known; otherwise they are, but for one factor.
    """

    places: IntArray
    lags: tuple[int, ...]
    variances: FloatArray
    known: bool = False

    def errors(self, slopes: FloatArray) -> "LagErrors":
        """Return what the noise does to rows with these slopes of f, (n, d)."""
        n, lags = len(self.places), np.array(self.lags, dtype=np.int64)
        columns = np.column_stack([self.places, self.places[:, None] - lags])
        weights = np.column_stack([np.ones(n), -slopes[:, : len(lags)]])
        rows = np.repeat(np.arange(n), columns.shape[1])
        shape = (n, len(self.variances))
        G = scipy.sparse.csr_matrix((weights.ravel(), (rows, columns.ravel())), shape=shape)
        return LagErrors(G, columns[:, 1:], self.variances, self.known)


@dataclass(frozen=True, eq=False)
class LagErrors:
    """What noise of the measured values adds to the rows: G e.

    Attributes
    ----------
    G : sparse matrix (n, T)
    lag_places : ndarray (n, n_lags)
        The positions of the lags in the series.
    variances : ndarray (T,)
        Of e, but for the factor that is to be found.
    known : bool
        Whether that factor is known to be 1.
    """

    G: "scipy.sparse.csr_matrix"
    lag_places: IntArray
    variances: FloatArray
    known: bool

    @property
    def sparse(self) -> "scipy.sparse.csr_matrix":
        """Its covariance (n, n), for a factor of 1; row i and j share nothing at distant times."""
        return scipy.sparse.csr_matrix(self.G.multiply(self.variances[None]) @ self.G.T)

    @cached_property
    def covariance(self) -> FloatArray:
        """Its covariance (n, n), for a factor of 1."""
        return np.asarray(self.sparse.toarray())

    def banded(self, factor: float, noise_var: float) -> FloatArray:
        """Return the lower diagonals of R (w, n), for rows in order of time."""
        S = self.sparse.tocoo()
        below = S.row - S.col
        R = np.zeros((int(below.max(initial=0)) + 1, len(self.G.indptr) - 1))
        R[below[below >= 0], S.col[below >= 0]] = factor * S.data[below >= 0]
        R[0] += noise_var
        return R

    @property
    def size(self) -> float:
        """The mean of its variances, for a factor of 1."""
        return float(self.sparse.diagonal().mean())

    def split(self, noise_var: float) -> tuple[float, float]:
        """Return where to start from: process noise and factor that make up a noise variance."""
        factor = 1.0 if self.known else 0.8 * noise_var / self.size
        return max(noise_var - factor * self.size, 0.2 * noise_var), factor


@runtime_checkable
class LearnsMeasured(CanBeConditioned, Protocol):
    """A fitted model that can tell measurement noise from process noise."""

    noise_var_: float
    measurement_var_: float

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> Self:
        """Return the model fitted anew with both noises; without a search only conditioned.

        X (n, d) and y (n,) are in order of time. Afterwards ``noise_var_`` is the variance of the
        process noise, and ``measurement_var_`` the factor of ``measurements.variances``.
        """
        ...


_WEAK = 2.0  # standard deviation of the prior of the covariance's logarithms


@dataclass(frozen=True, eq=False)
class MeasuredEvidence(Objective):
    r"""log N(y | 0, K + H H' + f S + q I) of theta = (covariance's logarithms, log q, log f).

    S is the covariance of the lags' errors for a factor f = 1. The covariance has the weak prior;
    log q has a Gaussian around a hundredth of all noise, unless f is known: measurement and process
    noise are separated by the correlation of neighbouring rows alone, and what cannot be
    separated is measurement noise. f has none.

    Attributes
    ----------
    rows : Evidence
        Of the same rows without the errors; it starts from the hyperparameters of an earlier fit.
    errors : LagErrors
    start : ndarray (p + 1,)
    middle : ndarray (p + 1,)
        Of the prior.
    held : bool
        Whether the covariance stays as it is.
    """

    rows: Evidence
    errors: LagErrors
    start: FloatArray
    middle: FloatArray
    held: bool

    @property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p + 1, 2)."""
        factor = np.zeros(2)
        if not self.errors.known:
            factor = np.log(np.array([1e-9, 10.0]) * self.rows.y_var / self.errors.size)
        bounds = np.vstack([self.rows.log_bounds, factor])
        if self.held:
            bounds[:-2] = self.start[:-2, None]
        return bounds

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.rows.names, "measurement noise variance")

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta; those of the factor are infinite."""
        of_noise = np.inf if self.errors.known else SPREAD
        return self.middle, np.append(np.full(len(self.middle) - 2, _WEAK), [of_noise, np.inf])

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        rows, S = self.rows, self.errors.covariance
        factor = float(np.exp(theta[-1]))
        rows.workspace.correlated = factor * S
        value, rise, U = rows._with_root(*rows.unpack(theta[:-1]))
        inverse = np.tril(rows.workspace.A)  # the other triangle is left over
        trace = float(np.sum((U @ S) * U)) - 2.0 * float(np.sum(inverse * S))
        trace += float(inverse.diagonal() @ S.diagonal())
        return value, np.append(rise, 0.5 * factor * trace)

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float, float]:
        """Return covariance, process noise and the factor of the measurement noise."""
        return *self.rows.unpack(theta[:-1]), float(np.exp(theta[-1]))


_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class MeasuredWeights:
    r"""Weights w of y = Phi w + noise of covariance R, with w ~ N(0, I) or a flat prior.

    .. math::

        \operatorname{cov}(w) = (P + \Phi' R^{-1} \Phi)^{-1}, \qquad
        E[w] = \operatorname{cov}(w)\, \Phi' R^{-1} y

    with P = I or 0. R has few diagonals, so all of it costs O(n p (w + p)) for w of them.

    Attributes
    ----------
    mean : ndarray (p,)
    chol : ndarray (p, p)
        The lower factor of the inverse of cov(w).
    log_evidence : float
        log N(y | 0, Phi Phi' + R); with a flat prior that of the residuals at the mean.
    """

    mean: FloatArray
    chol: FloatArray
    log_evidence: float

    @staticmethod
    def of(Phi: FloatArray, y: FloatArray, R: FloatArray, *, flat: bool) -> "MeasuredWeights":
        """Return the weights, for the lower diagonals R (w, n).

        Raises
        ------
        numpy.linalg.LinAlgError
            If R is not positive definite, or the features determine too few weights.
        """
        factor = scipy.linalg.cholesky_banded(R, lower=True)
        solved = scipy.linalg.cho_solve_banded((factor, True), np.column_stack([Phi, y]))
        precision = Phi.T @ solved[:, :-1]
        log_det = 2.0 * float(np.log(factor[0]).sum())
        if not flat:
            precision.flat[:: len(precision) + 1] += 1.0
        C = scipy.linalg.cholesky(precision, lower=True)
        projected = Phi.T @ solved[:, -1]
        mean = np.asarray(scipy.linalg.cho_solve((C, True), projected))
        if not flat:
            log_det += 2.0 * float(np.log(C.diagonal()).sum())
        quadratic = float(y @ solved[:, -1] - projected @ mean)
        log_evidence = -0.5 * (quadratic + log_det + len(y) * _LOG_2PI)
        return MeasuredWeights(mean, np.asarray(C), log_evidence)

    @property
    def root(self) -> FloatArray:
        """A with A A' = cov(w), (p, p)."""
        identity = np.eye(len(self.chol))
        return np.asarray(scipy.linalg.solve_triangular(self.chol, identity, lower=True)).T


def split_noises(
    Phi: FloatArray, y: FloatArray, errors: LagErrors, all_noise: float
) -> tuple[float, float]:
    """Return process noise and factor of the measurement noise, of greatest evidence."""
    usual = np.log(FACTOR * all_noise)

    def negative(theta: FloatArray) -> float:
        q, factor = np.exp(theta)
        off = 0.0 if errors.known else (theta[0] - usual) / SPREAD
        try:
            found = MeasuredWeights.of(Phi, y, errors.banded(factor, q), flat=False)
        except np.linalg.LinAlgError:
            return FAILED
        return 0.5 * float(off**2) - found.log_evidence

    start = np.log(errors.split(all_noise))
    free = (0.0, 0.0) if errors.known else (start[1] - 14.0, start[1] + 3.0)
    bounds = [(start[0] - 14.0, start[0] + 3.0), free]
    run = scipy.optimize.minimize(negative, start, method="L-BFGS-B", bounds=bounds)
    q, factor = np.exp(run.x)
    return float(q), float(factor)


def measured_density(
    b: FloatArray, factor: float, q: float, H: FloatArray, y: FloatArray, errors: LagErrors
) -> tuple[float, FloatArray]:
    r"""Return log N(y - H b | 0, R) and its slopes in (b, log q, log factor), G that of slopes b.

    With a = R^-1 (y - H b) and Z = R^-1, of which only the diagonals that R has are needed,

    .. math::

        \frac{\partial L}{\partial b_k}
            = h_k' a + \tfrac12 \operatorname{tr}\left((a a' - Z)
              \frac{\partial R}{\partial b_k}\right),
        \qquad
        \frac{\partial R}{\partial b_k} = -P_k V G' - G V P_k'

    where :math:`P_k` selects the k-th lags and :math:`V = f\, \mathrm{diag}(s)`. O(n w^2).
    """
    G, variances = errors.G, factor * errors.variances
    R = errors.banded(factor, q)
    C = scipy.linalg.cholesky_banded(R, lower=True)
    residuals = y - H @ b
    a = scipy.linalg.cho_solve_banded((C, True), residuals)
    value = -0.5 * float(residuals @ a) - float(np.log(C[0]).sum()) - 0.5 * len(y) * _LOG_2PI
    Z = inverse_band(C)
    # (a a' - Z) G V, at the places of the k-th lags
    first, rows = errors.lag_places, np.arange(len(y))[:, None]
    at_lags = a[:, None] * (G.T @ a)[first] - np.asarray((Z @ G)[rows, first].todense())
    at_lags *= variances[first]
    slopes = H.T @ a
    slopes[: at_lags.shape[1]] -= at_lags.sum(axis=0)
    S = errors.sparse
    by_factor = 0.5 * factor * (float(a @ (S @ a)) - float(Z.multiply(S).sum()))
    by_noise = 0.5 * q * (float(a @ a) - float(Z.diagonal().sum()))
    return value, np.concatenate([slopes, [by_noise, by_factor]])


def inverse_band(C: FloatArray) -> "scipy.sparse.csr_matrix":
    """Return the diagonals of (L L')^-1 that L has, for the lower diagonals C (w, n) of L.

    From the last row up (Takahashi's equations): with l the column of L below its diagonal, over
    it, z = -Z l and z_jj = 1 / L_jj^2 - l' z.
    """
    w, n = C.shape
    band = np.zeros((w, n))
    Z = np.zeros((w - 1, w - 1))  # of the rows that follow
    for j in range(n - 1, -1, -1):
        below = C[1:, j] / C[0, j]
        z = -Z @ below
        diagonal = 1.0 / C[0, j] ** 2 - below @ z
        band[0, j], band[1:, j] = diagonal, z
        Z[1:, 1:] = Z[:-1, :-1].copy()
        Z[:1, 1:], Z[1:, :1] = z[:-1], z[:-1, None]
        Z[:1, :1] = diagonal
    lower = scipy.sparse.dia_matrix((band, -np.arange(w)), shape=(n, n))
    return scipy.sparse.csr_matrix(
        lower + lower.T - scipy.sparse.dia_matrix((band[:1], [0]), shape=(n, n))
    )
