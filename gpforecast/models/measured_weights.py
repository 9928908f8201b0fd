"""Regression in weight space on rows whose noise is correlated with that of their neighbours."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.models.lag_errors import LagErrors

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
    root : ndarray (p, p)
        A with A A' = cov(w).
    log_evidence : float
        log N(y | 0, Phi Phi' + R); with a flat prior that of the residuals at the mean.
    """

    mean: FloatArray
    root: FloatArray
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
        root = np.asarray(scipy.linalg.solve_triangular(C, np.eye(len(C)), lower=True)).T
        return MeasuredWeights(mean, root, log_evidence)


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
