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
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.likelihood import Block, KeptPart, SparseFactors, residual_of
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.row_parts import RowParts
from gpforecast.numerics.solving import solve_rows, solve_rows_transposed


@dataclass(frozen=True, eq=False)
class Slopes:
    """The log evidence and its slopes.

    Attributes
    ----------
    log_evidence : float
        With the digits that a single pass loses to a difference where there is little noise.
    by_kernel : ndarray (p,)
        In the logarithms of the kernel's parameters.
    by_prior : ndarray (d + 1,)
        In the logarithms of the prior variances of slopes and level.
    log_noise : float
    inducing : ndarray (M, g)
        Zeros, if they were not asked for.
    projection : ndarray (g, d)
        Zeros without one.
    log_uncertainty : ndarray (M,)
    """

    log_evidence: float
    by_kernel: FloatArray
    by_prior: FloatArray
    log_noise: float
    inducing: FloatArray
    projection: FloatArray
    log_uncertainty: FloatArray


@dataclass
class _Sums:
    """What the parts of the rows add up to."""

    by_kernel: FloatArray  # (p,)
    inducing: FloatArray  # (M, g)
    projection: FloatArray  # (g, d)
    VDV: FloatArray  # (M, M)
    trace: float = 0.0  # of R
    quadratic: float = 0.0


@dataclass(frozen=True, eq=False)
class _Pass:
    """The second pass over the rows."""

    p: Parameters
    rows: RowParts
    approximation: Approximation
    f: SparseFactors
    moved: bool
    sums: _Sums

    @cached_property
    def inverse(self) -> FloatArray:
        """A^-1, (M', M')."""
        chol = self.f.inner_chol
        return np.asarray(cho_solve((chol, True), np.eye(len(chol)))) if len(chol) else chol

    def parts(self) -> Iterator[tuple[slice, FloatArray, KeptPart]]:
        """Yield every part, its rows where the kernel takes them, and what it needs there."""
        p, kept, needs_v = self.p, self.f.kept, self.approximation.needs_v
        for i, part in enumerate(self.rows.parts):
            at = p.at(self.rows.X[part])
            cross = kept[i].cross if kept else p.kernel.with_slopes(at, p.inducing)
            V = kept[i].V if kept else None
            if V is None and needs_v:
                V = solve_rows(self.f.L, cross.K.copy())
            yield part, at, KeptPart(cross, V)

    def add(self, part: slice, cross: MatrixSlopes, G: FloatArray) -> None:
        """Add what follows from G = dF / dK of a cross matrix, (b, M)."""
        self.sums.by_kernel += cross.parameters(G)
        if self.moved:
            self.sums.inducing += cross.columns(G)
        if self.p.projection is not None:
            self.sums.projection += cross.rows(G).T @ self.rows.X[part]

    def without_residual(self) -> None:
        """SR, DTC and VFE: one product of matrices a part."""
        p, f, sums, root = self.p, self.f, self.sums, self.p.root
        M, s2, A_inv = len(f.L), self.p.noise_var, self.inverse
        penalised = self.approximation.penalised
        inner = f.explained[:M, :M] if penalised else -A_inv[:M, :M]
        # Of the rows of V, or of K = V L'.
        half = solve_rows_transposed(f.L, np.array(inner, order="C")) / s2
        by_rows, weights = half, f.gamma[:M]
        if not self.approximation.careful:
            by_rows, weights = solve_rows_transposed(f.L, half.T.copy()).T, f.weights
        by_linear = -solve_rows_transposed(f.L, A_inv[M:, :M].copy()) / s2
        squares = 0.0
        for part, at, found in self.parts():
            rows = found.cross.K if found.V is None else found.V
            misfit = self.rows.y[part] - rows @ weights
            G = rows @ by_rows
            if len(root):
                linear = self.rows.with_linear(np.zeros((len(at), 0)), part, root)
                misfit -= linear @ f.gamma[M:]
                G += linear @ by_linear
            alpha = misfit / s2
            squares += float(alpha @ alpha)
            G += alpha[:, None] * f.weights
            self.add(part, found.cross, G)
            if penalised:
                sums.by_kernel += p.kernel.diag_slopes(at, np.full(len(at), -0.5 / s2))
        sums.quadratic = s2 * squares
        sums.trace = squares - (len(self.rows.y) - float(np.trace(f.explained))) / s2
        if penalised:
            sums.VDV -= f.S[:M, :M]

    def with_residual(self) -> None:
        """FITC, PITC and what has blocks."""
        p, f, sums = self.p, self.f, self.sums
        M, A_inv = len(f.L), self.inverse
        for part, at, found in self.parts():
            assert found.V is not None
            V, residual = found.V, residual_of(self.approximation, p, found.V, at)
            features = self.rows.with_linear(V, part, p.root)
            W = residual.solve(features)
            misfit = self.rows.y[part] - features @ f.gamma
            alpha = residual.solve(misfit[:, None])[:, 0]
            sums.quadratic += float(misfit @ alpha)
            Y = W @ A_inv
            if isinstance(residual, Block):
                R = np.outer(alpha, alpha) - residual.solve(np.eye(len(at))) + Y @ W.T
                DV = R @ V
                sums.trace += float(np.trace(R))
                sums.by_kernel += residual.own.parameters(0.5 * R)
            else:
                r = alpha**2 - 1.0 / residual.values + np.einsum("bm,bm->b", Y, W)
                DV = r[:, None] * V
                sums.trace += float(r.sum())
                sums.by_kernel += p.kernel.diag_slopes(at, 0.5 * r)
            sums.VDV += V.T @ DV
            DV += Y[:, :M]
            G = solve_rows_transposed(f.L, DV)
            self.add(part, found.cross, np.subtract(alpha[:, None] * f.weights, G, out=G))


def slopes(
    p: Parameters,
    rows: RowParts,
    approximation: Approximation,
    f: SparseFactors,
    *,
    moved: bool = True,
) -> Slopes:
    """Return the log evidence and its slopes, in O(n M^2) time.

    Parameters
    ----------
    p, rows, approximation
        What was factored.
    f : SparseFactors
    moved : bool
        Whether slopes in the inducing inputs are needed.
    """
    M, g = p.inducing.shape
    sums = _Sums(
        by_kernel=np.zeros(len(p.kernel.log_parameters)),
        inducing=np.zeros((M, g)),
        projection=np.zeros((g, rows.X.shape[1])),
        VDV=np.zeros((M, M)),
    )
    second = _Pass(p, rows, approximation, f, moved, sums)
    if approximation.residual == "none":
        second.without_residual()
    else:
        second.with_residual()
    by_uncertainty = _through_inducing(p, f, sums) if M else np.zeros(0)
    log_noise = 0.5 * p.noise_var * sums.trace
    if approximation.penalised:
        log_noise += 0.5 * f.excess / p.noise_var
    # V_j C^-1 V_j' = (I - A^-1)_jj for the linear features, which no residual knows of.
    by_weights = 0.5 * (f.gamma**2 - np.diag(f.explained))[M:]
    quadratic = sums.quadratic + float(f.gamma @ f.gamma)
    return Slopes(
        log_evidence=f.log_evidence + 0.5 * (f.quadratic - quadratic),
        by_kernel=sums.by_kernel,
        by_prior=by_weights if len(by_weights) else np.zeros(len(p.parts.prior)),
        log_noise=log_noise,
        inducing=sums.inducing,
        projection=sums.projection,
        log_uncertainty=by_uncertainty,
    )


def _through_inducing(p: Parameters, f: SparseFactors, sums: _Sums) -> FloatArray:
    """Add what passes through K_MM; return the slopes in the logarithms of h, (M,)."""
    M, g = p.inducing.shape
    # dF/dK_MM = -1/2 [w w' - L'^-1 (I - A^-1 + V D V') L^-1]
    inner = solve_both(f.L, f.explained[:M, :M] + sums.VDV)
    G = -0.5 * (np.outer(f.weights, f.weights) - inner)
    on_diagonal = np.diag(G) * (1.0 + f.lift)
    by_uncertainty = np.diag(G) * p.kernel.diag(p.inducing)
    if p.uncertainty is not None:
        by_uncertainty *= p.uncertainty
    np.fill_diagonal(G, 0.0)
    own = p.kernel.with_slopes(p.inducing, p.inducing)
    sums.by_kernel += own.parameters(G) + p.kernel.diag_slopes(p.inducing, on_diagonal)
    axes = np.broadcast_to(np.eye(g), (M, g, g))
    along = p.kernel.diag_jets(p.inducing, axes)[:, 2:, 0]  # slopes of k(z, z), (M, g)
    sums.inducing += 2.0 * own.rows(G) + on_diagonal[:, None] * along
    return by_uncertainty


def solve_both(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 B L^-1."""
    half = solve_rows_transposed(L, np.array(B, order="C"))
    both = solve_rows_transposed(L, np.ascontiguousarray(half.T))
    return both.T
