r"""The slopes of the evidence, in a second pass over the rows.

With :math:`R = \alpha\alpha' - C^{-1}`, :math:`C = V'V + \Lambda`, :math:`\alpha = C^{-1}y`,
:math:`P = K_{MM}^{-1} K_{MN}` and D the part of R that the residual passes on (its diagonal, its
blocks, :math:`-I/\sigma^2` for the penalty of VFE, or 0), the evidence has the slopes

.. math::

    \frac{\partial}{\partial K_{MN}} = P (R - D), \qquad
    \frac{\partial}{\partial K_{MM}} = -\tfrac12 P (R - D) P'

(Snelson 2007, appendix C, derived anew for matrices). Nothing n x n appears, because
:math:`P\alpha = w`, the weights of the mean, and :math:`V C^{-1} = A^{-1} V \Lambda^{-1}`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.evidence import (
    Block,
    Factors,
    Parameters,
    residual_of,
)
from gpforecast.models.sparse.spaces import bumps
from gpforecast.models.sparse.streaming import Rows
from gpforecast.numerics.solving import solve_rows, solve_rows_transposed


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes of the log evidence.

    Attributes
    ----------
    inducing : ndarray (M, g)
        In the inducing inputs, where distances are measured.
    space : ndarray
        What `Space.pull` makes of the slopes in the rows, where distances are measured.
    log_variance, log_noise : float
    log_uncertainty : ndarray (M,)
    log_prior : ndarray (d + 1,) or (0,)
    """

    inducing: FloatArray
    space: FloatArray
    log_variance: float
    log_noise: float
    log_uncertainty: FloatArray
    log_prior: FloatArray


@dataclass
class _Sums:
    """What the parts of the rows add up to."""

    inducing: FloatArray  # (M, g)
    columns: FloatArray  # (M,)
    VDV: FloatArray  # (M, M)
    space: FloatArray | float = 0.0
    total: float = 0.0  # sum of slope times covariance: the slope in log variance
    trace: float = 0.0  # of R
    kept: float = 0.0  # slope in k_nn, summed over rows

    def add_bumps(
        self, p: Parameters, H: FloatArray, at: FloatArray, at_z: FloatArray, X: FloatArray
    ) -> None:
        """Add H (b, M) = dF/dK * K."""
        by_row = H.sum(axis=1)
        self.total += float(by_row.sum())
        self.columns += H.sum(axis=0)
        self.inducing += H.T @ at
        self.space = self.space + p.space.pull(H @ at_z - by_row[:, None] * at, at, X)

    def add_block(self, p: Parameters, H: FloatArray, at: FloatArray, X: FloatArray) -> None:
        """Add H (b, b) = dF/dK * K among the rows of a block."""
        by_row = H.sum(axis=1)
        self.total += float(by_row.sum())
        self.space = self.space + p.space.pull(2.0 * (H @ at - by_row[:, None] * at), at, X)


def slopes(p: Parameters, rows: Rows, approximation: Approximation, f: Factors) -> Slopes:
    """Return the slopes of ``f.log_evidence``, in O(n M^2) time."""
    at_z = p.space.inducing(p.inducing)
    M = len(at_z)
    sums = _Sums(np.zeros_like(at_z), np.zeros(M), np.zeros((M, M)))
    if approximation.residual == "none":
        _pass_without_residual(p, rows, approximation, f, at_z, sums)
    else:
        _pass_with_residual(p, rows, approximation, f, at_z, sums)
    # dF/dK_MM = -1/2 [w w' - L'^-1 (I - A^-1 + V D V') L^-1]
    inner = solve_both(f.L, f.explained[:M, :M] + sums.VDV)
    G = -0.5 * (np.outer(f.weights, f.weights) - inner)
    H = G * f.K_MM
    by_uncertainty = np.diag(G) * p.variance * p.uncertainty
    sums.total += float(H.sum())
    np.fill_diagonal(H, 0.0)
    sums.inducing += 2.0 * (H @ at_z - H.sum(axis=1)[:, None] * at_z)
    sums.inducing -= sums.columns[:, None] * at_z
    log_noise = 0.5 * p.noise_var * sums.trace
    if approximation.penalised:
        log_noise += 0.5 * f.excess / p.noise_var
    # V_j C^-1 V_j' = (I - A^-1)_jj for the linear features, which no residual knows of.
    log_prior = 0.5 * (f.gamma**2 - np.diag(f.explained))[M:]
    log_variance = sums.total + p.variance * sums.kept
    return Slopes(
        sums.inducing, np.asarray(sums.space), log_variance, log_noise, by_uncertainty, log_prior
    )


def _pass_without_residual(
    p: Parameters,
    rows: Rows,
    approximation: Approximation,
    f: Factors,
    at_z: FloatArray,
    sums: _Sums,
) -> None:
    """SR, DTC and VFE: one product of matrices a part, and V is not needed."""
    M, s2, n = len(at_z), p.noise_var, len(rows.y)
    A_inv = cho_solve((f.inner_chol, True), np.eye(len(f.inner_chol)))
    inner = f.explained[:M, :M] if approximation.penalised else -A_inv[:M, :M]
    by_bumps = solve_both(f.L, inner) / s2
    by_linear = -solve_rows_transposed(f.L, A_inv[M:, :M].copy()) / s2
    root = p.root
    squares = 0.0
    for i, part in enumerate(rows.parts):
        at = p.space.rows(rows.X[part])
        K = f.kept[i] if f.kept else bumps(at, at_z, p.variance)
        misfit = rows.y[part] - K @ f.weights
        G = K @ by_bumps
        if len(root):
            linear = rows.linear(part, root)
            misfit -= linear @ f.gamma[M:]
            G += linear @ by_linear
        alpha = misfit / s2
        squares += float(alpha @ alpha)
        G += alpha[:, None] * f.weights
        G *= K
        sums.add_bumps(p, G, at, at_z, rows.X[part])
    sums.trace = squares - (n - float(np.trace(f.explained))) / s2
    if approximation.penalised:
        sums.VDV = -f.S[:M, :M]
        sums.kept = -0.5 * n / s2


def _pass_with_residual(
    p: Parameters,
    rows: Rows,
    approximation: Approximation,
    f: Factors,
    at_z: FloatArray,
    sums: _Sums,
) -> None:
    """FITC, PITC and what has blocks."""
    M, root = len(at_z), p.root
    size = len(f.inner_chol)
    A_inv = cho_solve((f.inner_chol, True), np.eye(size)) if size else f.inner_chol
    for i, part in enumerate(rows.parts):
        X = rows.X[part]
        at = p.space.rows(X)
        K = f.kept[i] if f.kept else bumps(at, at_z, p.variance)
        V = solve_rows(f.L, K.copy())
        residual = residual_of(approximation, p, V, at)
        W = residual.solve(np.concatenate([V, rows.linear(part, root)], axis=1) if size > M else V)
        alpha = residual.solve(rows.y[part, None])[:, 0] - W @ f.gamma
        Y = W @ A_inv
        if isinstance(residual, Block):
            R = np.outer(alpha, alpha) - residual.solve(np.eye(len(at))) + Y @ W.T
            DV = R @ V
            sums.trace += float(np.trace(R))
            sums.add_block(p, 0.5 * R * residual.K, at, X)
        else:
            r = alpha**2 - 1.0 / residual.values + np.einsum("bm,bm->b", Y, W)
            DV = r[:, None] * V
            sums.trace += float(r.sum())
            sums.kept += 0.5 * float(r.sum())
        sums.VDV += V.T @ DV
        DV += Y[:, :M]
        G = alpha[:, None] * f.weights - solve_rows_transposed(f.L, DV)
        G *= K
        sums.add_bumps(p, G, at, at_z, X)


def solve_both(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 B L^-1."""
    half = solve_rows_transposed(L, np.array(B, order="C"))
    both = solve_rows_transposed(L, np.ascontiguousarray(half.T))
    return both.T
