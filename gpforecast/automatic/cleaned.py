"""A series without what happened once: values set aside, shifts removed, and a sentence of each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.closed import closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST, LAGS, Events, baseline_of, events_in, runs_of
from gpforecast.automatic.grid import noise_left
from gpforecast.automatic.lifetime import lifetime, stuck_places
from gpforecast.automatic.tails import nats
from gpforecast.automatic.transforms import TransformPlan
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import as_given, in_digits, listed
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Deterministic, LevelShifts
from gpforecast.transforms.base import Warp
from gpforecast.transforms.deterministic import MOST_PAIRS

_NAMED = 5  # runs of outliers that a note names


@dataclass(frozen=True, eq=False)
class Original:
    """A series as the user knows it, and the logarithm or power of it that inputs have effects on.

    Attributes
    ----------
    y : Series (n,)
    warp : Warp or None
    """

    y: "pd.Series[float]"
    warp: Warp | None = None

    def with_effects(self, values: FloatArray, left: FloatArray, whole: FloatArray) -> FloatArray:
        """Return values (k,) with the effects that leave `left` (k,) of the original (k,)."""
        if self.warp is None:
            return values + (whole - left)
        values, left, whole = (self.warp.forward(one) for one in (values, left, whole))
        with np.errstate(invalid="ignore"):  # a zero has no logarithm that tells its effects
            effects = np.nan_to_num(whole - left)
        return self.warp.backward(values + effects)


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A series, and what happened in it.

    Attributes
    ----------
    y : Series (n,)
    events : Events
    begin, end : int
        Where it begins after a constant, and where it ends in one; an end of 0 is none.
    original : Original or None
        The series as the user knows it, where `y` is what inputs leave of it.
    """

    y: "pd.Series[float]"
    events: Events = field(default_factory=Events)
    begin: int = 0
    end: int = 0
    original: Original | None = None

    @property
    def aside(self) -> IntArray:
        """Positions that count as missing: outliers, and all that a beginning or an end cuts."""
        first = np.arange(max(self.begin, self.end))
        return np.union1d(first, self.events.outliers)

    @property
    def known(self) -> "pd.Series[float]":
        """The series with what is set aside missing."""
        return without(self.y, tuple(self.aside.tolist()))

    @property
    def steady(self) -> "pd.Series[float]":
        """The same as if its newest level had been there from the start."""
        after = self.events.shifts > np.arange(len(self.y))[:, None]
        off = after @ self.events.sizes
        return self.known * np.exp(off) if self.events.in_logs else self.known + off

    @property
    def outliers(self) -> Decision[tuple[int, ...]]:
        """Positions that are set aside, and a sentence on each thing that happened."""
        each = [self._lifetime_in_words(), self._outliers_in_words(), self._shifts_in_words()]
        return Decision(tuple(self.aside.tolist()), "\n".join(filter(None, each)))

    def _lifetime_in_words(self) -> str:
        """Return a sentence on the end of the series, or on its beginning."""
        index, values = self.y.index, values_of(self.y)
        if self.end:
            return (
                f"the series has ended: from {time_at(index, self.end)} on all values are "
                f"{in_digits(values[self.end])}, and forecasts stay there; nothing is learned from "
                f"earlier values, and outliers=None keeps them"
            )
        if self.begin:
            (first,) = values[~np.isnan(values)][:1]
            return (
                f"the series begins at {time_at(index, self.begin)}: the {self.begin} values up to "
                f"then, all {in_digits(first)}, count as missing; outliers=None keeps them"
            )
        return ""

    def _outliers_in_words(self) -> str:
        """Return a sentence with the times and values of the outliers, if there are any."""
        at, instead = self.events.outliers, self.events.expected
        if not len(at):
            return ""
        observed = left = values_of(self.y)
        if self.original is not None:
            observed = values_of(self.original.y)
            instead = self.original.with_effects(instead, left[at], observed[at])
        runs, parts = runs_of(at), list[str]()
        for run in runs[:_NAMED]:
            own = instead[np.searchsorted(at, run)]
            usual = _range(own, partial(in_digits, digits=4))
            when = _range(run, partial(time_at, self.y.index))
            parts.append(
                f"{when} ({_range(observed[run], as_given)} where about {usual} was expected)"
            )
        if more := sum(map(len, runs[_NAMED:])):
            parts.append(f"{more} more")
        return (
            f"{counted(len(at), 'outlier')} among {int((~np.isnan(left)).sum())} values, treated "
            f"as missing: {', '.join(parts)}; the intervals do not allow for such values, and "
            f"outliers=None keeps them"
        )

    def _shifts_in_words(self) -> str:
        """Return a sentence with the times and sizes of the shifts, if there are any."""
        found = self.events
        if not len(found.shifts):
            return ""
        each = [
            f"by {per_cent(np.expm1(w)) if found.in_logs else in_digits(w)} at "
            f"{time_at(self.y.index, at)}"
            for at, w in zip(found.shifts.tolist(), found.sizes.tolist(), strict=True)
        ]
        them = "the shift is" if len(each) == 1 else "the shifts are"
        return (
            f"the level shifts {listed(each)}, much more than it changes elsewhere, and {them} "
            f"removed; the intervals do not allow for another, and outliers=None keeps shifts"
        )

    def shifts_beside(
        self, period: int | None, own: Deterministic | None = None
    ) -> tuple[LevelShifts, ...]:
        """Return what subtracts the shifts with a season, or with other functions of time."""
        if not len(self.events.shifts):
            return ()
        if own is None:
            pairs = min((period or 0) // 2, MOST_PAIRS)
            own = Deterministic(0, pairs, period if pairs else None)
        at = tuple(self.events.shifts.tolist())
        return (LevelShifts(own.trend, own.fourier, own.period, own.calendar, at),)

    def with_steps(self, plan: Decision[TransformPlan]) -> Decision[TransformPlan]:
        """Return the transforms with the shifts of the level removed first."""
        if not len(self.events.shifts):
            return plan
        steps, first = list(plan.value.transforms.steps), plan.value.transforms.n_warps
        own = next(
            (one for one in steps[first : first + 1] if isinstance(one, Deterministic)), None
        )
        steps[first : first + (own is not None)] = self.shifts_beside(plan.value.period, own)
        why = self._shifts_in_words().partition(", much")[0]
        value = replace(plan.value, transforms=Compose(*steps))
        return replace(plan, value=value, reason=f"{why}\n{plan.reason}")


def cleaned(
    y: "pd.Series[float]",
    seasons: tuple[int, ...] | None = None,
    named: BoolArray | None = None,
    *,
    driven: bool = False,
) -> Cleaned:
    """Return a series with what happened in it.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    seasons : tuple of int, optional
        In steps, the longest first; those that the index suggests by default.
    named : ndarray of bool (n, q), optional
        Where inputs say that something happened: no outliers there, but for absurd values.
    driven : bool
        Whether inputs, or other series, may explain its level: then only outliers are looked for.

    Examples
    --------
    >>> y = pd.Series(np.random.default_rng(0).standard_normal(100))
    >>> y[30] = 20.0
    >>> cleaned(y).outliers.value
    (30,)
    """
    values = values_of(y)
    begin, end = (0, len(values)) if driven else lifetime(values)
    if end < len(values):
        return Cleaned(y, end=end)
    values = values.copy()
    values[:begin] = np.nan
    values[[*stuck_places(values)]] = np.nan
    whole = features.bridged(values)
    if len(whole) < th.SHORTEST:
        return Cleaned(y, begin=begin)
    suggested = features.calendar_periods(y.index) if seasons is None else seasons
    enough = [m for m in suggested if th.SEASON_CYCLES * m <= len(whole)]
    period, places = next(iter(enough), None), np.arange(begin, len(y))
    if (closed := closed_times(values, TimeAxis(y.index))) is not None:  # nothing happens there
        places = np.flatnonzero(~closed.at(TimeAxis(y.index)))
        period = int((~closed.closed).sum()) if closed.spec.period in enough else None
    found = events_in(values[places], period)
    if not len(found.outliers) + len(found.shifts) or noise_left(whole) < th.SMOOTH:
        return Cleaned(y, begin=begin)  # or nothing is unusual for a function of a few lags
    outliers, kept = places[found.outliers], np.ones(len(found.outliers), dtype=bool)
    for m in {round(features.steps_in_a_year(y.index) or 0), *suggested} - {0, *enough}:
        kept &= ~_again(outliers, values[outliers] - found.expected, m)  # it may be a season
    if named is not None:
        kept[kept] = ~_excused(values, outliers[kept], named)
    once = Events(outliers[kept], found.expected[kept])
    if not driven:
        shifts, in_logs = places[found.shifts], found.in_logs
        once = replace(once, shifts=shifts, sizes=found.sizes, in_logs=in_logs)
    return Cleaned(y, once, begin)


def _excused(values: FloatArray, outliers: IntArray, named: BoolArray) -> BoolArray:
    """Return which outliers (k,) an input excuses, as it says (n, q) that something happened.

    An event that has come before excuses no value that lies outside the range of the others by more
    than that range; the first time, it excuses any.
    """
    begins = np.diff(named, axis=0, prepend=False) & named
    on, once = named[outliers], begins.sum(axis=0) == 1
    possible = values.copy()
    possible[outliers[~on.any(axis=1)]] = np.nan  # no event makes these
    excused = (on & once).any(axis=1)
    for k in np.flatnonzero(on.any(axis=1) & ~excused).tolist():
        others = np.delete(possible, outliers[k])
        low, high = np.nanmin(others), np.nanmax(others)
        excused[k] = 2.0 * low - high <= values[outliers[k]] <= 2.0 * high - low
    return np.asarray(excused)


def _again(places: IntArray, off: FloatArray, m: int) -> BoolArray:
    """Return which outliers (k,) are of a run that occurs again about a multiple of m steps away.

    Most of its values have another one there, on the same side.
    """
    apart = np.abs(places[:, None] - places)
    near = np.minimum(apart % m, -apart % m) <= 1
    again = (near & (off[:, None] * off > 0.0) & (apart >= m - 1)).any(axis=1)
    run = np.cumsum(np.diff(places, prepend=places[:1]) > 1)
    return np.asarray((np.bincount(run, again) > 0.5 * np.bincount(run))[run])


def _range(values: FloatArray | IntArray, written: Callable[[Any], str]) -> str:
    """Return the least and the largest of some values, or the one that they are, as written."""
    low, high = written(values.min().item()), written(values.max().item())
    return low if low == high else f"{low} to {high}"


def unfinished(values: FloatArray, period: int | None) -> float | None:
    """Return what was expected instead of a last value that looks like part of a total; else None.

    It is above zero, as all are, and less than all of the last season.

    Examples
    --------
    >>> values = 50.0 + np.random.default_rng(0).standard_normal(60)
    >>> values[-1] = 18.0
    >>> round(unfinished(values, None))
    50
    """
    y = features.bridged(values)
    recent = y[-2 - max(period or 0, LAGS) : -1]  # with what came about a season earlier
    if len(y) < th.SHORTEST or np.isnan(values[-1]) or not 0.0 < y[-1] < recent.min():
        return None
    base = baseline_of(y, period)
    if y.min() < 0.0 or base.e[-1] >= 0.0 or nats(base.e[-1], base.df) < COST:
        return None
    return float(base.values(base.z - base.e * base.scale)[-1])
