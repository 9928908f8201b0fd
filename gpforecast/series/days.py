"""Which days the steps of an index hold.

Where a label stands in its step is decided here alone: at the start or the end of it as pandas'
`resample` labels steps of that frequency, with one exception that people mean. Weeks that are
labelled by Mondays begin there; those of other weekdays end there.

>>> first, last = spans(pd.date_range("2024-12-23", periods=1, freq="W-MON"))
>>> print(first, last)
['2024-12-23'] ['2024-12-29']
>>> print(*spans(pd.date_range("2024-12-22", periods=1, freq="W-SUN")))
['2024-12-16'] ['2024-12-22']
"""

import re
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.tseries.frequencies import to_offset
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import Index, IntArray
from gpforecast.common.warnings import quietly
from gpforecast.series.dates import is_elapsed, rule_of, with_freq
from gpforecast.series.retail import is_retail
from gpforecast.series.spacing import in_steps, periods_from

Days: TypeAlias = NDArray[np.datetime64]

DAY = np.timedelta64(1, "D")
WEEK = tuple(pd.date_range("2024-01-01", periods=7).day_name())
MONTHS = tuple(pd.date_range("2024-01-01", periods=12, freq="MS").month_name())

_MONTHLY = re.compile(r"(\d*)[CB]*(M|Q|HY|Y)([SE])(?:-[A-Z]{3})?")
_IN_MONTHS = {"M": 1, "Q": 3, "HY": 6, "Y": 12}
_OF_A_DAY = re.compile(r"[BCD]|\d*c?bh")  # a Friday does not last until Monday
_AT_THE_END = re.compile(r"\d*(?:[A-Z]*EQ?|W|LWOM)(?:-|$)")


def spans(index: Index, label: str | None = None) -> tuple[Days, Days]:
    """Return the first and the last day of each step, (n,) of datetime64[D].

    Parameters
    ----------
    index : DatetimeIndex or PeriodIndex (n,)
        Days are those of the clock on the wall. However few there are, their freq says the step. A
        step of a day or less has the day on which it begins.
    label : {"start", "end"}, optional
        Where dates stand in their steps; by default as above. Periods say it themselves, but for
        those of several, which name one of them. Steps of whole months stay such: the first of
        June, as an end, is that of May.
    """
    if not has_dates(index):
        raise TypeError(
            f"calendar needs a series on an index of dates or periods; got "
            f"{type(index).__name__}. Convert it first, for instance with series.index = "
            f"pandas.to_datetime(series.index)."
        )
    if are_periods(index):
        periods = _from_their_first(in_steps(index), label)
        with quietly():  # pandas warns of periods of business days
            # Counted in days, years have no limits.
            ends = (periods.asfreq("D", how).asi8 for how in ("START", "END"))
            begin, end = (each.astype("datetime64[D]") for each in ends)
        return begin, end
    local, rule = _with_rule(index)
    label = own_label(rule) if label is None else label
    days = _days_of(local)
    if _of_a_day(rule):
        return days, days
    if months := _MONTHLY.fullmatch(rule.freqstr):
        width, late = _months_in(months), months[3] == "E"
        begun = days.astype("datetime64[M]") + (late - (width if label == "end" else 0))
        return begun.astype(days.dtype), (begun + width).astype(days.dtype) - DAY
    with quietly():  # pandas warns that some offsets are slow
        if is_elapsed(rule):
            begins = local - rule if label == "end" else local
            first, ended = _days_of(begins), (begins + rule).to_numpy() - np.timedelta64(1, "ns")
            return first, first if pd.Timedelta(rule) <= DAY else ended.astype(days.dtype)
        if label == "end":
            return np.minimum(days, _days_of(local - rule) + DAY), days
        return days, np.maximum(days, _days_of(local + rule) - DAY)


def relabelled(index: Index, label: str | None) -> Index:
    """Return an index whose labels stand where calendars expect them; the same if they do.

    Labels of other steps become the first day or time of each.

    Raises
    ------
    ValueError
        If the steps are such that pandas has no name for those of the first days.

    Examples
    --------
    >>> sundays = pd.date_range("2024-01-07", periods=2, freq="W-SUN")
    >>> begun = relabelled(sundays, "start")
    >>> print(*begun.strftime("%d %B"), begun.freqstr)
    07 January 14 January 7D
    """
    if label is None or not has_dates(index):
        return index
    if are_periods(index):
        return _from_their_first(in_steps(index), label)
    _, rule = _with_rule(index)
    if label == own_label(rule) or _of_a_day(rule):
        return index
    if is_elapsed(rule):
        return with_freq(index - rule, rule)
    begins: BaseOffset = rule
    if months := _MONTHLY.fullmatch(rule.freqstr):
        begins = pd.offsets.MonthBegin(_months_in(months))
    elif isinstance(rule, pd.offsets.Week):
        begins = pd.offsets.Day(7 * rule.n)
    first, _ = spans(index, label)
    found = with_freq(pd.DatetimeIndex(first).as_unit(index.unit), begins)
    if found.freq is None or own_label(begins) == "end":
        raise ValueError(
            f"label={label!r} moves labels of hours, days, weeks, months, quarters and years to "
            f"the other end of their steps; these are at steps of {rule.freqstr}. Leave label out."
        )
    return found


def own_label(rule: BaseOffset) -> str:
    """Return at which end of their steps the labels of a rule stand: ``"start"`` or ``"end"``."""
    if isinstance(rule, pd.offsets.Week) and rule.weekday == 0:  # type: ignore[attr-defined]
        return "start"  # of weeks as ISO 8601 has them
    if is_retail(rule):
        return "start" if rule.calendar.weekmask[0] else "end"
    return "end" if _AT_THE_END.match(rule.freqstr) else "start"


def weeks_in_words(index: Index) -> tuple[str, ...]:
    """Return a note on where steps begin or end that dates, or the first of several periods, label.

    Examples
    --------
    >>> weeks_in_words(pd.date_range("2024-01-07", periods=3, freq="W-SUN"))
    ("each week ends on the Sunday that labels it; label='start' if it begins there",)
    """
    if are_periods(index):
        several = in_steps(index).freq.n > 1  # type: ignore[union-attr]
        note = "each step begins with the period that labels it; label='end' if that is its last"
        return (note,) if several else ()
    if not are_dates(index):
        return ()
    local, rule = _with_rule(index)
    n, odd = divmod(rule.n, 7) if isinstance(rule, pd.offsets.Day) else (rule.n, 0)
    if odd or not (isinstance(rule, pd.offsets.Day | pd.offsets.Week) or is_retail(rule)):
        return ()
    begins = own_label(rule) == "start"
    does, other, would = ("begins", "end", "ends") if begins else ("ends", "start", "begins")
    week = "retail month" if is_retail(rule) else "week"
    step = week if n == 1 else f"step of {n} {week}s"
    day = f"the {local[0].day_name()} that labels it"
    return (f"each {step} {does} on {day}; label={other!r} if it {would} there",)


def _with_rule(index: pd.DatetimeIndex) -> tuple[pd.DatetimeIndex, BaseOffset]:
    """Return dates on the clock on the wall, and the rule by which they go on."""
    local, rule = index.tz_localize(None), index.freq
    if rule is not None:
        return local, rule
    if len(index) > 2:
        # An index with a time that summer time has moved has no rule; its dates have.
        dates = local.normalize()
        found = rule_of(dates) if dates.is_unique else None
        if found is not None:
            return dates, found[0]
    step = np.median(np.diff(local.to_numpy())) if len(index) > 1 else DAY
    days = int(step / DAY)
    if days and days % 7 == 0:
        return local, pd.offsets.Week(days // 7, weekday=local[0].weekday())
    return local, pd.offsets.Day(days) if days else to_offset(pd.Timedelta(step))


def _of_a_day(rule: BaseOffset) -> bool:
    return _OF_A_DAY.fullmatch(rule.freqstr) is not None and not is_retail(rule)


def _months_in(rule: re.Match[str]) -> int:
    return int(rule[1] or 1) * _IN_MONTHS[rule[2]]


def _days_of(dates: Index) -> Days:
    return np.asarray(dates.to_numpy().astype("datetime64[D]"))


def _from_their_first(index: pd.PeriodIndex, label: str | None) -> pd.PeriodIndex:
    """Return periods of several, such as three months, that are named by the first of them."""
    n = index.freq.n if label == "end" else 1  # type: ignore[union-attr]
    return index if n == 1 else periods_from(index.asi8 - (n - 1), index.freq)


def longer_than_a_day(index: Index) -> bool:
    """Return whether any step is."""
    first, last = spans(index)
    return bool((last > first).any())


def days_of(index: Index) -> tuple[Days, IntArray]:
    """Return every day of every step, and the position of the step that it belongs to."""
    first, last = spans(index)
    lengths = (last - first).astype(np.int64) + 1
    step = np.repeat(np.arange(len(index)), lengths)
    within = np.arange(len(step)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first[step] + within * DAY, step
