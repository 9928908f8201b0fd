"""A linear autoregression whose coefficients are shrunk, averaged over how much."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product

import numpy as np
import scipy

from gpforecast.common import parameters as check
from gpforecast.common.parameters import parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_integer
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.conjugate import EPS, ConjugateAR, ConjugateFit
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

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
