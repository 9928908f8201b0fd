"""How dates are spaced: by elapsed time, or by days and months of the clock on the wall."""

from collections.abc import Iterator
from typing import TypeGuard

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset, Hour, Micro, Milli, Minute, Nano, Second

from gpforecast.common.types import BoolArray, Index, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series.spacing import Spacing, constant_rule, irregular, one_step, usual_step

_FEWEST_WEEKS = 4  # that show which days of the week never come
_PLAIN_STEPS = (
    "1s", "5s", "10s", "30s", "1min", "5min", "10min", "15min", "30min", "1h", "2h", "3h", "6h",
    "12h", "1D", "7D",
)  # fmt: skip
_OPEN = 0.8  # of the weeks, at least, have a day that comes


class Dates(Spacing[pd.DatetimeIndex]):
    """Dates at a constant step, or by a rule of the calendar."""

    dtype_kinds = "M"

    def regular(self, index: pd.DatetimeIndex) -> pd.DatetimeIndex | None:
        if index.freq is not None and index.tz is None:
            return index  # pandas itself keeps this freq correct
        # tz_convert in pandas 2 keeps "D" though the days are those of another zone: detect again.
        found = rule_of(index)
        return None if found is None else with_freq(without_freq(index), found[0])

    def with_gaps(self, index: pd.DatetimeIndex) -> Iterator[Index]:
        span = int(index.asi8[-1]) - int(index.asi8[0])
        if span > 4 * len(index) * usual_step(np.diff(index.asi8)):
            return  # mostly gaps by any rule; all the dates might not fit in memory
        for rule in rules_for(index):
            whole = self.regular(without_freq(dates_by(rule, index[0], index[-1])))
            if whole is not None:
                yield whole

    def refusal(self, index: pd.DatetimeIndex, name: str, *, fill: bool = False) -> str:
        if len(index) < 3:
            return (
                f"{name} must have at least 3 rows, or an index with a freq, to detect the step of "
                f"its dates; got {counted(len(index), 'row')} and no freq. If it is daily, say, "
                f"use {name}.asfreq('D') of pandas."
            )
        rule, follows = _named_rule(without_freq(index))
        near = _near(index)
        if 2 * follows.sum() < len(follows):
            steps = index[1:] - index[:-1]
            other = int(np.argmax(steps != steps[0]))
            return (
                f"{name} must have timestamps at a regular step; got a step of {steps[0]} from "
                f"{index[0]} on, one of {steps[other]} from {index[other]} on, and no step that "
                f"most rows share. Bring it to one first: in pandas, {name}.resample({near!r})"
                f".mean(), or {name}.index.round({near!r}) of times that are a little late."
            )
        # The name of days on which a shop is open does not say which they are.
        named = not isinstance(rule, pd.offsets.CustomBusinessDay)
        usual = repr(rule.freqstr if named else "D")
        both = one_step(name, f"asfreq({usual}) or {name}.resample({usual}).mean()")
        remedy = f"{self.too_sparse(index) if fill else ''}{both}"
        return irregular(index, ~follows, usual, remedy, name)

    def numbers(self, index: pd.DatetimeIndex) -> IntArray:
        return index.asi8

    def after(self, index: pd.DatetimeIndex, n: int) -> pd.DatetimeIndex:
        # A clock change may have moved the last date: count from one that it has not moved.
        rule, anchor = _rule(index, len(index) - 1)
        ahead = len(index) - anchor
        later = dates_by(rule, index[anchor], periods=ahead + n)[ahead:]
        return with_freq(later.rename(index.name), rule)

    def joined(self, index: pd.DatetimeIndex, later: Index) -> Index:
        both = pd.DatetimeIndex(without_freq(index).append(later))
        return both if index.freq is None else with_freq(both, index.freq)

    def steps(self, index: pd.DatetimeIndex, other: Index) -> int | None:
        first, late = index[0], other[0]
        if (first.tz is None) != (late.tz is None):
            return None
        if first == late:
            return 0
        rule, anchor = _rule(index, 0)
        return anchor + steps_apart(rule, index[anchor], late)


def _near(index: pd.DatetimeIndex) -> str:
    """Return a plain step that is near the usual one, as pandas takes it."""
    usual = pd.Series(index[1:] - index[:-1]).median()
    times = np.array([pd.Timedelta(step) / usual for step in _PLAIN_STEPS])
    return _PLAIN_STEPS[int(np.argmin(np.abs(np.log(times))))]


def _rule(index: pd.DatetimeIndex, anchor: int) -> tuple[BaseOffset, int]:
    """Return the rule of regular dates and the position of a date that no clock change moved."""
    if index.freq is not None:
        return index.freq, anchor
    return rule_of(index) or (constant_rule(index[1] - index[0], index.tz), 0)


def is_elapsed(rule: BaseOffset) -> TypeGuard[pd.offsets.Tick]:
    """Whether steps of a rule are elapsed time: hours and shorter, not days of a calendar."""
    return isinstance(rule, Hour | Minute | Second | Milli | Micro | Nano)


def without_freq(dates: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return a copy: in pandas 2 setting freq on a plain .copy() reaches the original too."""
    return pd.DatetimeIndex(dates, freq=None)  # type: ignore[arg-type]


@quietly()  # pandas changes the filters of warnings here
def with_freq(dates: pd.DatetimeIndex, rule: BaseOffset) -> pd.DatetimeIndex:
    """Return dates that a rule made with their freq, unless a clock change has moved one."""
    wall = without_freq(dates.tz_localize(None))
    if not is_elapsed(rule) and not wall.equals(dates_by(rule, wall[0], periods=len(wall))):
        return dates  # pandas does not check a frequency that it has inferred itself
    try:
        return pd.DatetimeIndex(dates, freq=rule)
    except Exception as error:
        # Where the rule meets a clock change pandas 2 raises pytz's errors: no ValueErrors.
        if isinstance(error, ValueError) or "pytz" in type(error).__module__:
            return dates
        raise


def dates_by(
    rule: BaseOffset,
    start: pd.Timestamp | None = None,
    stop: pd.Timestamp | None = None,
    periods: int | None = None,
) -> pd.DatetimeIndex:
    """Return the dates that a rule makes, given two of their start, their end and their number.

    In a time zone, days and months are those of the clock on the wall: a time that is skipped when
    summer time begins moves forward to the first that exists; of one that occurs twice, the first
    is taken. These have no freq yet; see `with_freq`.
    """
    ends = [end for end in (start, stop) if end is not None]
    zone, unit = ends[0].tz, ends[0].unit
    by_wall = zone is not None and not is_elapsed(rule)
    if by_wall:
        start, stop = (end if end is None else end.tz_localize(None) for end in (start, stop))
    dates: pd.DatetimeIndex
    dates = pd.date_range(start, stop, periods, freq=rule, unit=unit)  # type: ignore[call-overload]
    if not by_wall:
        return dates
    earlier = np.ones(len(dates), dtype=bool)
    return without_freq(dates.tz_localize(zone, ambiguous=earlier, nonexistent="shift_forward"))


def rule_of(dates: pd.DatetimeIndex) -> tuple[BaseOffset, int] | None:
    """Return the rule that makes exactly these dates, but for those that a time zone skips.

    Returns
    -------
    rule : offset
    anchor : int
        The place of a date that no clock change has moved, to count the others from.

    None if there is no such rule.

    Examples
    --------
    >>> start = pd.Timestamp("2024-03-29 02:30", tz="Europe/Berlin")
    >>> rule_of(dates_by(pd.offsets.Day(), start, periods=6))
    (<Day>, 0)
    """
    for rule in rules_for(dates):
        by_wall = dates.tz is not None and not is_elapsed(rule)
        anchor = int(np.argmax([*_follows(dates, rule), True])) if by_wall else 0
        before = dates_by(rule, stop=dates[anchor], periods=anchor + 1)[:-1]
        after = dates_by(rule, dates[anchor], periods=len(dates) - anchor)
        if before.append(after).equals(dates):
            return rule, anchor
    return None


def rules_for(dates: pd.DatetimeIndex) -> Iterator[BaseOffset]:
    """Yield rules that dates may follow, all of them or but for some that are missing.

    Their own freq, pandas' guess, the rule that most steps follow on the wall clock of their time
    zone, the one that most follow of all, and a day of the month.
    """
    if dates.freq is not None:
        yield dates.freq
    if len(dates) < 3:
        return
    bare = without_freq(dates)
    guess = _guessed_rule(bare)
    if guess is not None:
        yield guess
    wall = without_freq(bare.tz_localize(None))
    if bare.tz is not None:
        yield usual_rule(wall)[0]
    rule, follows = usual_rule(bare)
    if 2 * follows.sum() >= len(follows):
        yield rule
    stride = _months_between(wall)
    if stride:
        ends = wall.is_month_end.all()
        yield pd.offsets.MonthEnd(stride) if ends else pd.DateOffset(months=stride)


@quietly()  # pandas changes the filters of warnings here
def _months_between(dates: pd.DatetimeIndex) -> int:
    """Return of how many months steps are, most of them just so many; 0 if of no such number."""
    months = np.diff(np.asarray(dates.year * 12 + dates.month))
    stride = int(np.gcd.reduce(months))
    return stride if 2 * (months == stride).sum() >= len(months) and (months > 0).all() else 0


def _named_rule(dates: pd.DatetimeIndex) -> tuple[BaseOffset, BoolArray]:
    """Return the rule that most steps follow, as pandas takes it, and which do."""
    rule, follows = usual_rule(dates)
    stride = _months_between(dates)
    begin: type[BaseOffset] = pd.offsets.MonthBegin
    end: type[BaseOffset] = pd.offsets.MonthEnd
    if stride == 12 and (dates[0].is_year_start or dates[0].is_year_end):
        stride, begin, end = 1, pd.offsets.YearBegin, pd.offsets.YearEnd
    if not stride or not ((dates.day == 1).all() or dates.is_month_end.all()):
        return rule, follows
    calendar = (begin if dates[0].day == 1 else end)(stride)
    by_calendar = _follows(dates, calendar)
    return (calendar, by_calendar) if by_calendar.sum() >= follows.sum() else (rule, follows)


@quietly()  # pandas changes the filters of warnings here
def usual_rule(dates: pd.DatetimeIndex) -> tuple[BaseOffset, BoolArray]:
    """Return the rule that most steps follow, and which do: (n - 1,) of bool."""
    n = len(dates)
    rules: list[BaseOffset] = []
    for width in (12, 4):
        for start in np.linspace(0, max(n - width, 0), 8).astype(int):
            rule = _guessed_rule(dates[start : start + width])
            if rule is not None and rule not in rules:
                rules.append(rule)
    usual = pd.Timedelta(usual_step(np.diff(dates.asi8)), unit=dates.unit)
    rules.append(constant_rule(usual, dates.tz))
    if (dates.day_of_week < 5).all():
        rules.append(pd.offsets.BDay())
    if not (comes := days_that_come(dates)).all():
        rules.append(pd.offsets.CustomBusinessDay(weekmask="".join(map(str, comes.astype(int)))))
    kept = [_follows(dates, rule) for rule in rules]
    best = int(np.argmax([k.sum() for k in kept]))
    return rules[best], kept[best]


def days_that_come(dates: pd.DatetimeIndex) -> BoolArray:
    """Return which days of the week, from Monday on, there are, where others never come, (7,).

    All of them in fewer than four weeks, or if a day that comes is missing in more than one week of
    five.

    Examples
    --------
    >>> days = pd.date_range("2024-01-01", periods=60)
    >>> days_that_come(days[days.day_of_week != 6]).astype(int).tolist()
    [1, 1, 1, 1, 1, 1, 0]
    """
    every = np.ones(7, dtype=bool)
    if not len(dates) or dates.tz_localize(None).normalize().has_duplicates:
        return every
    weeks = (dates[-1] - dates[0]) / pd.Timedelta(7, unit="D")
    often = np.bincount(dates.day_of_week, minlength=7)
    comes = often > 0
    if weeks < _FEWEST_WEEKS or comes.sum() < 2:
        return every
    return every if often[comes].min() < _OPEN * np.floor(weeks) else comes


def steps_apart(rule: BaseOffset, first: pd.Timestamp, other: pd.Timestamp) -> int:
    """Return how many steps of a rule lead from one date to another, negative if it is earlier."""
    if is_elapsed(rule):
        return round((other - first) / pd.Timedelta(rule))
    # Days and months are counted in local time.
    early, late = sorted(date.tz_localize(None) for date in (first, other))
    steps = len(pd.date_range(early, late, freq=rule)) - 1
    return steps if first <= other else -steps


@quietly()  # pandas changes the filters of warnings here
def _guessed_rule(dates: pd.DatetimeIndex) -> BaseOffset | None:
    """Return pandas' inferred offset or None; infer_freq warns of changing type in pandas 3."""
    return pd.DatetimeIndex(dates, freq="infer").freq


def _follows(dates: pd.DatetimeIndex, rule: BaseOffset) -> BoolArray:  # (n - 1,)
    """Whether each date after the first is one step of a rule from the one before."""
    if is_elapsed(rule):
        return np.asarray(dates[1:] - dates[:-1] == pd.Timedelta(rule))
    wall = dates.tz_localize(None)
    with quietly():  # some offsets, such as nth weekdays, are slow
        return np.asarray(wall[:-1] + rule == wall[1:])
