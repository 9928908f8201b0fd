"""Retail months: of 4, 4 and 5 weeks in turn, and now and then a year of 53 weeks.

pandas has no rule for them. One that it has says the same: a working day once a week, with all
weeks off in which no month begins or ends.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset, CustomBusinessDay

from gpforecast.common.kinds import are_dates
from gpforecast.common.types import Index, IntArray

_WEEKS = (4, 4, 5)
_FEWEST = 7  # dates, around two quarters
_YEARS = (5, 6)  # between those of 53 weeks
_BACK, _AHEAD = 120, 480  # months for which a rule is made


def is_retail(rule: BaseOffset | None) -> TypeGuard[CustomBusinessDay]:
    """Whether a rule is that of retail months."""
    return isinstance(rule, CustomBusinessDay) and rule.calendar.weekmask.sum() == 1


def retail_months(dates: pd.DatetimeIndex) -> Iterator[CustomBusinessDay]:
    """Yield the rule of dates that are 4, 4 and 5 weeks apart, in this order or another.

    A few may be missing. In 5 or 6 years there may be one month of a week more; those ahead have
    none.

    Examples
    --------
    >>> weeks = np.cumsum([0, 4, 5, 4, 4, 5, 4, 4, 5, 4])
    >>> rule, = retail_months(pd.Timestamp("2023-02-04") + pd.to_timedelta(7 * weeks, unit="D"))
    >>> print(*pd.date_range("2023-08-05", periods=4, freq=rule).date)
    2023-08-05 2023-09-02 2023-10-07 2023-11-04
    """
    weeks = _weeks_between(dates)
    if len(dates) < _FEWEST or weeks is None or weeks.min() < min(_WEEKS):
        return
    places = np.concatenate([[0], np.cumsum(weeks)])
    found = [_months(places, np.roll(_WEEKS, -turn)) for turn in range(3)]
    fitting = [months for months in found if months is not None]
    if fitting:
        first, months = dates[0].tz_localize(None), min(fitting, key=lambda months: months[-1])
        off = np.setdiff1d(np.arange(months[0], months[-1] + 1), months)
        days = first.to_datetime64().astype("datetime64[D]") + 7 * off
        mask = "".join(str(int(day == first.day_of_week)) for day in range(7))
        yield CustomBusinessDay(weekmask=mask, holidays=[str(day) for day in days])


def almost_retail(dates: pd.DatetimeIndex) -> bool:
    """Whether all dates are 4, 5 or 6 weeks apart, some of them 4 and some 5.

    Examples
    --------
    >>> almost_retail(pd.DatetimeIndex(["2023-02-04", "2023-03-04", "2023-04-08"]))
    True
    """
    weeks = _weeks_between(dates)
    return weeks is not None and {4, 5} <= set(weeks.tolist()) <= {4, 5, 6}


def _weeks_between(dates: pd.DatetimeIndex) -> IntArray | None:
    """Return the weeks from each date to the next, if they are whole ones."""
    days = np.diff(dates.tz_localize(None).to_numpy().astype("datetime64[D]")).astype(np.int64)
    return None if (days % 7).any() or not len(days) else days // 7


def retail_note(index: Index) -> tuple[str, ...]:
    """Say what the steps are, if they are retail months."""
    if not are_dates(index) or not is_retail(index.freq):
        return ()
    what = "the steps are retail months, of 4, 4 and 5 weeks"
    return (f"{what}; no 53rd week of a year ahead is known: fit again when one has come",)


def _months(weeks: IntArray, turn: IntArray) -> IntArray | None:
    """Return all months from some years before to many after, in weeks; None if weeks are others.

    Parameters
    ----------
    weeks : ndarray of int (n,)
        From the first date to each.
    turn : ndarray of int (3,)
        The weeks of months, in order, from the first date on.
    """
    months, longer = [0], []
    for before, week in pairwise(weeks.tolist()):
        while months[-1] < week:
            months.append(months[-1] + int(turn[(len(months) - 1) % 3]))
        if months[-1] == week:
            continue
        months.pop()
        if week != months[-1] + 1 or months[-1] == before:
            return None
        months[-1] = week
        longer.append(len(months))
    between = np.diff(longer)
    if (longer and len(months) <= 12) or not np.isin(between, [12 * n for n in _YEARS]).all():
        return None
    ahead = np.resize(np.roll(turn, -((len(months) - 1) % 3)), _AHEAD)
    back = np.resize(turn[::-1], _BACK)
    return np.concatenate(
        [-np.cumsum(back)[::-1], months, months[-1] + np.cumsum(ahead)], dtype=np.int64
    )
