"""From a column to times: dates of the one format that reads all of them, or numbers."""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from gpforecast.cli.amounts import is_number, read_numbers
from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.kinds import are_dates
from gpforecast.common.types import Index
from gpforecast.series.index_checks import first_day

# Dates as `_plain` writes them: dashes between numbers, spaces between words. "%Y-%m" is also what
# it makes of quarters.
_FORMATS = (
    "%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%d %b %Y", "%d %b %y", "%b %d %Y",
    "%Y-%m", "%m-%Y", "%b %Y", "%Y %b", "%b %y",
)  # fmt: skip
# The first letters of the months' names in English, German, French, Spanish, Italian, Portuguese
# and Dutch, without accents.
_NAMES = (
    "jan ene gen,feb fev,mar maa mrt mrz,apr avr abr,mai may mei mag,jun juin giu,jul juil lug,"
    "aug aou ago,sep set,oct okt ott out,nov,dec dez dic"
)
_MONTHS = {name: k for k, names in enumerate(_NAMES.split(","), 1) for name in names.split()}
_ENGLISH = ("", *(f"{date(2000, month, 1):%b}" for month in range(1, 13)))
_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]")  # as in "orderDate"
_CALENDAR = re.compile(
    r"date|time|timestamp|datetime|year|month|quarter|period|day|hour|(iso|year)?week|ts|epoch|"
    r"datum|zeit|jahr|monat|quartal|tag|(kalender)?woche|année|mois|fecha|año|mes",
    re.IGNORECASE,
)
_WEEK_NAME = re.compile(r"week|woche|\bkw\b|\bwk\b", re.IGNORECASE)
_TEXT = re.compile(
    r"(?P<day>.+?)(?:(?:\s*T\s*|,?\s+)(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"\s*(?:[AP]\.?M\.?)?)\s*(?P<offset>Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?)?)?$",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})?")
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
    texts, form = column.texts, options.date_format or _week_format(column)
    for i, text in enumerate(texts):
        if text.casefold() in ("", "nan", "nat", "none"):
            what = "must be a time; complete it, or pass --skip-footer if the table ends above"
            raise column.refused(i, what)
    if form is None and all(isinstance(cell, datetime) for cell in column.cells):
        return _in_zone(pd.DatetimeIndex(column.cells), column, options), ["dates"]
    week = re.fullmatch(r"([0-9]{4})(\D?)[0-9]{2}", texts[0])
    if form is None and week and _WEEK_NAME.search(column.name):
        what = f"can be a week or a month; pass --date-format %G{week[2]}%V or %Y{week[2]}%m"
        raise column.refused(0, what)
    if form is None and not _has_format(texts) and all(map(is_number, texts[:_SAMPLE])):
        if _may_be_stamps(texts):
            what = (
                "can be days as Excel counts them, seconds since 1970 or a mere number; pass "
                "--date-format excel, unix or number"
            )
            raise column.refused(0, what)
        form = "number"
    if form == "number":
        values = read_numbers(column, options).values
        whole = bool((values == np.round(values)).all())
        return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]
    index = _dates(column, options) if form is None else _by_format(column, options, form)
    how = f"as {form.title()} counts them" if form in ("excel", "unix") else f"in {form}"
    detected = f"dates like {texts[0]}" if form is None else f"dates {how}"
    if options.timezone is None and len(_split(texts)["offset"].unique()) > 1:
        detected += " whose offsets change, taken to UTC: --timezone names the zone of their clocks"
    return _in_zone(index, column, options), [detected]


@cache
def is_date(text: str) -> bool:
    """Whether a text is a date in one of the formats, other than a mere number.

    Examples
    --------
    >>> [is_date(text) for text in ("Jan-19", "31.01.2019", "2019Q1", "20190131", "soon")]
    [True, True, True, False, False]
    """
    found = _TEXT.fullmatch(text)
    day = "" if found is None or is_number(text) else _plain(found["day"])
    return any(_strptime(day, form) for form in _FORMATS)


def form_of(index: Index, texts: Sequence[str]) -> str:
    """Return the format in which texts have their times, "" if it is none of days alone.

    Examples
    --------
    >>> form_of(pd.DatetimeIndex(["2024-01-01", "2024-02-01"]), ["01/2024", "02/2024"])
    '%m/%Y'
    """
    forms = (form.replace("-", mark) for form in _FORMATS for mark in "-/.")
    dates = pd.DatetimeIndex(index) if are_dates(index) else pd.DatetimeIndex([])
    return next((form for form in forms if [*dates.strftime(form)] == [*texts]), "")


def holds_dates(column: Column) -> bool:
    """Whether a column holds dates rather than values.

    So does one of which half the cells are dates, so that the others are refused and not passed
    over. Numbers such as 201912, and years by one, count as dates if they rise or fall all the time
    or if the column's name says so. So do days of Excel and seconds of Unix, to be refused, if the
    name says so and they rise or fall as times do, at least half of them by the same step.
    """
    if _week_format(column):
        return True
    texts = [text for text in column.texts[:_SAMPLE] if text]
    if len(texts) < 2 or not all(map(is_number, texts)):
        return len(texts) > 1 and max(r.notna().mean() for r in _read(texts).values()) >= 0.5
    named = any(map(_CALENDAR.fullmatch, _WORD.findall(column.name)))
    values = pd.to_numeric(pd.Series(texts), errors="coerce")
    steps = values.diff()[1:]
    years = values.between(1600, 2299).all() and (steps.abs() == 1).all()
    in_order = (steps > 0).all() or (steps < 0).all()
    dated = (named or in_order) and _has_format(texts)
    even = 2 * steps.round(4).value_counts().max() >= len(steps)
    return bool(years or dated or (named and in_order and even and _may_be_stamps(texts)))


def _week_format(column: Column) -> str | None:
    """Return the format of years and weeks such as 202113 or 2021/13, None of anything else."""
    texts = pd.Series([text for text in column.texts if text], dtype=object)
    parts = texts.str.extract(r"^((?:1[6-9]|2[0-2])[0-9]{2})([-/ ]?)(0[1-9]|[1-4][0-9]|5[0-3])$")
    if parts.isna().any(axis=None) or not (parts[2] > "12").any():
        return None
    rise = texts.is_monotonic_increasing and parts[0].iloc[-1] > parts[0][0]
    return f"%G{parts[1][0]}%V" if rise or _WEEK_NAME.search(column.name) else None


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
    """Return the days, clocks and offsets from UTC of texts, "" where there is none."""
    found = pd.Series(texts, dtype=object).str.extract(_TEXT).fillna("")
    plain = {day: _plain(day) for day in found["day"].unique()}
    return found.assign(day=found["day"].map(plain))


def _plain(day: str) -> str:
    """Return a day as `_FORMATS` have it: months in English, quarters and weeks as their first day.

    Examples
    --------
    >>> [_plain(day) for day in ("31. März 2022", "31/12/2019", "Q4 2019", "2019-H2")]
    ['31 Mar 2022', '31-12-2019', '2019-10', '2019-07']
    >>> [_plain(day) for day in ("2019-W05", "2019-W05-3", "2019W053", "2019W05-3")]
    ['2019-01-28', '2019-01-30', '2019-01-30', '2019-01-30']
    >>> _plain("20190131")
    '2019-01-31'
    """
    if found := first_day(day):
        return f"{found[1]:%Y-%m-%d}" if "W" in day.upper() else f"{found[1]:%Y-%m}"
    if "W" in day.upper():
        with suppress(ValueError):
            return f"{date.fromisoformat(day.upper().replace('-', ''))}"
    if compact := _COMPACT.fullmatch(day):
        return "-".join(filter(None, compact.groups()))
    if re.search(r"[^\W\d_]{3}", day):
        # A month of 0 is no month.
        english = re.sub(r"[^\W\d_]{3,}", lambda m: _ENGLISH[month_of(m[0])] or m[0], day)
        return re.sub(r"[-/.,'\s]+", " ", english)
    return re.sub("[-/.]" if day.count(".") == 2 else "[-/]", "-", day)


def _strptime(text: str, form: str) -> datetime | None:
    with suppress(ValueError, re.error):
        return datetime.strptime(text, form)
    return None


def _read(texts: Sequence[str]) -> dict[str, "pd.Series[pd.Timestamp]"]:
    """Return the days of texts by each format, NaT where it reads none."""
    days = _split(texts)["day"]
    return {form: pd.to_datetime(days, format=form, errors="coerce") for form in _FORMATS}


def _has_format(texts: Sequence[str]) -> bool:
    """Whether one format reads the days of all texts."""
    return any(dates.notna().all() for dates in _read(texts[:_SAMPLE]).values())


def _dates(column: Column, options: FileOptions) -> pd.DatetimeIndex:
    """Return the times of texts, whose days the one format reads that reads them all."""
    points = re.match(r"[0-9]{1,2}\.[0-9]", column.texts[0])  # nobody writes 12.31.2019
    dayfirst = True if points and options.dayfirst is None else options.dayfirst
    other = {None: "none", True: "%m-%d", False: "%d-%m"}[dayfirst]
    read = [dates for form, dates in _read(column.texts).items() if not form.startswith(other)]
    best = max(read, key=lambda dates: dates.notna().sum())
    if best.isna().any():
        like = f"like {column.texts[int(best.notna().argmax())]}, as others of its column are"
        what = (
            f"is no date {like if best.notna().mean() >= 0.5 else 'that is read'}; write it as "
            f"2019-12-31 or delete it, pass the format of all with --date-format %d.%m.%Y, "
            f"--dayfirst or --no-dayfirst, or --skip-footer if the table ends above"
        )
        raise column.refused(int(best.isna().argmax()), what)
    fitting = [*{tuple(dates): dates for dates in read if dates.notna().all()}.values()]
    left = [dates for dates in fitting if _is_regular(dates)] or fitting
    if len(fitting) > 1 and len(left) > 1:
        a, b = left[:2]
        odd = int((a != b).argmax())
        what = (
            f"can be read day first or month first, as {a[odd]:%Y-%m-%d} or {b[odd]:%Y-%m-%d}; "
            f"pass --dayfirst, --no-dayfirst or --date-format"
        )
        raise column.refused(odd, what)
    parts, odd = _split(column.texts), int(left[0].dt.year.argmax())
    if (year := left[0][odd].year) > _LATEST_SHORT and str(year) not in parts["day"][odd]:
        raise column.refused(odd, f"can be of {year - 100} or {year}; write four digits of years")
    return _with_clocks(left[0], parts, column)


def _is_regular(dates: "pd.Series[pd.Timestamp]") -> bool:
    """Whether three or more dates rise by the same time, or by as many months."""
    if len(dates) < 3 or dates[1] <= dates[0]:
        return False
    months, days = (12 * dates.dt.year + dates.dt.month).diff(), dates.diff()
    monthly = (months[2:] == months[1]).all() and (dates.dt.day == dates[0].day).all()
    return bool(monthly or (days[2:] == days[1]).all())


def _with_clocks(
    days: "pd.Series[pd.Timestamp]", parts: pd.DataFrame, column: Column
) -> pd.DatetimeIndex:
    """Add clock times to days, with their offset from UTC: of several the times are in UTC."""
    clocks = "2000-01-01 " + parts["clock"].str.replace(",", ".") + parts["offset"]
    offsets = parts["offset"].unique()
    if len(offsets) > 1 and "" in offsets:
        what = "must have an offset from UTC in all rows or in none"
        raise column.refused(int((parts["offset"] == "").argmax()), what)
    at = pd.to_datetime(clocks.str.strip(), format="mixed", errors="coerce", utc=len(offsets) > 1)
    if at.isna().any():
        raise column.refused(int(at.isna().argmax()), "has no time of a day; correct it")
    index = pd.DatetimeIndex(days + (at - pd.Timestamp("2000-01-01", tz=at.dt.tz)))
    return index.tz_localize(at.dt.tz)


def _in_zone(index: pd.DatetimeIndex, column: Column, options: FileOptions) -> pd.DatetimeIndex:
    """Bring times to the zone of the options, or say that times without offsets are in it."""
    if options.timezone is None:
        return index
    try:
        zone = ZoneInfo(options.timezone)
        if index.tz is not None:
            return index.tz_convert(zone)
        step = -1 if index[-1] < index[0] else 1  # an hour that occurs twice is known by its order
        return index[::step].tz_localize(zone, ambiguous="infer")[::step]
    except (KeyError, ValueError, OSError):
        raise ValueError(
            f"--timezone must be a zone such as Europe/Paris in which clocks show the times of "
            f"column {column.name!r}, also when they change; got {options.timezone!r}. Leave it "
            f"out, or write times with their offsets, as in 2019-12-31T10:00+01:00."
        ) from None


def _by_format(column: Column, options: FileOptions, form: str) -> pd.DatetimeIndex:
    """Return dates by the format that the user names."""
    if form == "excel":  # five digits of a day are less than a second
        days = read_numbers(column, options).values
        dates = pd.to_datetime(days, unit="D", origin="1899-12-30", errors="coerce").round("s")
    elif form == "unix":  # seconds, or milliseconds, and so on
        seconds = read_numbers(column, options).values
        unit = next((k for k in (1.0, 1e-3, 1e-6) if np.abs(seconds).max() * k < 1e11), 1e-9)
        dates = pd.to_datetime(seconds * unit, unit="s", errors="coerce").round("ms")
    elif re.search("%[YyG]", form):
        # A week begins on its first day: it is read with a day of it.
        day = (" 1", " %u") if "%V" in form and "%u" not in form else ("", "")
        read = [_strptime(text + day[0], form + day[1]) for text in column.texts]
        several = len({one.utcoffset() for one in read if one}) > 1
        dates = pd.DatetimeIndex(pd.to_datetime(pd.Series(read, dtype=object), utc=several))
    else:
        raise ValueError(
            f"--date-format must have a year, %Y for 2019 or %y for 19, or be number, excel or "
            f"unix; got {form!r}."
        )
    if dates.isna().any():
        what = f"is no date in the format {form} (%Y is 2019, %m is 12, %b is Dec)"
        raise column.refused(int(dates.isna().argmax()), what)
    return dates
