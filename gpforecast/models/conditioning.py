"""Conditioning a Gaussian process on data, at given hyperparameters."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.models.rank_updates import overlap, with_rows, without_first
from gpforecast.numerics.compiled.gram import copy_triangle, fill_bumps
from gpforecast.posteriors.extended_linear import Posterior

_LOG_2PI = float(np.log(2.0 * np.pi))


def check_supported(covariance: Covariance) -> None:
    """Say so if a sum of covariances is not an extended linear model with one set of bumps.

    Raises
    ------
    TypeError, ValueError
        For anything but a sum of at most one each of the three kinds.
    """
    if not isinstance(covariance, Covariance):
        raise TypeError(
            f"covariance must be one from gpforecast.covariances, such as SquaredExponential(); "
            f"got {covariance!r}."
        )
    kinds = (SquaredExponential, Linear, Constant)
    for term in covariance.terms:
        if not isinstance(term, kinds):
            raise TypeError(
                f"GaussianProcess takes sums of SquaredExponential, Linear and Constant; "
                f"{type(term).__name__} is none of them, and has no posterior with a single set "
                f"of bumps."
            )
    for kind in kinds:
        n = sum(isinstance(term, kind) for term in covariance.terms)
        if n > 1:
            raise ValueError(
                f"GaussianProcess takes at most one {kind.__name__} in a sum; got {n}. "
                f"Two of them have no posterior with a single set of bumps."
            )


class Room:
    """Where the matrices of n rows live; every factorisation writes them anew.

    Attributes
    ----------
    X_t : ndarray (d, n)
        The inputs, transposed.
    K : ndarray (n, n)
        The bumps' covariance below the diagonal. It is A itself where it need not be kept.
    A : ndarray (n, n)
        K_y, then its lower Cholesky factor, then its inverse, all in the lower triangle.
    """

    def __init__(self, X: FloatArray, *, keep_K: bool) -> None:
        n = len(X)
        self.X_t = np.ascontiguousarray(X.T)
        self.A = np.zeros((n, n))
        self.K = np.zeros((n, n)) if keep_K else self.A


@dataclass(frozen=True, eq=False)
class Factors:
    r"""The factored covariance of the targets, linear and constant terms in weight space.

    With :math:`H = [X, 1] P^{1/2}`, P the prior variances of slopes and level, and :math:`K_y` the
    covariance of the bumps and the noise alone,

    .. math::

        (K_y + H H')^{-1} = K_y^{-1} - G G', \qquad
        G = K_y^{-1} H R, \qquad R R' = (I + H' K_y^{-1} H)^{-1}

    (Rasmussen and Williams, section 2.7), so that a large prior variance or a large offset of the
    inputs costs no digits.

    Attributes
    ----------
    chol : ndarray (n, n) or None
        Lower Cholesky factor of K_y / amplitude^2, C order; above the diagonal it holds anything.
        None without bumps, where K_y is the noise variance times I.
    nugget : float
        Noise variance and jitter.
    H, G : ndarray (n, d + 1) or None
        None without linear and constant terms.
    R : ndarray (d + 1, d + 1) or None
    root : ndarray (d + 1,)
        Square roots of P.
    log_det : float
        Of K_y + H H'.
    jitter : float
        What was added to the diagonal of K_y to factor it.
    amplitude : float
        1, or the variance of the bumps where the factor is a posterior's.
    """

    chol: FloatArray | None
    nugget: float
    H: FloatArray | None
    G: FloatArray | None
    R: FloatArray | None
    root: FloatArray
    log_det: float
    jitter: float
    amplitude: float = 1.0

    def solve_bumps(self, B: FloatArray) -> FloatArray:
        """Return K_y^-1 B."""
        return _solve(self.chol, self.nugget, B) / self.amplitude**2

    def solve(self, y: FloatArray) -> FloatArray:
        """Return (K_y + H H')^-1 y."""
        alpha = self.solve_bumps(y)
        if self.G is not None:
            alpha -= self.G @ (self.G.T @ y)
        return alpha

    def log_evidence(self, y: FloatArray) -> tuple[float, FloatArray]:
        """Return log N(y | 0, K_y + H H') and (K_y + H H')^-1 y; Snelson (2007), eq. (1.20)."""
        alpha = self.solve(y)
        return -0.5 * (float(y @ alpha) + self.log_det + len(y) * _LOG_2PI), alpha

    def weight_slopes(self, y: FloatArray) -> FloatArray:
        """Return the slopes of the log evidence in the logarithms of P, (d + 1,).

        They are 1/2 [(h_d' alpha)^2 - h_d' (K_y + H H')^-1 h_d], with H' (K_y + H H')^-1 = R G',
        so that no n x n matrix is touched.
        """
        if self.G is None or self.R is None:
            return np.zeros(len(self.root))
        fitted = self.R @ (self.G.T @ y)
        slopes: FloatArray = 0.5 * (fitted**2 - 1.0 + (self.R**2).sum(axis=1))
        return slopes


def _solve(chol: FloatArray | None, nugget: float, B: FloatArray) -> FloatArray:
    """Return K_y^-1 B; the lower triangle in C order is LAPACK's upper one."""
    if chol is None:
        return B / nugget
    if B.ndim == 1:  # a vector goes through dtrsv twice as fast as through dpotrs
        half = blas.dtrsv(chol.T, B, lower=0, trans=1)
        return np.asarray(blas.dtrsv(chol.T, half, lower=0, overwrite_x=1), dtype=np.float64)
    return np.asarray(lapack.dpotrs(chol.T, B, lower=0)[0], dtype=np.float64)


def factorise(
    covariance: Covariance, noise_var: float, X: FloatArray, room: Room | None = None
) -> Factors:
    """Factor the covariance of targets at X.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    room : Room, optional
        Made for these inputs; its matrices are overwritten, and the factors are a view of them.

    Raises
    ------
    ValueError
        If the noise variance is 0 and there are no bumps.
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the mean diagonal does not make K_y positive definite.
    """
    n, d = X.shape
    bumps, prior = _parts(covariance, d)
    if bumps is None:
        if noise_var <= 0.0:
            raise ValueError("a linear model needs noise_var > 0; got 0.")
        chol, jitter, log_det = None, 0.0, n * float(np.log(noise_var))
    else:
        room = Room(X, keep_K=False) if room is None else room
        jitter = _factor_bumps(bumps, noise_var, room)
        chol = room.A
        log_det = 2.0 * float(np.log(chol.diagonal()).sum())
    return _weights_too(chol, noise_var + jitter, prior, X, log_det, jitter, 1.0)


def _parts(covariance: Covariance, d: int) -> tuple[SquaredExponential | None, FloatArray]:
    """Return the bumps' covariance, and the prior variances of slopes and level, (d + 1,)."""
    prior = np.zeros(d + 1)
    bumps = None
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            bumps = term
        elif isinstance(term, Linear):
            prior[:d] = term.variances
        elif isinstance(term, Constant):
            prior[d] = term.variance
    return bumps, prior


def _weights_too(
    chol: FloatArray | None,
    nugget: float,
    prior: FloatArray,
    X: FloatArray,
    log_det: float,
    jitter: float,
    amplitude: float,
) -> Factors:
    """Return the factors of K_y + H H' from that of K_y."""
    n, d = X.shape
    root = np.sqrt(prior)
    if not prior.any():
        return Factors(chol, nugget, None, None, None, root, log_det, jitter, amplitude)
    H = np.column_stack([X, np.ones(n)]) * root
    solved = _solve(chol, nugget, H) / amplitude**2
    inner = np.linalg.cholesky(np.eye(d + 1) + H.T @ solved)  # defined for P = 0 too
    R = np.asarray(solve_triangular(inner, np.eye(d + 1), lower=True)).T
    log_det += 2.0 * float(np.log(np.diag(inner)).sum())
    return Factors(chol, nugget, H, solved @ R, R, root, log_det, jitter, amplitude)


def _factor_bumps(bumps: SquaredExponential, noise_var: float, room: Room) -> float:
    """Leave the Cholesky factor of the bumps and the noise in `room`; return the jitter.

    Raises
    ------
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the diagonal does not make the matrix positive definite.
    """
    variance, ell = bumps.values(len(room.X_t))
    Z = room.X_t / ell[:, None]
    for relative in (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
        jitter = relative * (variance + noise_var)
        if relative == 0.0 or room.K is room.A:
            fill_bumps(Z, variance, variance + noise_var + jitter, room.K)
        if room.K is not room.A:
            copy_triangle(room.K, variance + noise_var + jitter, room.A)
        _, info = lapack.dpotrf(room.A.T, lower=0, clean=0, overwrite_a=1)
        if info == 0:
            return jitter
    raise np.linalg.LinAlgError(
        "the covariance matrix is not positive definite even with a jitter of 1e-4 of its "
        "diagonal; check the inputs for infinite or enormous values, and raise noise_var."
    )


def log_marginal_likelihood(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> float:
    """Return log N(y | 0, K + noise_var I), in nats; Snelson (2007), eq. (1.20)."""
    return factorise(covariance, noise_var, X).log_evidence(y)[0]


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A GP given data: its posterior, log N(y | 0, K + noise_var I), and the jitter it took."""

    posterior: Posterior
    log_evidence: float
    jitter: float


def gp_posterior(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> tuple[Posterior, float]:
    """Return the posterior and the jitter of `conditioned`."""
    result = conditioned(covariance, noise_var, X, y)
    return result.posterior, result.jitter


def conditioned(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> Conditioned:
    r"""Condition a GP on data and write the result as an extended linear model.

    The posterior covariance of slopes and level is :math:`P^{1/2} R R' P^{1/2}` (see `Factors`),
    in which nothing is subtracted. One n x n matrix is made, and it becomes the posterior's.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    y : ndarray (n,)

    Returns
    -------
    Conditioned
        A jitter other than 0 is said once in a warning.
    """
    factors = factorise(covariance, noise_var, X)
    if factors.jitter:
        warnings.warn(
            f"the covariance matrix is not positive definite to working precision; a jitter of "
            f"{factors.jitter:.1e} was added to its diagonal. Duplicate rows or a noise variance "
            f"near zero cause this; a larger noise_var mends it.",
            NumericalWarning,
            stacklevel=3,
        )
    return _as_posterior(covariance, noise_var, factors, X, y)


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
    bumps, prior = _parts(covariance, X.shape[1])
    if bumps is None or old.chol is None:
        return None
    gone = overlap(old.centers, X)
    if gone is None:
        return None
    kept = old.n_bumps - gone
    new = X[kept:]
    if 3 * (gone + len(new)) > kept:
        return None
    c = old.prior_var
    chol = without_first(old.chol, gone)
    if len(new):
        within = bumps(new) + old.nugget * np.eye(len(new))
        try:
            chol = with_rows(chol, bumps(X[:kept], new) / c**2, within / c**2)
        except np.linalg.LinAlgError:
            return None
    log_det = 2.0 * float(np.log(c * chol.diagonal()).sum())
    nugget = float(old.nugget)  # a GP has one for all rows
    factors = _weights_too(chol, nugget, prior, X, log_det, nugget - old.noise_var, c)
    return _as_posterior(covariance, old.noise_var, factors, X, y)


def _as_posterior(
    covariance: Covariance, noise_var: float, factors: Factors, X: FloatArray, y: FloatArray
) -> Conditioned:
    """Write a GP with factored covariance as an extended linear model; the factor becomes its."""
    d = X.shape[1]
    bumps = [t for t in covariance.terms if isinstance(t, SquaredExponential)]
    c, lengthscales = bumps[0].values(d) if bumps else (0.0, np.ones(d))
    b = np.zeros(d + 1)
    residual, added = y, None
    if factors.R is not None and factors.G is not None:
        half = factors.root[:, None] * factors.R  # covariance of slopes and level: half half'
        b = half @ (factors.G.T @ y)
        residual = y - X @ b[:d] - b[d]
        among_bumps = -c * factors.G if bumps else np.zeros((0, d + 1))
        added = np.concatenate([among_bumps, half])
    alpha = factors.solve_bumps(residual)  # (K_y + H H')^-1 y
    weights = c * alpha if bumps else np.zeros(0)
    log_evidence = -0.5 * (float(y @ alpha) + factors.log_det + len(y) * _LOG_2PI)
    if factors.chol is not None and factors.amplitude != c:
        np.divide(factors.chol, c, out=factors.chol)  # of use to nobody else from here on
    posterior = Posterior(
        centers=X.copy() if bumps else np.zeros((0, d)),
        lengthscales=lengthscales.copy(),
        weights=weights,
        linear=b[:d],
        constant=float(b[d]),
        noise_var=float(noise_var),
        prior_var=c,
        chol=factors.chol,
        nugget=factors.nugget,
        added=added,
    )
    return Conditioned(posterior, log_evidence, factors.jitter)
