"""Outliers and level shifts: values set aside, level shifts fixed, and a note of both."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.closed import closed_times, days_off
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.ends import unusual_in
from gpforecast.automatic.outliers import NOTHING, Unusual, runs_of
from gpforecast.automatic.trials import TransformPlan, bridged
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import as_given, in_digits
from gpforecast.series.checked import values_of
from gpforecast.series.labels import time_at
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose, Deterministic, LevelShifts
from gpforecast.transforms.base import Warp


@dataclass(frozen=True, eq=False)
class Seen:
    """A series as the user knows it, and the logarithm or power of it that inputs have effects on.

    Attributes
    ----------
    y : Series (n,)
    warp : Warp or None
    """

    y: "pd.Series[float]"
    warp: Warp | None = None

    def with_effects(self, values: FloatArray, left: FloatArray, seen: FloatArray) -> FloatArray:
        """Return values (k,) with the effects that leave `left` (k,) of what was seen (k,)."""
        if self.warp is None:
            return values + (seen - left)
        values, left, seen = (self.warp.forward(one) for one in (values, left, seen))
        return self.warp.backward(values + (seen - left))


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A series, and what is unusual in it.

    Attributes
    ----------
    y : Series (n,)
    unusual : Unusual
    seen : Seen or None
        The series as the user knows it, where `y` is what inputs leave of it.
    """

    y: "pd.Series[float]"
    unusual: Unusual = NOTHING
    seen: Seen | None = None

    @property
    def known(self) -> "pd.Series[float]":
        """The series with its outliers missing."""
        if not len(self.unusual.outliers):
            return self.y
        y = self.y.copy()
        y.iloc[self.unusual.outliers] = np.nan
        return y

    @property
    def steady(self) -> "pd.Series[float]":
        """The same as if its newest level had been there from the start."""
        y, unusual = self.known, self.unusual
        if not len(unusual.shifts):
            return y
        places = np.arange(len(y))
        for at, size in zip(unusual.shifts, unusual.sizes, strict=True):
            y = y + size * (places < at)
        return y

    @property
    def outliers(self) -> Decision[tuple[int, ...]]:
        """Positions of the outliers, and what is noted about them and of shifts."""
        parts = [*self._outliers_in_words(), *self._shifts_in_words()]
        return Decision(tuple(self.unusual.outliers.tolist()), "\n".join(parts))

    def _outliers_in_words(self) -> list[str]:
        """Return a sentence with the times and values of the outliers, if there are any."""
        found = self.unusual
        if not len(found.outliers):
            return []
        index, values, instead_of = self.y.index, values_of(self.y), found.expected
        if self.seen is not None:
            left, values = values[found.outliers], values_of(self.seen.y)
            instead_of = self.seen.with_effects(instead_of, left, values[found.outliers])
        runs = runs_of(found.outliers)
        expected = dict(zip(found.outliers.tolist(), instead_of.tolist(), strict=True))
        parts = []
        for run in runs[: th.MOST_NAMED]:
            seen = _range(values[run].tolist(), as_given)
            instead = _range([expected[i] for i in run.tolist()], partial(in_digits, digits=4))
            parts.append(f"{_when(index, run)} ({seen} where about {instead} was expected)")
        n, total = len(found.outliers), int((~np.isnan(values)).sum())
        unnamed = sum(map(len, runs[th.MOST_NAMED :]))
        more = [f"{unnamed} more"] if unnamed else []
        return [
            (
                f"{counted(n, 'outlier')} among {total} values, treated as missing: "
                f"{', '.join([*parts, *more])}; the intervals do not allow for such values, and "
                f"outliers=None keeps them"
            )
        ]

    def _shifts_in_words(self) -> list[str]:
        """Return a sentence with the times and sizes of the shifts, if there are any."""
        sizes = self.shifted_since(0)
        if not sizes:
            return []
        return [
            (
                f"the level shifts {sizes}, much more than it changes elsewhere, and the shift is "
                f"taken away; the intervals do not allow for another, and outliers=None leaves it "
                f"in"
            )
        ]

    def shifted_since(self, first: int) -> str:
        """Return the sizes and times of the shifts from a position on; "" if there are none."""
        found, index = self.unusual, self.y.index
        return "; ".join(
            f"by {in_digits(size)} at {time_at(index, at)}"
            for at, size in zip(found.shifts.tolist(), found.sizes.tolist(), strict=True)
            if at >= first
        )

    def with_steps(self, plan: Decision[TransformPlan]) -> Decision[TransformPlan]:
        """Return the transforms with the shifts of the level taken away first."""
        if not len(self.unusual.shifts):
            return plan
        at = tuple(self.unusual.shifts.tolist())
        steps = list(plan.value.transforms.steps)
        first = plan.value.transforms.n_warps
        own = steps[first] if first < len(steps) else None
        if isinstance(own, Deterministic):
            shifts = LevelShifts(own.trend, own.fourier, own.period, own.calendar, at)
            steps[first] = shifts
        else:
            period = plan.value.period
            pairs = 0 if period is None else min(period // 2, th.MOST_PAIRS)
            shifts = LevelShifts(0, pairs, period if pairs else None, at=at)
            steps.insert(first, shifts)
        why = self._shifts_in_words()[0].partition(", much")[0]
        value = replace(plan.value, transforms=Compose(*steps))
        return replace(plan, value=value, reason=f"{why}\n{plan.reason}")

    def judged(self, chain: Chain) -> Chain:
        """Return the chain as it applies to `steady`, which has no shifts."""
        if not len(self.unusual.shifts):
            return chain
        steps = (
            _without_steps(step) if isinstance(step, LevelShifts) else step
            for step in chain.spec.steps
        )
        return replace(chain, spec=Compose(*steps))


def cleaned(
    y: "pd.Series[float]",
    seasons: tuple[int, ...] | None = None,
    named: BoolArray | None = None,
) -> Cleaned:
    """Return a series with what is unusual in it.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    seasons : tuple of int, optional
        In steps, the longest first; those that the index suggests by default.
    named : ndarray of bool (n, q), optional
        Where inputs say that something happened: no outliers there, but for absurd values.

    Examples
    --------
    >>> y = pd.Series(np.random.default_rng(0).standard_normal(100))
    >>> y[30] = 20.0
    >>> cleaned(y).outliers.value
    (30,)
    """
    values = values_of(y)
    suggested = features.calendar_periods(y.index) if seasons is None else seasons
    whole = bridged(values)
    if len(whole) < th.FEWEST_VALUES or features.unexplained(whole) < th.SMOOTH:
        return Cleaned(y)  # an outlier would not be predicted by a few lags
    enough = [m for m in suggested if th.OFFERED_CYCLES * m <= len(y)]
    period, places = enough[0] if enough else None, np.arange(len(y))
    off, usually = np.zeros(0, int), np.zeros(0)
    if (closed := closed_times(values, TimeAxis(y.index))) is not None:  # nothing happens there
        places = np.flatnonzero(~closed.at(TimeAxis(y.index)))
        seen = closed.spec.period in enough
        period = int((~closed.closed).sum()) if seen else None
        off, usually = days_off(values, closed, y.index)
    others = np.where(np.isin(places, off), np.nan, values[places])
    found = unusual_in(others, period)
    found = replace(found, outliers=places[found.outliers], shifts=places[found.shifts])
    found = found.beside(off, usually)
    outliers = found.outliers
    short = {m for m in suggested if m <= len(y)} - set(enough)
    apart = values[outliers] - found.expected
    for m in short:  # what comes again after a season may be one
        new = ~_again(outliers, apart, m)
        outliers, apart = outliers[new], apart[new]
    if named is not None:
        outliers = outliers[~_excused(values, outliers, named)]
    kept = np.isin(found.outliers, outliers)
    return Cleaned(y, replace(found, outliers=outliers, expected=found.expected[kept]))


def _excused(values: FloatArray, outliers: IntArray, named: BoolArray) -> BoolArray:
    """Return which outliers (k,) an input excuses, as it says (n, q) that something happened.

    An event that has come a few times excuses no value that lies outside the range of the others by
    more than that range; before, it excuses any.
    """
    times = (np.diff(named, axis=0, prepend=False) & named).sum(axis=0)
    possible = ~np.isnan(values)
    possible[outliers[~named[outliers].any(axis=1)]] = False  # no event makes these
    excused = np.zeros(len(outliers), dtype=bool)
    for k, at in enumerate(outliers.tolist()):
        others = np.delete(values, at)[np.delete(possible, at)]
        low, high = others.min(), others.max()
        far = max(low - values[at], values[at] - high) > high - low
        come = times[named[at]]
        excused[k] = len(come) > 0 and (not far or bool((come < th.EVENT_TIMES).any()))
    return excused


def _again(places: IntArray, off: FloatArray, m: int) -> BoolArray:
    """Return which outliers (k,) have one like them about a multiple of m steps away.

    It is at least m - 1 steps away, on the same side, and at most some times as large or small. Of
    those in the same phase, or the one before or after, the first and the last are the furthest. So
    it costs O(k) for each size there is.
    """
    phase, again = places % m, np.zeros(len(places), dtype=bool)
    sizes = np.abs(off)
    sizes = np.log(np.maximum(sizes, np.finfo(float).tiny)) // np.log(th.AGAIN_AS_LARGE)
    for side, size in {*zip(np.sign(off), sizes, strict=True)}:
        own = np.sign(off) == side
        alike = own & (np.abs(sizes - size) <= 1)
        first, last = np.full(m, np.inf), np.full(m, -np.inf)
        np.minimum.at(first, phase[alike], places[alike])
        np.maximum.at(last, phase[alike], places[alike])
        beside = [(phase + step) % m for step in (-1, 0, 1)]
        furthest = [np.maximum(places - first[at], last[at] - places) for at in beside]
        again |= own & (sizes == size) & (np.max(furthest, axis=0) >= m - 1)
    return again


def _without_steps(terms: LevelShifts) -> Deterministic:
    return Deterministic(terms.trend, terms.fourier, terms.period, terms.calendar)


def _range(values: list[float], written: Callable[[float], str]) -> str:
    low, high = written(min(values)), written(max(values))
    return low if low == high else f"{low} to {high}"


def _when(index: Index, run: IntArray) -> str:
    first, last = time_at(index, int(run[0])), time_at(index, int(run[-1]))
    return first if len(run) == 1 else f"{first} to {last}"
