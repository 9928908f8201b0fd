"""Gaussian steps given marginals of another shape, before a warp or without one."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.transforms.base import Warp


@dataclass(frozen=True, eq=False)
class Remapped:
    r"""An increasing function of each step, :math:`y = w^{-1}(m_k + s_k\, g_k((z - m_k)/s_k))`.

    With z ~ N(m, S), whose standard deviations are s, every step has the central interval
    :math:`m_k \pm s_k\, g_k(x)` where a Gaussian has :math:`m_k \pm s_k x`, while the steps keep
    the dependence that S gives them. g is odd and piecewise linear: through the origin and the
    points (knots, values), and proportional beyond the last of them.

    It offers what a `Warp` does, for arrays (..., h) of one value a step or (..., h, n) of many.

    Attributes
    ----------
    warp : Warp or None
        w; ``None`` for the identity.
    mean, std : ndarray (..., h)
        In the units of w.
    knots : ndarray (k,)
        Positive, increasing.
    values : ndarray (h, k)
        Positive, increasing along each row.
    """

    warp: Warp | None
    mean: FloatArray
    std: FloatArray
    knots: FloatArray
    values: FloatArray

    @property
    def lowest(self) -> float:
        """The lower edge of the values it can give back, in the units of the series."""
        return -np.inf if self.warp is None else self.warp.lowest

    @property
    def lowest_warped(self) -> Any:
        """The edge in the units of z, (..., h)."""
        edge = -np.inf if self.warp is None else self.warp.lowest_warped
        return self._back_to_z(np.full(self.mean.shape, edge))

    def at(self, origin: int) -> "Remapped":
        """Return that of one origin of a batch."""
        return replace(self, mean=self.mean[origin], std=self.std[origin])

    def over(self, steps: IntArray) -> "Remapped":
        """Return that of some of the steps."""
        mean, std = self.mean[..., steps], self.std[..., steps]
        return replace(self, mean=mean, std=std, values=self.values[steps])

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that the warp cannot take."""
        if self.warp is not None:
            self.warp.check(values, name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return z of y."""
        y = np.asarray(values, dtype=np.float64)
        return self._back_to_z(y if self.warp is None else self.warp.forward(y))

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return y of z."""
        mean, std, knots, values = self._for(warped)
        moved = mean + std * _through(knots, values, (warped - mean) / std)
        return moved if self.warp is None else self.warp.backward(moved)

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy."""
        y = np.asarray(values, dtype=np.float64)
        warped = y if self.warp is None else self.warp.forward(y)
        mean, std, knots, heights = self._for(y)
        size = np.abs(warped - mean) / std
        segment = sum((size > height).astype(int) for height in heights)
        slopes = np.stack(np.broadcast_arrays(*_slopes(heights, knots), size)[:-1])
        slope: FloatArray = np.log(np.take_along_axis(slopes, segment[None], axis=0)[0])
        return slope if self.warp is None else slope + self.warp.log_gradient(y)

    def _back_to_z(self, warped: FloatArray) -> FloatArray:
        mean, std, knots, values = self._for(warped)
        return mean + std * _through(values, knots, (warped - mean) / std)

    def _for(self, array: Any) -> tuple[FloatArray, FloatArray, list[Any], list[Any]]:
        """Return mean, std, and the coordinates of every knot, to be broadcast with an array."""
        many = np.ndim(array) > self.mean.ndim
        shaped = [a[..., None] if many else a for a in (self.mean, self.std, *self.values.T)]
        return shaped[0], shaped[1], list(self.knots), shaped[2:]


def _slopes(at: list[Any], to: list[Any]) -> list[Any]:
    """Return the slope of each piece of the line through (0, 0) and the points (at, to)."""
    first, last = to[0] / at[0], to[-1] / at[-1]
    inner = [(to[i] - to[i - 1]) / (at[i] - at[i - 1]) for i in range(1, len(at))]
    return [first, *inner, last]


def _through(at: list[Any], to: list[Any], x: FloatArray) -> FloatArray:
    """Return the odd function that goes through the points, on straight lines."""
    size, result, low = np.abs(x), 0.0, 0.0
    for slope, high in zip(_slopes(at, to), [*at, np.inf], strict=True):
        result = result + slope * np.clip(size - low, 0.0, high - low)
        low = high
    signed: FloatArray = np.sign(x) * result
    return signed
