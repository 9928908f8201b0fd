"""A warp for each step: steps of several series, of which each has its own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.transforms.base import Warp


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
