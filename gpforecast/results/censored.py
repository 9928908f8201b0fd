r"""Forecasts within a support: values outside count as the bound, counts are whole numbers.

Let T move a value to the nearest one of the support. A forecast x becomes y = T(x), step by step:
probability that lay outside is at the bounds, quantiles and samples are the images of those of x.
Everything else is an integral over the support (Gneiting and Ranjan, 2011, eq. 1), or for counts
a sum over whole numbers, with F the distribution function of x:

.. math::

    E[y] = E[x] + \int_{-\infty}^{low} F - \int_{high}^{\infty} (1 - F)
    \qquad CRPS(t) = \int_{low}^{high} (F(y) - [y \ge t])^2 dy
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, BoolArray, FloatArray, IntArray
from gpforecast.common.validation import per_cent
from gpforecast.results.distribution import Distribution, Gaussian, cholesky
from gpforecast.results.mixture import Mixture
from gpforecast.results.quadrature import below, panels, probability_between, shrunk, with_variances
from gpforecast.results.support import Support
from gpforecast.results.warped import Paths, Warped, linear_by_paths, single_steps

_EDGES = below(-8, -5, -3, -1.5, 0, 1.5, 3, 5, 8)  # probabilities between which F is integrated
_MANY = 24  # nodes between them: as many whole numbers of counts are summed over one by one
_FEW = 4  # nodes, between the knots of a mixture
_TERMS = 24  # of the expansion of a covariance
_N_DRAWS = 2000  # of an orthant probability
_NOTICEABLE = 0.01  # probability of a step that is moved to a bound


@dataclass(frozen=True, eq=False)
class Censored(Distribution):
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
        """The Gaussian with the mean and the covariance of y."""
        if self._image is not None:
            return self._image.moments
        return Gaussian(self.mean, self._covariance(), self.latent_var, self.n_clipped)

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
    def n_clipped(self) -> int:
        """That of the source."""
        return self.source.n_clipped

    @property
    def mean(self) -> FloatArray:
        """Expected observations, (..., h); those of counts are not whole."""
        return self._mean_var[0]

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (..., h)."""
        return self._mean_var[1]

    @property
    def latent_var(self) -> FloatArray:
        """Variance without a value's own noise: the share of the variance that it is of x."""
        if self._image is not None:
            return self._image.latent_var
        return shrunk(self.source.latent_var, self.source.var, self.var)

    @cached_property
    def _mean_var(self) -> tuple[FloatArray, FloatArray]:
        if self._image is not None:
            return self._image.mean, self._image.var
        with np.errstate(over="ignore", invalid="ignore"):  # of a source whose mean is infinite
            mean, var = self._integrated
        return self.support.clip(mean), np.where(np.isnan(var), np.inf, np.maximum(var, 0.0))

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
            x, w = panels(
                np.sort(np.concatenate([cut(edges, end), end], axis=-1)), self._degree(edges)
            )
            F = self._at(self.source.cdf, x)
            beyond = w * (F if sign > 0.0 else 1.0 - F)
            shift = shift + sign * beyond.sum(axis=-1)
            off = off + 2.0 * sign * (beyond * (x - m[..., None])).sum(axis=-1)
        mean, var = m + shift, v + off - shift**2
        if self.support.whole or np.isfinite(high - low):
            x, w, first, summed = self._nodes()
            above = w * (1.0 - self._at(self.source.cdf, x))
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
        S, (x, w, *_) = self.source.gaussian.covariance, self._nodes()
        s = np.sqrt(np.einsum("...hh->...h", S))
        s = np.where(s > 0.0, s, 1.0)
        rho = np.clip(S / s[..., :, None] / s[..., None, :], -1.0, 1.0)
        z = np.clip(np.nan_to_num(self._at(self.source.standardised, x)), -38.0, 38.0)
        before, h = np.zeros_like(z), w * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        total, power = np.zeros_like(rho), np.ones_like(rho)
        for k in range(1, _TERMS):
            a = h.sum(axis=-1) / np.sqrt(k)
            power = power * rho
            with np.errstate(over="ignore", invalid="ignore"):
                total += a[..., :, None] * a[..., None, :] * power
            before, h = h, (z * h - np.sqrt(k - 1) * before) / np.sqrt(k)
        return with_variances(np.where(np.isnan(total), np.inf, total), self.var)

    def quantile(self, levels: ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        return self.support.nearest(self.source.quantile(levels))

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        y, support = np.asarray(y), self.support
        edge = np.floor(y) + 0.5 if support.whole else y
        inside = np.clip(edge, support.low, support.high)
        F = np.where(
            y < support.low, 0.0, np.where(y >= support.high, 1.0, self.source.cdf(inside))
        )
        return np.where(np.isnan(y), np.nan, F)

    def pit(self, truth: FloatArray) -> FloatArray:
        """Return a random number between P(y < truth) and P(y <= truth) at each step, (..., h).

        So it is uniform where the forecast is right, although many truths may be the same
        (Czado, Gneiting and Held, 2009).
        """
        low, high = self._between(truth)
        low = np.where(np.isinf(low), 0.0, self.source.cdf(np.where(np.isinf(low), truth, low)))
        high = np.where(np.isinf(high), 1.0, self.source.cdf(np.where(np.isinf(high), truth, high)))
        return low + (high - low) * np.random.default_rng(0).random(low.shape)

    def tails(self, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of no more and of no less than the truth, (..., h) each."""
        y = np.asarray(truth, dtype=np.float64)
        down, up = (np.floor(y), np.ceil(y)) if self.support.whole else (y, y)
        low, high = self._between(up)[0], self._between(down)[1]
        below = self.source.tails(np.where(np.isinf(high), y, high))[0]
        above = self.source.tails(np.where(np.isinf(low), y, low))[1]
        below = np.where(y < self.support.low, 0.0, np.where(np.isinf(high), 1.0, below))
        above = np.where(y > self.support.high, 0.0, np.where(np.isinf(low), 1.0, above))
        return below, above

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
        F = self._at(self.source.cdf, x)
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

        Steps at a bound, and all counts, have probabilities instead, and those of many steps
        together no closed form: they are estimated by importance sampling, one step given those
        before (Geweke, Hajivassiliou and Keane), with draws that are always the same.
        """
        if self._image is not None:
            return self._image.logpdf(truth)
        source, atom = self.source, self._is_atom(truth)
        low, high = (source.standardised(edge) for edge in self._between(truth))
        S = source.gaussian.covariance
        s = np.sqrt(np.einsum("...hh->...h", S))
        L = cholesky(S / s[..., :, None] / s[..., None, :])
        rng, h = np.random.default_rng(0), S.shape[-1]
        e = np.zeros((*low.shape, _N_DRAWS))
        log_weight = np.zeros((*low.shape[:-1], _N_DRAWS))
        for k in range(h):
            given = np.einsum("...j,...jn->...n", L[..., k, :k], e[..., :k, :])
            a, b = ((x[..., k, None] - given) / L[..., k, k, None] for x in (low, high))
            p = probability_between(a, b)
            flip = a > 0.0  # from the tail that keeps its digits
            u = rng.random(p.shape)
            start = scipy.special.ndtr(np.where(flip, -b, a))
            drawn = np.clip(scipy.special.ndtri(np.clip(start + u * p, 1e-300, 1.0)), -38.0, 38.0)
            drawn = np.where(flip, -drawn, drawn)
            point = atom[..., k, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                density = -0.5 * a**2 - np.log(L[..., k, k, None])
                log_weight += np.where(point, np.log(p), density)
            e[..., k, :] = np.where(point, drawn, a)
        # Of values that are no atoms: from the density of z to that of y.
        z = np.where(atom, 0.0, low)
        inside = np.where(atom, 0.0, -source.nlpd(np.where(atom, np.nan, truth)) + 0.5 * z**2)
        joint = (
            scipy.special.logsumexp(log_weight, axis=-1) - np.log(_N_DRAWS) + inside.sum(axis=-1)
        )
        joint = np.where(self.support.contains(truth).all(axis=-1), joint, -np.inf)
        return np.where(np.isnan(truth).any(axis=-1), np.nan, joint)

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations of the source, (..., h)."""
        return self.source.standardised(truth)

    def at(self, origin: int) -> "Censored":
        """Return one of a batch."""
        return replace(self, source=self.source.at(origin))

    def over(self, steps: IntArray) -> "Censored":
        """Return the marginal distribution of some of the steps."""
        return replace(self, source=self.source.over(steps))

    def linear(self, A: ArrayLike, shift: ArrayLike = 0.0) -> Distribution:
        """Return the distribution of A y + shift, for A (k, h), by paths with its moments."""
        return linear_by_paths(self, A, shift)

    def given(self, B: FloatArray, c: FloatArray) -> tuple["Censored", float]:
        """Return the distribution given values of single steps within the support."""
        single_steps(B, "values at the bounds of the support are moved there")
        low, high, whole = self.support.low, self.support.high, self.support.whole
        if whole or ((c == low) | (c == high)).any():
            examples = f"(2.5, 3.5) for a count of 3, (None, {low:g}) for {low:g}"
            if self.support.of_two:
                examples = f"(None, {low + 0.5:g}) for {low:g}, ({low + 0.5:g}, None) for {high:g}"
            raise ValueError(
                f"counts, and values at the bounds of what is possible ({self.support.described}), "
                f"are given as ranges: {examples}."
            )
        if not ((c > low) & (c < high)).all():
            raise ValueError(
                f"a value that is given is not possible here ({self.support.described}); leave it "
                f"out, or pass support=None to the forecaster."
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

    def _at(self, function: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
        """Return a function of each step at many places, (..., h, n); no x is NaN."""
        values = np.stack([function(x[..., i]) for i in range(x.shape[-1])], axis=-1)
        return np.where(np.isnan(values), 1.0, values)  # at a step without spread

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
