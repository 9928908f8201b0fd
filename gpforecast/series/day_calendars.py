"""Calendars of the day: of the week, of the month, working days and public holidays."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

import numpy as np
import pandas as pd

from gpforecast.common.imports import missing_extra
from gpforecast.common.types import BoolArray, FloatArray, Index
from gpforecast.common.validation import positive_integer
from gpforecast.series.days import MONTHS, WEEK, Days, days_of, longer_than_a_day, spans
from gpforecast.storage import storable

_LEAP_YEAR = pd.date_range("2000-01-01", "2000-12-31")
_DATES = tuple(f"{day.day} {MONTHS[day.month - 1]}" for day in _LEAP_YEAR)


class OfDays(ABC):
    """Columns that say what each day is, counted over longer steps."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        storable(cls)

    @abstractmethod
    def named(self, days: Days, names: Sequence[str]) -> BoolArray:
        """Return whether each of the days (n,) is what each name says, (n, q)."""

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return how many days of each step are what each name says, (n, q)."""
        days, step = days_of(index)
        begins = np.searchsorted(step, np.arange(len(index)))
        return np.add.reduceat(self.named(days, names).astype(np.float64), begins)


class DaysOfKinds(OfDays):
    """Columns that say of which kinds each day is."""

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

    def named(self, days: Days, names: Sequence[str]) -> BoolArray:
        """Return whether each of the days (n,) is of each kind of some names, (n, q)."""
        return self.kinds(days)[:, [self.labels.index(name) for name in names]]


class _Parts(DaysOfKinds):
    """Kinds of which each day has one: in steps of a day the first has no column."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.labels if longer_than_a_day(index) else self.labels[1:]


@dataclass(frozen=True)
class DayOfWeek(_Parts):
    """The day of the week: a column for each but Monday; counts of all seven in longer steps."""

    labels: ClassVar = WEEK

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each day of the week, (n, 7)."""
        return _equal(pd.DatetimeIndex(days).day_of_week, range(7))


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
        return _equal(pd.DatetimeIndex(days).day, range(1, 32))


@dataclass(frozen=True)
class WeekOfMonth(_Parts):
    """The week of the month, days 1 to 7 the first: a column for each of five but the first."""

    labels: ClassVar = tuple(f"week {k} of the month" for k in range(1, 6))

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is in each week of its month, (n, 5)."""
        return _equal((pd.DatetimeIndex(days).day - 1) // 7, range(5))


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
        dates = pd.DatetimeIndex(days)
        return _equal(dates.days_in_month - dates.day, range(self.before + 1))


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
        off, months = days_off(self.country, self.subdivision, days), days.astype("datetime64[M]")
        begin, end = (month.astype(days.dtype) for month in (months, months + 1))
        from_begin = np.busday_count(begin, days, holidays=off) + 1
        from_end = np.busday_count(days, end, holidays=off)
        early = _equal(from_begin, range(1, self.first + 1))
        late = _equal(from_end, range(1, self.last + 1))
        return np.hstack([early, late]) & np.is_busday(days, holidays=off)[:, None]


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
        named = _LEAP_YEAR[[_DATES.index(label) for label in self.labels]]
        return _equal(*(32 * each.month + each.day for each in (pd.DatetimeIndex(days), named)))


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
        which = [MONTHS.index(name) + 1 for name in names]
        return _equal(pd.DatetimeIndex(first).month, which).astype(np.float64)


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


def _equal(days: object, kinds: object) -> BoolArray:
    """Return whether what each day (n,) is equals each kind (k,), (n, k)."""
    return np.asarray(np.equal.outer(np.asarray(days), np.asarray(kinds)))


def holidays_of(
    country: str, subdivision: str | None, first: np.datetime64, last: np.datetime64
) -> dict[object, object]:
    """Return the names of the holidays in the years from one day to another, by date."""
    years = range(pd.Timestamp(first).year, pd.Timestamp(last).year + 1)
    try:
        package = import_module("holidays")
    except ModuleNotFoundError as error:
        raise missing_extra("a calendar of holidays", "holidays", error) from None
    try:
        found = package.country_holidays(country, subdiv=subdivision)
        # Names do not depend on the language of the machine: English, or the country's own.
        english = "en_US" in found.supported_languages
        own = "en_US" if english else found.default_language
        return dict(package.country_holidays(country, subdivision, years=years, language=own))
    except NotImplementedError:
        state = "" if subdivision is None else f" and {subdivision!r}"
        raise ValueError(
            f"country must be an ISO code that the package holidays knows, such as 'DE' or 'US', "
            f"and subdivision one of its states; got {country!r}{state}."
        ) from None


def days_off(country: str | None, subdivision: str | None, days: Days) -> Days:
    """Return the public holidays of a country in the years of some days."""
    off = () if country is None else holidays_of(country, subdivision, days[0], days[-1])
    return np.array([*off], dtype="datetime64[D]")
