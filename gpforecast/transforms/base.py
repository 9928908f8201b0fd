"""What a transform must offer: a fit, and an exact way back for joint distributions."""

from typing import Any, Protocol, runtime_checkable

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.clock import Times


class Transform(Protocol):
    """A transform that has not seen a series yet."""

    def fit(self, series: Any) -> Any:
        """Return what undoes itself: a `Warp` or a `Linear`."""
        ...


@runtime_checkable
class Warp(Protocol):
    """A fitted, strictly increasing function of single values, z = w(y)."""

    @property
    def lowest(self) -> float:
        """The lower edge of the values it can give back, in the units of the series."""
        ...

    @property
    def lowest_warped(self) -> float | FloatArray:
        """The same edge in warped units; what lies below is taken for the edge."""
        ...

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that it cannot take."""
        ...

    def forward(self, values: FloatArray) -> FloatArray:
        """Return w(y); NaN stays NaN, and a value below the edge becomes -inf."""
        ...

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return the value y with w(y) = z."""
        ...

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dw/dy, the logarithm of the Jacobian."""
        ...


@runtime_checkable
class Linear(Protocol):
    """A fitted transform that is an affine function of the whole series."""

    @property
    def n_lost(self) -> int:
        """How many values at the start have no transformed value."""
        ...

    def apply(self, values: FloatArray, times: Times) -> FloatArray:
        """Return the transformed values (n,), the first `n_lost` of them NaN."""
        ...

    def undo(
        self,
        z: Propagated,
        past: FloatArray,  # (b, n_lost)
        ends: IntArray,  # (b,)
        times: Times,
    ) -> Propagated:
        """Return the joint distribution of y from that of z.

        `past` are the last `n_lost` values of y before each origin, `ends` the positions of the
        origins in `times`.
        """
        ...
