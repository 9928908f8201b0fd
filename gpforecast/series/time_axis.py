"""The time axis of a series: checked when it is made, and not again."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.series import keys
from gpforecast.series.dates import Dates
from gpforecast.series.labels import all_numbers, kind_mismatch, tick_of, time_at
from gpforecast.series.spacing import Durations, Periods, Ranges, Spacing
from gpforecast.storage import storable

_SPACINGS: dict[type[Index], Spacing[Any]] = {
    pd.DatetimeIndex: Dates(),
    pd.PeriodIndex: Periods(),
    pd.TimedeltaIndex: Durations(),
    pd.RangeIndex: Ranges(),
}
_NUMBERS = Spacing[Index]()
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
        time. Times that summer time skips may have moved forward to the first that exists; no freq
        says that, so there is none.
    first : int
        Steps from the first time of the fitted series to the first of these.

    Examples
    --------
    >>> axis = TimeAxis.of(pd.DatetimeIndex(["2024-01-31", "2024-02-29", "2024-03-31"]))
    >>> axis.index.freqstr, str(axis.future(1)[0].date())
    ('ME', '2024-04-30')
    """

    index: Index
    first: int = 0

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
        _check_kind(index, name)
        _check_order(index, name)
        spacing = _spacing(index)
        regular = spacing.regular(index)
        if regular is None and (said := keys.refusal(index, _of(name))):
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

    @property
    def tick(self) -> pd.Timedelta | None:
        """The step, if it is a length of time and known; None for steps of a calendar."""
        return tick_of(self.index)

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of dates that have one."""
        return self.index.tz if are_dates(self.index) else None

    @property
    def head(self) -> "TimeAxis":
        """The first times, enough to detect the rule by which they go on."""
        return self.part(0, _ENOUGH)

    def part(self, start: int, stop: int) -> "TimeAxis":
        """Return the times from one position to before another."""
        return TimeAxis(self.index[start:stop], self.first + start)

    def future(self, horizon: int) -> Index:
        """Return the `horizon` times that follow: same type, dtype, time zone, name and freq.

        A time of the wall clock that a time zone skips when summer time begins is moved forward to
        the first that exists; of one that occurs twice, the first is taken.

        Raises
        ------
        ValueError
            If there are no such labels: nanoseconds, for instance, end in the year 2262.

        Examples
        --------
        >>> list(TimeAxis(pd.RangeIndex(0, 30, 10)).future(2))
        [30, 40]
        """
        try:
            return _spacing(self.index).after(self.index, horizon)
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
        return replace(self, index=_spacing(self.index).joined(self.index, self.future(n)))

    def of_length(self, n: int) -> "TimeAxis":
        """Return the axis of n values that begin where it begins."""
        return self.part(0, n).extended(max(n - len(self), 0))

    def locate(self, other: "TimeAxis") -> "TimeAxis":
        """Return another stretch of time with its steps counted from the start of this one.

        Times of another kind, such as the mere count of an array, are taken to begin where these
        begin.
        """
        spacing, steps = _spacing(self.index), None
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
            Of new values.
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
        n, m, most = len(self), len(labels), len(self) + 2 * len(labels)
        steps = self._steps_to(labels) + 1 - n if fill else m
        ahead = steps if m < steps <= most else m
        times = self.extended(ahead).part(n, n + ahead)
        places = _places(labels, times.index)
        follows = np.diff(places, prepend=-1) > 0
        if not follows.all():
            i = int(np.argmin(follows))
            after = 0 if i == 0 else int(places[i - 1]) + 1
            must = f"{name} must continue the series at {times.index[0]}"
            kind = kind_mismatch(labels, self.index)
            if kind:
                raise ValueError(f"{must}; they begin at {time_at(labels, 0)}. {kind}")
            _check_order(labels, name)
            raise ValueError(
                f"{must}; at position {i} they have {labels[i]} where "
                f"{self.future(after + 1)[-1]} follows. Pass only values that are later than the "
                f"series, new[new.index > fc.history_.index[-1]] of a forecaster fc."
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
        most, spacing = 2 * len(labels), _spacing(self.index)
        before = 1 - (spacing.steps(self.index, labels[:1]) or 0)
        times = self.extended(min(max(self._steps_to(labels) + 1 - len(self), 0), most)).index
        earlier = spacing.before(self.index, min(max(before, 0), most))
        return np.asarray(labels.isin(times) | labels.isin(earlier))

    def _steps_to(self, labels: Index) -> int:
        """Return the steps from the first time to the latest label, 0 if they are no such times."""
        spacing = _spacing(self.index)
        if labels.dtype.kind not in spacing.dtype_kinds:
            return 0
        with suppress(TypeError, ValueError, OverflowError):  # such as NaT, or infinity
            latest = int(labels.argmax())
            return spacing.steps(self.index, labels[latest : latest + 1]) or 0
        return 0


def _places(labels: Index, times: Index) -> IntArray:
    """Return where labels are among times, -1 for none; numbers may be rounded."""
    if not all_numbers(labels, times):
        return times.get_indexer(labels)
    slack = 1e-12 + 1e-9 * np.abs(labels.to_numpy(dtype=np.float64))
    return times.get_indexer(labels, method="nearest", tolerance=slack)


def _spacing(index: Index) -> Spacing[Any]:
    return _SPACINGS.get(type(index), _NUMBERS)


def _check_kind(index: Index, name: str) -> None:
    """Refuse an index of text, of objects or of several levels."""
    if index.nlevels > 1:
        raise TypeError(
            f"{name} must have an index of one level; got a MultiIndex with {index.nlevels}. "
            f"Select one series, for instance with {name}.xs(key)."
        )
    if _spacing(index) is _NUMBERS and not all_numbers(index):
        if said := keys.refusal(index, _of(name)):
            raise TypeError(said)
        example = f" such as {index[0]!r}" if len(index) else ""
        raise TypeError(
            f"{name} must have an index of dates, periods, time steps or numbers; got an index of "
            f"dtype {index.dtype}{example}. Convert it first, for instance with "
            f"{name}.index = pandas.to_datetime({name}.index)."
        )


def _of(name: str) -> str:
    """Return where the index is of what messages call `name`, such as a column of frame."""
    return f"{name.split()[-1]}.index"


def _check_order(index: Index, name: str) -> None:
    """Refuse timestamps that are missing, occur twice or go back, and an index without any."""
    missing = np.array(index.isna())
    if index.dtype.kind == "f":
        missing |= np.isinf(index.to_numpy())
    if missing.any():
        raise ValueError(
            f"{name} must have a timestamp on every row; got {int(missing.sum())} missing or "
            f"infinite, the first at position {int(np.argmax(missing))}; drop those rows."
        )
    twice = np.asarray(index.duplicated())
    if twice.any():
        raise ValueError(
            f"{name} must have each timestamp once; got "
            f"{counted(int(twice.sum()), 'duplicated timestamp')}, the first {index[twice][0]}; "
            f"keep one row of each, or their mean: in pandas, {name}.groupby(level=0).mean()."
            f"{_clock_hint(index, twice, name)}"
        )
    if not index.is_monotonic_increasing:
        a, b = next(pair for pair in pairwise(index) if pair[1] < pair[0])
        raise ValueError(
            f"{name} must have timestamps in increasing order; got {b} after {a}; sort the rows "
            f"by timestamp."
        )
    if len(index) == 0 and _spacing(index) is not _SPACINGS[pd.RangeIndex]:
        raise ValueError(f"{name} must have at least 1 row; got 0 rows.")


def _clock_hint(index: Index, twice: BoolArray, name: str) -> str:
    """Say what to do if the times that occur twice are the hour that the clocks go back by."""
    first = index[twice][:1]
    if not (are_dates(first) and first.day_of_week[0] == 6 and 0 < first.hour[0] <= 3):
        return ""
    return (
        f" If it is the hour that clocks going back repeat, give the timestamps their time zone "
        f"instead: in pandas, {name}.index = {name}.index.tz_localize('Europe/Paris', "
        f"ambiguous='infer')."
    )
