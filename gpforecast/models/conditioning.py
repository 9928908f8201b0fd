"""A Gaussian process given its rows, and its update as rows leave and arrive."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.combinations import Parts
from gpforecast.posteriors.extended_linear import Posterior

_BLOCK = 32  # columns of a blocked QR step


def overlap(old: FloatArray, new: FloatArray) -> int | None:
    """Return how many of the first old rows are gone if the new ones continue the rest.

    Parameters
    ----------
    old : ndarray (n, d)
    new : ndarray (m, d)

    Returns
    -------
    int or None
        The k for which ``old[k:]`` is the beginning of `new`; None if there is none, or nothing
        of `old` is left.
    """
    if not len(old) or not len(new):
        return None
    for k in np.flatnonzero((old == new[0]).all(axis=1)):
        rest = old[k:]
        if len(rest) <= len(new) and np.array_equal(rest, new[: len(rest)]):
            return int(k)
    return None


def _without_first(L: FloatArray, k: int) -> FloatArray:
    """Return the lower Cholesky factor of A without its first k rows and columns.

    With L = [[L11, 0], [L21, L22]], the rest of A is L22 L22' + L21 L21'; its factor is the R' of
    a QR of [L22'; L21'], of which the upper part is triangular already.

    Above the diagonal L may hold anything. Costs 2 k (n - k)^2 flops.
    """
    if k == 0:
        return L
    upper = np.asfortranarray(np.tril(L[k:, k:]).T)
    block = min(_BLOCK, len(upper))
    below = np.asfortranarray(L[k:, :k].T)
    R = scipy.linalg.lapack.dtpqrt(0, block, upper, below, overwrite_a=1)[0]
    return np.asarray(np.tril(R.T * np.sign(np.diag(R))))


def _with_rows(L: FloatArray, B: FloatArray, C: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor of [[A, B], [B', C]].

    L is that of A (n, n). Above the diagonals both may hold anything. Costs k n^2 flops and a copy.
    """
    n, k = B.shape
    # The lower triangle in C order is BLAS's upper one.
    across = scipy.linalg.blas.dtrsm(1.0, L.T, B, lower=0, trans_a=1)  # (n, k)
    larger = np.empty((n + k, n + k))
    larger[:n, :n] = L
    larger[n:, :n] = across.T
    larger[:n, n:] = 0.0
    larger[n:, n:] = np.linalg.cholesky(C - across.T @ across)
    return larger


_LOG_2PI = float(np.log(2.0 * np.pi))


class Workspace:
    """The matrices of n rows, which every factorisation writes anew.

    Attributes
    ----------
    X : ndarray (n, d)
        The inputs.
    K : ndarray (n, n)
        The kernel's matrix below the diagonal. It is A itself where it need not be kept.
    A : ndarray (n, n)
        K_y, then its lower Cholesky factor, then its inverse, all in the lower triangle.
    correlated : ndarray (n, n) or None
        Covariance of noise that the rows share, added to that of the kernel; see `LagErrors`.
    """

    correlated: FloatArray | None = None

    def __init__(self, X: FloatArray, *, keep_K: bool) -> None:
        n = len(X)
        self.X = X
        self.A = np.zeros((n, n))
        self.K = np.zeros((n, n)) if keep_K else self.A


@dataclass(frozen=True, eq=False)
class GramFactors:
    r"""The factored covariance of the targets, linear and constant terms in weight space.

    With :math:`H = [X, 1] P^{1/2}`, P the prior variances of slopes and level, and :math:`K_y` the
    covariance of the kernel (all that is not linear) and the noise alone,

    .. math::

        (K_y + H H')^{-1} = K_y^{-1} - G G', \qquad
        G = K_y^{-1} H R, \qquad R R' = (I + H' K_y^{-1} H)^{-1}

    (Rasmussen and Williams, section 2.7), so that a large prior variance or a large offset of the
    inputs costs no digits.

    Attributes
    ----------
    chol : ndarray (n, n) or None
        Lower Cholesky factor of K_y, C order; above the diagonal it holds anything. None without a
        kernel, where K_y is the noise variance times I.
    nugget : float
        Noise variance and jitter.
    jitter : float
        What was added to the diagonal of K_y to factor it.
    root : ndarray (d + 1,)
        Square roots of P.
    G, R : ndarray (n, d + 1) and (d + 1, d + 1)
        Without columns if there are no linear and constant terms.
    log_det : float
        Of K_y + H H'.
    """

    chol: FloatArray | None
    nugget: float
    jitter: float
    root: FloatArray
    G: FloatArray
    R: FloatArray
    log_det: float

    def solve_kernel(self, B: FloatArray) -> FloatArray:
        """Return K_y^-1 B; the lower triangle in C order is LAPACK's upper one."""
        if self.chol is None:
            return B / self.nugget
        if B.ndim == 1:  # a vector goes through dtrsv twice as fast as through dpotrs
            half = scipy.linalg.blas.dtrsv(self.chol.T, B, lower=0, trans=1)
            return np.asarray(scipy.linalg.blas.dtrsv(self.chol.T, half, lower=0, overwrite_x=1))
        return np.asarray(scipy.linalg.lapack.dpotrs(self.chol.T, B, lower=0)[0])

    def log_evidence(self, y: FloatArray) -> tuple[float, FloatArray]:
        """Return log N(y | 0, K_y + H H') and (K_y + H H')^-1 y; Snelson (2007), eq. (1.20)."""
        alpha = self.solve_kernel(y)
        alpha -= self.G @ (self.G.T @ y)
        return -0.5 * (float(y @ alpha) + self.log_det + len(y) * _LOG_2PI), alpha

    def weight_slopes(self, y: FloatArray) -> FloatArray:
        """Return the slopes of the log evidence in the logarithms of P, (d + 1,).

        They are 1/2 [(h_d' alpha)^2 - h_d' (K_y + H H')^-1 h_d], with H' (K_y + H H')^-1 = R G',
        so that no n x n matrix is touched.
        """
        fitted = self.R @ (self.G.T @ y)
        return np.asarray(0.5 * (fitted**2 - 1.0 + (self.R**2).sum(axis=1)))


def factorise(
    covariance: Covariance, noise_var: float, X: FloatArray, workspace: Workspace | None = None
) -> GramFactors:
    """Factor the covariance of targets at X.

    Parameters
    ----------
    covariance : Covariance
    noise_var : float
    X : ndarray (n, d)
    workspace : Workspace, optional
        Of the same rows; its matrices are overwritten, and the factor is its ``A``.

    Raises
    ------
    numpy.linalg.LinAlgError
        If it is not positive definite even with jitter.
    ValueError
        For a linear model without noise.
    """
    parts = Parts.of(covariance, X.shape[1])
    if parts.kernel is None:
        if noise_var <= 0.0:
            raise ValueError("a linear model needs noise_var > 0; got 0.")
        return _gram_factors(None, noise_var, 0.0, parts.prior, X)
    workspace = Workspace(X, keep_K=False) if workspace is None else workspace
    jitter = _factor_kernel(parts.kernel, noise_var, workspace)
    return _gram_factors(workspace.A, noise_var + jitter, jitter, parts.prior, X)


def _gram_factors(
    chol: FloatArray | None, nugget: float, jitter: float, prior: FloatArray, X: FloatArray
) -> GramFactors:
    """Return the factors of K_y + H H' from that of K_y."""
    n, d = X.shape
    root, identity = np.sqrt(prior), np.eye(d + 1)
    log_det = float(n * np.log(nugget) if chol is None else 2.0 * np.log(chol.diagonal()).sum())
    none = GramFactors(chol, nugget, jitter, root, np.zeros((n, 0)), identity[:, :0], log_det)
    if not prior.any():
        return none
    H = np.column_stack([X, np.ones(n)]) * root
    solved = none.solve_kernel(H)
    inner = np.linalg.cholesky(identity + H.T @ solved)  # defined for P = 0 too
    R = np.asarray(scipy.linalg.solve_triangular(inner, identity, lower=True)).T
    log_det += 2.0 * float(np.log(np.diag(inner)).sum())
    return replace(none, G=solved @ R, R=R, log_det=log_det)


def _factor_kernel(kernel: Covariance, noise_var: float, workspace: Workspace) -> float:
    """Leave the Cholesky factor of kernel and noise in `workspace`; return the jitter it took."""
    K, A = workspace.K, workspace.A
    size = float(kernel.diag(workspace.X).max(initial=0.0)) + noise_var
    for relative in (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
        jitter = relative * size
        if relative == 0.0 or K is A:
            kernel.fill_gram(workspace.X, noise_var + jitter, K)
        if K is not A:
            np.copyto(A, K)
            A.flat[:: len(A) + 1] = K.diagonal() + jitter
        if workspace.correlated is not None:
            A += workspace.correlated
        _, info = scipy.linalg.lapack.dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
        if info == 0:
            return jitter
    raise np.linalg.LinAlgError(
        "the covariance matrix is not positive definite even with a jitter of 1e-4 of its "
        "diagonal; check the inputs for infinite or enormous values, and raise noise_var."
    )


def linear_posterior(
    slopes: FloatArray, constant: float, noise_var: float, root: FloatArray
) -> Posterior:
    """Return a linear function; `root` is one of the covariance of its slopes and constant."""
    d = len(slopes)
    return Posterior(
        centers=np.zeros((0, d)),
        lengthscales=np.ones(d),
        weights=np.zeros(0),
        linear=slopes,
        constant=constant,
        noise_var=noise_var,
        added=root,
    )


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A GP given data: its posterior, log N(y | 0, K + noise_var I), and the jitter it took."""

    posterior: Posterior
    log_evidence: float
    jitter: float


def conditioned(
    covariance: Covariance,
    noise_var: float,
    X: FloatArray,
    y: FloatArray,
    correlated: FloatArray | None = None,
) -> Conditioned:
    r"""Condition a GP on data and write the result as an extended linear model.

    The posterior covariance of slopes and level is :math:`P^{1/2} R R' P^{1/2}` (see
    `GramFactors`), in which nothing is subtracted. One n x n matrix is made, and it becomes the
    posterior's.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    y : ndarray (n,)
    correlated : ndarray (n, n) or None
        Covariance of noise that the rows share, in addition to `noise_var` of each.

    Returns
    -------
    Conditioned
        A jitter other than 0 is reported by a warning.
    """
    workspace = Workspace(X, keep_K=False)
    workspace.correlated = correlated
    factors = factorise(covariance, noise_var, X, workspace)
    if factors.jitter:
        warn_numerically(
            f"the covariance matrix is not positive definite to working precision; a jitter of "
            f"{factors.jitter:.1e} was added to its diagonal. Duplicate rows or a noise variance "
            f"near zero cause this; a larger noise_var fixes it."
        )
    found = _as_posterior(covariance, noise_var, factors, X, y)
    if correlated is None:
        return found
    nugget = correlated + factors.nugget * np.eye(len(y))
    return replace(found, posterior=replace(found.posterior, nugget=nugget))


def reconditioned(
    old: Posterior, covariance: Covariance, X: FloatArray, y: FloatArray
) -> Conditioned | None:
    """Condition a GP on rows that continue those it has, by a block update of its factor.

    Parameters
    ----------
    old : Posterior
        Of this covariance.
    covariance : Covariance
    X : ndarray (n, d)
        Some of the last rows of the old ones, and new ones after them.
    y : ndarray (n,)

    Returns
    -------
    Conditioned or None
        None where the rows do not continue the old ones, or there is nothing to gain or no digits
        left: condition from scratch then.

    Notes
    -----
    For k rows in all that leave and arrive it costs O(k n^2), and a copy of the factor. The
    factor of rows that leave at the top follows by a QR of what they explained of the rest.
    """
    parts = Parts.of(covariance, X.shape[1])
    gone = overlap(old.centers, X)
    if parts.kernel is None or old.chol is None or gone is None or np.ndim(old.nugget):
        return None
    kept = len(old.centers) - gone
    new = X[kept:]
    if 3 * (gone + len(new)) > kept:
        return None
    c, nugget = old.prior_var, float(old.nugget)  # a GP has one nugget for all rows
    chol = _without_first(old.chol, gone)
    if len(new):
        within = parts.kernel(new) + nugget * np.eye(len(new))
        try:
            chol = _with_rows(chol, parts.kernel(X[:kept], new) / c**2, within / c**2)
        except np.linalg.LinAlgError:
            return None
    factors = _gram_factors(c * chol, nugget, nugget - old.noise_var, parts.prior, X)
    return _as_posterior(covariance, old.noise_var, factors, X, y)


def _as_posterior(
    covariance: Covariance, noise_var: float, factors: GramFactors, X: FloatArray, y: FloatArray
) -> Conditioned:
    """Write a GP with factored covariance as an extended linear model; the factor becomes its."""
    d = X.shape[1]
    kernel = Parts.of(covariance, d).kernel
    c, unit, centers = 0.0, None, np.zeros((0, d))
    if kernel is not None:
        (c, unit), centers = kernel.unit(), X.copy()
    half = factors.root[:, None] * factors.R  # covariance of slopes and level: half half'
    b = half @ (factors.G.T @ y)
    alpha = factors.solve_kernel(y - X @ b[:d] - b[d])  # (K_y + H H')^-1 y
    log_evidence = -0.5 * (float(y @ alpha) + factors.log_det + len(y) * _LOG_2PI)
    if factors.chol is not None:
        np.divide(factors.chol, c, out=factors.chol)  # nothing else uses it from here on
    added = np.concatenate([-c * factors.G[: len(centers)], half])
    posterior = Posterior(
        centers=centers,
        lengthscales=scales_of(unit, np.ones(d)),
        weights=c * alpha[: len(centers)],
        linear=b[:d],
        constant=float(b[d]),
        noise_var=float(noise_var),
        prior_var=c,
        chol=factors.chol,
        nugget=factors.nugget,
        added=added if added.size else None,
        covariance=unit,
    )
    return Conditioned(posterior, log_evidence, factors.jitter)
