"""A weighted mixture of distributions over one horizon."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.propagation.joint_covariance import Computed, Origin
from gpforecast.results.distribution import Distribution, Gaussian, Shift, Steps, probabilities
from gpforecast.results.quadrature import below, integral

if TYPE_CHECKING:
    from gpforecast.results.warped import Warped

_HALVINGS = 60  # of the interval that holds a quantile: to its last digits
_FEW = 6  # components, up to which disagreements are integrated finely
_PANELS = below(*range(-8, 9)), 12  # probabilities between which they are, and nodes
_COARSE = below(-8, -3, -1.5, 0, 1.5, 3, 8), 4


@dataclass(frozen=True, eq=False)
class Mixture(Distribution):
    r"""The distribution :math:`F = \sum_k w_k F_k`: of one part drawn with probability w.

    The whole horizon comes from one part, so that steps depend on each other more than within any.

    Attributes
    ----------
    weights : ndarray (..., k)
        Not negative; their sum is 1. Those of a batch may be its own for each origin, or (k,).
    parts : tuple of Distribution
        Over the same steps, and the same origins if they are batches. Of a weight of 0, nothing
        counts, not even an infinite moment.

    Raises
    ------
    ValueError
        If there is not one weight for each part, or the weights are no probabilities.

    References
    ----------
    Gneiting and Ranjan (2013), "Combining predictive distributions", Electronic Journal of
    Statistics 7 (the linear pool).

    Examples
    --------
    >>> low, high = (Gaussian(np.array([m]), np.eye(1), np.ones(1)) for m in (-2.0, 2.0))
    >>> both = Mixture(np.array([0.5, 0.5]), (low, high))
    >>> both.mean, both.var, both.quantile([0.5]).round(12) + 0.0
    (array([0.]), array([5.]), array([[0.]]))
    """

    weights: FloatArray
    parts: tuple[Distribution, ...]

    paths: ClassVar[None] = None

    def __post_init__(self) -> None:
        weights = np.atleast_1d(finite_array(self.weights, "weights"))
        n = weights.shape[-1]
        if n != len(self.parts):
            raise ValueError(f"weights must be one for each part, {len(self.parts)}; got {n}.")
        if (weights < 0).any() or (abs(weights.sum(axis=-1) - 1.0) > 1e-9).any():
            raise ValueError(f"weights must be probabilities with the sum 1; got {weights}.")
        object.__setattr__(self, "weights", weights)

    def _pooled(self, values: list[FloatArray]) -> FloatArray:
        """Return the weighted sum of one array from each part."""
        each = zip(self._weights(values), values, strict=True)
        with np.errstate(invalid="ignore"):
            return sum((np.where(w > 0.0, w * v, 0.0) for w, v in each), np.zeros(()))

    def _probability(self, values: list[FloatArray]) -> FloatArray:
        """Return the weighted sum of probabilities; weights add up to 1 but for rounding."""
        return np.minimum(self._pooled(values), 1.0)

    def _weights(self, values: list[FloatArray]) -> FloatArray:
        """Return the weights (k, ...), to be multiplied by one array from each part."""
        each = np.moveaxis(self.weights, -1, 0)
        return each.reshape(*each.shape, *[1] * (values[0].ndim - each.ndim + 1))

    @property
    def warped(self) -> "tuple[Warped, ...]":
        """Those of the parts that have a weight at some origin."""
        some = (part for k, part in enumerate(self.parts) if self.weights[..., k].any())
        return tuple(warped for part in some for warped in part.warped)

    @cached_property
    def moments(self) -> Gaussian:
        """The Gaussian with its moments: those of the parts plus the spread of their means."""
        mean = self._pooled([part.mean for part in self.parts])
        with np.errstate(over="ignore", invalid="ignore"):
            squares = [(part.mean - mean) ** 2 for part in self.parts]
            var = self._pooled([part.var for part in self.parts]) + self._pooled(squares)
            each = zip(self.parts, squares, strict=True)
            latent_var = self._pooled([part.latent_var + square for part, square in each])
        joint = Computed(_infinite(var), self._covariance)
        return Gaussian(mean, joint, _infinite(latent_var), sum(p.n_clipped for p in self.parts))

    def _covariance(self) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            off = [part.mean - self.mean for part in self.parts]
            spread = self._pooled([d[..., :, None] * d[..., None, :] for d in off])
            return _infinite(self._pooled([part.covariance for part in self.parts]) + spread)

    @property
    def gaussian(self) -> Gaussian:
        """The Gaussian with its moments."""
        return self.moments

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q).

        Each lies between the least and the largest of the parts', and is found there by bisection.
        """
        q = probabilities(levels)
        bounds = np.stack([part.quantile(q) for part in self.parts])
        low, high = bounds.min(axis=0), bounds.max(axis=0)
        for _ in range(_HALVINGS):
            middle = 0.5 * low + 0.5 * high
            short = self.cdf(middle) < q
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return np.asarray(high)

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        return self._probability([part.cdf(y) for part in self.parts])

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each."""
        low, high = zip(*(part.tails(truth) for part in self.parts), strict=True)
        return self._probability([*low]), self._probability([*high])

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, each from one of the parts, (..., h, n)."""
        if self.weights.ndim > 1:
            return np.array([self.at(i).sample(n, rng) for i in range(len(self.weights))])
        chosen = rng.choice(len(self.parts), size=n, p=self.weights)
        drawn = np.empty((*self.mean.shape, n))
        for k in np.unique(chosen):
            drawn[..., chosen == k] = self.parts[k].sample(int((chosen == k).sum()), rng)
        return drawn

    def crps(self, truth: FloatArray) -> FloatArray:
        r"""Return the continuous ranked probability score of each step, (..., h).

        .. math:: \sum_k w_k \, CRPS(F_k, y) - \sum_k w_k \int (F_k - F)^2 dx

        The integral has a closed form for Gaussians, and is a quadrature for others.
        """
        return self._pooled([part.crps(truth) for part in self.parts]) - self._disagreement

    @cached_property
    def _disagreement(self) -> FloatArray:
        if any(part is not part.gaussian for part in self.parts):
            levels, n = _PANELS if len(self.parts) <= _FEW else _COARSE
            return integral(self._disagreement_at, self.knots(levels), n)
        each = self._weights([part.mean for part in self.parts])
        weighted = combinations(zip(each, self.parts, strict=True), 2)
        pairs = (
            np.where(v * w > 0.0, v * w * squared_distance(one.gaussian, other.gaussian), 0.0)
            for (v, one), (w, other) in weighted
        )
        return sum(pairs, np.zeros_like(self.mean))

    def _disagreement_at(self, x: FloatArray) -> FloatArray:
        """Return the weighted variance of the components' probabilities of no more than x."""
        each = [part.cdf(x) for part in self.parts]
        pooled = self._pooled(each)
        return self._pooled([(F - pooled) ** 2 for F in each])

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h)."""
        return -self._log_pooled([-part.nlpd(truth) for part in self.parts])

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...)."""
        return self._log_pooled([part.logpdf(truth) for part in self.parts])

    def _log_pooled(self, logs: list[FloatArray]) -> FloatArray:
        """Return the logarithm of the weighted sum of densities."""
        arrays = np.stack(logs)
        return np.asarray(scipy.special.logsumexp(arrays, axis=0, b=self._weights(logs)))

    def picked(self, origin: Origin, steps: Steps) -> Self:
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""
        weights = self.weights if self.weights.ndim == 1 else self.weights[origin]
        parts = tuple(part.picked(origin, steps) for part in self.parts)
        return replace(self, weights=weights, parts=parts)

    def linear(self, A: ArrayLike, shift: ArrayLike = 0.0) -> "Mixture":
        """Return the mixture of the parts' images, the distribution of A y + shift for A (k, h)."""
        return replace(self, parts=tuple(part.linear(A, shift) for part in self.parts))

    def given(self, B: FloatArray, c: FloatArray) -> tuple["Mixture", float]:
        """Return the mixture of the parts given B y = c, weighted by how likely each made that."""
        parts, logs = zip(*(part.given(B, c) for part in self.parts), strict=True)
        total = float(scipy.special.logsumexp(logs, b=self.weights))
        if not np.isfinite(total):
            raise ValueError(
                "the conditions have no probability; leave out those that are impossible."
            )
        weights = self.weights * np.exp(np.array(logs) - total)
        return Mixture(weights / weights.sum(), parts), total

    def knots(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles of all components that have a weight, in order, (..., n)."""
        found = [part.quantile(levels) for part in self.parts]
        each = zip(self._weights(found), found, strict=True)
        ordered = np.sort(np.concatenate([np.where(w > 0, v, np.nan) for w, v in each], axis=-1))
        last = np.fmax.reduce(ordered, axis=-1, keepdims=True)
        return np.where(np.isnan(ordered), last, ordered)

    def moved(self, to: Shift) -> "Mixture":
        """Return the mixture of the parts with other moments, each from those that it has."""
        return replace(self, parts=tuple(part.moved(to) for part in self.parts))


def _infinite(values: FloatArray) -> FloatArray:
    """Return variances, infinite where a difference of infinite means left no number."""
    return np.where(np.isnan(values), np.inf, values)


def squared_distance(a: Gaussian, b: Gaussian) -> FloatArray:
    r"""Return the squared distance of two distribution functions at each step, (..., h).

    .. math::

        \int (F - G)^2 dx = E|x - y| - \tfrac12 E|x - x'| - \tfrac12 E|y - y'|

    for independent x, x' ~ F and y, y' ~ G. With d and v the mean and variance of x - y,
    :math:`E|x - y| = \sqrt{2 v / \pi}\, e^{-d^2 / 2 v} + d\, \mathrm{erf}(d / \sqrt{2 v})`.

    References
    ----------
    Szekely and Rizzo (2013), "Energy statistics", section 1 (the identity); Grimit, Gneiting,
    Berrocal and Johnson (2006), eq. 5 (mixtures of Gaussians).
    """
    d, root = a.mean - b.mean, np.sqrt(2.0 * (a.var + b.var))
    apart = root / np.sqrt(np.pi) * np.exp(-((d / root) ** 2)) + d * scipy.special.erf(d / root)
    within = (a.std + b.std) / np.sqrt(np.pi)
    return np.asarray(np.maximum(apart - within, 0.0))
