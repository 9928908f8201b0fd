"""Conditioning a Gaussian process on data, at given hyperparameters."""

import warnings

import numpy as np
from scipy.linalg import cho_solve, cholesky, lapack

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


def factor(K: FloatArray, what: str = "the covariance matrix") -> tuple[FloatArray, float]:
    """Return the lower Cholesky factor of K and the jitter that had to be added to it.

    Raises
    ------
    numpy.linalg.LinAlgError
        If even a jitter of 1e-4 of the mean diagonal does not make K positive definite.
    """
    mean_diagonal = float(np.mean(np.diag(K)))
    for relative in (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4):
        jitter = relative * mean_diagonal
        try:
            chol = cholesky(K + jitter * np.eye(len(K)), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            continue
        if jitter:
            warnings.warn(
                f"{what} is not positive definite to working precision; a jitter of "
                f"{jitter:.1e} was added to its diagonal. Duplicate rows or a noise variance "
                f"near zero cause this; a larger noise_var mends it.",
                NumericalWarning,
                stacklevel=4,
            )
        return np.ascontiguousarray(chol), jitter
    raise np.linalg.LinAlgError(
        f"{what} is not positive definite even with a jitter of 1e-4 of its diagonal; check the "
        f"inputs for infinite or enormous values, and raise noise_var."
    )


def log_marginal_likelihood(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> float:
    """Return log N(y | 0, K + noise_var I), in nats; Snelson (2007), eq. (1.24)."""
    K = covariance(X)
    K[np.diag_indices_from(K)] += noise_var
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)  # said once, by gp_posterior
        chol, _ = factor(K)
    return log_evidence(np.asfortranarray(chol.T), y)[0]


def gp_posterior(
    covariance: Covariance, noise_var: float, X: FloatArray, y: FloatArray
) -> tuple[Posterior, float]:
    r"""Condition a GP on data and write the result as an extended linear model.

    Linear and constant terms are kept in weight space (Rasmussen and Williams, section 2.7): with
    :math:`H = [X, 1]`, their prior variances P, and :math:`K_y` the covariance of the
    bumps and the noise alone, their posterior covariance is
    :math:`(P^{-1} + H' K_y^{-1} H)^{-1}`, in which nothing is subtracted.

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
        Added to the diagonal of K_y to factor it.
    """
    n, d = X.shape
    bumps = [t for t in covariance.terms if isinstance(t, SquaredExponential)]
    prior = np.zeros(d + 1)
    for term in covariance.terms:
        if isinstance(term, Linear):
            prior[:d] = term.variances
        elif isinstance(term, Constant):
            prior[d] = term.variance

    if bumps:
        c, ell = bumps[0].values(d)
        lengthscales = ell.copy()
        K_y = bumps[0](X)
        K_y[np.diag_indices_from(K_y)] += noise_var
        chol, jitter = factor(K_y)
    else:
        c, lengthscales, jitter = 0.0, np.ones(d), 0.0
        if noise_var <= 0.0:
            raise ValueError("a linear model needs noise_var > 0; got 0.")
        chol = None

    def solve(B: FloatArray) -> FloatArray:
        """K_y^-1 B."""
        if chol is None:
            return B / noise_var
        return cho_solve((chol, True), B, check_finite=False)

    added = None
    b = np.zeros(d + 1)
    if prior.any():
        root = np.sqrt(prior)
        H = np.column_stack([X, np.ones(n)]) * root
        G = solve(H)
        inner = np.eye(d + 1) + H.T @ G  # P^1/2 (P^-1 + H' K_y^-1 H) P^1/2, defined for P = 0 too
        lower = np.linalg.cholesky(inner)
        half = np.linalg.solve(lower, np.eye(d + 1)).T  # inner^-1 = half half'
        b = root * (half @ (half.T @ (G.T @ y)))
        added = np.concatenate(
            [-c * (G @ half) if bumps else np.zeros((0, d + 1)), root[:, None] * half]
        )
        added = added[:, root > 0] if (root == 0).any() else added
        residual = y - X @ b[:d] - b[d]
    else:
        residual = y
    return (
        Posterior(
            centers=X.copy() if bumps else np.zeros((0, d)),
            lengthscales=lengthscales,
            weights=c * solve(residual) if bumps else np.zeros(0),
            linear=b[:d],
            constant=float(b[d]),
            noise_var=float(noise_var),
            prior_var=c,
            chol=None if chol is None else chol / c,
            nugget=noise_var + jitter,
            added=added,
        ),
        jitter,
    )


def log_evidence(upper: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Return log N(y | 0, U'U) and (U'U)^-1 y from the upper Cholesky factor U."""
    alpha, _ = lapack.dpotrs(upper, y, lower=0)
    log_det = 2.0 * float(np.log(np.diag(upper)).sum())
    return -0.5 * (float(y @ alpha) + log_det + len(y) * _LOG_2PI), alpha
