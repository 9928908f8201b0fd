"""The evidence of a Gaussian process with weights at support inputs, and its predictions."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.slopes import MatrixSlopes
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import Evidence, kernel_of
from gpforecast.posteriors.augmented import AugmentedReducedRank
from gpforecast.posteriors.extended_linear import Posterior

_NUGGET = 1e-10  # of the kernel's variance, part of every K_MM; the thesis's own code adds 1e-8
_MORE = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)  # of the same, where that was not enough
_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class SupportEvidence(Evidence):
    r"""The evidence at a fixed support, eqs. (3.23) to (3.25), and what follows from its factors.

    With :math:`L L' = K_{MM}`, :math:`V = L^{-1} K_{MN}` and :math:`B = \sigma^2 I + V V'`, the
    model is linear in a with independent standard normal weights w, :math:`f(x) = a(x)' w`,
    :math:`a(x) = L^{-1} k(x)`, and everything large is N x M. The covariance of the targets is
    :math:`\tilde Q = \sigma^2 I + V' V`.

    An evaluation with slopes costs O(n m^2 + n m d) time and four m x n matrices.

    Attributes
    ----------
    support : ndarray (m, d)
    """

    support: FloatArray

    @cached_property
    def kernel(self) -> Covariance:
        """All of the covariance that is not linear."""
        parts = Parts.of(self.covariance, self.X.shape[1])
        return kernel_of(parts, "a reduced-rank Gaussian process")

    @cached_property
    def K(self) -> FloatArray:  # noqa: N802 - the papers' letter
        """K_MN, (m, n)."""
        return self.covariance(self.support, self.X)

    @cached_property
    def factor(self) -> tuple[FloatArray, float]:
        """L, with a 1e-10th of the kernel's variance and the jitter on the diagonal of K_MM.

        The jitter is what K_MM took beyond that 1e-10th, squared units of the target.
        """
        K = self.covariance(self.support)
        variance = float(self.kernel.diag(self.support).mean())
        for relative in _MORE:
            jitter = relative * variance
            try:
                lifted = K + (_NUGGET * variance + jitter) * np.eye(len(K))
                chol = scipy.linalg.cholesky(
                    lifted, lower=True, overwrite_a=True, check_finite=False
                )
                return chol, jitter
            except np.linalg.LinAlgError:
                continue
        raise np.linalg.LinAlgError(
            "the covariance of the support inputs is not positive definite even with a jitter of "
            "1e-6 of its diagonal; check them for enormous values, or take fewer."
        )

    @cached_property
    def V(self) -> FloatArray:  # noqa: N802 - the papers' letter
        """L^-1 K_MN, (m, n)."""
        return np.asarray(
            scipy.linalg.solve_triangular(self.factor[0], self.K, lower=True, check_finite=False)
        )

    @cached_property
    def chol_inner(self) -> FloatArray:
        """The Cholesky factor of B, (m, m)."""
        B = self.V @ self.V.T
        B.flat[:: len(B) + 1] += self.noise_var
        return np.asarray(
            scipy.linalg.cholesky(B, lower=True, overwrite_a=True, check_finite=False)
        )

    @cached_property
    def weights(self) -> FloatArray:
        """The posterior mean of w, B^-1 V y, (m,)."""
        return np.asarray(scipy.linalg.cho_solve((self.chol_inner, True), self.V @ self.y))

    @cached_property
    def residual(self) -> FloatArray:
        r"""The targets less their fitted mean, :math:`\sigma^2 \tilde Q^{-1} y`, (n,)."""
        return self.y - self.weights @ self.V

    @property
    def log_evidence(self) -> float:
        """In nats: y' Q^-1 y as a sum of squares, (3.25); log |Q| with the term (3.24) lacks."""
        m, n = self.V.shape
        squares = self.residual @ self.residual + self.noise_var * (self.weights @ self.weights)
        log_det = 2.0 * np.log(np.diag(self.chol_inner)).sum() + (n - m) * np.log(self.noise_var)
        return -0.5 * float(squares / self.noise_var + log_det + n * _LOG_2PI)

    def slopes(self, cross: MatrixSlopes) -> FloatArray:
        r"""Return the slopes of the log evidence in theta, given those of K_MN.

        With :math:`\alpha = \tilde Q^{-1} y`, :math:`\mu` the weights (3.26) and Z of (3.24),

        .. math:: \partial \log p = \operatorname{tr}[(\mu \alpha' - Z')' \partial K_{MN}]
            + \tfrac12 \operatorname{tr}[(K_{MM}^{-1} - \sigma^2 A^{-1} - \mu\mu') \partial K_{MM}]

        where :math:`A = K_{MN} K_{NM} + \sigma^2 K_{MM}`: (3.24) and (3.25) together.
        """
        m, n = self.V.shape
        support, noise_var, identity = self.support, self.noise_var, np.eye(m)
        chol, jitter = self.factor
        inverse = scipy.linalg.solve_triangular(chol, identity, lower=True)  # L^-1
        inverse_B = scipy.linalg.solve_triangular(self.chol_inner, identity, lower=True)
        inverse_B = inverse_B.T @ inverse_B
        mu = inverse.T @ self.weights
        alpha = self.residual / noise_var
        G = (inverse.T @ inverse_B) @ self.V
        np.subtract(np.outer(mu, alpha), G, out=G)
        G_M = 0.5 * (inverse.T @ (identity - noise_var * inverse_B) @ inverse - np.outer(mu, mu))
        slopes = cross.parameters(G) + self.covariance.with_slopes(support, support).parameters(G_M)
        # K_MM has nugget and jitter on its diagonal, in proportion to the kernel's mean variance.
        parts = Parts.of(self.covariance, support.shape[1])
        lifted = _NUGGET + jitter / float(self.kernel.diag(support).mean())
        by_kernel = self.kernel.diag_slopes(support, np.full(m, lifted * float(np.trace(G_M)) / m))
        slopes += parts.assembled(by_kernel, np.zeros_like(parts.prior))
        trace = (n - m) / noise_var + float(np.trace(inverse_B))  # of Q^-1, (3.24)
        return np.append(slopes, 0.5 * noise_var * (float(alpha @ alpha) - trace))

    def degenerate(self) -> Posterior:
        r"""Return the process without a further weight, eqs. (3.26) and (3.27), as a posterior.

        :math:`k(x, x_i) = c\,b_i(x) + x' \Lambda x_i + v` makes basis functions, slopes and a
        constant of the weights :math:`\mu` and of a factor of their covariance,
        :math:`F = \sigma L^{-\top} C_B^{-\top}` with :math:`F F' = \Sigma`. O(m^3) time.
        """
        m, d = self.support.shape
        c, unit = self.kernel.unit()
        prior = Parts.of(self.covariance, d).prior
        root = scipy.linalg.solve_triangular(self.chol_inner, np.eye(m), lower=True)
        both = np.column_stack([self.weights, np.sqrt(self.noise_var) * root.T])
        both = scipy.linalg.solve_triangular(self.factor[0], both, lower=True, trans=1)  # mu and F
        slopes, level = (self.support * prior[:d]).T, np.full((1, m), prior[d])
        features = np.concatenate([c * both, slopes @ both, level @ both])
        return Posterior(
            centers=self.support.copy(),
            lengthscales=scales_of(unit, np.ones(d)),
            weights=features[:m, 0].copy(),
            linear=features[m : m + d, 0].copy(),
            constant=float(features[m + d, 0]),
            noise_var=float(self.noise_var),
            added=features[:, 1:].copy(),
            covariance=unit,
        )

    def augmented(self) -> AugmentedReducedRank:
        """Return the process with a further weight at the test input, eq. (3.29).

        It keeps the training inputs: O(n m) memory, O(n m^2) time.
        """
        return AugmentedReducedRank(
            base=self.degenerate(),
            covariance=self.covariance,
            X=self.X.copy(),
            chol=self.factor[0],
            chol_inner=self.chol_inner,
            Q1=scipy.linalg.solve_triangular(
                self.chol_inner, self.V, lower=True, check_finite=False
            ).T,
            weights=self.weights,
            pull=self.residual / self.noise_var,
        )

    def of_full_process(self, n_rows: int) -> Evidence:
        """Return the evidence of the full process on at most so many of the rows."""
        others = self.covariance, self.noise_var, self.scale, self.y_var, self.weak_prior
        return Evidence(self.X, self.y, *others).on_few_rows(min(len(self.y), n_rows))

    def with_best_noise(self) -> Self:
        r"""Return the same function, to start from the noise of greatest evidence.

        What a small support cannot explain must count as noise. A search that starts from less
        meets an evidence so low that its first step can go anywhere.

        Notes
        -----
        With :math:`V V' = U \operatorname{diag}(\lambda) U'` the evidence of one noise variance
        costs O(m), so that all of them cost one factorisation.
        """
        V = self.V
        values, U = np.linalg.eigh(V @ V.T)
        values, fitted = np.maximum(values, 0.0), (U.T @ (V @ self.y)) ** 2
        total, n_rest = float(self.y @ self.y), len(self.y) - len(values)

        def negative(log_noise: float) -> float:
            noise = np.exp(log_noise)
            quadratic = (total - np.sum(fitted / (noise + values))) / noise
            return float(quadratic + n_rest * log_noise + np.log(noise + values).sum())

        low, high = self.log_bounds[-1].tolist()
        grid = np.linspace(float(low), float(high), 200)
        return replace(self, noise_var=float(np.exp(min(grid, key=negative))))

    def _log_evidence(self, covariance: Covariance, noise_var: float) -> float:
        return replace(self, covariance=covariance, noise_var=noise_var).log_evidence

    def _with_slopes(self, covariance: Covariance, noise_var: float) -> tuple[float, FloatArray]:
        here = replace(self, covariance=covariance, noise_var=noise_var)
        cross = covariance.with_slopes(self.support, self.X)
        vars(here)["K"] = cross.K  # need not be computed twice
        return here.log_evidence, here.slopes(cross)
