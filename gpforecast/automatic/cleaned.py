"""A series without what happened once: values set aside, shifts removed, and a sentence of each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.closed import closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST, Events, baseline_of, events_in, runs_of
from gpforecast.automatic.judge import noise_left
from gpforecast.automatic.lifetime import lifetime, stuck_places
from gpforecast.automatic.tails import nats
from gpforecast.automatic.trials import TransformPlan, bridged
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import as_given, in_digits, listed
from gpforecast.series.checked import values_of
from gpforecast.series.labels import time_at
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Deterministic, LevelShifts
from gpforecast.transforms.base import Warp

_NAMED = 5  # runs of outliers that a note names
_NEWEST = 200  # values: older ones do not say what is expected of the last
_LAST = 6  # values, or a season: a last value of part of a step is less than all of these
_COME = 3  # times: an event that has come so often excuses no absurd value


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
        y = self.y.copy()
        y.iloc[self.aside] = np.nan
        return y

    @property
    def steady(self) -> "pd.Series[float]":
        """The same as if its newest level had been there from the start."""
        after = self.events.shifts > np.arange(len(self.y))[:, None]
        off = after @ self.events.sizes
        return self.known * np.exp(off) if self.events.in_logs else self.known + off

    @property
    def outliers(self) -> Decision[tuple[int, ...]]:
        """Positions that are set aside, and a sentence on each thing that happened."""
        parts = [*self._lifetime_in_words(), *self._outliers_in_words(), *self._shifts_in_words()]
        return Decision(tuple(self.aside.tolist()), "\n".join(parts))

    def _lifetime_in_words(self) -> list[str]:
        """Return a sentence on the beginning or the end of the series."""
        index, values, parts = self.y.index, values_of(self.y), []
        if self.begin and not self.end:
            (first,) = values[~np.isnan(values)][:1]
            parts.append(
                f"the series begins at {time_at(index, self.begin)}: the {self.begin} values up to "
                f"then, all {in_digits(first)}, count as missing; outliers=None keeps them"
            )
        if self.end:
            parts.append(
                f"the series has ended: from {time_at(index, self.end)} on all values are "
                f"{in_digits(values[self.end])}, and forecasts stay there; nothing is learned from "
                f"earlier values, and outliers=None keeps them"
            )
        return parts

    def _outliers_in_words(self) -> list[str]:
        """Return a sentence with the times and values of the outliers, if there are any."""
        found = self.events
        if not len(found.outliers):
            return []
        index, values, instead_of = self.y.index, values_of(self.y), found.expected
        if self.original is not None:
            left, values = values[found.outliers], values_of(self.original.y)
            instead_of = self.original.with_effects(instead_of, left, values[found.outliers])
        runs = runs_of(found.outliers)
        expected = dict(zip(found.outliers.tolist(), instead_of.tolist(), strict=True))
        parts = []
        for run in runs[:_NAMED]:
            observed = _range(values[run].tolist(), as_given)
            instead = _range([expected[i] for i in run.tolist()], partial(in_digits, digits=4))
            parts.append(f"{_when(index, run)} ({observed} where about {instead} was expected)")
        n, total = len(found.outliers), int((~np.isnan(values)).sum())
        unnamed = sum(map(len, runs[_NAMED:]))
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
        found = self.events
        if not len(found.shifts):
            return []
        sizes = [per_cent(np.expm1(w)) if found.in_logs else in_digits(w) for w in found.sizes]
        times = [time_at(self.y.index, at) for at in found.shifts.tolist()]
        each = listed([f"by {size} at {at}" for size, at in zip(sizes, times, strict=True)])
        them = "the shift is" if len(sizes) == 1 else "the shifts are"
        return [
            (
                f"the level shifts {each}, much more than it changes elsewhere, and {them} "
                f"removed; the intervals do not allow for another, and outliers=None keeps shifts"
            )
        ]

    def shifts_beside(self, period: int | None) -> tuple[LevelShifts, ...]:
        """Return what takes the shifts away from a series with a season, if there are any."""
        if not len(self.events.shifts):
            return ()
        pairs = 0 if period is None else min(period // 2, th.MOST_PAIRS)
        at = tuple(self.events.shifts.tolist())
        return (LevelShifts(0, pairs, period if pairs else None, at=at),)

    def with_steps(self, plan: Decision[TransformPlan]) -> Decision[TransformPlan]:
        """Return the transforms with the shifts of the level removed first."""
        if not len(self.events.shifts):
            return plan
        steps = list(plan.value.transforms.steps)
        first = plan.value.transforms.n_warps
        own = steps[first] if first < len(steps) else None
        if isinstance(own, Deterministic):
            at = tuple(self.events.shifts.tolist())
            steps[first] = LevelShifts(own.trend, own.fourier, own.period, own.calendar, at)
        else:
            steps[first:first] = self.shifts_beside(plan.value.period)
        why = self._shifts_in_words()[0].partition(", much")[0]
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
        Whether inputs may explain that it begins or ends in a constant.

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
    whole = bridged(values)
    if len(whole) < th.FEWEST_VALUES or features.unexplained(whole) < th.SMOOTH:
        return Cleaned(y, begin=begin)  # an outlier would not be predicted by a few lags
    suggested = features.calendar_periods(y.index) if seasons is None else seasons
    enough = [m for m in suggested if th.SEASON_CYCLES * m <= len(whole)]
    period, places = enough[0] if enough else None, np.arange(begin, len(y))
    if (closed := closed_times(values, TimeAxis(y.index))) is not None:  # nothing happens there
        places = np.flatnonzero(~closed.at(TimeAxis(y.index)))
        known = closed.spec.period in enough
        period = int((~closed.closed).sum()) if known else None
    found = events_in(values[places], period)
    if (len(found.outliers) or len(found.shifts)) and noise_left(whole) < th.SMOOTH:
        return Cleaned(y, begin=begin)  # nor by a function of them
    outliers, kept = places[found.outliers], np.ones(len(found.outliers), dtype=bool)
    year = round(features.steps_in_a_year(y.index) or len(y))
    for m in {m for m in (year, *suggested) if m <= len(whole)} - {*enough}:
        kept &= ~_again(outliers, values[outliers] - found.expected, m)  # it may be a season
    if named is not None:
        kept[kept] = ~_excused(values, outliers[kept], named)
    shifts = places[found.shifts]
    once = replace(found, outliers=outliers[kept], expected=found.expected[kept], shifts=shifts)
    return Cleaned(y, once, begin)


def _excused(values: FloatArray, outliers: IntArray, named: BoolArray) -> BoolArray:
    """Return which outliers (k,) an input excuses, as it says (n, q) that something happened.

    An event that has come a few times excuses no value that lies outside the range of the others by
    more than that range; until then, it excuses any.
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
        excused[k] = len(come) > 0 and (not far or bool((come < _COME).any()))
    return excused


def _again(places: IntArray, off: FloatArray, m: int) -> BoolArray:
    """Return which outliers (k,) have one like them about a multiple of m steps away.

    It is on the same side.
    """
    apart = np.abs(places[:, None] - places)
    near = np.minimum(apart % m, -apart % m) <= 1
    return np.asarray((near & (off[:, None] * off > 0.0) & (apart >= m - 1)).any(axis=1))


def _range(values: list[float], written: Callable[[float], str]) -> str:
    low, high = written(min(values)), written(max(values))
    return low if low == high else f"{low} to {high}"


def _when(index: Index, run: IntArray) -> str:
    first, last = time_at(index, int(run[0])), time_at(index, int(run[-1]))
    return first if len(run) == 1 else f"{first} to {last}"


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
    y = values[-max(_NEWEST, 9 * (period or 0)) :]
    y = y[~np.isnan(y)]
    recent = y[-1 - max(period or 0, _LAST) : -1]
    if len(y) < th.FEWEST_VALUES or np.isnan(values[-1]) or not 0.0 < y[-1] < recent.min():
        return None
    base = baseline_of(y, period)
    if y.min() < 0.0 or base.e[-1] >= 0.0 or nats(base.e[-1], base.df) < COST:
        return None
    z = float(base.z[-1] - base.e[-1] * base.scale)
    return float(np.exp(z)) if base.unit is None else base.unit * z
