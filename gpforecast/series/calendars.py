"""Calendars: columns that follow from the dates of a series, in the past and in the future.

A calendar in ``Forecaster(calendar=[...])`` needs nothing from the user at `predict`: the columns
of all future times are known. Each is a frozen dataclass with two methods, `names` and `columns`;
so is a calendar of your own.

A step of a day or less has the columns of its date, by the clock on the wall. A longer one, such as
a month, has counts over all of its days (`gpforecast.series.days` says which they are).

>>> import pandas as pd
>>> days = pd.date_range("2024-12-30", periods=4)
>>> sale = Event("sale", ["2025-01-01"], before=1)
>>> sale.columns(days, sale.names(days))
array([[0., 0.],
       [0., 1.],
       [1., 0.],
       [0., 0.]])
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd

from gpforecast.common.parameters import instance
from gpforecast.common.types import BoolArray, FloatArray, Index
from gpforecast.common.validation import positive_integer
from gpforecast.series.day_calendars import (
    DayOfMonth,
    DayOfWeek,
    DayOfYear,
    MonthEnd,
    MonthOfYear,
    OfDays,
    WeekOfMonth,
    WorkingDayOfMonth,
    WorkingDays,
    holidays_of,
)
from gpforecast.series.days import DAY, Days, spans
from gpforecast.series.labels import leads_with_day_or_month

__all__ = [
    "Calendar",
    "DayOfMonth",
    "DayOfWeek",
    "DayOfYear",
    "Event",
    "Holidays",
    "MonthEnd",
    "MonthOfYear",
    "WeekOfMonth",
    "WorkingDayOfMonth",
    "WorkingDays",
]


def __dir__() -> list[str]:
    return __all__


_OBSERVED = " (observed)"  # what the package adds to the name of a day off in lieu


@runtime_checkable
class Calendar(Protocol):
    """Columns that follow from times."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of its columns for a series at these times."""

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return the columns (n, q) of those names at any times."""


class _Windows(OfDays):
    """Days, and those so many days before and after them, of which each has a column of its own."""

    before: int
    after: int

    def __post_init__(self) -> None:
        positive_integer(self.before, "before", least=0)
        positive_integer(self.after, "after", least=0)

    @abstractmethod
    def between(self, first: np.datetime64, last: np.datetime64) -> dict[str, list[np.datetime64]]:
        """Return the days of each name, at least those between two days."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of days within the times, in alphabetical order, with their windows."""
        first, last = spans(index)
        names = sorted(self.between(first[0], last[-1]))
        return tuple(column for name in names for column in self.window(name))

    def window(self, name: str) -> dict[str, int]:
        """Return the columns of a name, and how many days after its own they are for."""
        shifts = [0, *range(-self.before, 0), *range(1, self.after + 1)]
        return {f"{name} {k:+}" if k else name: k for k in shifts}

    def named(self, days: Days, names: Sequence[str]) -> BoolArray:
        """Return whether each of the days (n,) is at the distance of each name, (n, q)."""
        margin = (self.before + self.after + 1) * DAY
        at = {
            name: np.array(own, dtype=days.dtype) + k * DAY
            for of, own in self.between(days[0] - margin, days[-1] + margin).items()
            for name, k in self.window(of).items()
        }
        found = [np.isin(days, at.get(name, days[:0])) for name in names]
        return np.array(found, dtype=bool).reshape(len(names), len(days)).T


@dataclass(frozen=True)
class Holidays(_Windows):
    """Public holidays of a country, by the package ``holidays`` (``pip install holidays``).

    Parameters
    ----------
    country : str
        Its ISO code, such as ``"DE"``.
    subdivision : str, optional
        A state or province, such as ``"BY"``.
    each : bool
        Whether each holiday has its own column. Otherwise one column counts them all.
    before, after : int
        Days before and after each holiday that have columns of their own, one for each distance.

    Notes
    -----
    With other `Holidays` that have some of the same names, columns begin with the place:
    ``"DE: Christmas Day"``, ``"DE-BY: Epiphany"``.

    Raises
    ------
    TypeError
        If the country is no text.
    ImportError
        Without the package.
    ValueError
        If the country is unknown.

    Examples
    --------
    >>> days = pd.date_range("2023-01-01", "2024-12-31")
    >>> Holidays("DE").names(days)[:2]  # doctest: +SKIP
    ('Ascension Day', 'Christmas Day')
    """

    country: str
    subdivision: str | None = None
    each: bool = True
    before: int = 0
    after: int = 0

    def __post_init__(self) -> None:
        expected = "one ISO code, such as 'DE' or 'US' (for several, pass a list of calendars)"
        instance(str, expected)(self.country, "country")
        super().__post_init__()

    @property
    def place(self) -> str:
        """The country, and the subdivision if there is one."""
        return self.country if self.subdivision is None else f"{self.country}-{self.subdivision}"

    @property
    def _all(self) -> str:
        return f"holiday {self.country}"

    def between(self, first: np.datetime64, last: np.datetime64) -> dict[str, list[np.datetime64]]:
        """Return the dates of each holiday between two days."""
        found: dict[str, list[np.datetime64]] = {} if self.each else {self._all: []}
        for day, listed in holidays_of(self.country, self.subdivision, first, last).items():
            date = np.datetime64(str(day), "D")
            names = str(listed).split("; ") if self.each else [self._all]
            for name in names if first <= date <= last else ():
                found.setdefault(name.removesuffix(_OBSERVED), []).append(date)
        return found


@dataclass(frozen=True)
class Event(_Windows):
    """Days of your own, past and future ones: sales, matches, closures.

    Parameters
    ----------
    name : str
    dates : sequence of dates
        All of them, those to come too.
    before, after : int
        Days before and after each that have columns of their own, one for each distance.
    """

    name: str
    dates: Sequence[object]
    before: int = 0
    after: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        dates = self.dates if pd.api.types.is_list_like(self.dates) else [self.dates]
        object.__setattr__(self, "dates", tuple(_day(date) for date in dates))

    def between(self, first: np.datetime64, last: np.datetime64) -> dict[str, list[np.datetime64]]:
        """Return its days, all of them."""
        return {self.name: [np.datetime64(str(date), "D") for date in self.dates]}


def columns_of(calendar: Calendar, index: Index, names: Sequence[str]) -> FloatArray:
    """Return the columns (n, q) of a calendar, which may be the user's own, at some times."""
    columns = np.asarray(calendar.columns(index, names), dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.shape != (len(index), len(names)) or not np.isfinite(columns).all():
        raise ValueError(
            f"the columns of {calendar!r} must be finite numbers of shape ({len(index)}, "
            f"{len(names)}), a row for each time and a column for each name; got shape "
            f"{columns.shape}."
        )
    return columns


def column_labels(named: Sequence[tuple[Calendar, tuple[str, ...]]]) -> list[str]:
    """Return the names of all columns; those that a place shares with others begin with it."""
    labels = []
    for calendar, names in named:
        others = {name for one, own in named if one is not calendar for name in own}
        place = (
            f"{calendar.place}: " if isinstance(calendar, Holidays) and others & {*names} else ""
        )
        labels += [place + name for name in names]
    return labels


def _day(date: object) -> str:
    """Return a date as text; part of a date, and one that has two readings, is an error."""
    text = str(date)
    try:
        period = pd.Period(text)
        whole = bool(period.end_time - period.start_time < pd.Timedelta(days=1))
    except (ValueError, AttributeError):  # NaT, which is no period, has no start
        whole = False
    if not whole or leads_with_day_or_month(text):
        raise ValueError(
            f"dates must be dates such as '2024-12-24', with the year first; got {text!r}."
        )
    return str(period.start_time.date())
