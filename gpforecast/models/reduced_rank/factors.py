"""The factored covariance of the targets of a reduced-rank Gaussian process."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.weight_space import Parts

NUGGET = 1e-10  # of the kernel's variance, part of every K_MM; the thesis's own code adds 1e-8
_MORE = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)  # of the same, where that was not enough
_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class SupportFactors:
    r"""What follows from :math:`\tilde Q = \sigma^2 I + K_{NM} K_{MM}^{-1} K_{MN}`, eq. (3.23).

    With :math:`L L' = K_{MM}`, :math:`V = L^{-1} K_{MN}` and :math:`B = \sigma^2 I + V V'`, the
    model is linear in a with independent standard normal weights w, :math:`f(x) = a(x)' w`,
    :math:`a(x) = L^{-1} k(x)`, and everything large is N x M.

    Attributes
    ----------
    chol : ndarray (m, m)
        L, of K_MM with a 1e-10th of the bumps' variance, and the jitter, on its diagonal.
    V : ndarray (m, n)
    chol_inner : ndarray (m, m)
    weights : ndarray (m,)
        Posterior mean of w, :math:`B^{-1} V y`.
    residual : ndarray (n,)
        y less its fitted mean; :math:`\sigma^2 \tilde Q^{-1} y`.
    log_evidence : float
    jitter : float
        What K_MM took beyond that 1e-10th, squared units of the target.
    """

    chol: FloatArray
    V: FloatArray
    chol_inner: FloatArray
    weights: FloatArray
    residual: FloatArray
    log_evidence: float
    jitter: float


def kernel_of(covariance: Covariance, n_inputs: int) -> Covariance:
    """Return all of a covariance that is not linear, or say that there must be something."""
    kernel = Parts.of(covariance, n_inputs).kernel
    if kernel is None:
        raise ValueError(
            f"a reduced-rank Gaussian process needs a covariance such as SquaredExponential beside "
            f"linear and constant terms; got {covariance!r}. GaussianProcess takes those alone, at "
            f"any number of rows."
        )
    return kernel


def factorise(
    covariance: Covariance,
    noise_var: float,
    X: FloatArray,
    y: FloatArray,
    support: FloatArray,
    K: FloatArray | None = None,
) -> SupportFactors:
    """Factor the covariance of the targets.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
        Positive.
    X, y : ndarray (n, d) and (n,)
    support : ndarray (m, d)
    K : ndarray (m, n), optional
        The covariance of the support and X, if it is known.

    Returns
    -------
    Factors
        O(n m^2) time, O(n m) memory.

    Raises
    ------
    numpy.linalg.LinAlgError
        If even a jitter of 1e-6 of the variance does not make K_MM positive definite.
    """
    n, m = len(y), len(support)
    chol, jitter = _factor_support(covariance, support)
    K = covariance(support, X) if K is None else K
    V = solve_triangular(chol, K, lower=True, check_finite=False)
    B = V @ V.T
    B.flat[:: m + 1] += noise_var
    chol_inner = cholesky(B, lower=True, overwrite_a=True, check_finite=False)
    weights = cho_solve((chol_inner, True), V @ y)
    residual = y - weights @ V
    # y' Q^-1 y as a sum of squares, (3.25); log |Q| with the term that (3.24) lacks.
    quadratic = (residual @ residual + noise_var * (weights @ weights)) / noise_var
    log_det = (n - m) * np.log(noise_var) + 2.0 * np.log(np.diag(chol_inner)).sum()
    log_evidence = -0.5 * float(quadratic + log_det + n * _LOG_2PI)
    return SupportFactors(chol, V, chol_inner, weights, residual, log_evidence, jitter)


def _factor_support(covariance: Covariance, support: FloatArray) -> tuple[FloatArray, float]:
    K = covariance(support)
    variance = float(kernel_of(covariance, support.shape[1]).diag(support).mean())
    for relative in _MORE:
        jitter = relative * variance
        try:
            lifted = K + (NUGGET * variance + jitter) * np.eye(len(K))
            return cholesky(lifted, lower=True, overwrite_a=True, check_finite=False), jitter
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError(
        "the covariance of the support inputs is not positive definite even with a jitter of 1e-6 "
        "of its diagonal; check them for enormous values, or take fewer."
    )
