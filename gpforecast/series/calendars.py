"""Calendars: columns that follow from the dates of a series, in the past and in the future.

A calendar in ``Forecaster(calendar=[...])`` needs nothing from the user at `predict`: the columns
of all future times are known. Each is a frozen dataclass with two methods, `names` and `columns`;
so is a calendar of your own.

A step of a day or less has the columns of its date, by the clock on the wall. A longer one, such as
a month, has counts over all of its days.

>>> import pandas as pd
>>> days = pd.date_range("2024-12-30", periods=4)
>>> sale = Event("sale", ["2025-01-01"], before=1)
>>> sale.columns(days, sale.names(days))
array([[0., 0.],
       [0., 1.],
       [1., 0.],
       [0., 0.]])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from gpforecast.common.extras import missing_extra
from gpforecast.common.parameters import instance
from gpforecast.common.types import BoolArray, FloatArray, Index, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.series.days import (
    DAY,
    MONTHS,
    Days,
    count_within,
    days_of,
    longer_than_a_day,
    spans,
    sum_over_steps,
)
from gpforecast.series.labels import leads_with_day_or_month
from gpforecast.storage import storable

__all__ = [
    "Calendar",
    "DayOfMonth",
    "DayOfWeek",
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


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OBSERVED = " (observed)"  # what the package adds to the name of a day off in lieu


@runtime_checkable
class Calendar(Protocol):
    """Columns that follow from times."""

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of its columns for a series at these times."""
        ...

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return the columns (n, q) of those names at any times."""
        ...


@storable
@dataclass(frozen=True)
class Holidays:
    """Public holidays of a country, by the package ``holidays`` (extra ``gpforecast[holidays]``).

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
        _check_window(self.before, self.after)

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the holidays within the times, in alphabetical order."""
        first, last = spans(index)
        dates = self._dates(first[0], last[-1])
        names = sorted(dates) if self.each else [f"holiday {self.country}"]
        return tuple(n for name in names for n in _window_names(name, self.before, self.after))

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return how many days of each step are each holiday, (n, q)."""
        first, last = spans(index)
        margin = (self.before + self.after + 1) * DAY
        dates = self._dates(first[0] - margin, last[-1] + margin)
        if not self.each:
            every = {day for days in dates.values() for day in days}
            dates = {f"holiday {self.country}": sorted(every)}
        windows = {
            name: column
            for holiday, days in dates.items()
            for name, column in _windows(holiday, days, self.before, self.after).items()
        }
        return count_within([windows.get(name, []) for name in names], first, last)

    @property
    def place(self) -> str:
        """The country, and the subdivision if there is one."""
        return self.country if self.subdivision is None else f"{self.country}-{self.subdivision}"

    def _dates(self, first: np.datetime64, last: np.datetime64) -> dict[str, list[np.datetime64]]:
        """Return the dates of each holiday between two days."""
        years = range(pd.Timestamp(first).year, pd.Timestamp(last).year + 1)
        found: dict[str, list[np.datetime64]] = {}
        for day, listed in sorted(_holidays(self.country, self.subdivision, years).items()):
            date = np.datetime64(str(day), "D")
            if first <= date <= last:
                for name in str(listed).split("; "):
                    found.setdefault(name.removesuffix(_OBSERVED), []).append(date)
        return found


class _OfDays:
    """Columns that say of which kinds each day is, counted over longer steps."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of all kinds."""
        raise NotImplementedError

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is of each kind, (n, kinds)."""
        raise NotImplementedError

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the names of the columns."""
        spans(index)  # which refuses an index without dates
        return self.labels

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return how many days of each step are of each kind, (n, q)."""
        days, step = days_of(index)
        at = [self.labels.index(name) for name in names]
        return sum_over_steps(self.kinds(days)[:, at].astype(np.float64), step, len(index))


class _Parts(_OfDays):
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
class MonthEnd(_OfDays):
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
class WorkingDayOfMonth(_OfDays):
    """The first and the last working days of the month, such as those of payments.

    Parameters
    ----------
    first, last : int
        How many working days, counted from the beginning and from the end, have columns.
    country, subdivision : str, optional
        As for `Holidays`; without a country, Monday to Friday are working days.

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

    @property
    def labels(self) -> tuple[str, ...]:
        """The names: ``working day 1`` is the first of a month, ``working day -1`` the last."""
        places = (*range(1, self.first + 1), *range(-1, -self.last - 1, -1))
        return tuple(f"working day {k}" for k in places)

    def kinds(self, days: Days) -> BoolArray:
        """Return whether each of the days (n,) is each of these working days, (n, q)."""
        off, begin = _days_off(self.country, self.subdivision, days), _month_of(days)
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
class WorkingDays:
    """How many days of a step are from Monday to Friday and, with a country, no holiday.

    Parameters
    ----------
    country, subdivision : str, optional
        As for `Holidays`.

    Examples
    --------
    >>> months = pd.date_range("2024-01-01", periods=3, freq="MS")
    >>> WorkingDays().columns(months, ("working days",)).ravel()
    array([23., 21., 21.])
    """

    country: str | None = None
    subdivision: str | None = None

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the name of the only column."""
        return ("working days",)

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return the number of working days of each step, (n, 1)."""
        days, step = days_of(index)
        works = np.is_busday(days, holidays=_days_off(self.country, self.subdivision, days))
        return sum_over_steps(works[:, None].astype(np.float64), step, len(index))


@storable
@dataclass(frozen=True)
class Event:
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
        _check_window(self.before, self.after)
        dates = self.dates if pd.api.types.is_list_like(self.dates) else [self.dates]
        object.__setattr__(self, "dates", tuple(_day(date) for date in dates))

    def names(self, index: Index) -> tuple[str, ...]:
        """Return the name, and those of the days before and after."""
        return tuple(_window_names(self.name, self.before, self.after))

    def columns(self, index: Index, names: Sequence[str]) -> FloatArray:
        """Return how many days of each step are at each distance from an event, (n, q)."""
        days = [np.datetime64(str(date), "D") for date in self.dates]
        windows = _windows(self.name, days, self.before, self.after)
        return count_within([windows[name] for name in names], *spans(index))


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


def _month_of(days: Days) -> Days:
    """Return the first day of the month of each day, (n,)."""
    return days.astype("datetime64[M]").astype("datetime64[D]")


def _next_month(days: Days) -> Days:
    """Return the first day of the month after that of each day, (n,)."""
    return (days.astype("datetime64[M]") + 1).astype("datetime64[D]")


def _since_month_began(days: Days) -> IntArray:
    """Return how many days of its month precede each day, (n,)."""
    return (days - _month_of(days)).astype(np.int64)


def _days_off(country: str | None, subdivision: str | None, days: Days) -> Days:
    """Return the public holidays of a country in the years of some days."""
    years = range(pd.Timestamp(days[0]).year, pd.Timestamp(days[-1]).year + 1)
    off = () if country is None else _holidays(country, subdivision, years)
    return np.array([*off], dtype="datetime64[D]")


def _holidays(country: str, subdivision: str | None, years: Sequence[int]) -> dict[object, object]:
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


def _check_window(before: int, after: int) -> None:
    positive_integer(before, "before", least=0)
    positive_integer(after, "after", least=0)


def _window_names(name: str, before: int, after: int) -> list[str]:
    early = [f"{name} -{k}" for k in range(before, 0, -1)]
    return [name, *early, *(f"{name} +{k}" for k in range(1, after + 1))]


def _windows(
    name: str, days: Sequence[np.datetime64], before: int, after: int
) -> dict[str, list[np.datetime64]]:
    """Return the days at each distance from some days, by the name of the column."""
    shifts = [0, *range(-before, 0), *range(1, after + 1)]
    names = _window_names(name, before, after)
    return {n: [day + k * DAY for day in days] for n, k in zip(names, shifts, strict=True)}
