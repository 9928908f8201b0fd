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

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.progress import SILENT
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.models.sparse.approximations import Approximation, Parameters, RowParts
from gpforecast.numerics.linear_algebra import solve_rows
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.piecewise import PiecewisePosterior

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class SparseFactors:
    """What one pass over the rows leaves; see the head of this file.

    Attributes
    ----------
    p : Parameters
    rows : RowParts
    approximation : Approximation
    L : ndarray (M, M)
    added : ndarray (M,)
        What is added to the variances k(z, z) on the diagonal of K_MM, as a fraction of them.
    jitter : float
        The part of that which rounding required, in squared units of the target.
    S : ndarray (M', M')
        A - I.
    inner_chol : ndarray (M', M')
    gamma : ndarray (M',)
        A^-1 v.
    excess : float
        tr(K - Q).
    log_evidence : float
        Of the approximation, with the penalty if it has one.
    """

    p: Parameters
    rows: RowParts
    approximation: Approximation
    L: FloatArray
    added: FloatArray
    jitter: float
    S: FloatArray
    inner_chol: FloatArray
    gamma: FloatArray
    excess: float
    log_evidence: float

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the basis functions k(x, z_m) in the mean: (M,)."""
        M = len(self.L)
        if M == 0:
            return np.zeros(0)
        return np.asarray(
            scipy.linalg.solve_triangular(self.L, self.gamma[:M], lower=True, trans=1)
        )

    def features(self) -> FloatArray:
        """Return L^-1 k_M and the linear features of all rows, (n, M'), whose weights are gamma."""
        p, rows = self.p, self.rows
        each = [p.cross(rows.X[part]).K for part in rows.parts]
        return np.concatenate(
            [
                rows.with_linear(solve_rows(self.L, K), part, p.root)
                for K, part in zip(each, rows.parts, strict=True)
            ]
        )

    @cached_property
    def explained(self) -> FloatArray:
        """I - A^-1 = A^-1 S, (M', M'); nothing is subtracted, unless that has fewer digits."""
        if self.p.precise:
            identity = np.eye(len(self.S))
            half = scipy.linalg.solve_triangular(self.inner_chol, identity, lower=True)
            return np.asarray(identity - half.T @ half)
        E = scipy.linalg.cho_solve((self.inner_chol, True), self.S) if len(self.S) else self.S
        return np.asarray(0.5 * (E + E.T))

    def posterior(self, centers: FloatArray) -> Posterior:
        r"""Write the prediction as an extended linear model on the inducing inputs.

        With v = [L^-1 k(x); the linear features], the mean is :math:`v'\gamma` and the variance
        :math:`k_{**} - |L^{-1}k|^2 + |L_A^{-1} v|^2` (Snelson 2007, eq. 2.25); a degenerate process
        lacks the first two terms.

        Parameters
        ----------
        centers : ndarray (M, g)
            The inducing inputs, whatever the origin.

        Returns
        -------
        Posterior
            Of projected inputs, if there is a projection. O(M^2) memory, O(M^3) time.
        """
        p, root, (M, g) = self.p, self.p.root, centers.shape
        degenerate = self.approximation.degenerate
        c, unit = p.nonlinear.unit()
        # k(x, z) is c times a basis function of x, and a linear one.
        linear = (np.column_stack([centers, np.ones(M)]) * p.within).T
        inverse = scipy.linalg.solve_triangular(self.L, np.eye(M), lower=True, trans=1)
        added = np.zeros((M + g + 1, len(self.gamma)))
        added[:M, :M], added[M:, :M] = c * inverse, linear @ inverse
        slopes = linear @ self.weights
        if len(root):
            added[M:, M:] = np.diag(root)
            slopes = root * self.gamma[M:]
        return Posterior(
            centers=centers,
            lengthscales=p.scales,
            weights=c * self.weights,
            linear=slopes[:g],
            constant=float(slopes[g]),
            noise_var=p.noise_var,
            prior_var=0.0 if degenerate else c,
            chol=None if degenerate else self.L / c,
            nugget=p.kernel.diag(p.inducing) * self.added,
            added=solve_rows(self.inner_chol, added),
            covariance=unit,
        )

    def piecewise(self, centers: FloatArray) -> PiecewisePosterior:
        """Keep what PIC and local GPs need of every block: O(n (B + M)) in one more pass."""
        p, rows = self.p, self.rows
        alpha, factors = np.empty(len(rows.y)), []
        for part in rows.parts:
            at = rows.X[part]
            V = solve_rows(self.L, p.cross(at).K)
            block = block_of(p, V, at)
            misfit = rows.y[part] - rows.with_linear(V, part, p.root) @ self.gamma
            alpha[part] = block.solve(misfit[:, None])[:, 0]
            factors.append(block.chol)
        c, unit = p.kernel.unit()
        return PiecewisePosterior(
            model=f"SparseGaussianProcess with approximation {self.approximation.name!r}",
            block_centers=centers,
            X=rows.X + rows.origin,
            alpha=alpha,
            starts=np.array([0, *(part.stop for part in rows.parts)], dtype=np.int64),
            factors=tuple(factors),
            inducing=p.inducing + rows.origin,
            L=self.L,
            inner_chol=self.inner_chol,
            gamma=self.gamma,
            root=p.root,
            lengthscales=p.scales,
            prior_var=c,
            noise_var=p.noise_var,
            covariance=unit,
        )


def factorise(
    p: Parameters,
    rows: RowParts,
    approximation: Approximation,
    on_rows: Callable[[int], object] = SILENT.update,
) -> SparseFactors:
    """Pass over the rows once; `on_rows` takes their number after each part.

    Costs O(n M^2) time, or O(n (M^2 + M B + B^2)) with blocks of B rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix cannot be factored even with a jitter of 1e-4 of the signal variance.
    """
    L, added, jitter = _factor_inducing(p)
    M = len(L)
    size = M + len(p.root)
    S, v = np.zeros((size, size)), np.zeros(size)
    log_det = fit = excess = 0.0
    for part in rows.parts:
        at = p.at(rows.X[part])
        V = solve_rows(L, p.cross(at).K)
        residual = residual_of(approximation, p, V, at)
        U = residual.whiten(rows.with_linear(V, part, p.root))
        z = residual.whiten(rows.y[part, None])[:, 0]
        S += U.T @ U
        v += U.T @ z
        log_det += residual.log_det
        fit += float(z @ z)
        if approximation.penalised:
            excess += math.fsum(p.kernel.diag(at))
        on_rows(len(at))
    inner_chol = _cholesky(np.eye(size) + S)
    half = scipy.linalg.solve_triangular(inner_chol, v, lower=True) if size else v
    log_det += 2.0 * float(np.log(np.diag(inner_chol)).sum())
    value = -0.5 * (fit - float(half @ half) + log_det + len(rows.y) * _LOG_2PI)
    if approximation.penalised:
        excess -= p.noise_var * float(np.diag(S)[:M].sum())
        value -= 0.5 * excess / p.noise_var  # Titsias (2009), eq. (9)
    gamma = scipy.linalg.solve_triangular(inner_chol, half, lower=True, trans=1) if size else half
    return SparseFactors(
        p, rows, approximation, L, added, jitter, S, inner_chol, gamma, excess, value
    )


def _factor_inducing(p: Parameters) -> tuple[FloatArray, FloatArray, float]:
    """Return the lower Cholesky factor of K_MM, what its diagonal has on top, the jitter."""
    K, variances = p.kernel(p.inducing), p.kernel.diag(p.inducing)
    largest = float(variances.max(initial=0.0))
    variances = np.maximum(variances, p.nugget * largest)  # where f is known, and z adds nothing
    for jitter in p.jitters:
        added = p.nugget + p.h + jitter
        np.fill_diagonal(K, variances * (1.0 + added))
        try:
            return _cholesky(K), added, jitter * largest
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError(
        f"the covariance of the inducing inputs is not positive definite even with a jitter of "
        f"{jitter:g} of its diagonal; check them for enormous values, or take fewer."
    )


@dataclass(frozen=True, eq=False)
class Diagonal:
    """A diagonal Lambda of one part of the rows: the noise, or it and the diagonal of K - Q."""

    kernel: Covariance
    at: FloatArray  # (b, g), its rows where the kernel takes them
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

    def passed_on(
        self, alpha: FloatArray, Y: FloatArray, W: FloatArray, V: FloatArray
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return slopes in the kernel's logarithms, D V' and tr D, for the diagonal D of R."""
        r = alpha**2 - 1.0 / self.values + np.einsum("bm,bm->b", Y, W)
        return self.kernel.diag_slopes(self.at, 0.5 * r), r[:, None] * V, float(r.sum())


@dataclass(frozen=True, eq=False)
class Block:
    """A full Lambda of one block, by its lower Cholesky factor."""

    own: MatrixSlopes  # of the kernel among the rows of the block, (b, b)
    chol: FloatArray

    def whiten(self, B: FloatArray) -> FloatArray:
        """Return chol^-1 B."""
        return np.asarray(scipy.linalg.solve_triangular(self.chol, B, lower=True))

    def solve(self, B: FloatArray) -> FloatArray:
        """Return Lambda^-1 B."""
        return np.asarray(scipy.linalg.cho_solve((self.chol, True), B))

    @property
    def log_det(self) -> float:
        """log|Lambda|."""
        return 2.0 * float(np.log(np.diag(self.chol)).sum())

    def passed_on(
        self, alpha: FloatArray, Y: FloatArray, W: FloatArray, V: FloatArray
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return slopes in the kernel's logarithms, D V' and tr D, for the block D of R."""
        R = np.outer(alpha, alpha) - self.solve(np.eye(len(alpha))) + Y @ W.T
        return self.own.parameters(0.5 * R), R @ V, float(np.trace(R))


def residual_of(
    approximation: Approximation, p: Parameters, V: FloatArray, at: FloatArray
) -> Diagonal | Block:
    """Return Lambda of one part, from V' of its rows (b, M) and where they are (b, g)."""
    if approximation.residual == "none":
        return Diagonal(p.kernel, at, np.full(len(at), p.noise_var))
    if approximation.residual == "diagonal":
        left = p.kernel.diag(at) - np.einsum("bm,bm->b", V, V)
        return Diagonal(p.kernel, at, np.maximum(left, 0.0) + p.noise_var)
    return block_of(p, V, at)


def block_of(p: Parameters, V: FloatArray, at: FloatArray) -> Block:
    """Return Lambda of one block, from V' of its rows (b, M) and where they are (b, g)."""
    own = p.kernel.with_slopes(at, at)
    Lambda = own.K - V @ V.T
    Lambda[np.diag_indices_from(Lambda)] += p.noise_var
    try:
        return Block(own, _cholesky(Lambda))
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"the covariance of a block of {len(at)} rows, given the inducing variables, is not "
            f"positive definite to working precision; a larger noise_var fixes it."
        ) from None


def _cholesky(A: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor in C order."""
    return np.asarray(np.linalg.cholesky(A), dtype=np.float64)
