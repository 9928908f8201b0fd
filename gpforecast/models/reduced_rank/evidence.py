"""The evidence of a reduced-rank Gaussian process and its slopes, at a fixed support."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.covariances.hyperparameters import one_each
from gpforecast.models.evidence import FAILED, Evidence
from gpforecast.models.reduced_rank.factors import NUGGET, Factors, bumps_of, factorise


@dataclass(frozen=True, eq=False)
class ReducedEvidence(Evidence):
    """The function that training maximises: eqs. (3.23) to (3.25).

    An evaluation with slopes costs O(n m^2 + n m d) time and four m x n matrices.

    Attributes
    ----------
    support : ndarray (m, d)
    """

    support: FloatArray

    def with_best_noise(self) -> "ReducedEvidence":
        r"""Return the same function, to start from the noise of greatest evidence.

        What a small support cannot explain must count as noise. A search that starts from less
        meets an evidence so low that its first step can go anywhere.

        Notes
        -----
        With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
        costs O(m), so that all of them cost one factorisation.
        """
        found = factorise(self.covariance, self.noise_var, self.X, self.y, self.support)
        values, U = np.linalg.eigh(found.V @ found.V.T)
        values, fitted = np.maximum(values, 0.0), (U.T @ (found.V @ self.y)) ** 2
        total, n_rest = float(self.y @ self.y), len(self.y) - len(values)

        def negative(log_noise: float) -> float:
            noise = np.exp(log_noise)
            quadratic = (total - np.sum(fitted / (noise + values))) / noise
            return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

        low, high = self.log_bounds[-1].tolist()
        grid = np.linspace(float(low), float(high), 200)
        return replace(self, noise_var=float(np.exp(min(grid, key=negative))))

    def value(self, theta: FloatArray) -> float:
        """Return the negative log posterior of theta."""
        covariance, noise_var = self.unpack(theta)
        try:
            found = factorise(covariance, noise_var, self.X, self.y, self.support)
        except np.linalg.LinAlgError:
            return FAILED
        return self._penalty(theta)[0] - found.log_evidence

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient."""
        covariance, noise_var = self.unpack(theta)
        try:
            K = covariance(self.support, self.X)
            found = factorise(covariance, noise_var, self.X, self.y, self.support, K)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        penalty, slopes = self._penalty(theta)
        rise = _evidence_slopes(covariance, noise_var, self.X, self.support, K, found)
        return penalty - found.log_evidence, slopes - rise


def _evidence_slopes(
    covariance: Covariance,
    noise_var: float,
    X: FloatArray,
    support: FloatArray,
    K: FloatArray,
    found: Factors,
) -> FloatArray:
    r"""Return the slopes of the log evidence in theta.

    With :math:`\alpha = \tilde Q^{-1} y`, :math:`\mu` the weights (3.26) and Z of (3.24),

    .. math:: \partial \log p = \operatorname{tr}[(\mu \alpha' - Z')' \partial K_{MN}]
        + \tfrac12 \operatorname{tr}[(K_{MM}^{-1} - \sigma^2 A^{-1} - \mu\mu') \partial K_{MM}]

    where :math:`A = K_{MN} K_{NM} + \sigma^2 K_{MM}`: (3.24) and (3.25) together.
    """
    n, m = len(X), len(support)
    identity = np.eye(m)
    inverse = solve_triangular(found.chol, identity, lower=True)  # L^-1
    inverse_B = solve_triangular(found.chol_inner, identity, lower=True)
    inverse_B = inverse_B.T @ inverse_B
    mu = inverse.T @ found.weights
    alpha = found.residual / noise_var
    G = (inverse.T @ inverse_B) @ found.V
    np.subtract(np.outer(mu, alpha), G, out=G)
    G_M = 0.5 * (inverse.T @ (identity - noise_var * inverse_B) @ inverse - np.outer(mu, mu))
    slopes = cross_slopes(covariance, support, X, K, G)
    slopes += covariance.with_gradient(support)[1](G_M)
    # K_MM has NUGGET and jitter on its diagonal, in proportion to the bumps' variance.
    variance = bumps_of(covariance).values(X.shape[1])[0]
    lifted = NUGGET * variance + found.jitter
    slopes[covariance.parameter_names.index("variance")] += lifted * float(np.trace(G_M))
    trace = (n - m) / noise_var + float(np.trace(inverse_B))  # of Q^-1, (3.24)
    return np.append(slopes, 0.5 * noise_var * (float(alpha @ alpha) - trace))


def cross_slopes(
    covariance: Covariance, Z: FloatArray, X: FloatArray, K: FloatArray, G: FloatArray
) -> FloatArray:
    """Return sum_ij G_ij dk(z_i, x_j) / d log theta, (p,), in the order of `log_parameters`.

    Parameters
    ----------
    covariance : Covariance
        A sum of `SquaredExponential`, `Linear` and `Constant`.
    Z, X : ndarray (m, d) and (n, d)
    K : ndarray (m, n)
        k(z_i, x_j).
    G : ndarray (m, n)

    Notes
    -----
    O(n m d) time, and one further m x n matrix.
    """
    slopes = []
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            bumps = K if len(covariance.terms) == 1 else term(Z, X)
            slopes.append(_bump_slopes(term, Z, X, G * bumps))
        elif isinstance(term, Linear):
            by_input = np.asarray(term.variances) * np.einsum("md,md->d", Z, G @ X)
            slopes.append(by_input if one_each(term.variances) else by_input.sum(keepdims=True))
        elif isinstance(term, Constant):
            slopes.append(np.exp(term.log_parameters) * G.sum())
        else:
            raise TypeError(f"no slopes are known of {type(term).__name__}.")
    return np.concatenate(slopes)


def _bump_slopes(
    term: SquaredExponential, Z: FloatArray, X: FloatArray, H: FloatArray
) -> FloatArray:
    """Return sum_ij H_ij (z_id - x_jd)^2 / ell_d^2 for every input, and the sum of H."""
    ell = term.values(X.shape[1])[1]
    middle = X.mean(axis=0)  # centred, so that the difference below stays small
    z, x = (Z - middle) / ell, (X - middle) / ell
    by_row = H.sum(axis=1)
    by_input = by_row @ z**2 + H.sum(axis=0) @ x**2 - 2.0 * np.einsum("md,md->d", z, H @ x)
    if not one_each(term.lengthscales):
        by_input = by_input.sum(keepdims=True)
    return np.append(by_input, by_row.sum())
