"""The clock on the wall: the regular grid on which a series with a time zone is modelled.

A daily peak is at 19 h by the clock, in summer and in winter. So steps of at most a day are
steps of the clock: labels without a zone, at a constant step. The hour that clocks skip in spring
is a step without a moment, a missing value; the hour that they repeat in autumn is one step with
two moments. Users see moments alone. Steps of no clock come once each, at their labels.
"""

from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import cast

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from gpforecast.common.kinds import are_dates, is_labelled
from gpforecast.common.types import ArrayLike, BoolArray, ExogLike, FloatArray, Index, IntArray
from gpforecast.common.validation import is_integer
from gpforecast.series.dates import with_freq
from gpforecast.series.labels import check_same_times, counts_rows_of, rows_needed, tick_of
from gpforecast.storage import register
from gpforecast.storage.registry import Parts

_MOMENT = pd.Timedelta(1, unit="s")
_YEAR = pd.Timedelta(366, unit="D")


@dataclass(frozen=True)
class Clock:
    """The clocks of a time zone.

    Attributes
    ----------
    zone : tzinfo
    pending : int
        How many of the last steps come a second time that lies ahead, where a series ends within
        the hour that clocks repeat.
    """

    zone: tzinfo
    pending: int = 0

    def keeps(self, step: pd.Timedelta, around: pd.Timestamp) -> bool:
        """Whether steps of elapsed time are steps of the clock throughout a year about a time."""
        days = pd.date_range(around - _YEAR / 2, around + _YEAR / 2, periods=27)
        offsets = (days.tz_localize(None) - days.tz_convert("UTC").tz_localize(None)).unique()
        return all((offset - offsets[0]) % step == pd.Timedelta(0) for offset in offsets)

    def shown(self, times: pd.DatetimeIndex, wall: Index) -> pd.DatetimeIndex:
        """Return what it shows at some times, (n,): of a step in a gap, where the step begins.

        Parameters
        ----------
        times : DatetimeIndex (n,)
        wall : DatetimeIndex
            Steps, as the clock shows them.
        """
        shown = times.tz_convert(self.zone).tz_localize(None)
        begun = shown - (shown - wall[0]) % _length(wall)
        return pd.DatetimeIndex(shown.where(~after_a_gap(times), begun))

    def moments(self, wall: Index) -> "Moments":
        """Return when steps of the clock (n,) come.

        Examples
        --------
        >>> night = pd.date_range("2024-10-27 01:00", periods=3, freq="h")
        >>> Clock("Europe/Paris").moments(night).steps.tolist()
        [0, 1, 1, 2]
        """
        step = _length(wall)
        bare, ones = pd.DatetimeIndex(wall, freq=None), np.ones(len(wall), dtype=bool)  # type: ignore[arg-type]
        first = bare.tz_localize(self.zone, ambiguous=ones, nonexistent="shift_forward")
        second = bare.tz_localize(self.zone, ambiguous=~ones, nonexistent="shift_forward")
        clocks = first.tz_localize(None)
        exists = np.ones(len(wall), dtype=bool)
        moved = np.flatnonzero(clocks != bare)
        if len(moved):  # a longer step than the hour that is skipped begins at its end
            before = first[moved] - _MOMENT
            gap = clocks[moved] - before.tz_localize(None) - _MOMENT
            late = clocks[moved] - bare[moved]
            # Where a zone skips a whole day, pandas moves times to no end of it.
            exists[moved] = np.asarray((gap < step) & (late <= gap) & (late > pd.Timedelta(0)))
        again = np.flatnonzero(np.asarray(second - first >= step))
        times = pd.DatetimeIndex(first[exists].append(second[again]))
        steps = np.concatenate([np.flatnonzero(exists), again])
        order = np.argsort(times.asi8, kind="stable")
        return Moments(times[order].rename(wall.name), steps[order], len(wall), step)


@dataclass(frozen=True, eq=False)
class Moments:
    """When some steps come.

    Attributes
    ----------
    times : Index (m,)
        In order; of a clock, in its time zone.
    steps : ndarray of int (m,)
        The step that comes at each.
    n_steps : int
    step : Timedelta or None
        How long they are, if they are steps of a clock.
    """

    times: Index
    steps: IntArray
    n_steps: int
    step: pd.Timedelta | None = None

    def __post_init__(self) -> None:
        if self.step is not None:
            times = with_freq(pd.DatetimeIndex(self.times), to_offset(self.step))
            object.__setattr__(self, "times", times)

    @staticmethod
    def at(index: Index) -> "Moments":
        """Return those of steps that come once each, at the times of an index."""
        return Moments(index, np.arange(len(index)), len(index))

    @property
    def places(self) -> IntArray | slice:
        """The steps (m,) by which arrays of all steps are picked."""
        return slice(None) if self.step is None else self.steps

    @property
    def skipped(self) -> BoolArray:
        """Which steps have no moment, (n_steps,)."""
        return np.asarray(np.bincount(self.steps, minlength=self.n_steps) == 0)

    @property
    def rows(self) -> IntArray:
        """The first moment of each step, (n_steps,); of one without, that of the step before."""
        first = pd.Series(np.arange(len(self.steps))).groupby(self.steps).first()
        filled = first.reindex(np.arange(self.n_steps)).ffill().bfill()
        return filled.to_numpy(dtype=np.int64)

    def part(self, start: int, stop: int | None = None) -> "Moments":
        """Return successive ones of the moments."""
        return replace(self, times=self.times[start:stop], steps=self.steps[start:stop])

    def inputs(self, exog: ExogLike, where: str) -> ExogLike:
        """Return inputs at the moments (m, q) by step: those of its first moment.

        Without a clock they are left as they are. What has no row for each moment is, too: it is
        refused later, with what is needed.

        Parameters
        ----------
        exog : DataFrame, Series, array-like or None
        where : str
            What the moments are of, for a message.
        """
        if self.step is None:
            return exog
        exog = rows_needed(exog, self.times)
        if is_labelled(exog) and not counts_rows_of(exog.index, self.times):
            check_same_times(exog.index, self.times, where)
        if exog is None or np.shape(exog)[:1] != (len(self.times),):
            return exog
        rows = self.rows
        return (
            exog.iloc[rows].reset_index(drop=True) if is_labelled(exog) else np.asarray(exog)[rows]
        )

    def covariance(self, exog_cov: ArrayLike | None, q: int) -> ArrayLike | None:
        """Return the variances (m, q), or joint covariance (m q, m q), of q inputs by step."""
        if exog_cov is None or self.step is None:
            return exog_cov
        given, m, rows = np.asarray(exog_cov), len(self.times), self.rows
        if given.shape == (m * q, m * q):
            each = given.reshape(m, q, m, q)[rows][:, :, rows]
            return np.asarray(each.reshape(len(rows) * q, len(rows) * q))
        return given[rows] if given.shape[:1] == (m,) else exog_cov


def _length(wall: Index) -> pd.Timedelta:
    """Return how long steps of a clock are."""
    return cast("pd.Timedelta", tick_of(wall))


def after_a_gap(times: pd.DatetimeIndex) -> BoolArray:
    """Return which times are the first ones after an hour that clocks skip, (n,)."""
    before = times - _MOMENT
    passed = times.tz_localize(None) - before.tz_localize(None)
    return np.asarray(passed > _MOMENT)


def each_once(times: Index, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the first of the times (n,) at each step of a clock, and the mean of its values.

    Examples
    --------
    >>> night = pd.date_range("2024-10-27 01:00", periods=4, freq="h", tz="Europe/Paris")
    >>> each_once(night, np.array([1.0, 2.0, 4.0, 5.0]))
    (array([0, 1, 3]), array([1., 3., 5.]))
    """
    every = np.arange(len(times))
    if not are_dates(times) or times.tz is None:
        return every, values
    step = pd.factorize(times.tz_localize(None))[0]
    first = np.unique(step, return_index=True)[1]
    return every[first], np.bincount(step, values) / np.bincount(step)


def _take(clock: Clock) -> Parts:
    return {"times": pd.DatetimeIndex([], tz=clock.zone), "pending": clock.pending}


def _make(parts: Parts) -> Clock:
    zone, pending = parts["times"].tz, parts["pending"]
    if zone is None or not is_integer(pending) or pending < 0:
        raise ValueError(f"it holds a clock without a zone, or {pending} steps that come again")
    return Clock(zone, pending)


register(Clock, _take, _make)
