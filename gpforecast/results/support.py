"""The values that a series can have, and moments from which censoring makes given ones."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.results.distribution import Distribution
from gpforecast.storage import storable

_FARTHEST = 8.0  # standard deviations from a bound: further away, nothing is cut off


@storable
@dataclass(frozen=True)
class Support:
    """The values that a series can have.

    Attributes
    ----------
    low, high : float
        Bounds, which are possible values; infinite where there is none.
    whole : bool
        Whether they are whole numbers.
    at_low : float
        The share of known values that are at the lower bound, or of increments that are 0.
    rising : int
        1 where no value is below the one that precedes it, -1 where none is above it, else 0.

    Examples
    --------
    >>> Support(0.0, whole=True).nearest(np.array([-2.0, 0.4, 3.7]))
    array([0., 0., 4.])
    """

    low: float = -np.inf
    high: float = np.inf
    whole: bool = False
    at_low: float = 0.0
    rising: int = 0

    def clip(self, values: FloatArray) -> FloatArray:
        """Return values within the bounds."""
        return np.asarray(np.clip(values, self.low, self.high))

    def nearest(self, values: FloatArray) -> FloatArray:
        """Return the nearest values of the support; the lower one of two as near."""
        inside = self.clip(values)
        return np.ceil(inside - 0.5) + 0.0 if self.whole else inside  # + 0.0: no minus zero

    def contains(self, values: FloatArray) -> BoolArray:
        """Return which values can occur; NaN can."""
        return np.asarray(np.isnan(values) | (self.nearest(values) == values))

    def observed(self, known: FloatArray) -> "Support":
        """Return it with the share of known values at the lower bound, or of increments at 0."""
        if self.rising:
            return replace(self, at_low=float(np.mean(np.diff(known) == 0.0)))
        return replace(self, at_low=float(np.mean(known <= self.low)) if len(known) else 0.0)

    def follows(self, values: FloatArray) -> bool:
        """Return whether values (n,) in their order can occur; NaN can."""
        steps = self.rising * np.diff(values[~np.isnan(values)])
        return bool(self.contains(values).all() and (steps >= 0.0).all())

    def outside(self, of: Distribution) -> float:
        """Return the largest probability that a step of a forecast has beyond the bounds.

        Beyond a bound of whole numbers are the values that are not rounded to it. A value that is
        certain to be at a bound is not beyond it.
        """
        half, beyond = 0.5 * self.whole, np.zeros(())
        if np.isfinite(self.low):
            beyond = 1.0 - of.tails(np.full_like(of.mean, self.low - half))[1]
        if np.isfinite(self.high):
            beyond = beyond + 1.0 - of.tails(np.full_like(of.mean, self.high + half))[0]
        return float(np.nan_to_num(beyond).max(initial=0.0))

    def uncensored(self, mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Return the moments of a Gaussian that has the given ones once it is censored at `low`.

        With :math:`\alpha = (m - low) / s`, :math:`\max(x, low) - low` for :math:`x \sim N(m, s^2)`
        has the mean :math:`s\, (\alpha \Phi + \phi)` and the mean square :math:`s^2 ((\alpha^2 + 1)
        \Phi + \alpha \phi)`; their ratio determines :math:`\alpha`. It is not so small that more
        is at the bound than in the past, or than by the Gaussian as it is, and s is not smaller
        than before: a forecast far wider than its mean is not that of many zeros. Of two whole
        numbers, the upper one has the probability that its mean says, but no less and no more than
        if the mean were at a bound.

        Parameters
        ----------
        mean, var : ndarray (..., h)

        Returns
        -------
        mean : ndarray (..., h)
            m.
        scale : ndarray (..., h)
            s over the standard deviation that was given.
        """
        std = np.sqrt(var)
        if self.of_two:
            with np.errstate(divide="ignore"):
                least = scipy.special.ndtr(-0.5 / std)
            of_upper = np.clip(mean - self.low, least, 1.0 - least)
            moved = self.low + 0.5 + std * scipy.special.ndtri(of_upper)
            return np.where(std > 0.0, moved, mean), np.ones_like(mean)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            plain = (mean - self.low) / std
            alpha, log_ratio, first = _censored_moments()
            matching = np.interp(2.0 * np.log(np.maximum(plain, 0.0)), log_ratio, alpha)
            least = np.minimum(plain, -scipy.special.ndtri(np.clip(self.at_low, 1e-9, 1.0 - 1e-9)))
            alpha_of = np.maximum(matching, least)
            scale = np.maximum(plain / np.interp(alpha_of, alpha, first), 1.0)
            moved = self.low + alpha_of * scale * std
        kept = ~(plain < _FARTHEST)
        return np.where(kept, mean, moved), np.where(kept, 1.0, scale)

    @property
    def of_two(self) -> bool:
        """Whether it is two whole numbers, one after the other, such as 0 and 1."""
        return self.whole and self.high - self.low == 1.0

    def __str__(self) -> str:
        """Say it in a few words."""
        return "counts" if self.whole and np.isinf(self.high) else self.described

    @property
    def described(self) -> str:
        """What the values must be."""
        if self.rising:
            return f"values that never {'fall' if self.rising > 0 else 'rise'}"
        if self.whole and np.isinf(self.high):
            return "whole numbers that are not negative"
        if self.whole:
            return f"whole numbers from {self.low:g} to {self.high:g}"
        least = f"at least {self.low:g}" if self.low > -np.inf else ""
        most = f"at most {self.high:g}" if self.high < np.inf else ""
        return "values " + " and ".join(filter(None, (least, most)))


@cache
def _censored_moments() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a grid of alpha, the logarithm of mean^2 / variance, and the mean over s."""
    alpha = np.linspace(-6.0, _FARTHEST, 14_001)
    density = np.exp(-0.5 * alpha**2) / np.sqrt(2.0 * np.pi)
    first = alpha * scipy.special.ndtr(alpha) + density
    square = (alpha**2 + 1.0) * scipy.special.ndtr(alpha) + alpha * density
    return alpha, 2.0 * np.log(first) - np.log(square - first**2), first
