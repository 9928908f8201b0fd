"""From a column to times: dates of the one format that reads all of them, or numbers."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timezone
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from gpforecast.cli.amounts import is_number, read_numbers
from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.types import Index

# Dates as `_plain` writes them: dashes between numbers, spaces between words. "%Y-%m" is also what
# it makes of quarters.
_FORMATS = (
    "%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%d %b %Y", "%d %b %y", "%b %d %Y",
    "%Y-%m", "%m-%Y", "%b %Y", "%Y %b", "%b %y",
)  # fmt: skip
_COMPACT = {"%Y%m%d": 8, "%Y%m": 6}
# The first letters of the months' names in English, German, French, Spanish, Italian, Portuguese
# and Dutch, without accents.
_NAMES = (
    "jan ene gen,feb fev,mar maa mrt mrz,apr avr abr,mai may mei mag,jun juin giu,jul juil lug,"
    "aug aou ago,sep set,oct okt ott out,nov,dec dez dic"
)
_MONTHS = {name: k for k, names in enumerate(_NAMES.split(","), 1) for name in names.split()}
_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]")  # as in "orderDate"
_CALENDAR = re.compile(
    r"date|time|timestamp|datetime|year|month|quarter|period|day|hour|(iso|year)?week|ts|epoch|"
    r"datum|zeit|jahr|monat|quartal|tag|(kalender)?woche|année|mois|fecha|año|mes",
    re.IGNORECASE,
)
_WEEK_NAME = re.compile(r"week|woche|\bkw\b|\bwk\b", re.IGNORECASE)
_TEXT = re.compile(
    r"(?P<day>.+?)(?:(?:\s*T\s*|,?\s+)(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"\s*(?:[AP]\.?M\.?)?\s*(?:Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?)?))?$",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"(?:([0-9]{4})[-/ ]?)?Q([1-4])[-/ ]*([0-9]{4})?", re.IGNORECASE)
_WEEK = re.compile(r"([0-9]{4})-?W([0-9]{2})(?:-?([1-7]))?", re.IGNORECASE)
_SAMPLE = 200  # cells that are enough to tell dates from values
_STAMPS = 20_000  # from here on numbers may be days of Excel (1954) or seconds of Unix
_LATEST_SHORT = 2040  # beyond it, a year of two digits may be of the century before


def times_of(column: Column, options: FileOptions) -> tuple[Index, list[str]]:
    """Return the times in a column, in its order, and what was detected.

    Raises
    ------
    ValueError
        If a cell is empty or no date like the others, or if the dates can be read in two ways and
        no option decides.
    """
    texts = column.texts
    for i, text in enumerate(texts):
        if text.casefold() in ("", "nan", "nat", "none"):
            what = "must be a time; complete it, or pass --skip-footer if the table ends above"
            raise column.refused(i, what)
    if options.date_format is not None:
        return _by_format(column, options, options.date_format)
    typed = [isinstance(cell, datetime) for cell in column.cells]
    if all(typed):
        return _in_zone(pd.DatetimeIndex(column.cells), column, options), ["dates"]
    if any(typed):
        what = "must be a date like others of its column; correct it in the spreadsheet"
        raise column.refused(typed.index(False), what)
    week = re.fullmatch(r"([0-9]{4})(\D?)[0-9]{2}", texts[0])
    if week and _WEEK_NAME.search(column.name):
        what = f"can be a week or a month; pass --date-format %G{week[2]}%V or %Y{week[2]}%m"
        raise column.refused(0, what)
    if not _formats(texts[:_SAMPLE]) and all(map(is_number, texts[:_SAMPLE])):
        if _may_be_stamps(texts):
            what = (
                "can be days as Excel counts them, seconds since 1970 or a mere number; pass "
                "--date-format excel, unix or number"
            )
            raise column.refused(0, what)
        return _by_format(column, options, "number")
    split = _split(texts)
    days = _days(column, split["day"], options)
    return _with_clocks(days, split["clock"], column, options), [f"dates like {texts[0]}"]


@cache
def is_date(text: str) -> bool:
    """Whether a text is a date in one of the formats, other than a mere number.

    Examples
    --------
    >>> [is_date(text) for text in ("Jan-19", "31.01.2019", "2019Q1", "20190131", "soon")]
    [True, True, True, False, False]
    """
    found = _TEXT.fullmatch(text)
    return found is not None and any(_strptime(_plain(found["day"]), form) for form in _FORMATS)


def holds_dates(column: Column) -> bool:
    """Whether a column holds dates rather than values.

    So does one of which half the cells are dates, so that the others are refused and not passed
    over. Numbers such as 201912, and years by one, count as dates if they rise or fall all the time
    or if the column's name says so; then days of Excel and seconds of Unix do, too, to be refused.
    """
    texts = [text for text in column.texts[:_SAMPLE] if text]
    if len(texts) < 2 or any(isinstance(cell, datetime) for cell in column.cells[:_SAMPLE]):
        return len(texts) >= 2
    if not all(map(is_number, texts)):
        days = _split(texts)["day"]
        return max(_parsed(days, form).notna().mean() for form in _FORMATS) >= 0.5
    named = any(map(_CALENDAR.fullmatch, _WORD.findall(column.name)))
    values = pd.to_numeric(pd.Series(texts), errors="coerce")
    steps = values.diff()[1:]
    years = values.between(1600, 2299).all() and (steps.abs() == 1).all()
    in_order = (steps > 0).all() or (steps < 0).all()
    dated = _formats(texts) and (named or in_order)
    return bool(years or dated or (named and _may_be_stamps(texts)))


def month_of(name: str) -> int:
    """Return the month that a column of it is named by, 0 if by none.

    Examples
    --------
    >>> [month_of(name) for name in ("Jan", "Février", "04", "Mai.", "total")]
    [1, 2, 4, 5, 0]
    """
    if re.fullmatch("0?[1-9]|1[0-2]", name):
        return int(name)
    letters = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    word = re.fullmatch(r"[a-z]{3,}", letters.rstrip("."))
    return (_MONTHS.get(word[0][:4]) or _MONTHS.get(word[0][:3]) or 0) if word else 0


def _may_be_stamps(texts: Sequence[str]) -> bool:
    """Whether numbers may be days of Excel or seconds of Unix."""
    return bool((pd.to_numeric(pd.Series(texts), errors="coerce") >= _STAMPS).all())


def _split(texts: Sequence[str]) -> pd.DataFrame:
    """Return the days of texts and their clocks, which may be "" and have an offset from UTC."""
    found = pd.Series(texts, dtype=object).str.extract(_TEXT).fillna("")
    plain = {day: _plain(day) for day in found["day"].unique()}
    return found.assign(day=found["day"].map(plain))


def _plain(day: str) -> str:
    """Return a day as `_FORMATS` have it: months in English, quarters and weeks as their first day.

    Examples
    --------
    >>> [_plain(day) for day in ("31. März 2022", "31/12/2019", "Q4 2019", "2019-W05")]
    ['31 Mar 2022', '31-12-2019', '2019-10', '2019-01-28']
    """
    quarter, week = _QUARTER.fullmatch(day), _WEEK.fullmatch(day)
    if quarter and bool(quarter[1]) != bool(quarter[3]):
        return f"{quarter[1] or quarter[3]}-{3 * int(quarter[2]) - 2:02}"
    if week:
        with suppress(ValueError):
            return f"{date.fromisocalendar(*(int(part or 1) for part in week.groups()))}"
    if re.search(r"[^\W\d_]{3}", day):
        return re.sub(r"[-/.,'\s]+", " ", re.sub(r"[^\W\d_]{3,}", _english, day))
    day = re.sub("(?i)(?<=[0-9]{4})M(?=[0-9]{2}$)", "-", day)
    return re.sub("[-/.]" if day.count(".") == 2 else "[-/]", "-", day)


def _english(name: re.Match[str]) -> str:
    month = month_of(name[0])
    return f"{date(2000, month, 1):%b}" if month else name[0]


def _parsed(days: "pd.Series[str]", form: str) -> "pd.Series[pd.Timestamp]":
    return pd.to_datetime(days, format=form, errors="coerce")


def _strptime(text: str, form: str) -> datetime | None:
    with suppress(ValueError, re.error):
        return datetime.strptime(text, form)
    return None


def _formats(texts: Sequence[str]) -> list[str]:
    """Return the formats that read the days of all texts."""
    days = _split(texts)["day"]
    compact = [f for f, n in _COMPACT.items() if days.str.fullmatch(f"[0-9]{{{n}}}").all()]
    return [f for f in (*_FORMATS, *compact) if _parsed(days, f).notna().all()]


def _days(
    column: Column, days: "pd.Series[str]", options: FileOptions
) -> "pd.Series[pd.Timestamp]":
    """Return days of the one format that reads them all."""
    forms = [*_FORMATS, *(f for f, n in _COMPACT.items() if (days.str.len() == n).all())]
    other: tuple[str, ...] = {None: (), True: ("%m-%d",), False: ("%d-%m",)}[options.dayfirst]
    if re.match(r"[0-9]{1,2}\.[0-9]", column.texts[0]):
        other = ("%m-%d", *other)  # nobody writes 12.31.2019
    read = {form: _parsed(days, form) for form in forms if not form.startswith(other)}
    form = max(read, key=lambda form: read[form].notna().sum())
    if read[form].isna().any():
        odd, first = int(read[form].isna().argmax()), int(read[form].notna().argmax())
        most = read[form].notna().mean() >= 0.5
        like = (
            f"like {column.texts[first]}, as others of its column are" if most else "that is read"
        )
        what = (
            f"is no date {like}; write it as 2019-12-31 or delete it, pass the format of all with "
            f"--date-format %d.%m.%Y, --dayfirst or --no-dayfirst, or --skip-footer if the table "
            f"ends above"
        )
        raise column.refused(odd, what)
    fitting = {tuple(dates): form for form, dates in read.items() if dates.notna().all()}
    left = [f for f in fitting.values() if _is_regular(read[f])] or [*fitting.values()]
    if len(fitting) > 1 and len(left) > 1:
        a, b = (read[form] for form in left[:2])
        odd = int((a != b).argmax())
        what = (
            f"can be read day first or month first, as {a[odd]:%Y-%m-%d} or {b[odd]:%Y-%m-%d}; "
            f"pass --dayfirst, --no-dayfirst or --date-format"
        )
        raise column.refused(odd, what)
    dates = read[left[0]]
    if "%y" in left[0] and dates.dt.year.max() > _LATEST_SHORT:
        odd = int(dates.dt.year.argmax())
        what = f"can be of {dates[odd].year - 100} or {dates[odd].year}; write four digits of years"
        raise column.refused(odd, what)
    return dates


def _is_regular(dates: "pd.Series[pd.Timestamp]") -> bool:
    """Whether three or more dates rise by the same time, or by as many months."""
    if len(dates) < 3 or dates[1] <= dates[0]:
        return False
    months, days = (12 * dates.dt.year + dates.dt.month).diff(), dates.diff()
    monthly = (months[2:] == months[1]).all() and (dates.dt.day == dates[0].day).all()
    return bool(monthly or (days[2:] == days[1]).all())


def _with_clocks(
    days: "pd.Series[pd.Timestamp]", clocks: "pd.Series[str]", column: Column, options: FileOptions
) -> pd.DatetimeIndex:
    """Add clock times to days, and attach offsets from UTC: of several the times are in UTC."""
    midnight = pd.Timestamp(2000, 1, 1)
    stamps: dict[str, pd.Timestamp] = {}
    for i, clock in enumerate(clocks.str.replace(",", ".")):
        try:
            stamps[clocks[i]] = stamps.get(clocks[i]) or pd.Timestamp(f"2000-01-01 {clock}")
        except ValueError:
            raise column.refused(i, "has no time of a day; correct it") from None
    index = pd.DatetimeIndex(
        days + clocks.map({c: t.tz_localize(None) - midnight for c, t in stamps.items()})
    )
    offsets = [stamps[clock].utcoffset() for clock in clocks]
    known = [offset for offset in offsets if offset is not None]
    if 0 < len(known) < len(offsets):
        what = "must have an offset from UTC in all rows or in none"
        raise column.refused(offsets.index(None), what)
    if known:
        index = (index - pd.TimedeltaIndex(known)).tz_localize("UTC")
        index = index.tz_convert(timezone(known[0])) if len({*known}) == 1 else index
    return _in_zone(index, column, options)


def _in_zone(index: pd.DatetimeIndex, column: Column, options: FileOptions) -> pd.DatetimeIndex:
    """Bring times to the zone of the options, or say that times without offsets are in it."""
    if options.timezone is None:
        return index
    try:
        zone = ZoneInfo(options.timezone)
        if index.tz is not None:
            return index.tz_convert(zone)
        step = -1 if len(index) > 1 and index[-1] < index[0] else 1
        # An hour that occurs twice is known by its order, reversed where the newest come first.
        return index[::step].tz_localize(zone, ambiguous="infer")[::step]
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"--timezone must be a zone such as Europe/Paris in which clocks show the times of "
            f"column {column.name!r}, also when summer time begins and ends; got "
            f"{options.timezone!r}. Leave it out, or write times with their offsets, as in "
            f"2019-12-31T10:00+01:00."
        ) from None


def _by_format(column: Column, options: FileOptions, form: str) -> tuple[Index, list[str]]:
    """Return times by the format that the user names."""
    if form in ("number", "excel", "unix"):
        return _counted(column, options, form)
    if not re.search("%[YyGcxDs]", form):
        raise ValueError(
            f"--date-format must have a year, %Y for 2019 or %y for 19, or be number, excel or "
            f"unix; got {form!r}."
        )
    # A week begins on its first day: Python reads no week without a day of it.
    day = (" 1", " %u") if "%V" in form and "%u" not in form else ("", "")
    read = [_strptime(text + day[0], form + day[1]) for text in column.texts]
    dates = [stamp for stamp in read if stamp is not None]
    if len(dates) < len(read):
        what = f"is not in the format {form}, which has %Y for 2019, %m for 12, %b for Dec"
        raise column.refused(read.index(None), what)
    several = len({stamp.utcoffset() for stamp in dates}) > 1
    index = pd.DatetimeIndex(pd.to_datetime(dates, utc=several))
    return _in_zone(index, column, options), [f"dates in {form}"]


def _counted(column: Column, options: FileOptions, form: str) -> tuple[Index, list[str]]:
    """Return times that are numbers, or days of Excel or seconds of Unix."""
    values = read_numbers(column, options).values
    if form == "number":
        whole = bool((values == np.round(values)).all())
        return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]
    try:
        if form == "excel":  # it writes five digits of a day, which is less than a second
            index = pd.to_datetime(values, unit="D", origin="1899-12-30").round("s")
        else:  # or milliseconds, and so on
            unit = next((k for k in (1.0, 1e-3, 1e-6) if np.abs(values).max() * k < 1e11), 1e-9)
            index = pd.to_datetime(values * unit, unit="s").round("ms")
    except (ValueError, OverflowError):  # out of bounds is a ValueError
        odd = int(np.abs(values).argmax())
        raise column.refused(odd, "is no date") from None
    return _in_zone(index, column, options), [f"dates of {form.title()}"]
