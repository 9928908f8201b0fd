"""How numbers, durations and periods are spaced: whether regularly, and how they go on.

One class for each kind of index; dates have theirs in `gpforecast.series.dates`. Each answers for
increasing indexes without missing labels.
"""

from collections.abc import Hashable
from contextlib import suppress
from datetime import tzinfo
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.kinds import are_periods
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.series.labels import counts_from_zero

I_ = TypeVar("I_", bound=Index)


class Spacing(Generic[I_]):
    """Labels that stand for numbers at a constant step; here whole numbers, or floats to 1e-6."""

    dtype_kinds: ClassVar[str] = "iuf"
    """Kinds of dtype to which steps can be counted."""

    call: ClassVar[str] = "reindex(numpy.arange(start, stop, step))"
    """What makes an index regular, in messages."""

    def regular(self, index: I_) -> Index | None:
        """Return an index with its freq attached, or None if it is not regular."""
        return index if len(index) > 1 and not self.odd_steps(index).any() else None

    def filled(self, index: I_) -> Index | None:
        """Return a regular index that holds all labels and at most as many others; else None."""
        numbers, usual = self.numbers(index), self.usual(index)
        places = np.rint((numbers - numbers[0]) / usual)
        if places[-1] >= 2 * len(numbers):
            return None
        places = places.astype(np.int64)
        off = np.abs(numbers - numbers[0] - places * usual)
        half = 2 * (np.diff(places) == 1).sum() >= len(places) - 1
        if not half or (off > 1e-6 * usual * np.maximum(places, 1)).any():
            return None
        step = (numbers[-1] - numbers[0]) / places[-1] if numbers.dtype.kind == "f" else usual
        grid = (numbers[0] + step * np.arange(places[-1] + 1)).astype(numbers.dtype)
        grid[places] = numbers
        return self.labels(grid, index)

    def refusal(self, index: I_, name: str) -> str:
        """Say why an index is not regular, and what to do."""
        if len(index) < 2:
            return f"{name} must have at least 2 rows to detect its step; got {len(index)}."
        return irregular(index, self.odd_steps(index), name, self.call)

    def after(self, index: I_, n: int) -> Index:
        """Return the n labels that follow those of a regular index."""
        numbers = self.numbers(index)
        with np.errstate(over="ignore"):
            later = numbers[-1] + self.step(index) * np.arange(n + 1)
        if not (later[1:] > later[:-1]).all():  # whole numbers begin again
            raise OverflowError
        return self.labels(later[1:], index)

    def before(self, index: I_, n: int) -> Index:
        """Return the n labels before those of a regular index."""
        numbers = self.numbers(index)
        return self.labels((numbers[0] - self.step(index) * np.arange(n, 0, -1)), index)

    def joined(self, index: I_, later: Index) -> Index:
        """Return a regular index and what follows it as one, its freq kept."""
        return index.append(later)

    def steps(self, index: I_, other: Index) -> int | None:
        """Count the steps from the first label of a regular index to another's, if one can.

        Rows counted from 0 are labels only together with other counted rows, not with years.
        """
        if counts_from_zero(other):
            return None
        return round((float(other[0]) - float(index[0])) / self.step(index))

    def numbers(self, index: I_) -> FloatArray | IntArray:
        """Return the labels as numbers."""
        values = index.to_numpy()
        return values.astype(np.int64) if index.dtype.kind in "ium" else values.astype(np.float64)

    def labels(self, numbers: FloatArray | IntArray, like: I_) -> Index:
        """Return numbers as labels like those of an index."""
        with suppress(ValueError, OverflowError):  # a small type has no room for what follows
            labels: Index = pd.Index(numbers, dtype=like.dtype, name=like.name)
            return labels
        return pd.Index(numbers, name=like.name)

    def usual(self, index: I_) -> float:
        """Return the step that most labels have, as a number."""
        return usual_step(np.diff(self.numbers(index)))

    def step(self, index: I_) -> float:
        """Return the step of a regular index, as a number."""
        numbers = self.numbers(index)
        if numbers.dtype.kind == "i":
            return self.usual(index)
        return float(numbers[-1] - numbers[0]) / (len(numbers) - 1)

    def odd_steps(self, index: I_) -> BoolArray:  # (n - 1,)
        """Whether each step is another than the usual one."""
        numbers, usual, slack = self.numbers(index), self.usual(index), 0.0
        if numbers.dtype.kind == "f":
            given = index.to_numpy().dtype
            rounding = np.finfo(given if given.kind == "f" else np.float64).eps
            # Large labels are rounded, so their differences vary: that is not irregular.
            slack = max(1e-6 * usual, 4.0 * float(rounding * np.abs(numbers).max()))
        return np.asarray(np.abs(np.diff(numbers) - usual) > slack)


class Ranges(Spacing[pd.RangeIndex]):
    """Whole numbers of a range, which has a step however short it is."""

    def regular(self, index: pd.RangeIndex) -> pd.RangeIndex:
        return index

    def after(self, index: pd.RangeIndex, n: int) -> pd.RangeIndex:
        end = index.start + index.step * len(index)
        return pd.RangeIndex(end, end + index.step * n, index.step, name=index.name)

    def steps(self, index: pd.RangeIndex, other: Index) -> int:
        return round((float(other[0]) - index.start) / index.step)


class Durations(Spacing[pd.TimedeltaIndex]):
    """Times since some beginning."""

    dtype_kinds = "m"
    call = "reindex(pandas.timedelta_range(first, last, freq=step))"

    def regular(self, index: pd.TimedeltaIndex) -> Index | None:
        even = index.freq is not None or super().regular(index) is not None
        return pd.TimedeltaIndex(index, freq=self._freq(index)) if even else None

    def steps(self, index: pd.TimedeltaIndex, other: Index) -> int:
        steps: float = (other[0] - index[0]) / pd.Timedelta(self._freq(index))
        return round(steps)

    def labels(self, numbers: FloatArray | IntArray, like: pd.TimedeltaIndex) -> Index:
        times = numbers.view(like.to_numpy().dtype)
        return pd.TimedeltaIndex(times, freq=self._freq(like)).rename(like.name)

    def step(self, index: pd.TimedeltaIndex) -> int:
        return pd.Timedelta(self._freq(index)) // pd.Timedelta(1, unit=index.unit)

    def _freq(self, index: pd.TimedeltaIndex) -> pd.offsets.Tick:
        if index.freq is not None:
            return index.freq  # type: ignore[return-value]
        usual = pd.Timedelta(self.usual(index), unit=index.unit)
        return constant_rule(usual)  # type: ignore[return-value]


class Periods(Spacing[pd.PeriodIndex]):
    """Consecutive periods, or every so many of them."""

    dtype_kinds = "O"
    call = "reindex(pandas.period_range(first, last))"

    def regular(self, index: pd.PeriodIndex) -> pd.PeriodIndex | None:
        return None if self.odd_steps(index).any() else index

    def steps(self, index: pd.PeriodIndex, other: Index) -> int | None:
        if other.dtype != index.dtype:
            return None
        return int(other[0].ordinal - index.asi8[0]) // self.step(index)

    def numbers(self, index: pd.PeriodIndex) -> IntArray:
        return index.asi8

    def labels(self, numbers: FloatArray | IntArray, like: pd.PeriodIndex) -> Index:
        return periods_from(numbers, like.freq, like.name)

    def usual(self, index: pd.PeriodIndex) -> int:
        shortest: int = index.freq.n  # type: ignore[union-attr]
        return max(int(super().usual(index)), shortest) if len(index) > 1 else shortest

    step = usual


def periods_from(
    ordinals: FloatArray | IntArray, freq: BaseOffset | str | None, name: Hashable = None
) -> pd.PeriodIndex:
    """Return periods by their numbers, counted as pandas does."""
    made = pd.PeriodIndex.from_ordinals(ordinals, freq=freq, name=name)  # type: ignore[attr-defined]
    return cast("pd.PeriodIndex", made)


def in_steps(index: I_, step: BaseOffset | None = None) -> I_:
    """Return regular periods that last until the next begins; any other index as it is.

    Parameters
    ----------
    index : Index
    step : offset, optional
        From one label to the next, which a single label does not tell.

    Examples
    --------
    >>> quarters = pd.period_range("2024-03", periods=12, freq="M")[::3]
    >>> in_steps(quarters).freqstr, str(in_steps(quarters)[0].end_time.date())
    ('3M', '2024-05-31')
    """
    if not are_periods(index):
        return index
    one: Any = index.freq
    rule = one * (Periods().step(index) // one.n) if step is None else step
    periods = periods_from(index.asi8, rule, index.name)
    return index if rule == index.freq else cast("I_", periods)


def irregular(index: Index, odd: BoolArray, name: str, call: str) -> str:
    """Say where an index is not regular, and what to do."""
    i, n = int(np.argmax(odd)), int(odd.sum())
    return (
        f"{name} must have timestamps at a regular step; got {counted(n, 'step')} unlike most, the "
        f"first between {index[i]} and {index[i + 1]}. Gaps can be filled in where at least half "
        f"of all timestamps are there. Otherwise bring it to one step first: in pandas, "
        f"{name}.{call}."
    )


def constant_rule(step: pd.Timedelta, zone: tzinfo | None = None) -> BaseOffset:
    """Return a constant step as a rule of elapsed time.

    A day is 24 hours, but in a time zone Day() is a day of the wall clock, which may be 23 or 25.
    """
    days, rest = divmod(step, pd.Timedelta(1, unit="D"))
    if rest or not days:
        return to_offset(step)
    return pd.offsets.Day(days) if zone is None else pd.offsets.Hour(24 * days)


def usual_step(steps: IntArray | FloatArray) -> float:
    """Return the step that occurs most often, the smallest of several; of floats, the median."""
    if steps.dtype.kind == "f":
        return float(np.sort(steps)[len(steps) // 2])
    values, counts = np.unique(steps, return_counts=True)
    return int(values[np.argmax(counts)])
