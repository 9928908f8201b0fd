"""Linear autoregression with a prior that shrinks it, averaged over how strongly."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from gpforecast.common.parameters import (
    NUMBERS,
    POSITIVE,
    POSITIVE_INTEGER,
    POSITIVE_NUMBERS,
    parameter,
)
from gpforecast.common.types import FloatArray
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.conjugate import ConjugateFit, by_evidence
from gpforecast.models.estimator import Estimator
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)


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

    scales: tuple[float, ...] | None = parameter(None, POSITIVE_NUMBERS.or_none())
    means: tuple[float, ...] | None = parameter(None, NUMBERS.or_none())
    _: KW_ONLY
    strengths: tuple[float, ...] = parameter((0.05, 0.1, 0.2, 0.4, 0.8), POSITIVE_NUMBERS)
    largest_sum: float | None = parameter(None, POSITIVE.or_none())
    n_summed: int | None = parameter(None, POSITIVE_INTEGER.or_none())

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        G = X.T @ X
        fits = [self._fit(X, y, G, strength) for strength in self.strengths]
        kept, self.weights_, evidence = by_evidence(fits)
        self.strengths_ = tuple(s for s, k in zip(self.strengths, kept, strict=True) if k)
        self.noise_vars_ = np.array([fit.noise_var for fit in fits])[kept]
        self.noise_var_ = float(self.weights_ @ self.noise_vars_)
        self.report_ = FitReport(True, "conjugate prior", 0, len(fits), 1, evidence)
        self._recondition(X, y)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        each, G = zip(self.strengths_, self.noise_vars_, strict=True), X.T @ X
        parts = tuple(self._posterior(self._fit(X, y, G, s), float(noise)) for s, noise in each)
        self.predictive_ = AveragedPosterior(parts, self.weights_)

    def _fit(self, X: FloatArray, y: FloatArray, G: FloatArray, strength: float) -> ConjugateFit:
        d = X.shape[1]
        means = np.zeros(d) if self.means is None else np.array(self.means, float)
        scales = np.ones(d) if self.scales is None else np.array(self.scales, float)
        if len(means) != d or len(scales) != d:
            raise ValueError(
                f"scales and means must have a number for each of the {d} inputs; got "
                f"{len(scales)} and {len(means)}."
            )
        v = float(np.mean(y**2)) or _EPS  # targets of 0 have next to no noise
        return ConjugateFit.of(X, y, G, means, strength * scales / np.sqrt(v), v)

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
