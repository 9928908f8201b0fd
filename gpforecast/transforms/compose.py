"""Transforms one after another, and the way back through all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.clock import Clock, Times
from gpforecast.series.indexes import as_series
from gpforecast.storage import register, storable
from gpforecast.transforms.base import Linear, Warp
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.standardise import Standardise
from gpforecast.transforms.warps import BoxCox, Log


@dataclass(frozen=True, init=False)
class Compose:
    """Several transforms, the one nearest to the data first; a list does the same.

    `Log` or `BoxCox` comes first, then any number of linear ones. `Standardise` is always last: it
    is added, fitted to what the others leave, if it is not there with numbers of its own.

    Parameters
    ----------
    *steps : transforms

    Raises
    ------
    TypeError
        If something is not a transform.
    ValueError
        If a logarithm or power follows a linear transform, or another of its kind; or if something
        follows `Standardise`.

    Examples
    --------
    >>> from gpforecast.transforms import Compose, Difference, Log
    >>> chain = Compose(Log(), Difference()).fit([1.0, 2.0, 4.0, 16.0])
    >>> chain.warp, chain.n_lost
    (Log(), 1)
    """

    steps: tuple[Any, ...]

    def __init__(self, *steps: Any) -> None:
        flat: list[Any] = []
        for step in steps:
            flat.extend(step.steps if isinstance(step, Compose) else [step])
        for i, step in enumerate(flat):
            if not hasattr(step, "fit"):
                raise TypeError(
                    f"transforms must hold transforms such as gf.transforms.Difference(); got "
                    f"{step!r}."
                )
            if isinstance(step, type) and step is not Standardise:
                raise TypeError(
                    f"transforms must hold instances; got the class {step.__name__}. Write "
                    f"{step.__name__}()."
                )
            if i and isinstance(step, (Log, BoxCox)):
                raise ValueError(
                    f"{step!r} must come first, nearest to the data: after {flat[i - 1]!r} what "
                    f"it undoes would no longer be a Gaussian of the whole horizon. Put it at the "
                    f"beginning, once."
                )
            if i + 1 < len(flat) and _is_standardise(step):
                raise ValueError(
                    f"Standardise must come last, as it always does; {flat[i + 1]!r} follows it. "
                    f"Put it at the end, or leave it out."
                )
        if flat and flat[-1] is Standardise:
            del flat[-1]  # said or not, it is there
        object.__setattr__(self, "steps", tuple(flat))

    def __repr__(self) -> str:
        """Show the call that would make it."""
        return f"Compose({', '.join(map(repr, self.steps))})"

    @staticmethod
    def of(transforms: Any) -> "Compose":
        """Return what a user's argument stands for: None, one transform, or a list."""
        if transforms is None:
            return Compose()
        if isinstance(transforms, str) or not isinstance(transforms, Sequence):
            return Compose(transforms)
        return Compose(*transforms)

    def fit(self, series: Any) -> "Chain":
        """Fit each step to what the ones before it leave.

        Parameters
        ----------
        series : Series or array-like (n,)
            NaN stays NaN through every step.

        Returns
        -------
        Chain

        Raises
        ------
        ValueError
            If a step cannot take the series; the message says which and why.
        """
        y = as_series(series, allow_missing=True)
        values: FloatArray = np.asarray(y, dtype=np.float64)
        size = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
        clock = Clock.of(y.index)
        times = Times(y.index)
        warp: Warp | None = None
        linear: list[Linear] = []
        lost = 0
        for step in self.steps:
            if isinstance(step, (Log, BoxCox)):
                warp = step.fit(values)
                values = warp.forward(values)
                size = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
            elif not _is_standardise(step):
                later = Times(times.index[lost:], times.first + lost)
                options = {"times": later} if isinstance(step, Deterministic) else {}
                fitted = step.fit(values[lost:], **options)
                linear.append(fitted)
                values = fitted.apply(values, times)
                lost += fitted.n_lost
        known = values[~np.isnan(values)]
        rounding = 0.0
        if self.steps and isinstance(self.steps[-1], Standardise):
            linear.append(self.steps[-1])
        elif linear:
            last, rounding = _standardised(known, size)
            linear.append(last)
        else:
            linear.append(_fitted_standard(known))
        periods = [getattr(step, "period", None) for step in self.steps]
        named = [int(p) for p in periods if p is not None and p == int(p)]
        period = named[0] if named else None
        return Chain(self, warp, tuple(linear), clock, period=period, rounding=rounding)


register(Compose, lambda chain: {"steps": chain.steps}, lambda parts: Compose(*parts["steps"]))


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
    clock : Clock
        The time axis of the fitted series.
    reasons : tuple of str
        Why each step of `spec` was chosen, if it was chosen automatically.
    period : int or None
        Steps in a season, if the series has one or the steps name one.
    rounding : float
        Where the steps leave nothing but rounding: how large it is before the standardisation.
        Values that close to its location count as equal to it.
    """

    spec: Compose
    warp: Any
    linear: tuple[Any, ...]
    clock: Clock
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
        return float(self.linear[-1].scale)

    @property
    def steps(self) -> tuple[Any, ...]:
        """Every fitted step, nearest to the data first."""
        return (() if self.warp is None else (self.warp,)) + self.linear

    def transform(self, series: Any) -> FloatArray:
        """Return the transformed values (n,), NaN where there is none.

        Parameters
        ----------
        series : Series or array-like (n,)
        """
        y = as_series(series, allow_missing=True)
        return self.levels(np.asarray(y, dtype=np.float64), self.clock.times(y.index))[-1]

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that a logarithm or power cannot take; NaN is let through."""
        if self.warp is not None:
            self.warp.check(values, name)

    def levels(self, values: FloatArray, times: Times) -> list[FloatArray]:
        """Return the values before each linear step, and after the last one, (n,) each."""
        self.check(values, "series")
        result = [values if self.warp is None else self.warp.forward(values)]
        for step in self.linear:
            result.append(step.apply(result[-1], times))
        if self.rounding:  # the model would take it for a series that it knows to 16 digits
            result[-1][np.abs(result[-1]) * self.unit <= self.rounding] = 0.0
        return result

    def undo(
        self, z: Propagated, levels: list[FloatArray], ends: IntArray, times: Times
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
        times : Times
            Of the values and the steps ahead.
        """
        for step, level in zip(reversed(self.linear), reversed(levels[:-1]), strict=True):
            past = level[ends[:, None] + np.arange(-step.n_lost, 0)]
            z = step.undo(z, past, ends, times)
        return z

    def undo_one_by_one(
        self, mean: FloatArray, var: FloatArray, times: Times
    ) -> tuple[FloatArray, FloatArray]:
        """Undo the linear steps on single values, (n,) each, where none of them is a difference.

        The result is in the units of the warp.
        """
        at_zero = self.apply(np.zeros(len(mean)), times)
        unit = self.unit
        return (mean - at_zero) * unit, var * unit**2

    def apply(self, values: FloatArray, times: Times) -> FloatArray:
        """Return what the linear steps make of values in the units of the warp, (n,)."""
        for step in self.linear:
            values = step.apply(values, times)
        return values


def _standardised(z: FloatArray, size: float) -> tuple[Standardise, float]:
    """Return the standardisation of what is left, and how much of it is rounding.

    Of nothing but rounding, the scale is the size of the series, as for a constant one.
    """
    rounding = 1e-13 * size
    if len(z) == 0 or size == 0 or np.ptp(z) > rounding:
        return _fitted_standard(z), 0.0
    if np.abs(z).max() > rounding:
        return _fitted_standard(np.full(1, z.mean())), rounding  # constant, but for rounding
    return Standardise(0.0, size), rounding


def _fitted_standard(z: FloatArray) -> Standardise:
    return Standardise.fit(z) if len(z) else Standardise(0.0, 1.0)


def _is_standardise(step: Any) -> bool:
    return step is Standardise or isinstance(step, Standardise)
