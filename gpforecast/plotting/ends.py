"""Ticks of series whose times are the last days of their months, quarters or years.

The tick of 2024 stands at the first of January, one day after the value of 2023 where years are
named by their last days. Ticks of such series stand where the labels of the series are.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.plotting.picture import Positions
from gpforecast.plotting.times import holds_dates, on_clocks

_LAST_DAYS = pd.Timedelta(days=4)  # the last day of a month that is worked on may be a Friday
_FEWEST = 3  # times that show in which months periods end
_MOST = 9  # ticks
_STEPS = (1, 2, 3, 4, 6, 12, 24, 36, 60, 120, 240, 600)  # months between ticks


@dataclass(frozen=True)
class Ends:
    """Periods that are named by their last days.

    Attributes
    ----------
    months : int
        In a period: 1, 3 or 12.
    last : int
        A month in which one ends.
    first, until : Timestamp
        The ends of the first and of the last period that are drawn.
    """

    months: int
    last: int
    first: pd.Timestamp
    until: pd.Timestamp

    def end_of(self, time: pd.Timestamp) -> pd.Timestamp:
        """Return the last day of the period that a time is in; of a year, the one of its number.

        Examples
        --------
        >>> at = pd.Timestamp("2008-01-01")
        >>> [str(Ends(n, 12, at, at).end_of(at).date()) for n in (1, 3, 12)]
        ['2008-01-31', '2008-03-31', '2008-12-31']
        """
        later = self.last - time.month if self.months == 12 else (self.last - time.month) % 3
        month = time.normalize().replace(day=1)
        return month + pd.DateOffset(months=later if self.months > 1 else 0) + _MONTH_END

    def begin_of(self, end: pd.Timestamp) -> pd.Timestamp:
        """Return the day by which an end is labelled: the first of its year, or of its month."""
        begins = self.months == 12 or end.month <= self.months
        return end.normalize().replace(day=1, month=1 if begins else end.month)

    @property
    def between(self) -> int:
        """Months between ticks, of which a few fit."""
        drawn = 12 * (self.until.year - self.first.year) + self.until.month - self.first.month
        steps = [step for step in _STEPS if step % self.months == 0]
        return next((step for step in steps if drawn <= step * (_MOST - 1)), steps[-1])


_MONTH_END = pd.offsets.MonthEnd(0)


def ends_of_periods(places: Positions, index: pd.Index) -> Ends | None:
    """Return which periods the positions of a picture end, None if they do not.

    Examples
    --------
    >>> from gpforecast.plotting.times import positions
    >>> index = pd.date_range("2020-03-31", periods=8, freq="QE")
    >>> ends_of_periods(positions(index), index).months
    3
    """
    if not holds_dates(index) or len(places) < _FEWEST:
        return None
    times = on_clocks(places, index)
    month = 12 * times.year + times.month
    at_ends = times.month != (times + _LAST_DAYS).month
    once = len(np.unique(month)) == len(month) and (times == times.normalize()).all()
    if not (once and at_ends.all()):
        return None
    months = next(n for n in (12, 3, 1) if len(np.unique(month % n)) == 1)
    return Ends(months, int(times.month[0]), times[0], times[-1])


def set_ticks(ax: Any, ends: Ends, zone: Any) -> None:
    """Let axes of matplotlib have their ticks at the ends of periods."""
    from matplotlib.dates import MONTHLY, AutoDateLocator, ConciseDateFormatter, date2num, num2date

    def moved(ticks: Iterable[float], move: Callable[[pd.Timestamp], pd.Timestamp]) -> Any:
        times = num2date([*ticks], tz=zone)  # type: ignore[no-untyped-call]
        found = [move(pd.Timestamp(time)).to_pydatetime() for time in times]
        return date2num(found) if found else np.empty(0)  # type: ignore[no-untyped-call]

    class Locator(AutoDateLocator):
        def __call__(self) -> Any:
            return np.unique(moved(super().__call__(), ends.end_of))  # type: ignore[no-untyped-call]

    class Formatter(ConciseDateFormatter):
        def format_ticks(self, values: Any) -> Any:
            return super().format_ticks(moved(values, ends.begin_of))  # type: ignore[no-untyped-call]

    locator = Locator(minticks=4, maxticks=_MOST, tz=zone)  # type: ignore[no-untyped-call]
    if ends.months > 1:
        locator.intervald[MONTHLY] = [3, 6]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(Formatter(locator, tz=zone))  # type: ignore[no-untyped-call]
