"""The time axis of a series: checked when it is made, and not again."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.series.clock import Clock, Moments
from gpforecast.series.dates import spacing_of
from gpforecast.series.days import relabelled
from gpforecast.series.index_checks import check_kind, check_order, index_of, refusal
from gpforecast.series.labels import kind_mismatch, places_among, places_in, tick_of, time_at
from gpforecast.series.spacing import in_steps
from gpforecast.storage import storable

Labelled = TypeVar("Labelled", "pd.Series[float]", pd.DataFrame)

_YEAR = 365  # days
_ENOUGH = 16  # times that are enough to detect the rule, even if a clock change has moved one


@storable
@dataclass(frozen=True, eq=False)
class TimeAxis:
    """Regular times of a series, counted from the first time of the series that was fitted.

    Attributes
    ----------
    index : Index (n,)
        The times, their freq attached. Days and longer calendar steps are steps of the clock on the
        wall, so that a day of a time zone may last 23 or 25 hours; hours and shorter are elapsed
        time, unless there is a `clock`. Times that summer time skips may have moved forward to the
        first that exists; no freq says that, so there is none.
    first : int
        Steps from the first time of the fitted series to the first of these.
    clock : Clock or None
        Of a series with a time zone and steps of at most a day: `index` is then what the clocks
        show, without a zone, and users see `labels`.
    label : {"start", "end"} or None
        Where the times stand in their steps; None: as usual (`gpforecast.series.days`).

    Examples
    --------
    >>> axis = TimeAxis.of(pd.DatetimeIndex(["2024-01-31", "2024-02-29", "2024-03-31"]))
    >>> axis.index.freqstr, str(axis.future(1)[0].date())
    ('ME', '2024-04-30')
    """

    index: Index
    first: int = 0
    clock: Clock | None = None
    label: str | None = None

    @staticmethod
    def of(index: Index, name: str = "series", *, fill: bool = False) -> "TimeAxis":
        """Check an index.

        Parameters
        ----------
        index : pandas.Index
            A ``DatetimeIndex`` (with or without time zone) of fixed or calendar steps, a
            ``PeriodIndex`` of consecutive periods, a ``TimedeltaIndex`` or numeric index with a
            constant positive step (floats to 1e-6 of the step), or a ``RangeIndex``. It is left
            alone.
        name : str
            What it belongs to, for a message.
        fill : bool
            Whether timestamps may be missing. They are then filled in: from the first to the last,
            by the rule that at least half of the steps follow, if it makes every timestamp that is
            there and at most as many others.

        Raises
        ------
        TypeError
            If the index holds text, objects, or several levels.
        ValueError
            If a timestamp is missing, duplicated or out of order, if the steps differ, or if there
            are too few timestamps to detect the step.

        Examples
        --------
        >>> days = pd.DatetimeIndex(["2024-03-01", "2024-03-04", "2024-03-05", "2024-03-07"])
        >>> days = days.union(pd.date_range("2024-03-08", periods=6, freq="B"))
        >>> print(*TimeAxis.of(days, fill=True).index.day)
        1 4 5 6 7 8 11 12 13 14 15
        """
        check_kind(index, name)
        check_order(index, name)
        spacing = spacing_of(index)
        regular = spacing.regular(index)
        if said := refusal(index, index_of(name), irregular=regular is None):
            raise ValueError(said)
        if regular is None and fill and len(index) > 2:
            regular = spacing.filled(index)
        if regular is None:
            raise ValueError(spacing.refusal(index, name))
        return TimeAxis(regular.rename(index.name))

    @staticmethod
    def rows(n: int) -> "TimeAxis":
        """Return the axis of n values without an index: 0, 1, 2, ..."""
        return TimeAxis(pd.RangeIndex(n))

    def __repr__(self) -> str:
        """Show how many times, and the first and the last."""
        ends = f", {self.index[0]} to {self.index[-1]}" if len(self) else ""
        return f"TimeAxis({counted(len(self), 'time')}{ends})"

    def __len__(self) -> int:
        """Return the number of times."""
        return len(self.index)

    @property
    def positions(self) -> FloatArray:
        """Steps since the first time of the fitted series, (n,)."""
        return np.arange(self.first, self.first + len(self), dtype=np.float64)

    def phases(self, period: int) -> IntArray:
        """Return which step of its season each time is, (n,); of a year of days, by its date.

        29 February is the same one as the 28th. A year of shorter steps, such as 8760 hours, goes
        by date too.

        Examples
        --------
        >>> TimeAxis.of(pd.date_range("2024-02-27", periods=4)).phases(365).tolist()
        [57, 58, 58, 59]
        """
        dates, a_day, steps = self._dates(period), period // _YEAR, self.positions.astype(np.int64)
        if dates is None:
            return steps % period
        day = dates.day_of_year.to_numpy(dtype=np.int64) - 1
        return (day - (dates.is_leap_year & (day > 58))) * a_day + steps % a_day

    def back(self, period: int) -> IntArray:
        """Return how many steps before each time the season before has the same phase, (n,).

        That is the period; of a year of days or shorter steps, it is how long ago the same date was
        a year before: for 29 February, the 28th.

        Examples
        --------
        >>> TimeAxis.of(pd.date_range("2024-02-28", periods=3)).back(365).tolist()
        [365, 366, 366]
        """
        found, dates = np.full(len(self), period), self._dates(period)
        if dates is not None:  # from 29 February to 28 February, 59 days ago is in the leap year
            found += period // _YEAR * (dates - pd.Timedelta(59, unit="D")).is_leap_year
        return found

    def _dates(self, period: int) -> pd.DatetimeIndex | None:
        """Return the times, if so many steps are a year of days or shorter steps."""
        index, (a_day, rest) = self.index, divmod(period, _YEAR)
        if are_periods(index) and not rest:
            index = in_steps(index).to_timestamp()
        if rest or not are_dates(index) or tick_of(index) != pd.Timedelta(1, unit="D") / a_day:
            return None
        return index

    def dated(self, index: Index | None = None) -> Index:
        """Return the times, or others at their steps, where calendars expect labels to stand."""
        step = in_steps(self.index).freq if are_periods(self.index) else None
        return relabelled(in_steps(self.index if index is None else index, step), self.label)

    @property
    def moments(self) -> Moments:
        """When the steps come, up to the last that was observed."""
        every = self._every
        return every.part(0, len(every.times) - self.pending)

    @property
    def _every(self) -> Moments:
        """When all of the steps come, also those that are pending."""
        return Moments.at(self.index) if self.clock is None else self.clock.moments(self.index)

    @property
    def pending(self) -> int:
        """How many of the last steps come a second time that lies ahead (`Clock`)."""
        return 0 if self.clock is None else self.clock.pending

    @property
    def labels(self) -> Index:
        """The times as a user has them."""
        return self.moments.times

    def steps_at(self, times: Index) -> IntArray:
        """Return the steps that come at some times, -1 where none of these does."""
        every = self._every
        at = every.times.get_indexer(times)
        return np.where(at < 0, -1, every.steps[at])

    def by_clock(self, times: Index) -> Index:
        """Return what the clock shows at some times, (n,), if there is one."""
        if self.clock is None or not are_dates(times) or times.tz is None:
            return times
        return self.clock.shown(times, self.index)

    @property
    def exists(self) -> BoolArray:
        """Which of the times there are, (n,): clocks skip some."""
        return ~self._every.skipped

    def labelled(self, table: Labelled) -> Labelled:
        """Return a table whose rows are the last of these times, by the labels of a user."""
        if self.clock is None:
            return table
        moments, before = self.moments, len(self) - len(table)
        moments = moments.part(int((moments.steps < before).sum()))
        return table.iloc[moments.steps - before].set_axis(moments.times)

    def ahead(self, horizon: int) -> Moments:
        """Return when the next steps come; these count from the first that is pending."""
        if self.clock is None:
            return Moments.at(self._following(horizon))
        last, begin, size = self.labels[-1], len(self) - self.pending, horizon
        later: Moments | None = None
        while later is None or len(later.times) <= horizon:
            size += horizon
            later = self.clock.moments(self.extended(size).index[begin:])
            later = later.part(int(later.times.searchsorted(last, side="right")))
        found = later.part(0, horizon)
        return replace(found, n_steps=int(found.steps.max()) + 1)

    @property
    def head(self) -> "TimeAxis":
        """The first times, enough to detect the rule by which they go on."""
        return self.part(0, _ENOUGH)

    def part(self, start: int, stop: int) -> "TimeAxis":
        """Return the times from one position to before another."""
        clock = self.clock if stop >= len(self) else _ended(self.clock)
        return replace(self, index=self.index[start:stop], first=self.first + start, clock=clock)

    def future(self, horizon: int) -> Index:
        """Return the `horizon` times that follow: same type, dtype, time zone, name and freq.

        A time of the wall clock that a time zone skips when summer time begins is moved forward to
        the first that exists; of one that occurs twice, the first is taken.

        Raises
        ------
        ValueError
            If there are no such labels: nanoseconds, for instance, end in the year 2262.
        """
        return self.ahead(horizon).times

    def _following(self, horizon: int) -> Index:
        """Return the next times of the index itself."""
        try:
            return spacing_of(self.index).after(self.index, horizon)
        except (OverflowError, pd.errors.OutOfBoundsDatetime) as error:
            raise ValueError(
                f"the index ends at {self.index[-1]}, and there are no labels for the next "
                f"{counted(horizon, 'step')}; forecast fewer steps, count from a smaller number, "
                f"or give times a coarser unit: in pandas, index.as_unit('s')."
            ) from error

    def extended(self, n: int) -> "TimeAxis":
        """Return the axis with the n times that follow."""
        if n == 0:
            return self
        index = spacing_of(self.index).joined(self.index, self._following(n))
        return replace(self, index=index, clock=_ended(self.clock))

    def of_length(self, n: int) -> "TimeAxis":
        """Return the axis of n values that begin where it begins."""
        return self.part(0, n).extended(max(n - len(self), 0))

    def locate(self, other: "TimeAxis") -> "TimeAxis":
        """Return another stretch of time with its steps counted from the start of this one.

        Times of another kind, such as the mere count of an array, are taken to begin where these
        begin.
        """
        spacing, steps = spacing_of(self.index), None
        if len(other) and other.index.dtype.kind in spacing.dtype_kinds:
            steps = spacing.steps(self.index, other.index)
        if steps is None:
            return self.of_length(len(other))
        return replace(other, first=self.first + steps)

    def continued_by(
        self, labels: Index, name: str = "new_values", *, fill: bool = True
    ) -> tuple["TimeAxis", IntArray]:
        """Return the times that follow, up to the last of some labels, and where these are.

        Parameters
        ----------
        labels : pandas.Index (n,)
            Of new values. Dates count as the periods that they fall in, and the reverse.
        name : str
            What they belong to, for a message.
        fill : bool
            Whether timestamps may be missing: at most as many as there are by then.

        Returns
        -------
        axis : TimeAxis (m,)
        places : ndarray of int (n,)

        Raises
        ------
        ValueError
            If a label is not the next one, or a later one that leaves out others.

        Examples
        --------
        >>> axis, places = TimeAxis.rows(10).continued_by(pd.Index([11, 12, 14]))
        >>> list(axis.index), places.tolist()
        ([10, 11, 12, 13, 14], [1, 2, 4])
        """
        if self.clock is not None:
            return self._continued_by_clock(self.clock, labels, name)
        n, m, most = len(self), len(labels), len(self) + 2 * len(labels)
        if kind_mismatch(labels, self.index):
            whole = self.extended(most).index
            among = places_among(labels, whole)
            labels = labels if among is None or (among < 0).any() else whole[among]
        steps = self._steps_to(labels) + 1 - n if fill else m
        ahead = steps if m < steps <= most else m
        times = self.extended(ahead).part(n, n + ahead)
        places = places_in(times.index, labels)
        follows = np.diff(places, prepend=-1) > 0
        if not follows.all():
            i = int(np.argmin(follows))
            after = 0 if i == 0 else int(places[i - 1]) + 1
            must = f"{name} must continue the history at {time_at(times.index, 0)}"
            kind = kind_mismatch(labels, self.index)
            if kind:
                raise ValueError(f"{must}; they begin at {time_at(labels, 0)}. {kind}")
            check_order(labels, name)
            raise ValueError(
                f"{must}; got {time_at(labels, i)} at position {i}, where "
                f"{time_at(self.future(after + 1), -1)} follows. Pass only values after the last "
                f"one that the forecaster fc knows: in pandas, new[new.index > "
                f"fc.history_.index[-1]]."
            )
        return times, places

    def holds(self, labels: Index) -> BoolArray:
        """Return which labels are among the times, those before or those that follow.

        All are if they are labels of another kind.

        Examples
        --------
        >>> quarters = TimeAxis.of(pd.period_range("2024-03", periods=9, freq="M")[::3])
        >>> quarters.holds(pd.period_range("2024-12", periods=4, freq="M")).tolist()
        [True, False, False, True]
        """
        if kind_mismatch(labels, self.index) or not len(labels):
            return np.ones(len(labels), dtype=bool)
        most, spacing = 2 * len(labels), spacing_of(self.index)
        before = 1 - (spacing.steps(self.index, labels[:1]) or 0)
        times = self.extended(min(max(self._steps_to(labels) + 1 - len(self), 0), most)).index
        earlier = spacing.before(self.index, min(max(before, 0), most))
        return np.asarray(labels.isin(times) | labels.isin(earlier))

    def _continued_by_clock(
        self, clock: Clock, labels: Index, name: str
    ) -> tuple["TimeAxis", IntArray]:
        """Return the steps of the clock that follow, and where labels are: -1 for pending ones."""
        if not are_dates(labels) or labels.tz is None:
            raise ValueError(
                f"{name} must continue the history at {self.future(1)[0]}; they begin at "
                f"{time_at(labels, 0)}. {kind_mismatch(labels, self.labels)}"
            )
        check_order(labels, name)
        new = (self.steps_at(labels) < 0) | (labels <= self.labels[-1])
        wall = self.by_clock(labels)
        bare, n = replace(self, clock=None), len(self)
        later = bare.part(n, n)
        if new.any():
            later, _ = bare.continued_by(wall[new].unique().sort_values(), name)
        near = self.extended(len(later)).part(n - clock.pending, n + len(later))
        pending = int((near._every.times > labels[-1]).sum())
        axis = replace(later, clock=replace(clock, pending=pending))
        return axis, axis.index.get_indexer(wall)

    def _steps_to(self, labels: Index) -> int:
        """Return the steps from the first time to the latest label, 0 if they are no such times."""
        spacing = spacing_of(self.index)
        if labels.dtype.kind not in spacing.dtype_kinds:
            return 0
        with suppress(TypeError, ValueError, OverflowError):  # such as NaT, or infinity
            latest = int(labels.argmax())
            return spacing.steps(self.index, labels[latest : latest + 1]) or 0
        return 0


def _ended(clock: Clock | None) -> Clock | None:
    """Return a clock without pending steps."""
    return clock and replace(clock, pending=0)
