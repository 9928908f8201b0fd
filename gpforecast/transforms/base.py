"""What a transform must offer: a fit, and an exact way back for joint distributions."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis

Fitted = TypeVar("Fitted", covariant=True)
S = TypeVar("S")


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
    """A transform that is not fitted yet.

    What is fitted already, a `Warp` or a `Linear` without a method `fit`, is used as it is.
    """

    def fit(self, series: SeriesLike) -> Warp | Linear:
        """Return what undoes itself."""


class OfTimes(ABC, Generic[Fitted]):
    """A transform for which it matters when the values were."""

    @abstractmethod
    def fit_at(self, values: FloatArray, times: TimeAxis) -> Fitted:
        """Return what undoes itself, from values (n,) that have been checked."""

    def fit_before(self, values: FloatArray, times: TimeAxis, later: Sequence[object]) -> Fitted:
        """Return the same, for transforms that are fitted together with `later` ones."""
        return self.fit_at(values, times)

    def fit(self, series: SeriesLike) -> Fitted:
        """Return what undoes itself.

        Parameters
        ----------
        series : Series or array-like (n,)
            NaN is left out.
        """
        found = checked(series)
        return self.fit_at(found.values, found.axis)


def is_warp(step: object) -> bool:
    """Whether it is a warp, fitted or not, which knows the lowest value that it gives back."""
    return hasattr(step, "lowest")


def only(kind: type[S], steps: Iterable[object]) -> S | None:
    """Return the first step of a kind of which there is one at most, None if there is none."""
    return next((step for step in steps if isinstance(step, kind)), None)
