"""Transforms one after another, and once fitted the way back through all of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import shown
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import register, storable
from gpforecast.transforms.base import Linear, OfTimes, Transform, Warp, is_warp, only
from gpforecast.transforms.closed_times import ClosedTimes, FittedClosedTimes, uninformative
from gpforecast.transforms.differences import gaps, n_back
from gpforecast.transforms.input_effects import FittedEffects, InputEffects, KnownInputs, Term
from gpforecast.transforms.standardise import Standardise, standardised

Step: TypeAlias = Transform | Warp | Linear


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
    warp: Warp | None = field(repr=False)
    linear: tuple[*tuple[Linear, ...], Standardise] = field(repr=False)
    axis: TimeAxis = field(repr=False)
    reasons: tuple[str, ...] = field(default=(), repr=False)
    period: int | None = None
    rounding: float = 0.0

    @property
    def n_lost(self) -> int:
        """How many values at the start have no transformed value."""
        return sum(step.n_lost for step in self.linear)

    def touched(self, times: TimeAxis) -> IntArray:
        """Return how many steps after a value the transformed ones are that depend on it.

        Steps that lose no values are taken to change each value by itself. Where a difference is
        longer at some of the times than at others, both count.
        """
        kernel = np.ones(1)
        for step in self.linear:
            if n := step.n_lost:
                impulse = (np.arange(2 * n + 1) == n).astype(np.float64)
                rows = TimeAxis.rows(2 * n + 1)
                moved = step.apply(impulse, rows) - step.apply(0.0 * impulse, rows)
                kernel = np.convolve(kernel, moved[n:])
        found = np.flatnonzero(kernel)
        for gap in self.gaps:
            longer = np.unique(times.back(gap)) - gap
            found = np.unique([*found, *np.add.outer(longer, found[found >= gap]).ravel()])
        return found

    def n_back(self, times: TimeAxis) -> int:
        """Return how many values before an origin the steps are undone from."""
        return sum(n_back(step, times) for step in self.linear)

    @property
    def gaps(self) -> tuple[int, ...]:
        """Steps between the values that each difference compares."""
        return gaps(self.linear)

    @property
    def unit(self) -> float:
        """The scale of the standardisation: the only step that changes units."""
        return self.linear[-1].scale

    @property
    def steps(self) -> tuple[Warp | Linear, ...]:
        """Every fitted step, nearest to the data first."""
        return self.linear if self.warp is None else (self.warp, *self.linear)

    @property
    def effects(self) -> FittedEffects | None:
        """What exogenous columns explain, if it is subtracted."""
        return only(FittedEffects, self.linear)

    @property
    def closing(self) -> FittedClosedTimes | None:
        """The times at which values are known beforehand, if there are such."""
        return only(FittedClosedTimes, self.linear)

    def closed(self, times: TimeAxis) -> BoolArray:
        """Return at which times values are known beforehand, (n,)."""
        return np.zeros(len(times), dtype=bool) if self.closing is None else self.closing.at(times)

    def closed_level(self, warp: Warp | None = None) -> float:
        """Return the value at closed times, in the units of the series or of a warp, if any are."""
        if self.closing is None:
            return np.nan
        value = self.backward(np.array(self.closing.level))
        return float(value if warp is None else warp.forward(value))

    @property
    def closed_times_in_words(self) -> str:
        """What is known of closed times, in words; empty if nothing is."""
        return "" if self.closing is None else self.closing.in_words(self.closed_level())

    def uninformative(self, times: TimeAxis) -> BoolArray:
        """Return at which times a transformed value is uninformative, (n,): closed ones, with 0."""
        return uninformative(self.linear, times)

    def given(
        self, inputs: FloatArray, first: int, covariance: FloatArray | None = None
    ) -> "Chain":
        """Return it with the exogenous columns over other steps; itself if it takes none."""
        effects = self.effects
        if effects is None:
            return self
        return self._with(effects, effects.given(inputs, first, covariance))

    @property
    def certain(self) -> "Chain":
        """It, with inputs that are all certain; itself if it takes none."""
        effects = self.effects
        return self if effects is None else self._with(effects, effects.certain)

    def _with(self, old: Linear, new: Linear) -> "Chain":
        """Return it with another step instead of one that is not the last."""
        *steps, last = self.linear
        return replace(self, linear=(*(new if step is old else step for step in steps), last))

    def reopened(self, values: FloatArray, times: TimeAxis) -> "Chain":
        """Return it without closed times at which values (n,) are others than was known."""
        closing = self.closing
        if closing is None:
            return self
        other = closing.at(times) & ~np.isnan(values) & (self.forward(values) != closing.level)
        return self._with(closing, closing.without(times, other)) if other.any() else self

    def transform(self, series: SeriesLike) -> FloatArray:
        """Return the transformed values (n,), NaN where there is none.

        Parameters
        ----------
        series : Series or array-like (n,)
        """
        found = checked(series)
        return self.levels(found.values, self.axis.locate(found.axis))[-1]

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that a logarithm or power cannot take; NaN is let through."""
        if self.warp is not None:
            self.warp.check(values, name)

    def refused(self, values: FloatArray) -> BoolArray:
        """Return which values (n,) a logarithm or power cannot take."""
        return ~np.isnan(values) & ~np.isfinite(self.forward(values))

    def forward(self, values: FloatArray) -> FloatArray:
        """Return values in the units of the warp."""
        return values if self.warp is None else self.warp.forward(values)

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return values in the units of the series, from those of the warp."""
        return warped if self.warp is None else self.warp.backward(warped)

    def levels(self, values: FloatArray, times: TimeAxis) -> list[FloatArray]:
        """Return the values before each linear step, and after the last one, (n,) each."""
        self.check(values, "series")
        warped = self.forward(values)
        if (closing := self.closing) is not None:  # known, whether observed or not
            unseen = np.isnan(values) & closing.at(times)[: len(values)]
            warped = np.where(unseen, closing.level, warped)
        result = self.stages(warped, times)
        result[-1][self.uninformative(times)[: len(values)]] = 0.0
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
            past = level[ends[:, None] + np.arange(-n_back(step, times), 0)]
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

    def stages(self, values: FloatArray, times: TimeAxis) -> list[FloatArray]:
        """Return values in the units of the warp, and after each linear step, (n,) each."""
        return [*accumulate(self.linear, lambda z, step: step.apply(z, times), initial=values)]

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return what the linear steps make of values in the units of the warp, (n,)."""
        return self.stages(values, times)[-1]


@dataclass(frozen=True, init=False)
class Compose:
    """Several transforms, the one nearest to the data first; a list does the same.

    A `Warp` such as `Log` or `BoxCox` comes first, then any number of `Linear` ones. `Standardise`
    is always last: it is added, fitted to what the others leave, if it is not there with numbers
    of its own. Transforms of your own are those that meet one of the two protocols, or whose `fit`
    returns what does.

    Parameters
    ----------
    *steps : transforms

    Raises
    ------
    TypeError
        If something is not a transform.
    ValueError
        If a logarithm or power follows a linear transform, or another of its kind; if something
        else stands before `ClosedTimes`; or if something follows `Standardise`.

    Examples
    --------
    >>> from gpforecast.transforms import Compose, Difference, Log
    >>> chain = Compose(Log(), Difference()).fit([1.0, 2.0, 4.0, 16.0])
    >>> chain.warp, chain.n_lost
    (Log(), 1)
    """

    steps: tuple[Step, ...]

    def __init__(self, *steps: "Step | Compose") -> None:
        each = (step.steps if isinstance(step, Compose) else (step,) for step in steps)
        flat = [step for several in each for step in several]
        for i, step in enumerate(flat):
            known = step is Standardise or not isinstance(step, type)
            if not (known and isinstance(step, Step)):
                raise TypeError(
                    f"transforms must hold transforms such as gf.transforms.Difference(); got "
                    f"{shown(step)}."
                )
            before = flat[i - 1]
            closed_late = isinstance(step, ClosedTimes) and not is_warp(before)
            if i and (is_warp(step) or closed_late or Standardise in (before, type(before))):
                raise ValueError(_out_of_order(step, before))
        if flat and flat[-1] is Standardise:
            del flat[-1]  # always done last, named or not
        object.__setattr__(self, "steps", tuple(flat))

    def __repr__(self) -> str:
        """Show the call that would make it."""
        return f"Compose({', '.join(map(repr, self.steps))})"

    @property
    def period(self) -> int | None:
        """The first season that a step names, if it is a whole number of steps."""
        return next((int(p) for p in self.periods if p == int(p)), None)

    @property
    def periods(self) -> tuple[float, ...]:
        """Steps in each season that a step names."""
        return tuple(period for _, period in self.seasonal)

    @property
    def seasonal(self) -> tuple[tuple[Step, float], ...]:
        """Each step that names a season, and the steps in that season."""
        named = ((step, getattr(step, "period", None)) for step in self.steps)
        return tuple((step, period) for step, period in named if period is not None)

    @property
    def n_warps(self) -> int:
        """How many of the first steps are warps: 1 or 0."""
        return int(any(map(is_warp, self.steps[:1])))

    def with_first(self, *steps: Step) -> "Compose":
        """Return the same with some steps before all others but a warp."""
        n = self.n_warps
        return Compose(*self.steps[:n], *steps, *self.steps[n:])

    @property
    def takes_inputs(self) -> bool:
        """Whether a step takes exogenous columns."""
        return only(InputEffects, self.steps) is not None

    def with_inputs(
        self, known: KnownInputs, terms: Sequence[Term], names: Sequence[Hashable]
    ) -> "Compose":
        """Return the same, its `InputEffects` with their columns."""
        own = only(InputEffects, self.steps)
        given = own and own.with_inputs(known, terms, names)
        return Compose(*(given if given and step is own else step for step in self.steps))

    def fit(self, series: SeriesLike) -> Chain:
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
        found = checked(series)
        return self.fit_at(found.values, found.axis)

    def fit_at(self, values: FloatArray, times: TimeAxis) -> Chain:
        """Fit each step to values (n,) that have been checked, on their axis."""
        level, lost = values, 0  # the level is in the units of the warp
        own = only(Standardise, self.steps)
        warp: Warp | None = None
        linear: list[Linear] = []
        closed = np.zeros(len(values), dtype=bool)
        for i, step in enumerate(self.steps[:-1] if own else self.steps):
            later = self.steps[i + 1 :]
            informative = np.where(closed, np.nan, values)[lost:] if closed.any() else values[lost:]
            fitted = _fitted(step, informative, times.part(lost, len(values)), later)
            if isinstance(fitted, Linear):
                linear.append(fitted)
                closed = uninformative([*linear, *later], times)[: len(values)]
                values = fitted.apply(values, times)
                lost += fitted.n_lost
            elif i:
                raise ValueError(_out_of_order(step, self.steps[i - 1]))
            else:
                warp, values = fitted, fitted.forward(values)
                level = values
        known, before = values[~np.isnan(values) & ~closed], level[~np.isnan(level)]
        last, rounding = (own, 0.0) if own else standardised(known, before if linear else None)
        return Chain(self, warp, (*linear, last), times.head, period=self.period, rounding=rounding)


register(Compose, lambda chain: {"steps": chain.steps}, lambda parts: Compose(*parts["steps"]))


def _out_of_order(step: object, before: object) -> str:
    return (
        f"{step!r} must not follow {before!r}: a logarithm or power comes first and once, then "
        f"ClosedTimes, then all others, and Standardise last."
    )


def _fitted(
    step: Step, values: FloatArray, times: TimeAxis, later: Sequence[Step]
) -> Warp | Linear:
    if isinstance(step, OfTimes):
        known: Linear = step.fit_before(values, times, later)
        return known
    fitted: object = step.fit(values) if isinstance(step, Transform) else step
    if not isinstance(fitted, Warp | Linear):
        raise TypeError(
            f"transforms must hold transforms that fit to a Warp or a Linear of "
            f"gpforecast.transforms; {step!r} fits to {fitted!r}, which is neither."
        )
    return fitted
