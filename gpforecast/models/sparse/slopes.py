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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances.slope_sums import SlopeSums
from gpforecast.covariances.slopes import MatrixSlopes
from gpforecast.models.sparse.likelihood import SparseFactors, residual_of
from gpforecast.numerics.linear_algebra import solve_rows, solve_rows_transposed


@dataclass(eq=False)
class Slopes:
    """The slopes of ``f.log_evidence``, in O(n M^2) time.

    Parameters
    ----------
    f : SparseFactors
    unit : ndarray (g,)
        Of the inducing inputs.

    Attributes
    ----------
    by_kernel : ndarray (p,)
        In the logarithms of the kernel's parameters.
    by_prior : ndarray (d + 1,)
        In the logarithms of the prior variances of slopes and level.
    log_noise : float
    inducing : ndarray (M, g)
        In the inducing inputs over their unit.
    projection : ndarray (g, d)
        Zeros without one.
    log_uncertainty : ndarray (M,)
    """

    f: SparseFactors
    unit: FloatArray

    def __post_init__(self) -> None:
        f, p = self.f, self.f.p
        M, g = p.inducing.shape
        self._sums = SlopeSums(p.kernel, p.inducing)
        self.projection = np.zeros((g, f.rows.X.shape[1]))
        size = len(f.gamma)
        self._A_inv = (
            scipy.linalg.cho_solve((f.inner_chol, True), np.eye(size)) if size else f.inner_chol
        )
        with_residual = f.approximation.residual != "none"
        trace, VDV = self._with_residual() if with_residual else self._without_residual()
        self.log_uncertainty = self._through_inducing(VDV) if M else np.zeros(0)
        self.log_noise = 0.5 * p.noise_var * trace
        if f.approximation.penalised:
            self.log_noise += 0.5 * f.excess / p.noise_var
        # V_j C^-1 V_j' = (I - A^-1)_jj for the linear features, which no residual knows of.
        by_prior = 0.5 * (f.gamma**2 - np.diag(f.explained))[M:]
        self.by_prior = by_prior if len(p.root) else np.zeros(len(p.parts.prior))
        self.by_kernel, self.inducing = self._sums.slopes(self.unit)

    def _without_residual(self) -> tuple[float, FloatArray]:
        """Pass over the rows for SR, DTC and VFE: one product of matrices a part, and no V.

        Returns tr R and V D V'.
        """
        f, p, rows, M, s2 = self.f, self.f.p, self.f.rows, len(self.f.L), self.f.p.noise_var
        penalised = f.approximation.penalised
        inner = f.explained[:M, :M] if penalised else -self._A_inv[:M, :M]
        by_kernel = _solve_both(f.L, inner) / s2
        by_linear = -solve_rows_transposed(f.L, self._A_inv[M:, :M].copy()) / s2
        squares = 0.0
        for part, at, cross in self._parts():
            misfit = rows.y[part] - cross.K @ f.weights
            G = cross.K @ by_kernel
            if len(p.root):
                linear = rows.linear(part, p.root)
                misfit -= linear @ f.gamma[M:]
                G += linear @ by_linear
            alpha = misfit / s2
            squares += float(alpha @ alpha)
            G += alpha[:, None] * f.weights
            self._add(part, cross, G)
            if penalised:
                self._sums.add_variances(at, np.full(len(at), -0.5), over=s2)
        trace = squares - (len(rows.y) - float(np.trace(f.explained))) / s2
        return trace, -f.S[:M, :M] if penalised else np.zeros((M, M))

    def _with_residual(self) -> tuple[float, FloatArray]:
        """Pass over the rows for FITC, PITC and what has blocks; return tr R and V D V'."""
        f, p, rows, M = self.f, self.f.p, self.f.rows, len(self.f.L)
        trace, VDV = 0.0, np.zeros((M, M))
        for part, at, cross in self._parts():
            V = solve_rows(f.L, cross.K.copy())
            residual = residual_of(f.approximation, p, V, at)
            W = residual.solve(rows.with_linear(V, part, p.root))
            alpha = residual.solve(rows.y[part, None])[:, 0] - W @ f.gamma
            Y = W @ self._A_inv
            DV, own_trace = residual.passed_on(self._sums, alpha, Y, W, V)
            trace += own_trace
            VDV += V.T @ DV
            DV += Y[:, :M]
            self._add(part, cross, alpha[:, None] * f.weights - solve_rows_transposed(f.L, DV))
        return trace, VDV

    def _parts(self) -> Iterator[tuple[slice, FloatArray, MatrixSlopes]]:
        """Yield every part, its rows where the kernel takes them, and its cross matrix (b, M)."""
        f, p = self.f, self.f.p
        for i, part in enumerate(f.rows.parts):
            at = p.at(f.rows.X[part])
            yield part, at, f.kept[i] if f.kept else p.kernel.cross_slopes(at, p.inducing)

    def _add(self, part: slice, cross: MatrixSlopes, G: FloatArray) -> None:
        """Add what follows from G = dF / dK of a cross matrix, (b, M)."""
        if self.f.p.projection is not None:
            self.projection += cross.rows(G).T @ self.f.rows.X[part]
        self._sums.add_cross(cross, G)

    def _through_inducing(self, VDV: FloatArray) -> FloatArray:
        """Add what passes through K_MM; return the slopes in the logarithms of h, (M,)."""
        f, p, M = self.f, self.f.p, len(VDV)
        # dF/dK_MM = -1/2 [w w' - L'^-1 (I - A^-1 + V D V') L^-1]
        inner = _solve_both(f.L, f.explained[:M, :M] + VDV)
        G = -0.5 * (np.outer(f.weights, f.weights) - inner)
        self._sums.add_own(G, f.added)
        return np.diag(G) * p.kernel.diag(p.inducing) * p.h


def _solve_both(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 B L^-1."""
    half = solve_rows_transposed(L, np.array(B, order="C"))
    both = solve_rows_transposed(L, np.ascontiguousarray(half.T))
    return both.T
