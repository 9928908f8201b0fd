r"""Linear autoregressions with conjugate priors, averaged over priors by their evidence.

.. math:: y = H b + \epsilon, \qquad b_j \sim N(\mu_j,\ \sigma^2 s_j^2), \qquad
    \sigma^2 \sim \text{scaled-}\chi^{-2}(2, v),

so that coefficients and noise are integrated out in closed form (Gelman et al. 2013, "Bayesian data
analysis", section 14.2). A fit costs O(n d + d^3), given H'H.
"""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from itertools import product
from typing import Generic, TypeVar

import numpy as np
import scipy

from gpforecast.common import parameters as check
from gpforecast.common.parameters import parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_integer
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.estimator import Estimator
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

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


_LEFT_OUT = 1e-6  # of the scale of a coefficient that is left out
_POSITIONS = check.numbers("a tuple of positions, from 0", lambda v: is_integer(v) and v >= 0)


@storable
@dataclass(eq=False, repr=False)
class BayesianAR(ConjugateAR[tuple[float, bool]]):
    r"""Linear regression on the lags, :math:`y = b'x + \epsilon`, with b shrunk by a prior.

    Few rows determine few coefficients. The prior is conjugate,

    .. math:: b_j \sim N(\mu_j,\ \sigma^2 (\lambda s_j)^2 / v), \qquad
        \sigma^2 \sim \text{scaled-}\chi^{-2}(2, v),

    with v the mean square of the targets, so that coefficients and noise are integrated out
    exactly. With scales :math:`s_j = 1/j` it is Litterman's. The strength :math:`\lambda` is
    averaged over: each value has the weight of its evidence. There is no constant: `Forecaster`
    centres the series. A forecast has the variance of Student's t.

    Parameters
    ----------
    scales : tuple of float (d,) or None
        :math:`s_j`, positive: how large each coefficient may be, relatively. None is 1.
    means : tuple of float (d,) or None
        :math:`\mu_j`. None is 0.
    strengths : tuple of float
        Values of :math:`\lambda`, positive.
    largest_sum : float or None
        The coefficients' sum is drawn to this if it is larger: an autoregression whose lags sum to
        more than 1 explodes. None where inputs are not lags.
    n_summed : int or None
        The sum is of so many of the first coefficients, where other inputs follow the lags. None
        is all.
    set_by_target : tuple of int or None
        Positions of inputs at the same time that the target may have set, as a controller does,
        instead of the reverse, which rows of such a process cannot tell. Half of the weight is that
        of functions without these inputs.

    Attributes
    ----------
    predictive_ : AveragedPosterior
        The frozen result: a linear function for each strength.
    noise_var_ : float
        Squared units of the target, averaged.
    weights_, noise_vars_ : ndarray (k,)
        Of the strengths that are kept.
    strengths_ : tuple of float
    report_ : FitReport

    Notes
    -----
    O(n d^2). `condition` keeps strengths, weights and noise.

    References
    ----------
    Litterman (1986), "Forecasting with Bayesian vector autoregressions", Journal of Business and
    Economic Statistics 4, 25-38; Gelman et al. (2013), "Bayesian data analysis", section 14.2.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((12, 4))
    >>> ar = gf.models.BayesianAR().fit(X, 0.5 * X[:, 0] + 0.1 * rng.standard_normal(12))
    >>> ar.predict([[1.0, 0.0, 0.0, 0.0]]).round(1)
    array([0.5])
    """

    scales: tuple[float, ...] | None = parameter(None, check.POSITIVE_NUMBERS.or_none())
    means: tuple[float, ...] | None = parameter(None, check.NUMBERS.or_none())
    _: KW_ONLY
    strengths: tuple[float, ...] = parameter((0.05, 0.1, 0.2, 0.4, 0.8), check.POSITIVE_NUMBERS)
    largest_sum: float | None = parameter(None, check.POSITIVE.or_none())
    n_summed: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    set_by_target: tuple[int, ...] | None = parameter(None, _POSITIONS.or_none())

    @property
    def strengths_(self) -> tuple[float, ...]:
        """The strengths that are kept."""
        return tuple(strength for strength, _ in self.priors_)

    def _listed(self, X: FloatArray, y: FloatArray) -> Sequence[tuple[float, bool]]:  # noqa: ARG002
        return [*product(self.strengths, (True, False) if self.set_by_target else (True,))]

    def _weighed(self, logs: FloatArray, priors: Sequence[tuple[float, bool]]) -> FloatArray:
        """Return weights by evidence, the sum of which is the same with and without inputs."""
        every, weights = np.array([every for _, every in priors]), np.zeros(len(logs))
        for one in set(every.tolist()):
            weights[every == one] = scipy.special.softmax(logs[every == one])
        return weights

    def _fits(
        self, X: FloatArray, y: FloatArray, priors: Sequence[tuple[float, bool]]
    ) -> list[ConjugateFit]:
        d, G = X.shape[1], X.T @ X
        means = np.zeros(d) if self.means is None else np.array(self.means, float)
        scales = np.ones(d) if self.scales is None else np.array(self.scales, float)
        if len(means) != d or len(scales) != d:
            raise ValueError(
                f"scales and means must have a number for each of the {d} inputs; got "
                f"{len(scales)} and {len(means)}."
            )
        v = float(np.mean(y**2)) or EPS  # targets of 0 have next to no noise
        without = scales.copy()
        without[list(self.set_by_target or ())] *= _LEFT_OUT
        each = ((strength * (scales if every else without)) for strength, every in priors)
        return [ConjugateFit.of(X, y, G, means, one / np.sqrt(v), v) for one in each]

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        fits = zip(self._fits(X, y, self.priors_), self.noise_vars_, strict=True)
        parts = tuple(self._posterior(fit, float(noise)) for fit, noise in fits)
        self.predictive_ = AveragedPosterior(parts, self.weights_)

    def _posterior(self, fit: ConjugateFit, noise: float) -> Posterior:
        """Return the linear function of one strength, its coefficients uncertain."""
        b, V = fit.coefficients, fit.covariance(noise)
        own = slice(self.n_summed)
        if self.largest_sum is not None and b[own].sum() > self.largest_sum:
            along = V[:, own].sum(axis=1)  # what the other coefficients are, given their sum
            b = b - along / along[own].sum() * (b[own].sum() - self.largest_sum)
        root = np.zeros((len(b) + 1, len(b)))
        root[:-1] = np.linalg.cholesky(V)
        return linear_posterior(b, 0.0, noise, root)
