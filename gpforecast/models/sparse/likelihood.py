r"""The likelihood of the targets under a sparse approximation, in one pass over the rows.

With :math:`L L' = K_{MM} + \operatorname{diag}(h)`, :math:`V = L^{-1} K_{MN}` and, where there are
linear and constant terms, their features times the roots of their prior as further rows of V, the
targets have covariance :math:`V'V + \Lambda`, :math:`\Lambda` the residual and the noise, and

.. math::

    A = I + V \Lambda^{-1} V', \qquad
    \log|V'V + \Lambda| = \log|A| + \log|\Lambda|, \qquad
    y' (V'V + \Lambda)^{-1} y = y'\Lambda^{-1}y - v' A^{-1} v, \quad v = V \Lambda^{-1} y

(Snelson 2007, appendix B). V and :math:`\Lambda` are needed for one part of the rows at a time.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.row_parts import RowParts
from gpforecast.numerics.solving import solve_rows

_LOG_2PI = float(np.log(2.0 * np.pi))
_JITTERS = (0.0, 1e1, 1e2, 1e3, 1e4)  # of K_MM, in nuggets: the first that makes it definite


@dataclass(frozen=True, eq=False)
class KeptPart:
    """What the first pass leaves of a part for the second: its cross matrix, and V' (b, M)."""

    cross: MatrixSlopes
    V: FloatArray | None


@dataclass(frozen=True, eq=False)
class SparseFactors:
    """What one pass over the rows leaves; see the head of this file.

    Attributes
    ----------
    L : ndarray (M, M)
    lift : ndarray (M,)
        What the diagonal of K_MM has beyond k(z, z), as a fraction of it.
    jitter : float
        The part of it that rounding required, in squared units of the target.
    S : ndarray (M', M')
        A - I.
    inner_chol : ndarray (M', M')
    gamma : ndarray (M',)
        A^-1 v, the weights of V.
    quadratic : float
        The part of the log likelihood that is quadratic in y, times -2.
    excess : float
        tr(K - Q).
    log_evidence : float
        Of the approximation, with the penalty if it has one.
    kept : list of KeptPart
        One for every part, if they fit in memory; else empty.
    """

    L: FloatArray
    lift: FloatArray
    jitter: float
    S: FloatArray
    inner_chol: FloatArray
    gamma: FloatArray
    quadratic: float
    excess: float
    log_evidence: float
    kept: list[KeptPart] = field(repr=False)

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the basis functions k(x, z_m) in the mean: (M,)."""
        M = len(self.L)
        if M == 0:
            return np.zeros(0)
        solved: FloatArray = solve_triangular(self.L, self.gamma[:M], lower=True, trans=1)
        return solved

    def warn_of_jitter(self) -> None:
        """Say it if rounding required a jitter."""
        if self.jitter:
            warn_numerically(
                f"the covariance of the inducing inputs is not positive definite to working "
                f"precision; a jitter of {self.jitter:.1e} was added to its diagonal. Inducing "
                f"inputs that nearly coincide cause this; use fewer of them."
            )

    @cached_property
    def explained(self) -> FloatArray:
        """I - A^-1 = A^-1 S, in which nothing is subtracted: (M', M')."""
        E = cho_solve((self.inner_chol, True), self.S) if len(self.S) else self.S
        symmetric: FloatArray = 0.5 * (E + E.T)
        return symmetric


def factorise(
    p: Parameters, rows: RowParts, approximation: Approximation, *, keep: bool = False
) -> SparseFactors:
    """Pass over the rows once.

    Costs O(n M^2) time, or O(n (M^2 + M B + B^2)) with blocks of B rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix cannot be factored even with a jitter of 10,000 nuggets.
    """
    L, lift, jitter = _factor_inducing(p)
    M, root = len(L), p.root
    size = M + len(root)
    S, v = np.zeros((size, size)), np.zeros(size)
    log_det = fit = prior = 0.0
    kept = []
    for part in rows.parts:
        at = p.at(rows.X[part])
        cross = p.kernel.with_slopes(at, p.inducing)
        keep = keep and rows.keeps(M * cross.n_matrices)
        V = solve_rows(L, cross.K.copy() if keep else cross.K)
        if keep:
            both = approximation.needs_v and rows.keeps(M * (cross.n_matrices + 1))
            kept.append(KeptPart(cross, V if both else None))
        residual = residual_of(approximation, p, V, at)
        U = residual.whiten(rows.with_linear(V, part, root))
        z = residual.whiten(rows.y[part, None])[:, 0]
        S += U.T @ U
        v += U.T @ z
        log_det += residual.log_det
        fit += float(z @ z)
        if approximation.penalised:
            prior += float(p.kernel.diag(at).sum())
    inner_chol = cholesky(np.eye(size) + S)
    half = solve_triangular(inner_chol, v, lower=True) if size else v
    log_det += 2.0 * float(np.log(np.diag(inner_chol)).sum())
    quadratic = fit - float(half @ half)
    value = -0.5 * (quadratic + log_det + len(rows.y) * _LOG_2PI)
    excess = 0.0
    if approximation.penalised:
        excess = prior - p.noise_var * float(np.diag(S)[:M].sum())
        value -= 0.5 * excess / p.noise_var  # Titsias (2009), eq. (9)
    gamma = solve_triangular(inner_chol, half, lower=True, trans=1) if size else half
    return SparseFactors(L, lift, jitter, S, inner_chol, gamma, quadratic, excess, value, kept)


def _factor_inducing(p: Parameters) -> tuple[FloatArray, FloatArray, float]:
    """Return the lower Cholesky factor of K_MM, what it has on its diagonal, and the jitter."""
    K, variances = p.kernel(p.inducing), p.kernel.diag(p.inducing)
    for n_nuggets in _JITTERS:
        jitter = n_nuggets * p.nugget
        lift = p.noise_on_inducing + jitter
        np.fill_diagonal(K, variances * (1.0 + lift))
        try:
            return cholesky(K), lift, jitter * float(variances.mean()) if jitter else 0.0
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError(
        f"the covariance of the inducing inputs is not positive definite even with a jitter of "
        f"{jitter:.0e} of its diagonal; check them for enormous values, or take fewer."
    )


@dataclass(frozen=True, eq=False)
class Diagonal:
    """A diagonal Lambda of one part of the rows: the noise, or it and the diagonal of K - Q."""

    values: FloatArray  # (b,)

    def whiten(self, B: FloatArray) -> FloatArray:
        """Return Lambda^-1/2 B."""
        return B / np.sqrt(self.values)[:, None]

    def solve(self, B: FloatArray) -> FloatArray:
        """Return Lambda^-1 B."""
        return B / self.values[:, None]

    @property
    def log_det(self) -> float:
        """log|Lambda|."""
        return float(np.log(self.values).sum())


@dataclass(frozen=True, eq=False)
class Block:
    """A full Lambda of one block, by its lower Cholesky factor."""

    own: MatrixSlopes  # of the kernel among the rows of the block, (b, b)
    chol: FloatArray

    def whiten(self, B: FloatArray) -> FloatArray:
        """Return chol^-1 B."""
        whitened: FloatArray = solve_triangular(self.chol, B, lower=True)
        return whitened

    def solve(self, B: FloatArray) -> FloatArray:
        """Return Lambda^-1 B."""
        solved: FloatArray = cho_solve((self.chol, True), B)
        return solved

    @property
    def log_det(self) -> float:
        """log|Lambda|."""
        return 2.0 * float(np.log(np.diag(self.chol)).sum())


def residual_of(
    approximation: Approximation, p: Parameters, V: FloatArray, at: FloatArray
) -> Diagonal | Block:
    """Return Lambda of one part, from V' of its rows (b, M) and where they are (b, g)."""
    if approximation.residual == "none":
        return Diagonal(np.full(len(at), p.noise_var))
    if approximation.residual == "diagonal":
        left = p.kernel.diag(at) - np.einsum("bm,bm->b", V, V)
        return Diagonal(np.maximum(left, 0.0) + p.noise_var)
    return block_of(p, V, at)


def block_of(p: Parameters, V: FloatArray, at: FloatArray) -> Block:
    """Return Lambda of one block, from V' of its rows (b, M) and where they are (b, g)."""
    own = p.kernel.with_slopes(at, at)
    Lambda = own.K - V @ V.T
    Lambda[np.diag_indices_from(Lambda)] += p.noise_var
    try:
        return Block(own, cholesky(Lambda))
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"the covariance of a block of {len(at)} rows, given the inducing variables, is not "
            f"positive definite to working precision; a larger noise_var fixes it."
        ) from None


def cholesky(A: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor in C order."""
    return np.asarray(np.linalg.cholesky(A), dtype=np.float64)
