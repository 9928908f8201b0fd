"""Linear autoregression with a prior that shrinks it, averaged over how strongly."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaln, logsumexp

from gpforecast.common.parameters import POSITIVE, POSITIVE_INTEGER, Check, parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number
from gpforecast.models.base import FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_PRIOR_ROWS = 2.0  # which the prior of the noise is worth
_LEAST_WEIGHT = 1e-3  # of a prior that is kept
_EPS = float(np.finfo(np.float64).eps)


def _numbers(expected: str, least: float) -> Check:
    """Return the check of a tuple of finite numbers above some value."""

    def holds(value: object) -> bool:
        if not (isinstance(value, tuple) and value):
            return False
        return all(is_number(v) and np.isfinite(v) and v > least for v in value)

    return Check(expected, holds)


_POSITIVE = _numbers("a tuple of positive numbers", 0.0)
_FINITE = _numbers("a tuple of finite numbers", -np.inf)


@storable
@dataclass(eq=False, repr=False)
class BayesianAR(Estimator):
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
        :math:`s_j`, positive: how large each coefficient may be beside the others. None is 1.
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

    scales: tuple[float, ...] | None = parameter(None, _POSITIVE.or_none())
    means: tuple[float, ...] | None = parameter(None, _FINITE.or_none())
    _: KW_ONLY
    strengths: tuple[float, ...] = parameter((0.05, 0.1, 0.2, 0.4, 0.8), _POSITIVE)
    largest_sum: float | None = parameter(None, POSITIVE.or_none())
    n_summed: int | None = parameter(None, POSITIVE_INTEGER.or_none())

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        fits = [self._fit(X, y, strength) for strength in self.strengths]
        logs = np.array([fit[0] for fit in fits])
        weights = np.exp(logs - logs.max())
        kept = weights >= _LEAST_WEIGHT * weights.sum()
        self.weights_ = weights[kept] / weights[kept].sum()
        self.strengths_ = tuple(s for s, k in zip(self.strengths, kept, strict=True) if k)
        self.noise_vars_ = np.array([fit[1] for fit in fits])[kept]
        self.noise_var_ = float(self.weights_ @ self.noise_vars_)
        evidence = float(logsumexp(logs)) - float(np.log(len(logs)))
        self.report_ = FitReport(True, "conjugate prior", 0, len(fits), 1, evidence)
        self._recondition(X, y)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        each = zip(self.strengths_, self.noise_vars_, strict=True)
        parts = tuple(self._posterior(X, y, *values) for values in each)
        self.predictive_ = AveragedPosterior(parts, self.weights_)

    def _prior(self, X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return means and scales of the coefficients, and the size of the targets."""
        d = X.shape[1]
        means = np.zeros(d) if self.means is None else np.array(self.means, float)
        scales = np.ones(d) if self.scales is None else np.array(self.scales, float)
        if len(means) != d or len(scales) != d:
            raise ValueError(
                f"scales and means must have a number for each of the {d} inputs; got "
                f"{len(scales)} and {len(means)}."
            )
        return means, scales, float(np.mean(y**2)) or _EPS  # targets of 0 have next to no noise

    def _fit(self, X: FloatArray, y: FloatArray, strength: float) -> tuple[float, float]:
        """Return the log evidence of a strength and the noise variance."""
        means, scales, v = self._prior(X, y)
        ridge, rest = v / (strength * scales) ** 2, y - X @ means
        factor = cho_factor(X.T @ X + np.diag(ridge), lower=True)
        Xr = X.T @ rest
        left = float(rest @ rest) - float(Xr @ cho_solve(factor, Xr))
        left = max(left, _EPS * float(rest @ rest)) + _PRIOR_ROWS * v
        freedom = _PRIOR_ROWS + len(y)
        # Of Student's t, but for the determinant of its scale and the rows: the same for all.
        constant = float(gammaln(0.5 * freedom) - gammaln(0.5 * _PRIOR_ROWS))
        constant += 0.5 * _PRIOR_ROWS * float(np.log(_PRIOR_ROWS * v))
        constant -= 0.5 * len(y) * float(np.log(np.pi))
        log_det = 2.0 * float(np.log(factor[0].diagonal()).sum())
        evidence = 0.5 * (float(np.log(ridge).sum()) - log_det - freedom * float(np.log(left)))
        return constant + evidence, left / (freedom - 2.0)

    def _posterior(self, X: FloatArray, y: FloatArray, strength: float, noise: float) -> Posterior:
        """Return the linear function of one strength, its coefficients uncertain."""
        means, scales, v = self._prior(X, y)
        precision = X.T @ X + np.diag(v / (strength * scales) ** 2)
        factor = cho_factor(precision, lower=True)
        b = means + cho_solve(factor, X.T @ (y - X @ means))
        V = noise * cho_solve(factor, np.eye(len(b)))
        own = slice(self.n_summed)
        if self.largest_sum is not None and b[own].sum() > self.largest_sum:
            along = V[:, own].sum(axis=1)  # what the other coefficients are, given their sum
            b = b - along / along[own].sum() * (b[own].sum() - self.largest_sum)
        root = np.zeros((len(b) + 1, len(b)))
        root[:-1] = np.linalg.cholesky(V)
        return Posterior(
            centers=np.zeros((0, len(b))),
            lengthscales=np.ones(len(b)),
            weights=np.zeros(0),
            linear=b,
            noise_var=noise,
            added=root,
        )
