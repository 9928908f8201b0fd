"""Fitted transforms, and the way back through all of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import Linear, Warp
from gpforecast.transforms.standardise import Standardise

if TYPE_CHECKING:
    from gpforecast.transforms.compose import Compose


@storable
@dataclass(frozen=True, eq=False)
class Chain:
    """Fitted transforms: at most one warp, then linear ones, the last a standardisation.

    Attributes
    ----------
    spec : Compose
        What it was fitted from.
    warp : Warp or None
    linear : tuple of Linear
    axis : TimeAxis
        The first times of the fitted series.
    reasons : tuple of str
        Why each step of `spec` was chosen, if it was chosen automatically.
    period : int or None
        Steps in a season, if the series has one or the steps name one.
    rounding : float
        Where the steps leave nothing but rounding: how large it is before the standardisation.
        Values that close to its location count as equal to it.
    """

    spec: "Compose"
    warp: Warp | None
    linear: tuple[*tuple[Linear, ...], Standardise]
    axis: TimeAxis
    reasons: tuple[str, ...] = ()
    period: int | None = None
    rounding: float = 0.0

    @property
    def n_lost(self) -> int:
        """How many values at the start have no transformed value."""
        return sum(step.n_lost for step in self.linear)

    @property
    def unit(self) -> float:
        """The scale of the standardisation: the only step that changes units."""
        return self.linear[-1].scale

    @property
    def steps(self) -> tuple[Warp | Linear, ...]:
        """Every fitted step, nearest to the data first."""
        return self.linear if self.warp is None else (self.warp, *self.linear)

    def transform(self, series: SeriesLike) -> FloatArray:
        """Return the transformed values (n,), NaN where there is none.

        Parameters
        ----------
        series : Series or array-like (n,)
        """
        found = checked(series, fill=False)
        return self.levels(found.values, self.axis.locate(found.axis))[-1]

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that a logarithm or power cannot take; NaN is let through."""
        if self.warp is not None:
            self.warp.check(values, name)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return values in the units of the warp."""
        return values if self.warp is None else self.warp.forward(values)

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return values in the units of the series, from those of the warp."""
        return warped if self.warp is None else self.warp.backward(warped)

    def levels(self, values: FloatArray, times: TimeAxis) -> list[FloatArray]:
        """Return the values before each linear step, and after the last one, (n,) each."""
        self.check(values, "series")
        result = [self.forward(values)]
        for step in self.linear:
            result.append(step.apply(result[-1], times))
        if self.rounding:  # the model would take it for a series that it knows to 16 digits
            result[-1][np.abs(result[-1]) * self.unit <= self.rounding] = 0.0
        return result

    def undo(
        self, z: Propagated, levels: list[FloatArray], ends: IntArray, times: TimeAxis
    ) -> Propagated:
        """Undo every linear step; the result is in the units of the warp.

        Parameters
        ----------
        z : Propagated
            Of the transformed values, from b origins.
        levels : list of ndarray (n,)
            As `levels` returns them.
        ends : ndarray (b,)
            Positions of the origins.
        times : TimeAxis
            Of the values and the steps ahead.
        """
        for step, level in zip(reversed(self.linear), reversed(levels[:-1]), strict=True):
            past = level[ends[:, None] + np.arange(-step.n_lost, 0)]
            z = step.undo(z, past, ends, times)
        return z

    def undo_one_by_one(
        self, mean: FloatArray, var: FloatArray, times: TimeAxis
    ) -> tuple[FloatArray, FloatArray]:
        """Undo the linear steps on single values, (n,) each, where none of them is a difference.

        The result is in the units of the warp.
        """
        at_zero = self.apply(np.zeros(len(mean)), times)
        return (mean - at_zero) * self.unit, var * self.unit**2

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return what the linear steps make of values in the units of the warp, (n,)."""
        for step in self.linear:
            values = step.apply(values, times)
        return values
