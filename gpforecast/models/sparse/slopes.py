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
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.likelihood import Block, SparseFactors, residual_of
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.row_parts import RowParts
from gpforecast.numerics.solving import solve_rows, solve_rows_transposed


@dataclass(eq=False)
class Slopes:
    """Slopes of the log evidence.

    Attributes
    ----------
    by_kernel : ndarray (p,)
        In the logarithms of the kernel's parameters.
    by_prior : ndarray (d + 1,)
        In the logarithms of the prior variances of slopes and level.
    log_noise : float
    inducing : ndarray (M, g)
        In the inducing inputs, for each unit of theirs.
    projection : ndarray (g, d)
        Zeros without one.
    log_uncertainty : ndarray (M,)
    """

    by_kernel: FloatArray
    by_prior: FloatArray
    log_noise: float
    inducing: FloatArray
    projection: FloatArray
    log_uncertainty: FloatArray


@dataclass(eq=False)
class _Pass:
    """The second pass over the rows, and what the parts of the rows add up to."""

    p: Parameters
    rows: RowParts
    approximation: Approximation
    f: SparseFactors

    def __post_init__(self) -> None:
        M, g = self.p.inducing.shape
        self.sums = self.p.kernel.slope_sums(self.p.inducing)
        self.projection = np.zeros((g, self.rows.X.shape[1]))
        self.VDV = np.zeros((M, M))
        self.trace = 0.0  # of R
        chol = self.f.inner_chol
        self.A_inv = cho_solve((chol, True), np.eye(len(chol))) if len(chol) else chol

    def cross(self, i: int, at: FloatArray) -> MatrixSlopes:
        """Return the kernel's matrix of a part with the inducing inputs, (b, M)."""
        return self.f.kept[i] if self.f.kept else self.p.kernel.cross_slopes(at, self.p.inducing)

    def add(self, part: slice, at: FloatArray, cross: MatrixSlopes, G: FloatArray) -> None:
        """Add what follows from G = dF / dK of a cross matrix, (b, M)."""
        self.sums.add_cross(at, cross, G)
        if self.p.projection is not None:
            self.projection += cross.rows(G).T @ self.rows.X[part]

    def without_residual(self) -> None:
        """SR, DTC and VFE: one product of matrices a part, and V is not needed."""
        p, rows, f, M, s2 = self.p, self.rows, self.f, len(self.f.L), self.p.noise_var
        penalised = self.approximation.penalised
        inner = f.explained[:M, :M] if penalised else -self.A_inv[:M, :M]
        by_kernel = _solve_both(f.L, inner) / s2
        by_linear = -solve_rows_transposed(f.L, self.A_inv[M:, :M].copy()) / s2
        squares = 0.0
        for i, part in enumerate(rows.parts):
            at = p.at(rows.X[part])
            cross = self.cross(i, at)
            misfit = rows.y[part] - cross.K @ f.weights
            G = cross.K @ by_kernel
            if len(p.root):
                linear = rows.linear(part, p.root)
                misfit -= linear @ f.gamma[M:]
                G += linear @ by_linear
            alpha = misfit / s2
            squares += float(alpha @ alpha)
            G += alpha[:, None] * f.weights
            self.add(part, at, cross, G)
            if penalised:
                self.sums.add_variances(at, np.full(len(at), -0.5), over=s2)
        self.trace = squares - (len(rows.y) - float(np.trace(f.explained))) / s2
        if penalised:
            self.VDV = -f.S[:M, :M]

    def with_residual(self) -> None:
        """FITC, PITC and what has blocks."""
        p, rows, f = self.p, self.rows, self.f
        for i, part in enumerate(rows.parts):
            at = p.at(rows.X[part])
            cross = self.cross(i, at)
            V = solve_rows(f.L, cross.K.copy())
            residual = residual_of(self.approximation, p, V, at)
            W = residual.solve(rows.with_linear(V, part, p.root))
            alpha = residual.solve(rows.y[part, None])[:, 0] - W @ f.gamma
            Y = W @ self.A_inv
            if isinstance(residual, Block):
                R = np.outer(alpha, alpha) - residual.solve(np.eye(len(at))) + Y @ W.T
                DV = R @ V
                self.trace += float(np.trace(R))
                self.sums.add_rows(at, residual.own, 0.5 * R)
            else:
                r = alpha**2 - 1.0 / residual.values + np.einsum("bm,bm->b", Y, W)
                DV = r[:, None] * V
                self.trace += float(r.sum())
                self.sums.add_variances(at, 0.5 * r)
            self.VDV += V.T @ DV
            DV += Y[:, : len(f.L)]
            G = alpha[:, None] * f.weights - solve_rows_transposed(f.L, DV)
            self.add(part, at, cross, G)

    def through_inducing(self) -> FloatArray:
        """Add what passes through K_MM; return the slopes in the logarithms of h, (M,)."""
        p, f = self.p, self.f
        M = len(f.L)
        # dF/dK_MM = -1/2 [w w' - L'^-1 (I - A^-1 + V D V') L^-1]
        inner = _solve_both(f.L, f.explained[:M, :M] + self.VDV)
        G = -0.5 * (np.outer(f.weights, f.weights) - inner)
        self.sums.add_own(G, f.added)
        if p.uncertainty is None:
            return np.zeros(M)
        return np.diag(G) * p.kernel.diag(p.inducing) * p.uncertainty


def slopes(
    p: Parameters,
    rows: RowParts,
    approximation: Approximation,
    f: SparseFactors,
    unit: FloatArray,
) -> Slopes:
    """Return the slopes of ``f.log_evidence``, in O(n M^2) time.

    Parameters
    ----------
    p, rows, approximation
        What was factored.
    f : SparseFactors
    unit : ndarray (g,)
        Of the inducing inputs.
    """
    second = _Pass(p, rows, approximation, f)
    if approximation.residual == "none":
        second.without_residual()
    else:
        second.with_residual()
    log_uncertainty = second.through_inducing() if len(f.L) else np.zeros(0)
    log_noise = 0.5 * p.noise_var * second.trace
    if approximation.penalised:
        log_noise += 0.5 * f.excess / p.noise_var
    by_prior = np.zeros(len(p.parts.prior))
    if len(p.root):
        # V_j C^-1 V_j' = (I - A^-1)_jj for the linear features, which no residual knows of.
        by_prior = 0.5 * (f.gamma**2 - np.diag(f.explained))[len(f.L) :]
    by_kernel, inducing = second.sums.slopes(unit)
    return Slopes(by_kernel, by_prior, log_noise, inducing, second.projection, log_uncertainty)


def _solve_both(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 B L^-1."""
    half = solve_rows_transposed(L, np.array(B, order="C"))
    both = solve_rows_transposed(L, np.ascontiguousarray(half.T))
    return both.T
