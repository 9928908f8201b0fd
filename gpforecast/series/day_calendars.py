"""Calendars of the day: of the week, of the month, working days and public holidays."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

import numpy as np
import pandas as pd

from gpforecast.common.extras import missing_extra
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.series.days import (
    DAY,
    MONTHS,
    Days,
    days_of,
    longer_than_a_day,
    spans,
    sum_over_steps,
)
from gpforecast.storage import storable

_LEAP_YEAR = pd.date_range("2000-01-01", "2000-12-31")
_DATES = tuple(f"{day.day} {MONTHS[day.month - 1]}" for day in _LEAP_YEAR)
_MONTH_BEGINS = np.flatnonzero(_LEAP_YEAR.is_month_start)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class DaysOfKinds(ABC):
    """Columns that say of which kinds each day is, counted over longer steps."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The names of all kinds."""

    @abstractmethod
    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is of each kind, (n, kinds)."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the columns."""
        spans(index)  # which refuses an index without dates
        return self.labels

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return how many days of each step are of each kind, (n, q)."""
        days, step = days_of(index)
        at = [self.labels.index(name) for name in names]
        return sum_over_steps(self.kinds(days)[:, at].astype(np.float64), step, len(index))


class _Parts(DaysOfKinds):
    """Kinds of which each day has one: in steps of a day the first has no column."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.labels if longer_than_a_day(index) else self.labels[1:]


@storable
@dataclass(frozen=True)
class DayOfWeek(_Parts):
    """The day of the week: a column for each but Monday; counts of all seven in longer steps."""

    labels: ClassVar = _DAYS

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each day of the week, (n, 7)."""
        week = (days.astype(np.int64) + 3) % 7  # 1 January 1970 was a Thursday
        return np.equal.outer(week, np.arange(7))


@storable
@dataclass(frozen=True)
class DayOfMonth(_Parts):
    """The day of the month: a column for each but the first; counts of all 31 in longer steps.

    Examples
    --------
    >>> days = pd.date_range("2024-02-28", periods=3)
    >>> DayOfMonth().columns(days, ("day 15", "day 29")).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """

    labels: ClassVar = tuple(f"day {k}" for k in range(1, 32))

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each day of the month, (n, 31)."""
        return np.equal.outer(_since_month_began(days), np.arange(31))


@storable
@dataclass(frozen=True)
class WeekOfMonth(_Parts):
    """The week of the month, days 1 to 7 the first: a column for each of five but the first."""

    labels: ClassVar = tuple(f"week {k} of the month" for k in range(1, 6))

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is in each week of its month, (n, 5)."""
        return np.equal.outer(_since_month_began(days) // 7, np.arange(5))


@storable
@dataclass(frozen=True)
class MonthEnd(DaysOfKinds):
    """The last day of the month, and days before it with columns of their own.

    Parameters
    ----------
    before : int
        How many days before the last one have columns.
    """

    before: int = 0

    def __post_init__(self) -> None:
        positive_integer(self.before, "before", least=0)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the last day and of those before it."""
        return ("month end", *(f"month end -{k}" for k in range(1, self.before + 1)))

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is so far from the end of its month, (n, q)."""
        left = (_next_month(days) - days) // DAY - 1
        return np.equal.outer(left, np.arange(self.before + 1))


@storable
@dataclass(frozen=True)
class WorkingDayOfMonth(DaysOfKinds):
    """The first and the last working days of the month, such as those of payments.

    Parameters
    ----------
    first, last : int
        How many working days, counted from the beginning and from the end, have columns.
    country, subdivision : str, optional
        As for `gpforecast.calendars.Holidays`; without a country, Monday to Friday count.

    Examples
    --------
    >>> days = pd.date_range("2024-06-01", periods=4)  # a Saturday
    >>> WorkingDayOfMonth().columns(days, ("working day 1", "working day 2")).tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """

    first: int = 3
    last: int = 3
    country: str | None = None
    subdivision: str | None = None

    def __post_init__(self) -> None:
        positive_integer(self.first, "first", least=0)
        positive_integer(self.last, "last", least=0)
        if not self.first + self.last:
            raise ValueError("first and last must not both be 0: no day would have a column.")

    @property
    def labels(self) -> tuple[str, ...]:
        """The names: ``working day 1`` is the first of a month, ``working day -1`` the last."""
        places = (*range(1, self.first + 1), *range(-1, -self.last - 1, -1))
        return tuple(f"working day {k}" for k in places)

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each of these working days, (n, q)."""
        off, begin = days_off(self.country, self.subdivision, days), _month_of(days)
        from_begin = np.busday_count(begin, days, holidays=off) + 1
        from_end = np.busday_count(days, _next_month(days), holidays=off)
        kinds = np.hstack(
            [
                np.equal.outer(from_begin, np.arange(1, self.first + 1)),
                np.equal.outer(from_end, np.arange(1, self.last + 1)),
            ]
        )
        return np.asarray(kinds & np.is_busday(days, holidays=off)[:, None])


@storable
@dataclass(frozen=True)
class DayOfYear(DaysOfKinds):
    """Days that come back each year on the same date: a column for each.

    Parameters
    ----------
    days : sequence of str, optional
        Their dates, such as ``"24 December"``; by default all 366.

    Raises
    ------
    ValueError
        If one is no day and month.

    Examples
    --------
    >>> days = pd.date_range("2023-12-23", periods=3)
    >>> DayOfYear(["24 December"]).columns(days, ("24 December",)).ravel()
    array([0., 1., 0.])
    """

    days: Sequence[str] | None = None

    def __post_init__(self) -> None:
        named = (self.days,) if np.isscalar(self.days) else self.days
        days = _DATES if named is None else tuple(dict.fromkeys(named))
        for day in days:
            if day not in _DATES:
                raise ValueError(f"days must be dates such as '24 December'; got {day!r}.")
        object.__setattr__(self, "days", days)

    @property
    def labels(self) -> tuple[str, ...]:
        """The dates."""
        return tuple(self.days or ())

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each of the dates, (n, q)."""
        dates = [_DATES.index(label) for label in self.labels]
        return np.equal.outer(_day_of_leap_year(days), dates)


@storable
@dataclass(frozen=True)
class MonthOfYear:
    """The month of the year: a column for each but January."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the months."""
        return MONTHS[1:]

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return 1 where a step begins in each month, (n, q)."""
        first, _ = spans(index)
        months = pd.DatetimeIndex(first).month.to_numpy()
        which = np.array([MONTHS.index(name) + 1 for name in names])
        return np.asarray((months[:, None] == which).astype(np.float64))


@storable
@dataclass(frozen=True)
class WorkingDays(DaysOfKinds):
    """How many days of a step are from Monday to Friday and, with a country, no holiday.

    Parameters
    ----------
    country, subdivision : str, optional
        As for `gpforecast.calendars.Holidays`.

    Examples
    --------
    >>> months = pd.date_range("2024-01-01", periods=3, freq="MS")
    >>> WorkingDays().columns(months, ("working days",)).ravel()
    array([23., 21., 21.])
    """

    country: str | None = None
    subdivision: str | None = None

    labels: ClassVar = ("working days",)

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is one, (n, 1)."""
        off = days_off(self.country, self.subdivision, days)
        return np.is_busday(days, holidays=off)[:, None]


def holidays_of(
    country: str, subdivision: str | None, years: Sequence[int]
) -> dict[object, object]:
    """Return the names of the holidays of some years, by date."""
    try:
        package = import_module("holidays")
    except ModuleNotFoundError as error:
        raise missing_extra("a calendar of holidays", "holidays", error) from None
    try:
        found = package.country_holidays(country, subdiv=subdivision, years=list(years))
        # Names do not depend on the language of the machine: English, or the country's own.
        english = "en_US" in found.supported_languages
        language = "en_US" if english else found.default_language
        given = package.country_holidays(
            country, subdiv=subdivision, years=list(years), language=language
        )
        return dict(given)
    except NotImplementedError:
        state = "" if subdivision is None else f" and {subdivision!r}"
        raise ValueError(
            f"country must be an ISO code that the package holidays knows, such as 'DE' or 'US', "
            f"and subdivision one of its states; got {country!r}{state}."
        ) from None


def days_off(country: str | None, subdivision: str | None, days: Days) -> Days:
    """Return the public holidays of a country in the years of some days."""
    years = range(pd.Timestamp(days[0]).year, pd.Timestamp(days[-1]).year + 1)
    off = () if country is None else holidays_of(country, subdivision, years)
    return np.array([*off], dtype="datetime64[D]")


def _month_of(days: Days) -> Days:
    """Return the first day of the month of each day, (n,)."""
    return days.astype("datetime64[M]").astype("datetime64[D]")


def _next_month(days: Days) -> Days:
    """Return the first day of the month after that of each day, (n,)."""
    return (days.astype("datetime64[M]") + 1).astype("datetime64[D]")


def _since_month_began(days: Days) -> IntArray:
    """Return how many days of its month precede each day, (n,)."""
    return (days - _month_of(days)).astype(np.int64)


def _day_of_leap_year(days: Days) -> IntArray:
    """Return which day of a leap year each is, (n,), from 0: 1 March is 60 in all years."""
    month = days.astype("datetime64[M]").astype(np.int64) % 12
    return _MONTH_BEGINS[month] + _since_month_began(days)
