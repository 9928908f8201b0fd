"""A process through few inducing inputs, given rows whose noise is shared between neighbours."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import FAILED, kernel_of
from gpforecast.models.measured import FACTOR, SPREAD, LagErrors, MeasuredWeights
from gpforecast.posteriors.extended_linear import Posterior

_JITTER = 1e-9  # of the variance of the inducing variables


@dataclass(frozen=True, eq=False)
class InducedBasis:
    """Weights of unit prior variance: f = k_M L^-T w, and slopes and a level.

    The features of all n rows are there at once, and twice more while they are worked on: about
    3.5 n (M + d + 1) doubles.

    Attributes
    ----------
    kernel : Covariance
        All of the covariance that is not linear.
    root : ndarray (d + 1,)
        The prior standard deviations of slopes and level.
    inducing : ndarray (M, d)
    chol : ndarray (M, M)
        L, the lower factor of their covariance.
    """

    kernel: Covariance
    root: FloatArray
    inducing: FloatArray
    chol: FloatArray

    @staticmethod
    def of(covariance: Covariance, inducing: FloatArray) -> "InducedBasis":
        """Return it for a covariance with all its values and inducing inputs (M, d)."""
        parts = Parts.of(covariance, inducing.shape[1])
        kernel = kernel_of(parts, "SparseGaussianProcess")
        K = kernel(inducing)
        K.flat[:: len(K) + 1] += _JITTER * K.diagonal().mean()
        chol = np.asarray(scipy.linalg.cholesky(K, lower=True))
        return InducedBasis(kernel, np.sqrt(parts.prior), inducing, chol)

    def features(self, X: FloatArray) -> FloatArray:
        """Return the features of X (n, d) that the weights multiply, (n, M + d + 1)."""
        K = self.kernel(self.inducing, X)
        whitened = scipy.linalg.solve_triangular(self.chol, K, lower=True).T
        linear = np.column_stack([X, np.ones(len(X))]) * self.root
        return np.column_stack([whitened, linear])

    def noises(
        self, X: FloatArray, y: FloatArray, errors: LagErrors, all_noise: float
    ) -> tuple[float, float]:
        """Return process noise and factor of the measurement noise, of greatest evidence."""
        Phi = self.features(X)
        usual = np.log(FACTOR * all_noise)

        def negative(theta: FloatArray) -> float:
            q, factor = np.exp(theta)
            off = 0.0 if errors.known else (theta[0] - usual) / SPREAD
            try:
                found = MeasuredWeights.of(Phi, y, errors.banded(factor, q), flat=False)
            except np.linalg.LinAlgError:
                return FAILED
            return 0.5 * float(off**2) - found.log_evidence

        start = np.log(errors.split(all_noise))
        free = (0.0, 0.0) if errors.known else (start[1] - 14.0, start[1] + 3.0)
        bounds = [(start[0] - 14.0, start[0] + 3.0), free]
        run = scipy.optimize.minimize(negative, start, method="L-BFGS-B", bounds=bounds)
        q, factor = np.exp(run.x)
        return float(q), float(factor)

    def posterior(
        self, X: FloatArray, y: FloatArray, errors: LagErrors, noise_var: float, factor: float
    ) -> tuple[Posterior, float]:
        """Return f given the rows, and the log evidence in nats."""
        R = errors.banded(factor, noise_var)
        found = MeasuredWeights.of(self.features(X), y, R, flat=False)
        m, d = self.inducing.shape
        c, unit = self.kernel.unit()

        def of_basis(w: FloatArray) -> FloatArray:
            upper = c * scipy.linalg.solve_triangular(self.chol, w[:m], lower=True, trans=1)
            scaled = w[m:] * (self.root if w.ndim == 1 else self.root[:, None])
            return np.concatenate([upper, scaled])

        w = of_basis(found.mean)
        posterior = Posterior(
            centers=self.inducing.copy(),
            lengthscales=scales_of(unit, np.ones(d)),
            weights=w[:m],
            linear=w[m:-1],
            constant=float(w[-1]),
            noise_var=noise_var,
            prior_var=c,
            chol=self.chol / c,
            nugget=_JITTER * c,
            added=of_basis(found.root),
            covariance=unit,
        )
        return posterior, found.log_evidence
