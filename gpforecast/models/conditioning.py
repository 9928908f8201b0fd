"""Conditioning a Gaussian process on data, at given hyperparameters."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular

from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.posterior import Posterior
from gpforecast.typing import FloatArray
from gpforecast.warnings import NumericalWarning

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
    chol : ndarray (n, n)
        Lower Cholesky factor of K_y, Fortran order.
    H, G : ndarray (n, d + 1) or None
        None without linear and constant terms.
    R : ndarray (d + 1, d + 1) or None
    root : ndarray (d + 1,)
        Square roots of P.
    log_det : float
        Of K_y + H H'.
    jitter : float
        What was added to the diagonal of K_y to factor it.
    """

    chol: FloatArray
    H: FloatArray | None
    G: FloatArray | None
    R: FloatArray | None
    root: FloatArray
    log_det: float
    jitter: float

    def solve_bumps(self, B: FloatArray) -> FloatArray:
        """Return K_y^-1 B."""
        return np.asarray(cho_solve((self.chol, True), B, check_finite=False), dtype=np.float64)

    def solve(self, y: FloatArray) -> FloatArray:
        """Return (K_y + H H')^-1 y."""
        alpha = self.solve_bumps(y)
        if self.G is not None:
            alpha -= self.G @ (self.G.T @ y)
        return alpha

    def inverse(self) -> FloatArray:
        """Return (K_y + H H')^-1, overwriting the Cholesky factor."""
        lower, _ = lapack.dpotri(self.chol, lower=1, overwrite_c=1)
        full: FloatArray = np.tril(lower) + np.tril(lower, -1).T
        if self.G is not None:
            full -= self.G @ self.G.T
        return full

    def log_evidence(self, y: FloatArray) -> tuple[float, FloatArray]:
        """Return log N(y | 0, K_y + H H') and (K_y + H H')^-1 y; Snelson (2007), eq. (1.20)."""
        alpha = self.solve(y)
        return -0.5 * (float(y @ alpha) + self.log_det + len(y) * _LOG_2PI), alpha


def factorise(
    covariance: Covariance, noise_var: float, X: FloatArray, K_bumps: FloatArray | None = None
) -> Factors:
    """Factor the covariance of targets at X.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    K_bumps : ndarray (n, n), optional
        The bumps' covariance matrix, if it is at hand.

    Raises
    ------
    ValueError
        If the noise variance is 0 and there are no bumps.
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the mean diagonal does not make K_y positive definite.
    """
    n, d = X.shape
    prior = np.zeros(d + 1)
    bumps = None
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            bumps = term
        elif isinstance(term, Linear):
            prior[:d] = term.variances
        elif isinstance(term, Constant):
            prior[d] = term.variance
    if bumps is None:
        if noise_var <= 0.0:
            raise ValueError("a linear model needs noise_var > 0; got 0.")
        K_y = np.zeros((n, n), order="F")
    else:
        K_y = np.array(bumps(X) if K_bumps is None else K_bumps, order="F")
    K_y[np.diag_indices(n)] += noise_var
    chol, jitter = robust_cholesky(K_y)
    log_det = 2.0 * float(np.log(np.diag(chol)).sum())
    root = np.sqrt(prior)
    if not prior.any():
        return Factors(chol, None, None, None, root, log_det, jitter)
    H = np.column_stack([X, np.ones(n)]) * root
    solved = np.asarray(cho_solve((chol, True), H, check_finite=False))
    inner = np.linalg.cholesky(np.eye(d + 1) + H.T @ solved)  # defined for P = 0 too
    R = np.asarray(solve_triangular(inner, np.eye(d + 1), lower=True)).T
    log_det += 2.0 * float(np.log(np.diag(inner)).sum())
    return Factors(chol, H, solved @ R, R, root, log_det, jitter)


def robust_cholesky(K: FloatArray) -> tuple[FloatArray, float]:
    """Return the lower Cholesky factor of K and the jitter that had to be added to it.

    Raises
    ------
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the mean diagonal does not make K positive definite.
    """
    mean_diagonal = float(np.mean(np.diag(K)))
    for relative in (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
        jitter = relative * mean_diagonal
        shifted = K.copy(order="F")
        shifted[np.diag_indices_from(shifted)] += jitter
        chol, info = lapack.dpotrf(shifted, lower=1, clean=1, overwrite_a=1)
        if info == 0:
            return chol, jitter
    raise np.linalg.LinAlgError(
        "the covariance matrix is not positive definite even with a jitter of 1e-4 of its "
        "diagonal; check the inputs for infinite or enormous values, and raise noise_var."
    )


def log_marginal_likelihood(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> float:
    """Return log N(y | 0, K + noise_var I), in nats; Snelson (2007), eq. (1.20)."""
    return factorise(covariance, noise_var, X).log_evidence(y)[0]


def gp_posterior(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> tuple[Posterior, float]:
    r"""Condition a GP on data and write the result as an extended linear model.

    The posterior covariance of slopes and level is :math:`P^{1/2} R R' P^{1/2}` (see `Factors`),
    in which nothing is subtracted.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
    X : ndarray (n, d)
    y : ndarray (n,)

    Returns
    -------
    posterior : Posterior
    jitter : float
        Added to the diagonal of K_y to factor it; said once in a warning.
    """
    d = X.shape[1]
    factors = factorise(covariance, noise_var, X)
    if factors.jitter:
        warnings.warn(
            f"the covariance matrix is not positive definite to working precision; a jitter of "
            f"{factors.jitter:.1e} was added to its diagonal. Duplicate rows or a noise variance "
            f"near zero cause this; a larger noise_var mends it.",
            NumericalWarning,
            stacklevel=3,
        )
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
    posterior = Posterior(
        centers=X.copy() if bumps else np.zeros((0, d)),
        lengthscales=lengthscales.copy(),
        weights=c * factors.solve_bumps(residual) if bumps else np.zeros(0),
        linear=b[:d],
        constant=float(b[d]),
        noise_var=float(noise_var),
        prior_var=c,
        chol=np.ascontiguousarray(factors.chol) / c if bumps else None,
        nugget=noise_var + factors.jitter,
        added=added,
    )
    return posterior, factors.jitter
