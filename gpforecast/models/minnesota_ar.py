"""Linear autoregression on several series with a Minnesota prior, averaged over its tightness."""

from dataclasses import KW_ONLY, dataclass
from itertools import product

import numpy as np

from gpforecast.common.parameters import (
    NUMBERS,
    POSITIVE_INTEGER,
    POSITIVE_NUMBERS,
    numbers,
    parameter,
)
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import is_integer
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.conjugate import ConjugateFit, by_evidence
from gpforecast.models.estimator import Estimator
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.storage import storable

_CONSTANT = 10.0  # standard deviations of the noise: that of the constant before the data
_EPS = float(np.finfo(np.float64).eps)
_LAGS = numbers(
    "a tuple of lags, whole numbers that are not negative", lambda v: is_integer(v) and v >= 0
)


@storable
@dataclass(eq=False, repr=False)
class MinnesotaAR(Estimator):
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
    n_own: int | None = parameter(None, POSITIVE_INTEGER.or_none())
    units: tuple[float, ...] | None = parameter(None, POSITIVE_NUMBERS.or_none())
    persistence: tuple[float, ...] = parameter((0.0, 0.5, 1.0), NUMBERS)
    own: tuple[float, ...] = parameter((0.1, 0.2, 0.4, 0.8), POSITIVE_NUMBERS)
    others: tuple[float, ...] = parameter((0.025, 0.05, 0.1, 0.2, 0.4), POSITIVE_NUMBERS)
    same_time: tuple[float, ...] = parameter((0.3, 1.0), POSITIVE_NUMBERS)

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        lags, own = self._lags(X.shape[1])
        unused = (1.0,)  # where there is no such input
        grid = product(
            self.persistence,
            self.own,
            self.others if (~own & (lags > 0)).any() else unused,
            self.same_time if (~own & (lags == 0)).any() else unused,
        )
        priors = [tuple(map(float, one)) for one in grid]
        H = np.column_stack([X, np.ones(len(X))])
        G, unit = H.T @ H, self._unit(X, y)
        found = np.where(own, np.sqrt(unit), np.std(X, axis=0))
        self.units_ = np.maximum(found if self.units is None else np.array(self.units), _EPS)
        fits = [ConjugateFit.of(H, y, G, *self._prior(X.shape[1], one), unit) for one in priors]
        kept, self.weights_, evidence = by_evidence(fits)
        self.priors_ = tuple(prior for prior, k in zip(priors, kept, strict=True) if k)
        self.noise_vars_ = np.array([fit.noise_var for fit in fits])[kept]
        self.noise_var_ = float(self.weights_ @ self.noise_vars_)
        jitter = max(fit.jitter for fit, k in zip(fits, kept, strict=True) if k)
        remarks = (_repeated(jitter),) if jitter else ()
        self.report_ = FitReport(
            True, "conjugate prior", 0, len(fits), 1, evidence, remarks=remarks
        )
        self._recondition(X, y)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        """Average the linear functions of all priors: their mean, and their covariance."""
        d = X.shape[1]
        H = np.column_stack([X, np.ones(len(X))])
        G, unit = H.T @ H, self._unit(X, y)
        every, covariance = [], np.zeros((d + 1, d + 1))
        for weight, prior, noise in zip(self.weights_, self.priors_, self.noise_vars_, strict=True):
            fit = ConjugateFit.of(H, y, G, *self._prior(d, prior), unit)
            every.append(fit.coefficients)
            covariance += weight * fit.covariance(noise)
        b = self.weights_ @ np.array(every)
        apart = np.array(every) - b
        covariance += (self.weights_[:, None] * apart).T @ apart
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


def _repeated(jitter: float) -> str:
    """Return a note that inputs repeat each other, and what that took."""
    return (
        f"the inputs repeat each other so exactly that a jitter of {jitter:.0e} of their squares "
        f"(a slightly narrower prior) keeps the arithmetic of the model stable"
    )
