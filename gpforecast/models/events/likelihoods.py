r"""Likelihoods of a class given the latent f, averaged over a Gaussian of f.

All that expectation propagation asks of a likelihood is

.. math:: Z(\mu, v) = \int p(y \mid f)\, N(f \mid \mu, v)\, df,

with :math:`a = \partial \log Z / \partial \mu` and :math:`b = \partial^2 \log Z / \partial \mu^2`:
the product of both under the integral has the mean :math:`\mu + v a` and the variance
:math:`v + v^2 b`. Here they are closed forms.
"""

from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.storage import storable

_LOG_ROOT_2PI = 0.5 * float(np.log(2.0 * np.pi))
_LOG_GAPS = (np.log(1e-3), np.log(1e3))  # bounds of the distance of two thresholds
_FURTHEST = 100.0  # bound of the first threshold, in standard deviations of the noise


@dataclass(frozen=True)
class Tilted:
    """The log of Z and its two derivatives in the mean, for n rows.

    Attributes
    ----------
    log_z, slope, curvature : ndarray (n,)
        log Z, a and b.
    """

    log_z: FloatArray
    slope: FloatArray
    curvature: FloatArray


@storable
@dataclass(frozen=True, eq=False)
class Ordinal:
    r"""Ordered classes, cut out of f + noise by thresholds; with two classes, probit.

    .. math:: p(y = c \mid f) = \Phi(t_{c+1} - f) - \Phi(t_c - f), \qquad
        -\infty = t_0 < t_1 < \dots < t_C = \infty

    The noise has variance 1, which fixes the unit of f.

    Parameters
    ----------
    thresholds : ndarray (C - 1,)
        Increasing.

    References
    ----------
    Lawrence (2011), "Ordinal Noise Model"; Chu and Ghahramani (2005).
    """

    thresholds: FloatArray

    noise_var = 1.0

    @classmethod
    def of_shares(cls, shares: FloatArray, var: float) -> Self:
        """Return the thresholds that give classes their shares (C,) where f ~ N(0, var)."""
        cumulative = np.clip(np.cumsum(shares)[:-1], 1e-6, 1.0 - 1e-6)
        return cls(np.sqrt(1.0 + var) * np.asarray(scipy.special.ndtri(cumulative)))

    @property
    def n_classes(self) -> int:
        """C."""
        return len(self.thresholds) + 1

    @property
    def parameters(self) -> FloatArray:
        """The first threshold, and the logarithms of the distances to the next ones."""
        return np.append(self.thresholds[:1], np.log(np.diff(self.thresholds)))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each of the parameters."""
        gaps = (f"distance of threshold {k}" for k in range(1, len(self.thresholds)))
        return ("first threshold", *gaps)

    @property
    def bounds(self) -> FloatArray:
        """Between which values the parameters are searched: (p, 2)."""
        return np.array([(-_FURTHEST, _FURTHEST), *[_LOG_GAPS] * (len(self.thresholds) - 1)])

    def with_parameters(self, theta: FloatArray) -> Self:
        """Return the likelihood with other thresholds."""
        return replace(self, thresholds=np.cumsum(np.append(theta[:1], np.exp(theta[1:]))))

    def tilted(self, y: IntArray, mean: FloatArray, var: FloatArray) -> Tilted:
        """Return log Z and its derivatives for classes y and f ~ N(mean, var), all (n,)."""
        s, z, log_z, p = self._edges(y, mean, var)
        slope = (p[0] - p[1]) / s
        pulls = np.where(p > 0.0, z, 0.0) * p
        curvature = -(slope**2) - (pulls[1] - pulls[0]) / s**2
        # log p(y | f) is concave; far out in its tails rounding says otherwise.
        return Tilted(log_z, slope, np.clip(curvature, -1.0 / s**2, 0.0))

    def parameter_slopes(self, y: IntArray, mean: FloatArray, var: FloatArray) -> FloatArray:
        """Return d log Z / d parameters, (n, p)."""
        s, _, _, p = self._edges(y, mean, var)
        by_edge = np.zeros((len(y), self.n_classes + 1))
        rows = np.arange(len(y))
        by_edge[rows, y] = -p[0] / s
        by_edge[rows, y + 1] = p[1] / s
        from_here = np.cumsum(by_edge[:, -2:0:-1], axis=1)[:, ::-1]  # thresholds move those above
        return np.asarray(from_here * np.append(1.0, np.diff(self.thresholds)))

    def probabilities(self, mean: FloatArray, var: FloatArray) -> FloatArray:
        """Return the probability of each class for f ~ N(mean, var): (n, C)."""
        z = (self.thresholds - mean[:, None]) / np.sqrt(1.0 + var)[:, None]
        end = np.full((len(mean), 1), np.inf)
        z = np.concatenate([-end, z, end], axis=1)
        upper = z[:, 1:] + z[:, :-1] > 0.0  # differences of the smaller of both tails
        below, above = np.where(upper, -z[:, 1:], z[:, :-1]), np.where(upper, -z[:, :-1], z[:, 1:])
        found: FloatArray = scipy.special.ndtr(above) - scipy.special.ndtr(below)
        return np.asarray(found / found.sum(axis=1)[:, None])

    def _edges(
        self, y: IntArray, mean: FloatArray, var: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return s, the edges z of the class (2, n), log Z, and phi(z) / Z (2, n)."""
        edges = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        s = np.sqrt(var + self.noise_var)
        z = (np.array([edges[y], edges[y + 1]]) - mean) / s
        log_z = log_between(*z)
        return s, z, log_z, np.exp(-0.5 * z**2 - _LOG_ROOT_2PI - log_z)


def log_between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return log(Phi(high) - Phi(low)), by the smaller of both tails."""
    flipped = low + high > 0.0
    low, high = np.where(flipped, -high, low), np.where(flipped, -low, high)
    top = scipy.special.log_ndtr(high)
    return np.asarray(top + np.log1p(-np.exp(scipy.special.log_ndtr(low) - top)))


@storable
@dataclass(frozen=True, eq=False)
class NullCategory:
    r"""Two classes with an empty one between them, and rows whose class is not known.

    .. math::

        p(-1 \mid f) = \Phi(-(g + \tfrac12) / \sigma), \quad p(1 \mid f) = \Phi((g -
        \tfrac12) / \sigma), \quad p(\text{unlabelled} \mid f) = \gamma_- p(-1 \mid f) +
        \gamma_+ p(1 \mid f)

    with :math:`g = f + \text{bias}`. No row, with or without a label, is of the class between
    them, whose width 1 fixes the unit of f: unlabelled rows push f away from there.

    Parameters
    ----------
    bias : float
    noise_var : float
        :math:`\sigma^2`.
    rates : tuple of float
        :math:`\gamma_-, \gamma_+`: the probability that a row of the class lacks its label.

    References
    ----------
    Lawrence (2011), "Null Category Noise Model"; Lawrence and Jordan (2005).
    """

    bias: float = 0.0
    noise_var: float = 0.1
    rates: tuple[float, float] = (0.5, 0.5)

    n_classes = 2

    @property
    def parameters(self) -> FloatArray:
        """The bias and the logarithm of the noise variance."""
        return np.array([self.bias, np.log(self.noise_var)])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each of the parameters."""
        return ("bias", "noise variance")

    @property
    def bounds(self) -> FloatArray:
        """Between which values the parameters are searched: (p, 2)."""
        return np.array([(-_FURTHEST, _FURTHEST), np.log([1e-4, 1e2])])

    def with_parameters(self, theta: FloatArray) -> Self:
        """Return the likelihood with another bias and noise."""
        return replace(self, bias=float(theta[0]), noise_var=float(np.exp(theta[1])))

    def tilted(self, y: IntArray, mean: FloatArray, var: FloatArray) -> Tilted:
        """Return log Z and its derivatives for classes y, -1 without a label; all (n,)."""
        s, z, log_z, r = self._sides(y, mean, var)
        slope = (r[1] - r[0]) / s
        return Tilted(log_z, slope, -(slope**2) - (z * r).sum(axis=0) / s**2)

    def parameter_slopes(self, y: IntArray, mean: FloatArray, var: FloatArray) -> FloatArray:
        """Return d log Z / d parameters, (n, 2)."""
        s, z, _, r = self._sides(y, mean, var)
        by_noise = -0.5 * self.noise_var * (z * r).sum(axis=0) / s**2
        return np.column_stack([(r[1] - r[0]) / s, by_noise])

    def probabilities(self, mean: FloatArray, var: FloatArray) -> FloatArray:
        """Return the probability of both classes, given that it is one of them: (n, 2)."""
        _, z = self._standardised(mean, var)
        log_p = scipy.special.log_ndtr(z)
        log_p = log_p - np.logaddexp(*log_p)
        return np.asarray(np.exp(log_p).T)

    def _standardised(self, mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
        s, g = np.sqrt(var + self.noise_var), mean + self.bias
        return s, np.array([-(g + 0.5), g - 0.5]) / s

    def _sides(
        self, y: IntArray, mean: FloatArray, var: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return s, z of both classes (2, n), log Z, and their weighted phi(z) / Z (2, n)."""
        s, z = self._standardised(mean, var)
        rates = np.array(self.rates)[:, None]
        weights = np.where(y < 0, rates, y == np.array([[0], [1]]))
        with np.errstate(divide="ignore"):
            log_w = np.log(weights)
        log_z = np.logaddexp(*(log_w + scipy.special.log_ndtr(z)))
        return s, z, log_z, np.exp(log_w - 0.5 * z**2 - _LOG_ROOT_2PI - log_z)


Likelihood: TypeAlias = Ordinal | NullCategory
"""What training takes: parameters, tilted moments and their slopes, probabilities of classes."""
