"""Warps that differ from step to step: calibrated marginals, and steps of several series."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.transforms.base import Warp


@runtime_checkable
class OfSteps(Protocol):
    """A warp that is not the same at all steps."""

    def at(self, origin: int) -> Warp:
        """Return the warp of one origin of a batch."""

    def over(self, steps: IntArray) -> Warp | None:
        """Return that of some of the steps; None if these have none."""


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

    def at(self, origin: int) -> "CalibrationWarp":
        """Return the warp of one origin of a batch."""
        values = self.values if self.values.ndim == 2 else self.values[origin]
        return replace(self, mean=self.mean[origin], std=self.std[origin], values=values)

    def over(self, steps: IntArray) -> "CalibrationWarp":
        """Return that of some of the steps."""
        mean, std = self.mean[..., steps], self.std[..., steps]
        return replace(self, mean=mean, std=std, values=self.values[..., steps, :])

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that the warp cannot take."""
        self.warp.check(values, name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return z of y."""
        return self._back_to_z(self.warp.forward(values))

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return y of z."""
        mean, std, heights = self._for(warped)
        return self.warp.backward(mean + std * _through(self.knots, heights, (warped - mean) / std))

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy."""
        mean, std, heights = self._for(values)
        size = np.abs(self.warp.forward(values) - mean) / std
        segment = np.sum([size > height for height in heights], axis=0)
        slopes = np.stack(np.broadcast_arrays(*_slopes(heights, self.knots), size)[:-1])
        slope: FloatArray = np.log(np.take_along_axis(slopes, segment[None], axis=0)[0])
        return slope + self.warp.log_gradient(values)

    def _back_to_z(self, warped: FloatArray) -> FloatArray:
        mean, std, heights = self._for(warped)
        z: FloatArray = mean + std * _through(heights, self.knots, (warped - mean) / std)
        return z

    def _for(self, array: FloatArray) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
        """Return mean, std and the value at every knot, to be broadcast with an array."""
        many = array.ndim > self.mean.ndim
        mean, std, *heights = [
            a[..., None] if many else a
            for a in (self.mean, self.std, *np.moveaxis(self.values, -1, 0))
        ]
        return mean, std, heights


Coordinates = Sequence[FloatArray] | FloatArray  # one for each knot


def _slopes(at: Coordinates, to: Coordinates) -> list[FloatArray]:
    """Return the slope of each piece of the line through (0, 0) and the points (at, to)."""
    first, last = to[0] / at[0], to[-1] / at[-1]
    inner = [(to[i] - to[i - 1]) / (at[i] - at[i - 1]) for i in range(1, len(at))]
    return [first, *inner, last]


def _through(at: Coordinates, to: Coordinates, x: FloatArray) -> FloatArray:
    """Return the odd function that goes through the points, on straight lines."""
    size = np.abs(x)
    result, low = np.zeros_like(size), np.zeros(())
    for slope, high in zip(_slopes(at, to), [*at, np.inf], strict=True):
        result = result + slope * np.clip(size - low, 0.0, high - low)
        low = high
    return np.sign(x) * result


@dataclass(frozen=True, eq=False)
class Stepwise:
    """A warp for each of h steps of one origin, or none.

    It offers what a `Warp` does, for arrays (h,) of one value a step or (h, n) of many.

    Attributes
    ----------
    warps : tuple of Warp or None (h,)
    """

    warps: tuple[Warp | None, ...]

    @property
    def lowest(self) -> float:
        """The lowest of the lower edges of the values they can give back."""
        return min(-np.inf if warp is None else warp.lowest for warp in self.warps)

    @property
    def lowest_warped(self) -> FloatArray:
        """The edge of each step in warped units, (h,)."""
        edges = [-np.inf if warp is None else warp.lowest_warped for warp in self.warps]
        return np.array(edges, dtype=np.float64)

    def at(self, origin: int) -> "Stepwise":  # noqa: ARG002
        """Return itself: it is the same for all origins."""
        return self

    def over(self, steps: IntArray) -> Warp | None:
        """Return that of some of the steps: the one that they share, if they do."""
        kept = tuple(self.warps[int(k)] for k in steps)
        one = kept[0] if kept else None
        return one if all(warp is one for warp in kept) else Stepwise(kept)

    def groups(self) -> list[tuple[Warp | None, IntArray]]:
        """Return each warp and the steps that have it."""
        every = {id(warp): warp for warp in self.warps}
        own = np.array([id(warp) for warp in self.warps])
        return [(warp, np.flatnonzero(own == key)) for key, warp in every.items()]

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values (h,) that a warp cannot take."""
        for warp, steps in self.groups():
            if warp is not None:
                warp.check(values[steps], name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return z of y."""
        return self._each(values, lambda warp, y: warp.forward(y), values)

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return y of z."""
        return self._each(warped, lambda warp, z: warp.backward(z), warped)

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy."""
        zero = np.zeros_like(values, dtype=np.float64)
        return self._each(values, lambda warp, y: warp.log_gradient(y), zero)

    def _each(
        self,
        values: FloatArray,
        what: Callable[[Warp, FloatArray], FloatArray],
        otherwise: FloatArray,
    ) -> FloatArray:
        found = np.array(otherwise, dtype=np.float64)
        for warp, steps in self.groups():
            if warp is not None:
                found[steps] = what(warp, values[steps])
        return found
