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
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import is_integer
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.estimator import Estimator
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)
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
        left = max(size - float(Hr @ b), _EPS * size) + _PRIOR_ROWS * v
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
        weights = np.exp(logs - logs.max())
        kept = np.flatnonzero(weights >= _LEAST_WEIGHT * weights.sum()).tolist()
        self.weights_ = weights[kept] / weights[kept].sum()
        self.priors_ = tuple(priors[k] for k in kept)
        self.noise_vars_ = np.array([fits[k].noise_var for k in kept])
        self.noise_var_ = float(self.weights_ @ self.noise_vars_)
        evidence = float(scipy.special.logsumexp(logs)) - float(np.log(len(logs)))
        jitter = max(fits[k].jitter for k in kept)
        self.report_ = FitReport(True, "conjugate prior", 0, len(fits), 1, evidence, jitter)
        self._recondition(X, y)


@storable
@dataclass(eq=False, repr=False)
class BayesianAR(ConjugateAR[float]):
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

    @property
    def strengths_(self) -> tuple[float, ...]:
        """The strengths that are kept."""
        return self.priors_

    def _listed(self, X: FloatArray, y: FloatArray) -> Sequence[float]:  # noqa: ARG002
        return self.strengths

    def _fits(self, X: FloatArray, y: FloatArray, priors: Sequence[float]) -> list[ConjugateFit]:
        d, G = X.shape[1], X.T @ X
        means = np.zeros(d) if self.means is None else np.array(self.means, float)
        scales = np.ones(d) if self.scales is None else np.array(self.scales, float)
        if len(means) != d or len(scales) != d:
            raise ValueError(
                f"scales and means must have a number for each of the {d} inputs; got "
                f"{len(scales)} and {len(means)}."
            )
        v = float(np.mean(y**2)) or _EPS  # targets of 0 have next to no noise
        return [ConjugateFit.of(X, y, G, means, s * scales / np.sqrt(v), v) for s in priors]

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


_CONSTANT = 10.0  # standard deviations of the noise: that of the constant before the data
_LAGS = check.numbers(
    "a tuple of lags, whole numbers that are not negative", lambda v: is_integer(v) and v >= 0
)


@storable
@dataclass(eq=False, repr=False)
class MinnesotaAR(ConjugateAR[tuple[float, ...]]):
    r"""One equation of a Bayesian vector autoregression, :math:`y = b'x + a + \epsilon`.

    The inputs are lags of the series itself, then lags of other series and their values at the same
    time. The prior is conjugate,

    .. math:: b_j \sim N(\mu_j,\ \sigma^2 s_j^2), \qquad a \sim N(0, 100 \sigma^2), \qquad
        \sigma^2 \sim \text{scaled-}\chi^{-2},

    and Minnesota: :math:`s_j` is :math:`\lambda_1 / (l_j u_j)` for the own lag :math:`l_j`,
    :math:`\lambda_2 / (l_j u_j)` for that of another series and :math:`\lambda_0 / u_j` for a
    value at the same time, with u the spread of an input that its own past does not explain. The
    mean of the first own lag's coefficient is the persistence, 1 for a random walk, and that of
    the others 0. Coefficients and noise are integrated out exactly for every combination of
    persistence, :math:`\lambda_1`, :math:`\lambda_2` and :math:`\lambda_0`. The result is the
    linear function with the mean and the covariance of all of them, by their evidence.

    Parameters
    ----------
    lags : tuple of int (d,) or None
        The lag of each input, 0 for the same time. None is 1, 2, ..., d.
    n_own : int or None
        So many of the first inputs are lags of the series itself. None is all.
    units : tuple of float (d,) or None
        :math:`u_j`, in the units of the inputs. None is the standard deviation of inputs that are
        not its own, and for its own lags that of the target less the persistence that leaves least.
    persistence : tuple of float
        Means of the first own lag's coefficient.
    own, others, same_time : tuple of float
        Values of :math:`\lambda_1`, :math:`\lambda_2` and :math:`\lambda_0`, positive.

    Attributes
    ----------
    posterior_ : Posterior
        The frozen result.
    noise_var_ : float
        Squared units of the target, averaged.
    units_ : ndarray (d,)
    weights_, noise_vars_ : ndarray (k,)
        Of the priors that are kept.
    priors_ : tuple of tuple
        Persistence and :math:`\lambda_1, \lambda_2, \lambda_0` of each of these.
    report_ : FitReport

    Notes
    -----
    O(k n d + n d^2 + k d^3) for k priors, and n (d + 1) doubles.
    `condition` keeps the priors, their weights and the noise.
    Given the series before it at the same time, each series has one equation, and the
    evidence of the system is the sum of theirs: so each has its tightness.

    References
    ----------
    Doan, Litterman and Sims (1984), "Forecasting and conditional projection using realistic prior
    distributions", Econometric Reviews 3, 1-100; Giannone, Lenza and Primiceri (2015), "Prior
    selection for vector autoregressions", Review of Economics and Statistics 97, 436-451; Chan
    (2022), "Asymmetric conjugate priors for large Bayesian VARs", Quantitative Economics 13,
    1145-1169.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 2))  # its own last value, and that of another series
    >>> y = 0.5 * X[:, 0] + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(40)
    >>> ar = gf.models.MinnesotaAR((1, 1), n_own=1).fit(X, y)
    >>> ar.predict([[1.0, 0.0], [0.0, 1.0]]).round(1)
    array([0.5, 0.3])
    """

    lags: tuple[int, ...] | None = parameter(None, _LAGS.or_none())
    _: KW_ONLY
    n_own: int | None = parameter(None, check.POSITIVE_INTEGER.or_none())
    units: tuple[float, ...] | None = parameter(None, check.POSITIVE_NUMBERS.or_none())
    persistence: tuple[float, ...] = parameter((0.0, 0.5, 1.0), check.NUMBERS)
    own: tuple[float, ...] = parameter((0.1, 0.2, 0.4, 0.8), check.POSITIVE_NUMBERS)
    others: tuple[float, ...] = parameter((0.025, 0.05, 0.1, 0.2, 0.4), check.POSITIVE_NUMBERS)
    same_time: tuple[float, ...] = parameter((0.3, 1.0), check.POSITIVE_NUMBERS)

    def _listed(self, X: FloatArray, y: FloatArray) -> Sequence[tuple[float, ...]]:
        lags, own = self._lags(X.shape[1])
        found = np.where(own, np.sqrt(self._unit(X, y)), np.std(X, axis=0))
        self.units_ = np.maximum(found if self.units is None else np.array(self.units), _EPS)
        unused = (1.0,)  # where there is no such input
        grid = product(
            self.persistence,
            self.own,
            self.others if (~own & (lags > 0)).any() else unused,
            self.same_time if (~own & (lags == 0)).any() else unused,
        )
        return [tuple(map(float, one)) for one in grid]

    def _fits(
        self, X: FloatArray, y: FloatArray, priors: Sequence[tuple[float, ...]]
    ) -> list[ConjugateFit]:
        H = np.column_stack([X, np.ones(len(X))])
        G, unit = H.T @ H, self._unit(X, y)
        return [ConjugateFit.of(H, y, G, *self._prior(X.shape[1], one), unit) for one in priors]

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        """Average the linear functions of all priors: their mean, and their covariance."""
        fits, d = self._fits(X, y, self.priors_), X.shape[1]
        every = np.array([fit.coefficients for fit in fits])
        b = self.weights_ @ every
        apart = every - b
        covariance = (self.weights_[:, None] * apart).T @ apart
        for weight, fit, noise in zip(self.weights_, fits, self.noise_vars_, strict=True):
            covariance += weight * fit.covariance(noise)
        root = square_root(covariance)
        self.posterior_ = linear_posterior(b[:d], float(b[d]), self.noise_var_, root)

    def _lags(self, d: int) -> tuple[IntArray, BoolArray]:
        """Return the lag of each input, and whether it is the series' own."""
        lags = np.array(self.lags or range(1, d + 1), dtype=np.int64)
        n_own = d if self.n_own is None else self.n_own
        if len(lags) != d or n_own > d or (self.units is not None and len(self.units) != d):
            raise ValueError(
                f"lags and units must have a number for each of the {d} inputs, and n_own must "
                f"count some of them; got lags={self.lags!r}, units={self.units!r} and "
                f"n_own={self.n_own!r}."
            )
        return lags, np.arange(d) < n_own

    def _prior(self, d: int, prior: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
        """Return the means and scales of the coefficients, the constant's last."""
        lags, own = self._lags(d)
        persistence, tightness, others, same_time = prior
        scales = np.where(own, tightness, np.where(lags > 0, others, same_time))
        scales = scales / np.maximum(lags, 1) / self.units_
        means = np.zeros(d + 1)
        means[0] = persistence
        return means, np.append(scales, _CONSTANT)

    def _unit(self, X: FloatArray, y: FloatArray) -> float:
        """Return the variance that the prior expects of the noise."""
        left = (float(np.mean((y - one * X[:, 0]) ** 2)) for one in self.persistence)
        return min(left) or _EPS
