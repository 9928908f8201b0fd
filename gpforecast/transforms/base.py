"""What a transform must offer: a fit, and an exact way back for joint distributions."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis


@runtime_checkable
class Warp(Protocol):
    """A fitted, strictly increasing function of single values, z = w(y)."""

    @property
    def lowest(self) -> float:
        """The lower edge of the values it can give back, in the units of the series."""

    @property
    def lowest_warped(self) -> float | FloatArray:
        """The same edge in warped units; what lies below is taken for the edge."""

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that it cannot take."""

    def forward(self, values: FloatArray) -> FloatArray:
        """Return w(y); NaN stays NaN, and a value below the edge becomes -inf."""

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return the value y with w(y) = z."""

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dw/dy, the logarithm of the Jacobian."""


@runtime_checkable
class Linear(Protocol):
    """A fitted transform that is an affine function of the whole series."""

    @property
    def n_lost(self) -> int:
        """How many values at the start have no transformed value."""

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the transformed values (n,), the first `n_lost` of them NaN."""

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of y from that of z.

        `past` (b, n_lost) are the last values of y before each of b origins, `ends` (b,) the
        positions of these in `times`.
        """


@runtime_checkable
class Transform(Protocol):
    """A transform that has not seen a series yet.

    What is fitted already, a `Warp` or a `Linear` without a method `fit`, is used as it is.
    """

    def fit(self, series: SeriesLike) -> Warp | Linear:
        """Return what undoes itself."""


@runtime_checkable
class TransformOfTimes(Protocol):
    """A transform for which it matters when the values were."""

    def fit_at(self, values: FloatArray, times: TimeAxis) -> Linear:
        """Return what undoes itself; NaN marks missing values."""


@runtime_checkable
class TransformBefore(Protocol):
    """A transform that is fitted together with those that follow it."""

    def fit_before(
        self, values: FloatArray, times: TimeAxis, later: Sequence[object]
    ) -> Warp | Linear:
        """Return what undoes itself; NaN marks missing values, `later` steps are not fitted."""


@runtime_checkable
class Bounded(Protocol):
    """A warp, fitted or not: it knows the lowest value that it gives back."""

    @property
    def lowest(self) -> float:
        """In the units of the series."""


@runtime_checkable
class Seasonal(Protocol):
    """A transform that may name a season."""

    @property
    def period(self) -> float | None:
        """Steps in a season, None if it has none."""
