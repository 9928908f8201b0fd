"""Warps that differ from step to step: calibrated marginals, and steps of several series."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.propagation.joint_covariance import Origin
from gpforecast.results.distribution import Steps
from gpforecast.transforms.base import Warp


@runtime_checkable
class OfSteps(Protocol):
    """A warp that is not the same at all steps."""

    def picked(self, origin: Origin, steps: Steps) -> Warp:
        """Return the warp of some of the steps, of one origin of a batch or of all."""


def picked(warp: Warp, origin: Origin, steps: Steps) -> Warp:
    """Return the warp of some of the steps, of one origin of a batch or of all."""
    return warp.picked(origin, steps) if isinstance(warp, OfSteps) else warp


@dataclass(frozen=True, eq=False)
class CalibrationWarp:
    r"""An increasing function of each step, :math:`y = w^{-1}(m_k + s_k\, g_k((z - m_k)/s_k))`.

    With z ~ N(m, S), whose standard deviations are s, every step has the central interval
    :math:`m_k \pm s_k\, g_k(x)` where a Gaussian has :math:`m_k \pm s_k x`, while the steps keep
    the dependence that S gives them. g is odd and piecewise linear: through the origin and the
    points (knots, values), and proportional beyond the last of them.

    It offers what a `Warp` does, for arrays (..., h) of one value a step or (..., h, n) of many.

    Attributes
    ----------
    warp : Warp
        w.
    mean, std : ndarray (..., h)
        In the units of w.
    knots : ndarray (k,)
        Positive, increasing.
    values : ndarray ([...,] h, k)
        Positive, increasing along each row; those of a batch may be its own for each origin.
    """

    warp: Warp
    mean: FloatArray
    std: FloatArray
    knots: FloatArray
    values: FloatArray

    @property
    def lowest(self) -> float:
        """The lower edge of the values it can give back, in the units of the series."""
        return self.warp.lowest

    @property
    def lowest_warped(self) -> FloatArray:
        """The edge in the units of z, (..., h)."""
        return self._back_to_z(np.full(self.mean.shape, self.warp.lowest_warped))

    def picked(self, origin: Origin, steps: Steps) -> Self:
        """Return the warp of some of the steps, of one origin of a batch or of all."""
        mean, std = self.mean[origin][..., steps], self.std[origin][..., steps]
        values = self.values if self.values.ndim == 2 else self.values[origin]
        return replace(self, mean=mean, std=std, values=values[..., steps, :])

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that the warp cannot take."""
        self.warp.check(values, name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return z of y."""
        return self._back_to_z(self.warp.forward(values))

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return y of z."""
        mean, std, values = self._for(warped)
        return self.warp.backward(mean + std * _odd((warped - mean) / std, self.knots, values)[0])

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy."""
        mean, std, heights = self._for(values)
        _, slope = _odd((self.warp.forward(values) - mean) / std, heights, self.knots)
        return np.log(slope) + self.warp.log_gradient(values)

    def _back_to_z(self, warped: FloatArray) -> FloatArray:
        mean, std, heights = self._for(warped)
        z: FloatArray = mean + std * _odd((warped - mean) / std, heights, self.knots)[0]
        return z

    def _for(self, array: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return mean, std and the values at every knot (k, ...), to be broadcast with an array."""
        mean, std, values = self.mean, self.std, np.moveaxis(self.values, -1, 0)
        if np.ndim(array) > self.mean.ndim:
            return mean[..., None], std[..., None], values[..., None]
        return mean, std, values


def _odd(x: FloatArray, at: FloatArray, to: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the odd function through (0, 0) and points (at, to) (k, ...), linear between them.

    And its slope; beyond the last point, the function is proportional.
    """
    size, low, level = np.abs(x), np.zeros(()), np.zeros(())
    value, slope = np.zeros_like(size), np.full_like(size, to[0] / at[0])
    for high, height in (*zip(at, to, strict=True), (np.inf, None)):
        steep = to[-1] / at[-1] if height is None else (height - level) / (high - low)
        value = value + steep * np.clip(size - low, 0.0, high - low)
        slope = np.where(size > low, steep, slope)
        low, level = high, height
    return np.sign(x) * value, slope


@dataclass(frozen=True, eq=False)
class Stepwise:
    """A warp for each of h steps of one origin.

    It offers what a `Warp` does, for arrays (h,) of one value a step or (h, n) of many.

    Attributes
    ----------
    warps : tuple of Warp (h,)
    """

    warps: tuple[Warp, ...]

    @property
    def lowest(self) -> float:
        """The lowest of the lower edges of the values they can give back."""
        return min(warp.lowest for warp in self.warps)

    @property
    def lowest_warped(self) -> FloatArray:
        """The edge of each step in warped units, (h,)."""
        return np.array([warp.lowest_warped for warp in self.warps], dtype=np.float64)

    def picked(self, origin: Origin, steps: Steps) -> Warp:  # noqa: ARG002 - the same for all
        """Return the warp of some of the steps: the one that they share, if they do."""
        kept = tuple(self.warps[k] for k in np.arange(len(self.warps))[steps])
        return Stepwise(kept) if any(warp is not kept[0] for warp in kept) else kept[0]

    def groups(self) -> Iterator[tuple[Warp, IntArray]]:
        """Yield each warp and the steps that have it."""
        own = np.array([id(warp) for warp in self.warps])
        for key, warp in {id(warp): warp for warp in self.warps}.items():
            yield warp, np.flatnonzero(own == key)

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values (h,) that a warp cannot take."""
        for warp, steps in self.groups():
            warp.check(values[steps], name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return z of y."""
        return self._each(values, lambda warp, y: warp.forward(y))

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return y of z."""
        return self._each(warped, lambda warp, z: warp.backward(z))

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy."""
        return self._each(values, lambda warp, y: warp.log_gradient(y))

    def _each(
        self, values: FloatArray, what: Callable[[Warp, FloatArray], FloatArray]
    ) -> FloatArray:
        found = np.array(values, dtype=np.float64)
        for warp, steps in self.groups():
            found[steps] = what(warp, values[steps])
        return found
