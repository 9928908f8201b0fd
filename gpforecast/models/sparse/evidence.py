r"""The evidence of a sparse approximation, in one pass over the rows.

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
from gpforecast.models.sparse.approximations import Approximation
from gpforecast.models.sparse.spaces import Space, bumps, own_bumps
from gpforecast.models.sparse.streaming import Rows
from gpforecast.numerics.solving import solve_rows

_LOG_2PI = float(np.log(2.0 * np.pi))
# Every inducing variable carries this much noise, as a fraction of the signal variance. It is a
# part of the model, differentiated like the rest, so that the evidence is smooth; it moves Q by
# less than itself. More is taken, and recorded, only where rounding asks for it.
NUGGET = 1e-8
_LADDER = (0.0, 1e-7, 1e-6, 1e-5, 1e-4)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Everything that training may move.

    Attributes
    ----------
    space : Scaled or Projected
    variance : float
        Of the bumps' covariance.
    noise_var : float
    inducing : ndarray (M, g)
        Relative to the middle of the rows.
    uncertainty : ndarray (M,)
        h / variance, Snelson (4.5); zeros unless it is learned.
    prior : ndarray (d + 1,)
        Prior variances of the slopes and of the level.
    """

    space: Space
    variance: float
    noise_var: float
    inducing: FloatArray
    uncertainty: FloatArray
    prior: FloatArray

    @property
    def root(self) -> FloatArray:
        """Roots of the prior variances of slopes and level; empty without them."""
        return np.sqrt(self.prior) if self.prior.any() else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Factors:
    """What one pass over the rows leaves; see the head of this file.

    Attributes
    ----------
    K_MM, L : ndarray (M, M)
    jitter : float
        Beyond `NUGGET`, in squared units of the target.
    S : ndarray (M', M')
        A - I.
    inner_chol : ndarray (M', M')
    gamma : ndarray (M',)
        A^-1 v.
    excess : float
        tr(K - Q).
    log_evidence : float
        Of the approximation, with the penalty if it has one.
    kept : list of ndarray (b, M)
        K of every part, if that fits in memory; else empty.
    """

    K_MM: FloatArray
    L: FloatArray
    jitter: float
    S: FloatArray
    inner_chol: FloatArray
    gamma: FloatArray
    excess: float
    log_evidence: float
    kept: list[FloatArray] = field(repr=False)

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the bumps k(x, z_m) in the mean: (M,)."""
        M = len(self.L)
        if M == 0:
            return np.zeros(0)
        solved: FloatArray = solve_triangular(self.L, self.gamma[:M], lower=True, trans=1)
        return solved

    @cached_property
    def explained(self) -> FloatArray:
        """I - A^-1 = A^-1 S, in which nothing is subtracted: (M', M')."""
        E = cho_solve((self.inner_chol, True), self.S) if len(self.S) else self.S
        symmetric: FloatArray = 0.5 * (E + E.T)
        return symmetric


def factorise(
    p: Parameters, rows: Rows, approximation: Approximation, *, keep: bool = False
) -> Factors:
    """Pass over the rows once.

    Costs O(n M^2) time, or O(n (M^2 + M B + B^2)) with blocks of B rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix cannot be factored even with a jitter of 1e-4 of the signal variance.
    """
    at_z = p.space.inducing(p.inducing)
    K_MM, L, jitter = factor_inducing(p, at_z)
    M, root = len(L), p.root
    keep = keep and rows.keeps(M)
    size = M + len(root)
    S, v = np.zeros((size, size)), np.zeros(size)
    log_det = fit = 0.0
    kept = []
    for part in rows.parts:
        at = p.space.rows(rows.X[part])
        K = bumps(at, at_z, p.variance)
        if keep:
            kept.append(K)
        V = solve_rows(L, K.copy() if keep else K)
        residual = residual_of(approximation, p, V, at)
        U = residual.whiten(_with_linear(V, rows, part, root))
        z = residual.whiten(rows.y[part, None])[:, 0]
        S += U.T @ U
        v += U.T @ z
        log_det += residual.log_det
        fit += float(z @ z)
    inner_chol = cholesky(np.eye(size) + S)
    half = solve_triangular(inner_chol, v, lower=True) if size else v
    log_det += 2.0 * float(np.log(np.diag(inner_chol)).sum())
    value = -0.5 * (fit - float(half @ half) + log_det + len(rows.y) * _LOG_2PI)
    excess = 0.0
    if approximation.penalised:
        excess = len(rows.y) * p.variance - p.noise_var * float(np.diag(S)[:M].sum())
        value -= 0.5 * excess / p.noise_var  # Titsias (2009), eq. (9)
    gamma = solve_triangular(inner_chol, half, lower=True, trans=1) if size else half
    return Factors(K_MM, L, jitter, S, inner_chol, gamma, excess, value, kept)


def factor_inducing(p: Parameters, at_z: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return K_MM with its uncertainties, its lower Cholesky factor, and the jitter."""
    K = own_bumps(at_z, p.variance)
    diagonal = p.variance * (1.0 + NUGGET + p.uncertainty)
    for relative in _LADDER:
        np.fill_diagonal(K, diagonal + relative * p.variance)
        try:
            return K, cholesky(K), relative * p.variance
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("K_MM is not positive definite even with a jitter of 1e-4")


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

    K: FloatArray  # (b, b), the bumps among the rows of the block
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
        left = p.variance - np.einsum("bm,bm->b", V, V)
        return Diagonal(np.maximum(left, 0.0) + p.noise_var)
    K = own_bumps(at, p.variance)
    Lambda = K - V @ V.T
    Lambda[np.diag_indices_from(Lambda)] += p.noise_var
    try:
        return Block(K, cholesky(Lambda))
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"the covariance of a block of {len(at)} rows, given the inducing variables, is not "
            f"positive definite to working precision; a larger noise_var mends it."
        ) from None


def cholesky(A: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor in C order."""
    return np.asarray(np.linalg.cholesky(A), dtype=np.float64)


def _with_linear(V: FloatArray, rows: Rows, part: slice, root: FloatArray) -> FloatArray:
    return np.concatenate([V, rows.linear(part, root)], axis=1) if len(root) else V
