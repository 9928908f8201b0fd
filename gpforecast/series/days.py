"""Which days the steps of an index hold, and what is counted over them."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.kinds import are_periods, has_dates
from gpforecast.common.types import FloatArray, Index, IntArray
from gpforecast.series.spacing import in_steps

Days: TypeAlias = NDArray[np.datetime64]

DAY = np.timedelta64(1, "D")
MONTHS = tuple(pd.Timestamp(2024, month, 1).month_name() for month in range(1, 13))


def spans(index: Index) -> tuple[Days, Days]:
    """Return the first and the last day of each step, (n,) of datetime64[D]."""
    if not has_dates(index):
        raise TypeError(
            f"calendar needs a series on an index of dates or periods; got "
            f"{type(index).__name__}. Convert it first, for instance with series.index = "
            f"pandas.to_datetime(series.index)."
        )
    if are_periods(index):
        return _of_periods(in_steps(index))
    local, rule = index.tz_localize(None), index.freq
    if rule is None and len(index) > 2:
        # An index with a time that summer time has moved has no rule; its dates have.
        dates = pd.DatetimeIndex(local.normalize(), freq="infer")
        local, rule = (local, None) if dates.freq is None else (dates, dates.freq)
    first: Days = local.to_numpy().astype("datetime64[D]")
    if rule is not None:
        if not re.fullmatch(r"\d*([BC]|c?bh)", rule.freqstr):  # business days and hours
            with suppress(ValueError):  # months from the 15th, for example
                return _of_periods(local.to_period(_period(rule)))
        return first, _last_days(local, first, rule)
    if len(first) < 2:
        return first, first
    days_each = int(np.median(np.diff(local.to_numpy())) / DAY)
    last: Days = first + np.timedelta64(max(days_each - 1, 0), "D")
    return first, last


def _period(rule: BaseOffset) -> str | None:
    """Return the months, quarters or years of a rule, named as periods; None for other rules.

    Before pandas 3, `to_period` itself gives those of December for some, or none.
    """
    found = re.fullmatch("[CB]*([MQY])([SE])(?:-([A-Z]{3}))?", rule.freqstr)
    if found is None:
        return None
    letter, edge, month = found.groups()
    if month is None:
        return str(letter)
    months = [name[:3].upper() for name in MONTHS]
    last = months.index(month) - (edge == "S")
    return f"{letter}-{months[last]}"


def _last_days(local: pd.DatetimeIndex, first: Days, rule: BaseOffset) -> Days:
    """Return the last day of each step of a rule, however few steps there are."""
    if re.fullmatch(r"[BC]|\d*c?bh", rule.freqstr):
        return first  # a Friday does not last until Monday
    following = pd.DatetimeIndex([time + rule for time in local])
    return np.maximum(first, following.to_numpy().astype("datetime64[D]") - DAY)


def _of_periods(index: pd.PeriodIndex) -> tuple[Days, Days]:
    first = index.start_time.to_numpy().astype("datetime64[D]")
    last = index.end_time.to_numpy().astype("datetime64[D]")
    return first, first if index.freqstr == "B" else last


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


def sum_over_steps(of_days: FloatArray, step: IntArray, n: int) -> FloatArray:
    """Return the sums over the days of each step, (n, q)."""
    sums = np.zeros((n, of_days.shape[1]))
    np.add.at(sums, step, of_days)
    return sums


def count_within(days: Sequence[Sequence[np.datetime64]], first: Days, last: Days) -> FloatArray:
    """Return how many of the days in each list lie within each step, (n, q)."""
    columns = []
    for each in days:
        ordered = np.sort(np.array(each, dtype="datetime64[D]"))
        upto = np.searchsorted(ordered, last, side="right")
        columns.append(upto - np.searchsorted(ordered, first, side="left"))
    return np.column_stack([np.empty((len(first), 0)), *columns]).astype(np.float64)
