"""How dates are spaced: by elapsed time, or by days and months of the clock on the wall."""

from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset, Hour, Micro, Milli, Minute, Nano, Second

from gpforecast.common.types import BoolArray, Index
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series.retail import almost_retail, retail_months
from gpforecast.series.spacing import (
    Durations,
    Periods,
    Ranges,
    Spacing,
    constant_rule,
    irregular,
    usual_step,
)

_FEWEST_WEEKS = 4  # that show which days of the week never come
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

    def filled(self, index: pd.DatetimeIndex) -> Index | None:
        span = int(index.asi8[-1]) - int(index.asi8[0])
        if span > 4 * len(index) * usual_step(np.diff(index.asi8)):
            return None  # mostly gaps by any rule; all the dates might not fit in memory
        for rule in rules_for(index):
            whole = self.regular(without_freq(dates_by(rule, index[0], index[-1])))
            if whole is not None and len(whole) <= 2 * len(index) and index.isin(whole).all():
                return whole
        return None

    def refusal(self, index: pd.DatetimeIndex, name: str) -> str:
        if len(index) < 3:
            return (
                f"{name} must have at least 3 rows, or an index with a freq, to detect the step of "
                f"its dates; got {counted(len(index), 'row')} and no freq. If it is daily, say, "
                f"use {name}.asfreq('D') of pandas."
            )
        rule = next(rules_for(index), None)
        if rule is None:
            hours = "round('h')"
            if index.tz is not None:  # in which pandas does not round an hour that comes twice
                hours = f"tz_convert('UTC').{hours}.tz_convert('{index.tz}')"
            return (
                f"{name} must have timestamps at a regular step, and at most half of the steps are "
                f"alike. Bring it to one step first: in pandas, {name}.resample('D').mean() for "
                f"days, or {name}.index.{hours} for times that are a little late."
            )
        if almost_retail(index):
            return (
                f"{name} has steps of 4 and 5 weeks, as in a retail calendar, but not 4, 4 and 5 "
                f"in turn over two quarters, with a week more only in every fifth or sixth year. "
                f"Pass more of it, or count its months: in pandas, {name}.reset_index(drop=True)."
            )
        # The name of days on which a shop is open does not say which they are.
        usual = "D" if rule.freqstr == "C" else rule.freqstr
        call = f"asfreq({usual!r}) or {name}.resample({usual!r}).mean()"
        if type(rule) is pd.DateOffset:  # a day of the month for which pandas has no name
            call = f"resample('{rule.kwds['months']}MS').mean()"
        return irregular(index, ~_follows(index, rule), name, call)

    def after(self, index: pd.DatetimeIndex, n: int) -> pd.DatetimeIndex:
        # A clock change may have moved the last date: count from one that it has not moved.
        rule, anchor = _rule(index, len(index) - 1)
        ahead = len(index) - anchor
        later = dates_by(rule, index[anchor], periods=ahead + n)[ahead:]
        return with_freq(later.rename(index.name), rule)

    def before(self, index: pd.DatetimeIndex, n: int) -> pd.DatetimeIndex:
        rule, anchor = _rule(index, 0)
        return dates_by(rule, stop=index[anchor], periods=anchor + n + 1)[:n]

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
        first = index[anchor]
        if is_elapsed(rule):
            apart: float = (late - first) / pd.Timedelta(rule)
            return anchor + round(apart)
        # Days and months are counted in local time.
        early, later = sorted(date.tz_localize(None) for date in (first, late))
        steps = len(pd.date_range(early, later, freq=rule)) - 1
        return anchor + (steps if first <= late else -steps)


_SPACINGS: dict[type[Index], Spacing[Any]] = {
    pd.DatetimeIndex: Dates(),
    pd.PeriodIndex: Periods(),
    pd.TimedeltaIndex: Durations(),
    pd.RangeIndex: Ranges(),
}
_NUMBERS = Spacing[Index]()


def spacing_of(index: Index) -> Spacing[Any]:
    """Return how labels of the type of an index are spaced."""
    return _SPACINGS.get(type(index), _NUMBERS)


def _rule(index: pd.DatetimeIndex, anchor: int) -> tuple[BaseOffset, int]:
    """Return the rule of regular dates and the position of a date that no clock change moved."""
    if index.freq is not None:
        return index.freq, anchor
    return rule_of(index) or (constant_rule(index[1] - index[0], index.tz), 0)


def is_elapsed(rule: BaseOffset | None) -> TypeGuard[pd.offsets.Tick]:
    """Whether steps of a rule are elapsed time: hours and shorter, not days of a calendar."""
    return isinstance(rule, Hour | Minute | Second | Milli | Micro | Nano)


def without_freq(dates: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return a copy: in pandas 2 setting freq on a plain .copy() changes the original too."""
    return pd.DatetimeIndex(dates, freq=None)  # type: ignore[arg-type]


@quietly()  # pandas changes the filters of warnings here
def with_freq(dates: pd.DatetimeIndex, rule: BaseOffset) -> pd.DatetimeIndex:
    """Return dates that a rule made with their freq, unless a clock change has moved one."""
    wall = without_freq(dates.tz_localize(None))
    if not is_elapsed(rule) and not wall.equals(dates_by(rule, wall[0], periods=len(wall))):
        return dates  # pandas does not check a frequency that it has inferred itself
    try:
        return pd.DatetimeIndex(dates, freq=rule)
    except Exception:  # where the rule meets a clock change, pandas 2 raises errors of pytz
        return dates


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
    if periods == 1:  # for which pandas 2 needs a rule that can be multiplied by 0
        return pd.DatetimeIndex(ends).as_unit(unit)
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

    Their freq, pandas' guess, and those that at least half of the steps follow, most first: what
    pandas guesses of a part of them, the usual step, days of the week and days of the month.
    """
    if dates.freq is not None:
        yield dates.freq
    n = len(dates)
    if n < 3:
        return
    bare = without_freq(dates)
    if (guess := _guessed_rule(bare)) is not None:
        yield guess
    wall = without_freq(bare.tz_localize(None))
    rules = _rules_of_parts(wall)
    if (wall.day_of_week < 5).all():
        rules.append(pd.offsets.BDay())
    if not (comes := days_that_come(wall)).all():
        rules.append(pd.offsets.CustomBusinessDay(weekmask="".join(map(str, comes.astype(int)))))
    rules += [*_rules_of_months(wall), *retail_months(wall), *_rules_of_parts(bare)]
    distinct = list(dict.fromkeys(rules))
    # Steps of the wall clock, as a clock change may have moved one of the times.
    follow = {rule: int(_follows(wall, rule).sum()) for rule in distinct}
    for rule in sorted(distinct, key=lambda rule: -follow[rule]):
        if 2 * follow[rule] >= n - 1:
            yield rule


def _rules_of_parts(dates: pd.DatetimeIndex) -> list[BaseOffset]:
    """Return the rules of some stretches of dates, and the step that most dates have."""
    starts = [
        (k, w) for w in (12, 4) for k in np.linspace(0, max(len(dates) - w, 0), 8).astype(int)
    ]
    found = (_guessed_rule(dates[start : start + width]) for start, width in starts)
    usual = pd.Timedelta(usual_step(np.diff(dates.asi8)), unit=dates.unit)
    return [*(rule for rule in found if rule is not None), constant_rule(usual, dates.tz)]


@quietly()  # pandas changes the filters of warnings here
def _rules_of_months(dates: pd.DatetimeIndex) -> list[BaseOffset]:
    """Return the first, the last or another day of every so many months."""
    months = np.diff(np.asarray(dates.year * 12 + dates.month))
    stride = int(np.gcd.reduce(months))
    if not stride or (months <= 0).any():
        return []
    if len(set(dates.day_of_week)) == 1 and (dates.day > dates.days_in_month - 7).all():
        day: Any = dates.day_of_week[0]
        return [pd.offsets.LastWeekOfMonth(stride, weekday=day)]
    if (dates.day == 1).all():
        return [pd.offsets.MonthBegin(stride)]
    ends = dates.is_month_end.all()
    return [pd.offsets.MonthEnd(stride) if ends else pd.DateOffset(months=stride)]


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
    enough = weeks >= _FEWEST_WEEKS and comes.sum() > 1
    return comes if enough and often[comes].min() >= _OPEN * np.floor(weeks) else every


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
