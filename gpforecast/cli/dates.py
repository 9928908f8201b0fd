"""From a column to times: dates of the one format that reads all of them, or numbers."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from gpforecast.cli.numbers import is_number, read_numbers
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
# The first letters of the months' names in English, German, French, Spanish, Italian, Portuguese
# and Dutch, without accents.
_NAMES = (
    "jan ene gen,feb fev,mar maa mrt mrz,apr avr abr,mai may mei mag,jun juin giu,jul juil lug,"
    "aug aou ago,sep set,oct okt ott out,nov,dec dez dic"
)
_MONTHS = {name: f"{date(2000, k, 1):%b}" for k, names in enumerate(_NAMES.split(","), 1)
           for name in names.split()}  # fmt: skip
_CALENDAR = {
    "date", "time", "year", "month", "quarter", "week", "day", "hour", "period", "timestamp",
    "datetime", "ts", "epoch", "datum", "zeit", "jahr", "monat", "quartal", "woche", "tag", "année",
    "mois", "trimestre", "semaine", "jour", "fecha", "año", "mes", "día",
}  # fmt: skip
_WEEKS = {
    "week", "weeks", "wk", "cw", "yearweek", "isoweek", "yyyyww", "woche", "kalenderwoche", "kw",
    "semaine", "semana", "settimana", "vecka", "uge", "uke",
}  # fmt: skip
_CLOCK = re.compile(
    r"(?P<day>.+?)(?:(?:\s*T\s*|,?\s+)(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?)"
    r"\s*(?P<half>[AP]\.?M\.?)?\s*(?P<zone>Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?)?)?$",
    re.IGNORECASE,
)
_QUARTER = re.compile(
    r"(?P<y>[0-9]{4})[-/ ]?Q(?P<q>[1-4])|Q(?P<k>[1-4])[-/ ]*(?P<z>[0-9]{4})", re.I
)
_WEEK = re.compile(r"([0-9]{4})-?W([0-9]{2})(?:-?([1-7]))?", re.I)
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]*\s+", re.I)
_WITH_POINT = re.compile(r"(0?[1-9]|1[0-2])\.[12][0-9]{3}|[12][0-9]{3}\.(0?[1-9]|1[0-2])")
_SAMPLE = 200  # cells that are enough to tell dates from values
_EXCEL_DAYS = (20_000, 75_000)  # 1954 to 2105
_UNIX = (1e8, 1e10)  # seconds, from 1973 to beyond 2200
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
        odd = next(i for i, cell in enumerate(column.cells) if not isinstance(cell, datetime))
        raise ValueError(
            f"--time: {column.place(odd)} must be a date like others of its column; got text or a "
            f"number. A spreadsheet leaves dates of another country as text: correct them there."
        )
    if _is_named(column, _WEEKS) and (found := re.fullmatch(r"([0-9]{4})(\D?)[0-9]{2}", texts[0])):
        raise ValueError(
            f"--time: {column.place(0)} can be a week or a month; pass --date-format "
            f"%G{found[2]}%V if it is a week, or --date-format %Y{found[2]}%m if it is a month."
        )
    if not _readings(texts[:_SAMPLE]) and all(map(is_number, texts[:_SAMPLE])):
        return _numbers(column, options)
    split = _split(texts)
    days = _days(column, split["day"], options)
    return _with_clocks(days, split, column, options), [f"dates like {texts[0]}"]


def is_date(text: str) -> bool:
    """Whether a text is a date in one of the formats, other than a mere number.

    Examples
    --------
    >>> [is_date(text) for text in ("Jan-19", "31.01.2019", "2019Q1", "20190131", "soon")]
    [True, True, True, False, False]
    """
    if not any(character.isdigit() for character in text):
        return False
    found = _CLOCK.fullmatch(text)
    day = _plain(found["day"]) if found else text
    return any(_strptime(day, form) is not None for form in _FORMATS)


def _strptime(text: str, form: str) -> datetime | None:
    """Return a date in a format, None if it is not in it."""
    try:
        return datetime.strptime(text, form)
    except (ValueError, re.error):
        return None


def holds_dates(column: Column) -> bool:
    """Whether a column holds dates rather than values.

    So does one of which half the cells are dates, so that the others are refused and not passed
    over. Numbers such as 201912, and years by one, count as dates if they rise or fall all the time
    or if a word of the column's name says so; then days of Excel, seconds of Unix and weeks do,
    too, to be refused.
    """
    texts = [text for text in column.texts[:_SAMPLE] if text]
    if len(texts) < 2 or any(isinstance(cell, datetime) for cell in column.cells[:_SAMPLE]):
        return len(texts) >= 2
    if not all(map(is_number, texts)):
        return _share(texts) >= 0.5
    named = _is_named(column, _CALENDAR | _WEEKS)
    if named and _stamp(column):
        return True
    if not all(map(str.isdecimal, texts)):
        return False
    steps = np.diff([int(text) for text in texts])
    years = all(1600 <= int(text) < 2300 for text in texts) and bool((np.abs(steps) == 1).all())
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return years or (bool(_readings(texts)) and (named or in_order))


def may_hold_dates(column: Column) -> bool:
    """Whether a column that is not read as dates may say when all the same.

    It has a label for each row, numbers in order, months with points such as 01.2019, or a word for
    a time as its name.
    """
    texts = column.texts
    if len({*texts}) < len(texts):
        return len({*texts}) > 1 and _is_named(column, _CALENDAR | _WEEKS)
    if not all(map(is_number, texts)) or all(map(_WITH_POINT.fullmatch, texts)) or _stamp(column):
        return True
    with suppress(ValueError):
        steps = np.diff(read_numbers(column, FileOptions()).values)
        return bool((steps > 0).all() or (steps < 0).all())
    return True


def _is_named(column: Column, words: set[str]) -> bool:
    """Whether a whole word of a column's name, as of "orderDate", is one of some words."""
    found = re.findall(r"[A-Z]{2,}(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]", column.name)
    return any(word.casefold() in words for word in found)


def _split(texts: Sequence[str]) -> pd.DataFrame:
    """Return days, clocks, halves of the day and zones of texts; "" where they have none."""
    found = pd.Series(texts, dtype=object).str.extract(_CLOCK).fillna("")
    plain = {day: _plain(day) for day in found["day"].unique()}
    return found.assign(day=found["day"].map(plain))


def _plain(day: str) -> str:
    """Return a day as `_FORMATS` have it: months in English, quarters and weeks as their first day.

    Examples
    --------
    >>> [_plain(day) for day in ("Thu, 31. März 2022", "31/12/2019", "Q4 2019", "2019-W05")]
    ['31 Mar 2022', '31-12-2019', '2019-10', '2019-01-28']
    """
    if found := _QUARTER.fullmatch(day):
        return f"{found['y'] or found['z']}-{3 * int(found['q'] or found['k']) - 2:02}"
    if found := _WEEK.fullmatch(day):
        with suppress(ValueError):
            return f"{date.fromisocalendar(*(int(part or 1) for part in found.groups()))}"
    day = _WEEKDAY.sub("", day, count=1)
    if re.search(r"[^\W\d_]{3}", day):
        day = re.sub(r"(?<=[0-9])(?:st|nd|rd|th)\b", "", day)
        return re.sub(r"[-/.,'\s]+", " ", re.sub(r"[^\W\d_]{3,}", _month, day))
    day = re.sub(r"(?i)(?<=[0-9]{4})M(?=[0-9]{2}$)", "-", day)
    return re.sub("[-/.]" if day.count(".") == 2 else "[-/]", "-", day)


def month_of(name: str) -> int:
    """Return the month that a column of it is named by, 0 if by none.

    Examples
    --------
    >>> [month_of(name) for name in ("Jan", "Février", "04", "Mai.", "total")]
    [1, 2, 4, 5, 0]
    """
    if re.fullmatch("0?[1-9]|1[0-2]", name):
        return int(name)
    month = re.sub(r"[^\W\d_]{3,}\.?", _month, name)
    return [*dict.fromkeys(_MONTHS.values())].index(month) + 1 if month in _MONTHS.values() else 0


def _month(name: re.Match[str]) -> str:
    """Return the English abbreviation of a month by the first letters of its name."""
    letters = unicodedata.normalize("NFKD", name[0].lower()).encode("ascii", "ignore").decode()
    letters = letters.rstrip(".")
    return _MONTHS.get(letters[:4]) or _MONTHS.get(letters[:3]) or name[0]


def _parsed(days: "pd.Series[str]", form: str) -> "pd.Series[pd.Timestamp]":
    return pd.to_datetime(days, format=form, errors="coerce")


def _readings(texts: Sequence[str]) -> list[str]:
    """Return the formats that read all texts; of a clock, too."""
    days = _split(texts)["day"]
    forms = [f for f, n in _COMPACT.items() if days.str.fullmatch(rf"[0-9]{{{n}}}").all()]
    return [f for f in (*_FORMATS, *forms) if _parsed(days, f).notna().all()]


def _share(texts: Sequence[str]) -> float:
    """Return the largest share of texts that one format reads."""
    days = _split(texts)["day"]
    return max(float(_parsed(days, form).notna().mean()) for form in _FORMATS)


def _days(
    column: Column, days: "pd.Series[str]", options: FileOptions
) -> "pd.Series[pd.Timestamp]":
    """Return days of the one format that reads them all."""
    forms = [*_FORMATS, *(f for f, n in _COMPACT.items() if (days.str.len() == n).all())]
    if re.match(r"[0-9]{1,2}\.[0-9]", column.texts[0]):  # nobody writes 12.31.2019
        forms = [form for form in forms if not form.startswith("%m-%d")]
    if options.dayfirst is not None:
        other = ("%m-%d", "%y") if options.dayfirst else ("%d-%m", "%y")
        forms = [form for form in forms if not form.startswith(other)]
    read = {form: _parsed(days, form) for form in forms}
    best = max(forms, key=lambda form: read[form].notna().sum())
    if read[best].isna().any():
        odd = int(read[best].isna().argmax())
        share = read[best].notna().mean()
        like = next((t for t, r in zip(column.texts, read[best], strict=True) if r == r), "")
        others = f"like {like}, as others of its column are" if share >= 0.5 else "that is read"
        end = ", --skip-footer if the table ends before it" if share >= 0.5 else ""
        raise ValueError(
            f"--time: {column.place(odd)} is no date {others}; write dates as 2019-12-31, pass "
            f"their format, such as --date-format %d.%m.%Y, --dayfirst or --no-dayfirst{end}, or "
            f"delete the row."
        )
    left = {tuple(dates): form for form, dates in read.items() if dates.notna().all()}
    if len(left) > 1:
        regular = [form for form in left.values() if _is_regular(read[form])]
        if len(regular) != 1:
            a, b, *_ = left.values()
            odd = int((read[a] != read[b]).argmax())
            first, second = (f"{read[form][odd]:%Y-%m-%d}" for form in (a, b))
            raise ValueError(
                f"--time: {column.place(odd)} can be read day first or month first, as {first} or "
                f"{second}; pass --dayfirst, --no-dayfirst or --date-format."
            )
        best = regular[0]
    _check_form(column, best, read[best])
    return read[best]


def _is_regular(dates: "pd.Series[pd.Timestamp]") -> bool:
    """Whether three or more dates rise by the same time, or by as many months."""
    if len(dates) < 3 or dates[1] <= dates[0]:
        return False
    months, days = (12 * dates.dt.year + dates.dt.month).diff(), dates.diff()
    monthly = (months[2:] == months[1]).all() and (dates.dt.day == dates[0].day).all()
    return bool(monthly or (days[2:] == days[1]).all())


def _check_form(column: Column, form: str, dates: "pd.Series[pd.Timestamp]") -> None:
    """Refuse years of two digits that may be of two centuries, or may be days of a month."""
    if "%y" in form and dates.dt.year.max() > _LATEST_SHORT:
        odd = int(dates.dt.year.argmax())
        year = dates[odd].year
        raise ValueError(
            f"--time: {column.place(odd)} can be of {year - 100} or {year}; write its years with "
            f"four digits."
        )
    months = 12 * dates.dt.year + dates.dt.month
    steps = months.diff().dropna().abs()
    if form == "%b %y" and 2 * steps.isin([1, 3]).sum() <= len(steps):
        raise ValueError(
            f"--time: {column.place(0)} can be a month and a year or a month and a day; pass "
            f"--date-format %b-%y if it is a year."
        )
    if form == "%Y-%m" and (steps == 13).all() and len(steps):
        raise ValueError(
            f"--time: {column.place(0)} can be a month or a season of two years; pass "
            f"--date-format %Y-%m if it is a month."
        )


def _with_clocks(
    days: "pd.Series[pd.Timestamp]", split: pd.DataFrame, column: Column, options: FileOptions
) -> pd.DatetimeIndex:
    """Add clock times to days, and attach offsets from UTC: of several the times are in UTC."""
    clocks = split["clock"].str.replace(",", ".")
    clocks = clocks.where(clocks.str.count(":") != 1, clocks + ":00").replace("", "0:00:00")
    hours = clocks.str.partition(":")[0].astype(int)
    half = split["half"].str[:1].str.lower()
    late = (hours > 24) | ((half != "") & ((hours < 1) | (hours > 12)))
    if late.any():
        raise ValueError(f"--time: {column.place(int(late.argmax()))} has no time of a day.")
    shift = 12 * (half == "p").astype(int) - 12 * ((half != "") & (hours == 12)).astype(int)
    index = pd.DatetimeIndex(days + pd.to_timedelta(clocks) + pd.to_timedelta(shift, unit="h"))
    zones = split["zone"].str.upper().replace(["UTC", "GMT"], "Z")
    if (zones == "").all():
        return _in_zone(index, column, options)
    if (zones == "").any():
        raise ValueError(
            f"--time: {column.place(int((zones == '').argmax()))} must have an offset from UTC as "
            f"others of its column have; write it in all rows or in none."
        )
    offsets = {zone: _offset(zone) for zone in zones.unique()}
    index = (index - pd.TimedeltaIndex(zones.map(offsets))).tz_localize("UTC")
    if len(offsets) == 1 and zones[0] != "Z":
        index = index.tz_convert(timezone(offsets[zones[0]]))
    return _in_zone(index, column, options)


def _offset(zone: str) -> timedelta:
    digits = zone.replace(":", "").replace("Z", "+00").ljust(5, "0")
    return timedelta(hours=int(digits[:3]), minutes=int(digits[0] + digits[3:]))


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
        # An hour that occurs twice is told by its order, which newest first turns round.
        return index[::step].tz_localize(zone, ambiguous="infer")[::step]
    except ValueError:
        raise ValueError(
            f"--timezone: the times in column {column.name!r} of {column.source} are not those "
            f"that clocks of {options.timezone} show when summer time begins and ends. Leave "
            f"--timezone out, or write times with their offsets, as in 2019-12-31T10:00+01:00."
        ) from None


def _stamp(column: Column) -> str:
    """Return as which numbers can be dates: ``unix``, ``excel`` or none (empty)."""
    try:
        values = read_numbers(column, FileOptions()).values
    except ValueError:
        return ""
    for name, (low, high) in {"unix": _UNIX, "excel": _EXCEL_DAYS}.items():
        seconds = values / _unit(values) if name == "unix" else values
        if (seconds >= low).all() and (seconds < high).all():
            return name
    return ""


def _unit(values: FloatArray) -> float:
    """Return how many to a second times since 1970 are: 1, or as milli-, micro-, nanoseconds."""
    highest = np.abs(values).max()
    return next((unit for unit in (1.0, 1e3, 1e6) if highest < 1e11 * unit), 1e9)


def _numbers(column: Column, options: FileOptions) -> tuple[Index, list[str]]:
    """Return numbers as times, unless they look like seconds of Unix or days of Excel."""
    if name := _stamp(column):
        raise ValueError(
            f"--time: {column.place(0)} can be a date, as of {name}, or a mere number; pass "
            f"--date-format {name} or --date-format number."
        )
    values = read_numbers(column, options).values
    whole = bool((values == np.round(values)).all()) and np.abs(values).max() < 2**53
    return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]


def _by_format(column: Column, options: FileOptions, form: str) -> tuple[Index, list[str]]:
    """Return times by the format that the user names."""
    if form in ("number", "excel", "unix"):
        values = read_numbers(column, options).values
        if form == "number":
            whole = bool((values == np.round(values)).all())
            return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]
        # Spreadsheets write five digits of a day, which is less than a second.
        seconds = np.round(values * 86_400) if form == "excel" else values / _unit(values)
        if (np.abs(seconds) > _UNIX[1]).any():
            raise ValueError(
                f"--date-format {form}: {column.place(int(np.abs(values).argmax()))} is no date."
            )
        origin = np.datetime64("1899-12-30" if form == "excel" else "1970-01-01", "ms")
        index = pd.DatetimeIndex(origin + np.round(seconds * 1000).astype("timedelta64[ms]"))
        return _in_zone(index, column, options), [f"dates of {form.title()}"]
    if not re.search("%[YyGcxDs]", form):
        raise ValueError(
            f"--date-format must have a year, %Y for 2019 or %y for 19, or be number, excel or "
            f"unix; got {form!r}."
        )
    # A week begins on its first day: Python reads no week without a day of it.
    week = re.search("%[GVWU]", form) and not re.search("%[uwaA]", form)
    day = (f" {0 if '%U' in form else 1}", " %w") if week else ("", "")
    dates = []
    for i, text in enumerate(column.texts):
        stamp = _strptime(text + day[0], form + day[1])
        if stamp is None:
            raise ValueError(
                f"--date-format: {column.place(i)} is not in the format {form}; correct the "
                f"format, which has %Y for 2019, %y for 19, %m for 12, %b for Dec, %d for 31."
            )
        dates.append(stamp)
    several = len({stamp.utcoffset() for stamp in dates}) > 1
    index = pd.DatetimeIndex(pd.to_datetime(dates, utc=several))
    if "%y" in form:
        _check_form(column, "%y", pd.Series(index))
    return _in_zone(index, column, options), [f"dates in {form}"]
