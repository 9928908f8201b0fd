"""The evidence of a reduced-rank Gaussian process and its slopes, at a fixed support."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import MatrixSlopes
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import FAILED, Evidence
from gpforecast.models.reduced_rank.factors import NUGGET, SupportFactors, factorise, kernel_of


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
            cross = covariance.with_slopes(self.support, self.X)
            found = factorise(covariance, noise_var, self.X, self.y, self.support, cross.K)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        penalty, slopes = self._penalty(theta)
        rise = _evidence_slopes(covariance, noise_var, self.support, cross, found)
        return penalty - found.log_evidence, slopes - rise


def _evidence_slopes(
    covariance: Covariance,
    noise_var: float,
    support: FloatArray,
    cross: MatrixSlopes,
    found: SupportFactors,
) -> FloatArray:
    r"""Return the slopes of the log evidence in theta.

    With :math:`\alpha = \tilde Q^{-1} y`, :math:`\mu` the weights (3.26) and Z of (3.24),

    .. math:: \partial \log p = \operatorname{tr}[(\mu \alpha' - Z')' \partial K_{MN}]
        + \tfrac12 \operatorname{tr}[(K_{MM}^{-1} - \sigma^2 A^{-1} - \mu\mu') \partial K_{MM}]

    where :math:`A = K_{MN} K_{NM} + \sigma^2 K_{MM}`: (3.24) and (3.25) together.
    """
    n, m = len(found.residual), len(support)
    identity = np.eye(m)
    inverse = solve_triangular(found.chol, identity, lower=True)  # L^-1
    inverse_B = solve_triangular(found.chol_inner, identity, lower=True)
    inverse_B = inverse_B.T @ inverse_B
    mu = inverse.T @ found.weights
    alpha = found.residual / noise_var
    G = (inverse.T @ inverse_B) @ found.V
    np.subtract(np.outer(mu, alpha), G, out=G)
    G_M = 0.5 * (inverse.T @ (identity - noise_var * inverse_B) @ inverse - np.outer(mu, mu))
    slopes = cross.parameters(G) + covariance.with_gradient(support)[1](G_M)
    # K_MM has NUGGET and jitter on its diagonal, in proportion to the kernel's mean variance.
    parts, kernel = Parts.of(covariance, support.shape[1]), kernel_of(covariance, support.shape[1])
    lifted = NUGGET + found.jitter / float(kernel.diag(support).mean())
    by_kernel = kernel.diag_slopes(support, np.full(m, lifted * float(np.trace(G_M)) / m))
    slopes += parts.assembled(by_kernel, np.zeros_like(parts.prior))
    trace = (n - m) / noise_var + float(np.trace(inverse_B))  # of Q^-1, (3.24)
    return np.append(slopes, 0.5 * noise_var * (float(alpha @ alpha) - trace))
