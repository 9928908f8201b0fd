r"""Linear autoregressions with conjugate priors, averaged over priors by their evidence.

.. math:: y = H b + \epsilon, \qquad b_j \sim N(\mu_j,\ \sigma^2 s_j^2), \qquad
    \sigma^2 \sim \text{scaled-}\chi^{-2}(2, v),

so that coefficients and noise are integrated out in closed form (Gelman et al. 2013, "Bayesian data
analysis", section 14.2). A fit costs O(n d + d^3), given H'H.
"""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.models.base import FitReport
from gpforecast.models.estimator import Estimator

EPS = float(np.finfo(np.float64).eps)

_PRIOR_ROWS = 2.0  # which the prior of the noise is worth
_LEAST_WEIGHT = 1e-3  # of a prior that is kept
_JITTERS = (0.0, 1e-14, 1e-12, 1e-10)  # shares of the diagonal of H'H


@dataclass(frozen=True)
class ConjugateFit:
    """The posterior of one prior.

    Attributes
    ----------
    coefficients : ndarray (d,)
        Their mean.
    noise_var : float
        The mean of the noise variance.
    log_evidence : float
        Of the targets, in nats.
    jitter : float
        The share of the diagonal of H'H by which the precision of the prior was raised, because
        inputs that repeat each other left the posterior no factor; 0 in a healthy fit.
    """

    coefficients: FloatArray
    noise_var: float
    log_evidence: float
    jitter: float
    _chol: FloatArray = field(repr=False)

    @staticmethod
    def of(
        H: FloatArray, y: FloatArray, G: FloatArray, means: FloatArray, scales: FloatArray, v: float
    ) -> "ConjugateFit":
        """Fit to rows.

        Parameters
        ----------
        H : ndarray (n, d)
        y : ndarray (n,)
        G : ndarray (d, d)
            H'H, which all priors share.
        means, scales : ndarray (d,)
            Of the coefficients; the scales are in standard deviations of the noise.
        v : float
            The noise variance that the prior expects.
        """
        rest = y - H @ means
        Hr, size = H.T @ rest, float(rest @ rest)
        L, scales, jitter = _factor(G, scales)
        b = scipy.linalg.cho_solve((L, True), Hr)
        left = max(size - float(Hr @ b), EPS * size) + _PRIOR_ROWS * v
        freedom = _PRIOR_ROWS + len(y)
        log_det = 2.0 * float(np.log(L.diagonal()).sum() + np.log(scales).sum())
        # The rows are of a Student's t.
        evidence = float(
            scipy.special.gammaln(0.5 * freedom) - scipy.special.gammaln(0.5 * _PRIOR_ROWS)
        )
        evidence += 0.5 * _PRIOR_ROWS * float(np.log(_PRIOR_ROWS * v))
        evidence -= 0.5 * (len(y) * float(np.log(np.pi)) + log_det + freedom * float(np.log(left)))
        return ConjugateFit(means + b, left / (freedom - 2.0), evidence, jitter, L)

    def covariance(self, noise_var: float) -> FloatArray:
        """Return that of the coefficients for a variance of the noise, (d, d)."""
        return noise_var * scipy.linalg.cho_solve((self._chol, True), np.eye(len(self._chol)))


def _factor(G: FloatArray, scales: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return the lower factor of the posterior's precision, the scales it has, and the jitter.

    Where the prior is so wide that its precision is lost in the rounding of H'H, it is narrowed to
    what that resolves.
    """
    for jitter in _JITTERS:
        precision = scales**-2.0 + jitter * G.diagonal()
        with suppress(np.linalg.LinAlgError):
            chol = scipy.linalg.cholesky(G + np.diag(precision), lower=True)
            return chol, precision**-0.5, jitter
    raise np.linalg.LinAlgError(
        f"H'H is not positive definite even with a jitter of {_JITTERS[-1]:g} of its diagonal"
    )


Prior = TypeVar("Prior")


class ConjugateAR(Estimator, Generic[Prior]):
    """Linear functions of equally probable priors; a subclass lists them and combines the fits."""

    weights_: FloatArray
    noise_vars_: FloatArray
    priors_: tuple[Prior, ...]

    @abstractmethod
    def _listed(self, X: FloatArray, y: FloatArray) -> Sequence[Prior]:
        """Return the priors to compare."""

    @abstractmethod
    def _fits(self, X: FloatArray, y: FloatArray, priors: Sequence[Prior]) -> list[ConjugateFit]:
        """Return the posterior of each prior."""

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        priors = self._listed(X, y)
        fits = self._fits(X, y, priors)
        logs = np.array([fit.log_evidence for fit in fits])
        weights = self._weighed(logs, priors)
        kept = np.flatnonzero(weights >= _LEAST_WEIGHT * weights.sum()).tolist()
        self.weights_ = weights[kept] / weights[kept].sum()
        self.priors_ = tuple(priors[k] for k in kept)
        self.noise_vars_ = np.array([fits[k].noise_var for k in kept])
        self.noise_var_ = float(self.weights_ @ self.noise_vars_)
        evidence = float(scipy.special.logsumexp(logs)) - float(np.log(len(logs)))
        jitter = max(fits[k].jitter for k in kept)
        self.report_ = FitReport(True, "conjugate prior", 0, len(fits), 1, evidence, jitter)
        self._recondition(X, y)

    def _weighed(self, logs: FloatArray, priors: Sequence[Prior]) -> FloatArray:  # noqa: ARG002
        """Return weights of the priors by their log evidence (k,)."""
        return np.asarray(np.exp(logs - logs.max()))
