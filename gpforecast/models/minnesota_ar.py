"""One equation of a Bayesian vector autoregression."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product

import numpy as np

from gpforecast.common import parameters as check
from gpforecast.common.parameters import parameter
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import is_integer
from gpforecast.models.bayesian_ar import EPS, ConjugateAR, ConjugateFit
from gpforecast.models.conditioning import linear_posterior
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.storage import storable

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
        self.units_ = np.maximum(found if self.units is None else np.array(self.units), EPS)
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
        return min(left) or EPS
