"""From a column to times: dates of the one format that reads all of them, or numbers."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from gpforecast.cli.amounts import is_number, read_numbers
from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.types import FloatArray, Index

# Dates as `_plain` writes them: dashes between numbers, spaces between words. "%Y-%m" is also what
# it makes of quarters.
_FORMATS = (
    "%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%d %b %Y", "%d %b %y",
    "%b %d %Y", "%Y %b %d", "%Y-%m", "%m-%Y", "%b %Y", "%Y %b", "%b %y",
)  # fmt: skip
_COMPACT = {"%Y%m%d": 8, "%Y%m": 6}
# How many months apart dates without days are; otherwise they say something else.
_APART = {"%b %y": [1, 3], "%Y-%m": [1, 2, 3, 4, 6, 12]}
# The first letters of the months' names in English, German, French, Spanish, Italian, Portuguese
# and Dutch, without accents.
_NAMES = (
    "jan ene gen,feb fev,mar maa mrt mrz,apr avr abr,mai may mei mag,jun juin giu,jul juil lug,"
    "aug aou ago,sep set,oct okt ott out,nov,dec dez dic"
)
_MONTHS = {name: k for k, names in enumerate(_NAMES.split(","), 1) for name in names.split()}
_CALENDAR = re.compile(
    r"date|time|year|month|quarter|period|timestamp|datetime|day|hour|ts|epoch|datum|zeit|jahr|"
    r"monat|quartal|tag|année|mois|trimestre|jour|fecha|año|mes|día|(kalender)?woche|kw|cw|wk|"
    r"(iso|year)?weeks?|yyyyww|semain?[ae]|settimana|vecka|uge|uke"
)
_WEEK_NAME = re.compile(r".*(week|woche|semain?[ae]|yyyyww|settimana)|kw|cw|wk|vecka|uge|uke")
_TEXT = re.compile(
    r"(?P<day>.+?)(?:(?:\s*T\s*|,?\s+)(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"\s*(?:[AP]\.?M\.?)?\s*(?:Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?)?))?$",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"(?:([0-9]{4})[-/ ]?)?Q([1-4])[-/ ]*([0-9]{4})?", re.IGNORECASE)
_WEEK = re.compile(r"([0-9]{4})-?W([0-9]{2})(?:-?([1-7]))?", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]*\s+", re.IGNORECASE)
_WITH_POINT = re.compile(r"(0?[1-9]|1[0-2])\.[12][0-9]{3}|[12][0-9]{3}\.(0?[1-9]|1[0-2])")
_SAMPLE = 200  # cells that are enough to tell dates from values
_STAMPS = 20_000  # from here on numbers may be days of Excel (1954) or seconds of Unix
_LATEST_SHORT = 2040  # beyond it, a year of two digits may be of the century before
_BEYOND = (ValueError, OverflowError, pd.errors.OutOfBoundsDatetime)


def times_of(column: Column, options: FileOptions) -> tuple[Index, list[str]]:
    """Return the times in a column, in its order, and what was detected.

    Raises
    ------
    ValueError
        If a cell is empty or no date like the others, or if the dates can be read in two ways and
        no option decides.
    """
    texts = column.texts
    empty = [i for i, text in enumerate(texts) if text.casefold() in ("", "nan", "nat", "none")]
    if empty:
        raise ValueError(
            f"--time: column {column.name!r} must have a time in every row; {column.word} "
            f"{column.lines[empty[0]]} of {column.source} has none. Complete it, or leave the last "
            f"rows out with --skip-footer if they are totals."
        )
    if options.date_format is not None:
        return _by_format(column, options, options.date_format)
    dates = [cell for cell in column.cells if isinstance(cell, datetime)]
    if len(dates) == len(texts):
        return _in_zone(pd.DatetimeIndex(dates), column, options), ["dates"]
    if dates:
        odd = next(i for i, cell in enumerate(column.cells) if cell not in dates)
        what = "must be a date like others of its column; correct it in the spreadsheet"
        raise column.refused(odd, "--time", what)
    week = re.fullmatch(r"([0-9]{4})(\D?)[0-9]{2}", texts[0])
    if week and _WEEK_NAME.fullmatch(column.name.casefold()):
        what = (
            f"can be a week or a month; pass --date-format %G{week[2]}%V if it is a week, or "
            f"--date-format %Y{week[2]}%m if it is a month"
        )
        raise column.refused(0, "--time", what)
    if not _formats(texts[:_SAMPLE]) and all(map(is_number, texts[:_SAMPLE])):
        if _may_be_stamps(column):
            what = (
                "can be days as Excel counts them, seconds since 1970 or a mere number; pass "
                "--date-format excel, unix or number"
            )
            raise column.refused(0, "--time", what)
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
    or if a word of the column's name says so; then days of Excel and seconds of Unix do, too, to be
    refused.
    """
    texts = [text for text in column.texts[:_SAMPLE] if text]
    if len(texts) < 2 or any(isinstance(cell, datetime) for cell in column.cells[:_SAMPLE]):
        return len(texts) >= 2
    if not all(map(is_number, texts)):
        days = _split(texts)["day"]
        return max(_parsed(days, form).notna().mean() for form in _FORMATS) >= 0.5
    named = _is_named(column)
    if not all(map(str.isdecimal, texts)):
        return named and _may_be_stamps(column)
    steps = np.diff([int(text) for text in texts])
    years = all(1600 <= int(text) < 2300 for text in texts) and bool((np.abs(steps) == 1).all())
    in_order = bool((steps > 0).all() or (steps < 0).all())
    dated = bool(_formats(texts)) or (named and _may_be_stamps(column))
    return years or (dated and (named or in_order))


def may_hold_dates(column: Column) -> bool:
    """Whether a column that is not read as dates may say when all the same.

    It has a label for each row, numbers in order, months with points such as 01.2019, or a word for
    a time as its name.
    """
    texts = column.texts
    if len({*texts}) < len(texts):
        return len({*texts}) > 1 and _is_named(column)
    if not all(map(is_number, texts)) or all(map(_WITH_POINT.fullmatch, texts)):
        return True
    try:
        steps = np.diff(read_numbers(column, FileOptions()).values)
    except ValueError:
        return True
    return _is_named(column) or bool((steps > 0).all() or (steps < 0).all())


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


def _is_named(column: Column) -> bool:
    """Whether a whole word of a column's name, as of "orderDate", is one for a time."""
    words = re.findall(r"[A-Z]{2,}(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]", column.name)
    return any(_CALENDAR.fullmatch(word.casefold()) for word in words)


def _may_be_stamps(column: Column) -> bool:
    """Whether numbers may be days of Excel or seconds of Unix."""
    try:
        return bool((read_numbers(column, FileOptions()).values >= _STAMPS).all())
    except ValueError:
        return False


def _split(texts: Sequence[str]) -> pd.DataFrame:
    """Return the days of texts and their clocks, which may be "" and have an offset from UTC."""
    found = pd.Series(texts, dtype=object).str.extract(_TEXT).fillna("")
    plain = {day: _plain(day) for day in found["day"].unique()}
    return found.assign(day=found["day"].map(plain))


def _plain(day: str) -> str:
    """Return a day as `_FORMATS` have it: months in English, quarters and weeks as their first day.

    Examples
    --------
    >>> [_plain(day) for day in ("Thu, 31. März 2022", "31/12/2019", "Q4 2019", "2019-W05")]
    ['31 Mar 2022', '31-12-2019', '2019-10', '2019-01-28']
    """
    quarter, week = _QUARTER.fullmatch(day), _WEEK.fullmatch(day)
    if quarter and bool(quarter[1]) != bool(quarter[3]):
        return f"{quarter[1] or quarter[3]}-{3 * int(quarter[2]) - 2:02}"
    if week:
        with suppress(ValueError):
            return f"{date.fromisocalendar(*(int(part or 1) for part in week.groups()))}"
    day = _WEEKDAY.sub("", day, count=1)
    if re.search(r"[^\W\d_]{3}", day):
        day = re.sub(r"(?<=[0-9])(?:st|nd|rd|th)\b", "", day)
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
    other = {None: (), True: ("%m-%d", "%y"), False: ("%d-%m", "%y")}[options.dayfirst]
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
        raise column.refused(odd, "--time", what)
    fitting = {tuple(dates): form for form, dates in read.items() if dates.notna().all()}
    left = [f for f in fitting.values() if _is_regular(read[f])] or [*fitting.values()]
    if len(fitting) > 1 and len(left) > 1:
        a, b = (read[form] for form in left[:2])
        odd = int((a != b).argmax())
        what = (
            f"can be read day first or month first, as {a[odd]:%Y-%m-%d} or {b[odd]:%Y-%m-%d}; "
            f"pass --dayfirst, --no-dayfirst or --date-format"
        )
        raise column.refused(odd, "--time", what)
    _check_century(column, left[0], read[left[0]])
    months = (12 * read[left[0]].dt.year + read[left[0]].dt.month).diff()[1:].abs()
    if left[0] in _APART and 2 * months.isin(_APART[left[0]]).sum() < max(len(months), 1):
        what = (
            f"can be a month of a year, a day or a season; pass --date-format "
            f"{left[0].replace(' ', '-')} if it is a month"
        )
        raise column.refused(0, "--time", what)
    return read[left[0]]


def _is_regular(dates: "pd.Series[pd.Timestamp]") -> bool:
    """Whether three or more dates rise by the same time, or by as many months."""
    if len(dates) < 3 or dates[1] <= dates[0]:
        return False
    months, days = (12 * dates.dt.year + dates.dt.month).diff(), dates.diff()
    monthly = (months[2:] == months[1]).all() and (dates.dt.day == dates[0].day).all()
    return bool(monthly or (days[2:] == days[1]).all())


def _check_century(column: Column, form: str, dates: "pd.Series[pd.Timestamp]") -> None:
    """Refuse years of two digits that may be of two centuries."""
    if "%y" in form and dates.dt.year.max() > _LATEST_SHORT:
        odd = int(dates.dt.year.argmax())
        year = dates[odd].year
        what = f"can be of {year - 100} or {year}; write its years with four digits"
        raise column.refused(odd, "--time", what)


def _with_clocks(
    days: "pd.Series[pd.Timestamp]", clocks: "pd.Series[str]", column: Column, options: FileOptions
) -> pd.DatetimeIndex:
    """Add clock times to days, and attach offsets from UTC: of several the times are in UTC."""
    noon = pd.Timestamp(2000, 1, 1)
    since: dict[str, tuple[timedelta, timedelta | None]] = {"": (timedelta(), None)}
    for i, clock in enumerate(clocks):
        if clock not in since:
            try:
                stamp = pd.Timestamp(f"2000-01-01 {clock.replace(',', '.')}")
            except ValueError:
                raise column.refused(i, "--time", "has no time of a day; correct it") from None
            since[clock] = (stamp.tz_localize(None) - noon, stamp.utcoffset())
    index = pd.DatetimeIndex(days + clocks.map({clock: t for clock, (t, _) in since.items()}))
    offsets = [since[clock][1] for clock in clocks]
    if None in offsets and {*offsets} != {None}:
        what = "must have an offset from UTC in all rows or in none"
        raise column.refused(offsets.index(None), "--time", what)
    if None not in offsets:
        index = (index - pd.TimedeltaIndex(offsets)).tz_localize("UTC")
        one = offsets[0] if len({*offsets}) == 1 else None
        index = index.tz_convert(timezone(one)) if one else index
    return _in_zone(index, column, options)


def _in_zone(index: pd.DatetimeIndex, column: Column, options: FileOptions) -> pd.DatetimeIndex:
    """Bring times to the zone of the options, or say that times without offsets are in it."""
    if options.timezone is None:
        return index
    try:
        zone = ZoneInfo(options.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"--timezone must be a zone such as Europe/Paris; got {options.timezone!r}."
        ) from None
    if index.tz is not None:
        return index.tz_convert(zone)
    step = -1 if len(index) > 1 and index[-1] < index[0] else 1
    try:
        # An hour that occurs twice is known by its order, which newest first turns round.
        return index[::step].tz_localize(zone, ambiguous="infer")[::step]
    except ValueError:
        raise ValueError(
            f"--timezone: the times in column {column.name!r} are not those that clocks of "
            f"{options.timezone} show when summer time begins and ends. Leave --timezone out, or "
            f"write times with their offsets, as in 2019-12-31T10:00+01:00."
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
    week = re.search("%[GVWU]", form) and not re.search("%[uwaA]", form)
    day = (f" {0 if '%U' in form else 1}", " %w") if week else ("", "")
    read = [_strptime(text + day[0], form + day[1]) for text in column.texts]
    if None in read:
        what = f"is not in the format {form}, which has %Y for 2019, %m for 12, %b for Dec"
        raise column.refused(read.index(None), "--date-format", what)
    dates = [stamp for stamp in read if stamp is not None]
    several = len({stamp.utcoffset() for stamp in dates}) > 1
    index = pd.DatetimeIndex(pd.to_datetime(dates, utc=several))
    _check_century(column, form, pd.Series(index))
    return _in_zone(index, column, options), [f"dates in {form}"]


def _counted(column: Column, options: FileOptions, form: str) -> tuple[Index, list[str]]:
    """Return times that are numbers, or days of Excel or seconds of Unix."""
    values = read_numbers(column, options).values
    if form == "number":
        whole = bool((values == np.round(values)).all()) and np.abs(values).max() < 2**53
        return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]
    try:
        if form == "excel":  # it writes five digits of a day, which is less than a second
            index = pd.to_datetime(values, unit="D", origin="1899-12-30").round("s")
        else:
            index = pd.to_datetime(values * _to_seconds(values), unit="s").round("ms")
    except _BEYOND:
        odd = int(np.abs(values).argmax())
        raise column.refused(odd, f"--date-format {form}", "is no date") from None
    return _in_zone(index, column, options), [f"dates of {form.title()}"]


def _to_seconds(values: FloatArray) -> float:
    """Return how many seconds since 1970 one is of what is counted: milliseconds and so on."""
    return next((k for k in (1.0, 1e-3, 1e-6) if np.abs(values).max() * k < 1e11), 1e-9)
