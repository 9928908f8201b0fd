"""Rules by which dates go on: elapsed time, or days and months of the clock on the wall."""

import warnings
from collections.abc import Iterator
from datetime import tzinfo
from typing import TypeGuard

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.types import BoolArray, IntArray

DAY = pd.Timedelta(1, unit="D")


def is_elapsed(rule: BaseOffset) -> TypeGuard[pd.offsets.Tick]:
    """Whether steps of a rule are elapsed time: hours and shorter, not days of a calendar."""
    return isinstance(rule, pd.offsets.Tick) and not isinstance(rule, pd.offsets.Day)


def constant_rule(step: pd.Timedelta, zone: tzinfo | None = None) -> BaseOffset:
    """Return a constant step as a rule of elapsed time.

    A day is 24 hours, but in a time zone Day() is a day of the wall clock, which may be 23 or 25.
    """
    days, rest = divmod(step, DAY)
    if rest or not days:
        return to_offset(step)
    return pd.offsets.Day(days) if zone is None else pd.offsets.Hour(24 * days)


def duration(rule: BaseOffset) -> pd.Timedelta:
    """Return how long a step of a constant rule takes."""
    return pd.Timedelta(rule)  # type: ignore[arg-type]


def without_freq(dates: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return a copy: in pandas 2 setting freq on a plain .copy() reaches the original too."""
    return pd.DatetimeIndex(dates, freq=None)  # type: ignore[arg-type]


def with_freq(dates: pd.DatetimeIndex, rule: BaseOffset) -> pd.DatetimeIndex | None:
    """Return dates with this freq, or None if they do not follow it."""
    try:
        regular = pd.DatetimeIndex(dates, freq=rule)
    except Exception as error:
        # Where the rule meets a clock change pandas 2 raises pytz's errors: no ValueErrors.
        if isinstance(error, ValueError) or "pytz" in type(error).__module__:
            return None
        raise
    # pandas takes its own guess on trust, but guesses nth weekdays where months are missing.
    if len(dates) == 0 or is_elapsed(rule):
        return regular
    wall = without_freq(dates.tz_localize(None))
    return regular if wall.equals(dates_by(rule, wall[0], periods=len(wall))) else None


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


def regular_dates(dates: pd.DatetimeIndex) -> pd.DatetimeIndex | None:
    """Return dates with the freq they follow, or None if there is none.

    Tried are their own freq, pandas' guess, a constant step, a day of the month, and at last a rule
    of the wall clock of their time zone, but for dates that a clock change has moved. No freq says
    that of them, so there is none.
    """
    if dates.freq is not None and dates.tz is None:
        return dates  # pandas keeps this one true
    # tz_convert in pandas 2 leaves "D" on dates that are days of another clock: look again.
    bare = without_freq(dates)
    for rule in _exact_rules(bare, dates.freq):
        regular = with_freq(bare, rule)
        if regular is not None:
            # 24 hours to a midnight that moved may be a day of the wall clock that has yet to end.
            if dates.freq is None and is_elapsed(rule) and pd.Timedelta(rule) >= DAY:
                return regular if wall_rule(bare) is None else bare
            return regular
    return None if wall_rule(bare) is None else bare


def wall_rule(dates: pd.DatetimeIndex) -> tuple[BaseOffset, int] | None:
    """Return the rule that dates follow on the wall clock, but for those that a zone skips.

    Parameters
    ----------
    dates : DatetimeIndex

    Returns
    -------
    rule : offset
    anchor : int
        The place of a date that has not moved, to count the others from.

    None if there is no time zone, or no such rule.

    Examples
    --------
    >>> start = pd.Timestamp("2024-03-29 02:30", tz="Europe/Berlin")
    >>> wall_rule(dates_by(pd.offsets.Day(), start, periods=6))
    (<Day>, 0)
    """
    if dates.tz is None or len(dates) < 4:
        return None
    wall = without_freq(dates.tz_localize(None))
    stride = _months_apart(wall)
    months = [] if stride is None else [pd.DateOffset(months=stride)]
    for rule in (usual_rule(wall)[0], *months):
        follows = _follows(wall, rule)
        if is_elapsed(rule) or not follows.any():
            continue
        anchor = int(np.argmax(follows))
        before = dates_by(rule, stop=dates[anchor], periods=anchor + 1)
        after = dates_by(rule, dates[anchor], periods=len(dates) - anchor)
        if before[:-1].append(after).equals(without_freq(dates)):
            return rule, anchor
    return None


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
    kept = [_follows(dates, rule) for rule in rules]
    best = int(np.argmax([k.sum() for k in kept]))
    return rules[best], kept[best]


def rules_with_gaps(dates: pd.DatetimeIndex) -> Iterator[BaseOffset]:
    """Yield rules that dates may follow but for some that are missing."""
    rule, follows = usual_rule(dates)
    if 2 * follows.sum() >= len(follows):
        yield rule
    guess = _guessed_rule(dates)
    if guess is not None:
        yield guess
    wall = without_freq(dates.tz_localize(None))
    if dates.tz is not None:
        yield usual_rule(wall)[0]
    months = np.diff(np.asarray(wall.year * 12 + wall.month))
    stride = int(np.gcd.reduce(months))
    if 2 * (months == stride).sum() >= len(months) and (months > 0).all():
        ends = wall.is_month_end.all()
        yield pd.offsets.MonthEnd(stride) if ends else pd.DateOffset(months=stride)


def steps_apart(rule: BaseOffset, first: pd.Timestamp, other: pd.Timestamp) -> int:
    """Return how many steps of a rule lead from one date to another, negative if it is earlier."""
    if is_elapsed(rule):
        return round((other - first) / pd.Timedelta(rule))
    # Days and months are counted on the clock on the wall.
    early, late = sorted(date.tz_localize(None) for date in (first, other))
    steps = len(pd.date_range(early, late, freq=rule)) - 1
    return steps if first <= other else -steps


def usual_step(steps: IntArray) -> int:
    """Return the step that at least half of all have, the smaller of two; any if there is none."""
    usual: int = np.sort(steps)[(len(steps) - 1) // 2].item()
    return usual


def _exact_rules(dates: pd.DatetimeIndex, given: BaseOffset | None) -> Iterator[BaseOffset]:
    if given is not None:
        yield given
    if len(dates) < 3:
        return
    guess = _guessed_rule(dates)
    if guess is not None:
        yield guess
    if dates[1] - dates[0] == dates[-1] - dates[-2]:
        yield constant_rule(dates[1] - dates[0], dates.tz)
    stride = _months_apart(dates)
    if stride is not None and (dates.day == dates[0].day).all():
        yield pd.DateOffset(months=stride)


def _months_apart(dates: pd.DatetimeIndex) -> int | None:
    """Return by how many months each date follows the one before; None if that differs."""
    months = np.diff(np.asarray(dates.year * 12 + dates.month))
    stride = int(months[0])
    return stride if stride > 0 and (months == stride).all() else None


def _guessed_rule(dates: pd.DatetimeIndex) -> BaseOffset | None:
    """Return pandas' inferred offset or None; infer_freq warns of changing type in pandas 3."""
    return pd.DatetimeIndex(dates, freq="infer").freq


def _follows(dates: pd.DatetimeIndex, rule: BaseOffset) -> BoolArray:  # (n - 1,)
    """Whether each date after the first is one step of a rule from the one before."""
    if is_elapsed(rule):
        return np.asarray(dates[1:] - dates[:-1] == pd.Timedelta(rule))
    wall = dates.tz_localize(None)
    with warnings.catch_warnings():  # pandas adds some offsets, such as nth weekdays, in a loop
        warnings.simplefilter("ignore", pd.errors.PerformanceWarning)
        return np.asarray(wall[:-1] + rule == wall[1:])
