r"""Forecasts within a support: values outside count as the bound, counts are whole numbers.

Let T move a value to the nearest one of the support. A forecast x becomes y = T(x), step by step:
probability that lay outside is at the bounds, quantiles and samples are the images of those of x.
Everything else is an integral over the support (Gneiting and Ranjan, 2011, eq. 1), or for counts
a sum over whole numbers, with F the distribution function of x:

.. math::

    E[y] = E[x] + \int_{-\infty}^{low} F - \int_{high}^{\infty} (1 - F)
    \qquad CRPS(t) = \int_{low}^{high} (F(y) - [y \ge t])^2 dy
"""

from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, BoolArray, FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.propagation.joint_covariance import Computed, Origin
from gpforecast.results.distribution import Distribution, Gaussian, NoClosedFormError, Steps
from gpforecast.results.mixture import Mixture
from gpforecast.results.quadrature import below, expanded, panels, probability_between, shrunk
from gpforecast.results.support import Support
from gpforecast.results.warped import ByPaths, Paths, Warped, single_steps

_EDGES = below(-8, -5, -3, -1.5, 0, 1.5, 3, 5, 8)  # probabilities between which F is integrated
_MANY = 24  # nodes between them: as many whole numbers of counts are summed over one by one
_FEW = 4  # nodes, between the knots of a mixture
_TERMS = 24  # of the expansion of a covariance
_NOTICEABLE = 0.01  # probability of a step that is moved to a bound
_PATHS = 1000  # of running totals


@dataclass(frozen=True, eq=False)
class Censored(ByPaths):
    """The distribution of y = T(x), the value of a support that is nearest to x.

    Attributes
    ----------
    source : Distribution
        Of x; not itself censored.
    support : Support

    Examples
    --------
    >>> rain = Gaussian(np.array([1.0]), np.array([[4.0]]), np.array([4.0]))
    >>> rain.quantile([0.025, 0.975]).round(2)
    array([[-2.92,  4.92]])
    >>> Censored(rain, Support(low=0.0)).quantile([0.025, 0.975]).round(2)
    array([[0.  , 4.92]])
    """

    source: Distribution
    support: Support

    @property
    def warped(self) -> tuple[Warped, ...]:
        """Those of the source."""
        return self.source.warped

    @cached_property
    def _image(self) -> Distribution | None:
        """The same as paths or as a mixture, where the source is one: moments and densities."""
        source = self.source
        if isinstance(source, Paths):
            inside = self.support.nearest(source.paths)
            latent_var = shrunk(source.latent_var, source.paths.var(-1), inside.var(-1))
            density = Censored(source.density, self.support)
            return replace(Paths.of(inside, latent_var), density=density)
        if isinstance(source, Mixture):
            return replace(source, parts=tuple(replace(self, source=p) for p in source.parts))
        return None

    @cached_property
    def moments(self) -> Gaussian:
        """The Gaussian with the mean and the covariance of y; the mean of counts is not whole.

        The latent variance is the share of the variance that it is of x.
        """
        source = self.source
        if self._image is not None:
            return replace(self._image.moments, n_clipped=source.n_clipped)
        with np.errstate(over="ignore", invalid="ignore"):  # of a source whose mean is infinite
            mean, var = self._integrated
        var = np.where(np.isnan(var), np.inf, np.maximum(var, 0.0))
        latent_var = shrunk(source.latent_var, source.var, var)
        joint = Computed(var, self._covariance)
        return Gaussian(self.support.clip(mean), joint, latent_var, source.n_clipped)

    @property
    def gaussian(self) -> Gaussian:
        """That of the source."""
        return self.source.gaussian

    @property
    def paths(self) -> FloatArray | None:
        """The paths of the source, each value moved to the nearest one of the support."""
        paths = self.source.paths
        return None if paths is None else self.support.nearest(paths)

    @property
    def _integrated(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance, but for rounding; NaN where infinite ones were subtracted."""
        low, high = self.support.low, self.support.high
        m, v = self.source.mean, self.source.var
        # Of the part that is cut off, as the rest may have a heavy tail: E[y] and E[(y - m)^2].
        shift, off = np.zeros_like(m), np.zeros_like(m)
        edges = self.source.knots(_EDGES)
        for bound, cut, sign in ((low, np.minimum, 1.0), (high, np.maximum, -1.0)):
            if np.isinf(bound):
                continue
            end = np.full_like(m, bound)[..., None]
            cut_off = np.sort(np.concatenate([cut(edges, end), end], axis=-1))
            x, w = panels(cut_off, self._degree(edges))
            F = self.source.cdf(x)
            beyond = w * (F if sign > 0.0 else 1.0 - F)
            shift = shift + sign * beyond.sum(axis=-1)
            off = off + 2.0 * sign * (beyond * (x - m[..., None])).sum(axis=-1)
        mean, var = m + shift, v + off - shift**2
        if self.support.whole or np.isfinite(high - low):
            x, w, first, summed = self._nodes()
            above = w * (1.0 - self.source.cdf(x))
            up = above.sum(axis=-1)
            square = 2.0 * (above * (x - first[..., None])).sum(axis=-1)
            inside = summed | np.isfinite(high - low)
            mean = np.where(inside, first + up, mean)
            var = np.where(inside, square - up**2, var)
        return mean, var

    def _covariance(self) -> FloatArray:
        """Return the joint covariance, by the expansion of `gpforecast.results.quadrature`.

        By parts, its coefficients are integrals of the density of z over y.
        """
        x, w, *_ = self._nodes()
        z = np.clip(np.nan_to_num(self.source.standardised(x)), -38.0, 38.0)
        before, h = np.zeros_like(z), w * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        a = []
        for k in range(1, _TERMS):
            a.append(h.sum(axis=-1) / np.sqrt(k))
            before, h = h, (z * h - np.sqrt(k - 1) * before) / np.sqrt(k)
        return expanded(np.stack(a, axis=-1), self.source.gaussian.covariance, self.var)

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        return self.support.nearest(self.source.quantile(levels))

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        y = np.asarray(y, dtype=np.float64)
        down = np.floor(y) if self.support.whole else y
        return np.where(y < self.support.low, 0.0, self.source.cdf(self._between(down)[1]))

    def pit(self, truth: FloatArray) -> FloatArray:
        """Return a random number between P(y < truth) and P(y <= truth) at each step, (..., h).

        So it is uniform where the forecast is right, although many truths may be the same
        (Czado, Gneiting and Held, 2009).
        """
        low, high = (self.source.cdf(edge) for edge in self._between(truth))
        return low + (high - low) * np.random.default_rng(0).random(low.shape)

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each."""
        y = np.asarray(truth, dtype=np.float64)
        down, up = (np.floor(y), np.ceil(y)) if self.support.whole else (y, y)
        low, high = self._between(up)[0], self._between(down)[1]
        below, above = self.source.tails(high)[0], self.source.tails(low)[1]
        return below * ~(y < self.support.low), above * ~(y > self.support.high)

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""
        return self.support.nearest(self.source.sample(n, rng))

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        if self.paths is not None and self._image is not None:
            return self._image.crps(truth)
        y = np.asarray(truth)
        x, w, first, summed = self._nodes(y)
        step = np.where(summed[..., None], np.clip(x + 0.5 - y[..., None], 0, 1), x >= y[..., None])
        F = self.source.cdf(x)
        within = (w * (step * (1.0 - F) ** 2 + (1.0 - step) * F**2)).sum(axis=-1)
        last = first + w.sum(axis=-1)
        return np.asarray(within + np.abs(y - np.clip(y, first, last)))

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h).

        At a bound, and of counts everywhere, the negative log probability; inf outside.
        """
        if self._image is not None:
            return self._image.nlpd(truth)
        low, high = (self.source.standardised(edge) for edge in self._between(truth))
        with np.errstate(divide="ignore"):
            mass = -np.log(probability_between(low, high))
        at = np.where(self.support.contains(truth), truth, np.nan)
        value = np.where(self._is_atom(truth), mass, self.source.nlpd(at))
        return np.where(self.support.contains(truth), value, np.inf)

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...).

        Raises
        ------
        NoClosedFormError
            If a value is a count or at a bound: it has a probability and no density.
        """
        possible = self.support.contains(truth)
        if (self._is_atom(truth) & possible).any():
            raise NoClosedFormError(
                "counts, and values at a bound of what is possible, have no joint density with "
                "other steps; score() judges each step."
            )
        inside = self.source.logpdf(np.where(possible, truth, self.source.quantile(0.5)[..., 0]))
        return np.where(possible.all(axis=-1), inside, -np.inf)

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations of the source, (..., h)."""
        return self.source.standardised(truth)

    def picked(self, origin: Origin, steps: Steps) -> "Censored":
        """Return the marginal distribution of some of the steps, of one of a batch or of all."""
        return replace(self, source=self.source.picked(origin, steps))

    def given(self, B: FloatArray, c: FloatArray) -> tuple["Censored", float]:
        """Return the distribution given values of single steps within the support."""
        single_steps(B)
        possible, inside = self.support.described, (c > self.support.low) & (c < self.support.high)
        if self.support.whole or not inside.all():
            raise ValueError(
                f"a value that is given must lie within what is possible ({possible}); a count, or "
                f"a value at a bound, is given as a range, such as (2.5, 3.5) for a count of 3."
            )
        source, log = self.source.given(B, c)
        return Censored(source, self.support), log

    def remarks(self) -> tuple[str, ...]:
        """Return what a user should know about the numbers, and how much the support cuts off."""
        notes, share = super().remarks(), self.support.outside(self.source)
        if share < _NOTICEABLE:
            return notes
        cut = (
            f"up to {per_cent(share)} of the probability of a step would lie outside what is "
            f"possible ({self.support.described}) and counts at the nearest bound; support=None "
            f"lets the forecast go beyond"
        )
        return (*notes, cut)

    def _between(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest x that become y, (..., h) each."""
        y, half = np.asarray(y, dtype=np.float64), 0.5 * self.support.whole
        low = np.where(y <= self.support.low, -np.inf, y - half)
        return low, np.where(y >= self.support.high, np.inf, y + half)

    def _is_atom(self, y: FloatArray) -> BoolArray:
        """Return which values have a probability, not only a density."""
        low, high = self._between(y)
        return np.asarray(low < high)

    def _degree(self, knots: FloatArray) -> int:
        """Return how many nodes there are between neighbours; a mixture has more knots."""
        many = _MANY if self.support.whole else _MANY // 2
        return many if knots.shape[-1] == len(_EDGES) else _FEW

    def _nodes(
        self, cut: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
        """Return places and weights of integrals over the support, (..., h, n).

        And, (..., h), where they begin, and whether they are sums over whole numbers; the integral
        is as good for counts that are spread widely.
        """
        support = self.support
        knots = self.source.knots(_EDGES)
        edges = np.clip(knots, support.low, support.high)
        first, last = support.nearest(edges[..., 0]), support.nearest(edges[..., -1])
        if cut is not None:
            kink = np.clip(np.nan_to_num(cut)[..., None], edges[..., :1], edges[..., -1:])
            edges = np.sort(np.concatenate([edges, kink], axis=-1), axis=-1)
        x, w = panels(edges, self._degree(knots))
        if not support.whole:
            return x, w, first, np.zeros(first.shape, dtype=bool)
        summed = last - first <= x.shape[-1]
        middle = first[..., None] + 0.5 + np.arange(x.shape[-1])
        x = np.where(summed[..., None], middle, x)
        w = np.where(summed[..., None], middle < last[..., None], w)
        return x, w, np.where(summed, first, edges[..., 0]), summed


def within(source: Distribution, support: Support) -> Censored:
    """Return a forecast within a support, with the mean and the variance it had where they fit.

    Censoring alone would raise the mean of a series that is often at its lower bound: by a third
    where 60 to 80 % of the values are zero.

    Parameters
    ----------
    source : Distribution
        Of a forecast that knows nothing of the support.
    support : Support
    """
    keeps = support.low > -np.inf and (support.high == np.inf or support.of_two)
    return Censored(source.moved(support.uncensored) if keeps else source, support)


def never_falling(source: Distribution, support: Support, last: FloatArray) -> Paths:
    """Return paths of a total, whose increments are censored at 0 and keep their moments.

    Parameters
    ----------
    source : Distribution
        Of a forecast that knows nothing of it, (b, h).
    support : Support
        Of a series that only rises, or only falls.
    last : ndarray (b,)
        The last value that each origin knows.

    Examples
    --------
    >>> flat = Gaussian(np.full((1, 2), 9.1), np.eye(2)[None], np.ones((1, 2)))
    >>> paths = never_falling(flat, Support(rising=1), np.array([9.0])).paths
    >>> bool(np.diff(paths, axis=1).min() >= 0.0), bool(paths.min() >= 9.0)
    (True, True)
    """
    start, sign = last[:, None, None], support.rising
    drawn = source.sample(_PATHS, np.random.default_rng(0))  # (b, h, n)
    steps = sign * np.diff(drawn, axis=1, prepend=np.broadcast_to(start, drawn[:, :1].shape))
    least = Support(0.0, whole=support.whole, at_low=support.at_low)
    mean = steps.mean(axis=-1)
    moved, scale = least.uncensored(mean, steps.var(axis=-1))
    steps = least.nearest(moved[..., None] + scale[..., None] * (steps - mean[..., None]))
    return Paths.of(start + sign * np.cumsum(steps, axis=1), source.latent_var)
