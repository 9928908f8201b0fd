"""From a column to times: dates in one form, or numbers."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import numpy as np
import pandas as pd

from gpforecast.cli.files.date_forms import (
    DAY_FIRST,
    FORMS,
    MONTH_AND_SHORT_YEAR,
    MONTH_FIRST,
    MONTHS_LIKE_NUMBERS,
    DateForm,
    has_long_year,
    is_date,
)
from gpforecast.cli.files.numbers import is_number, numbers_of
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column
from gpforecast.cli.files.zones import in_zone, with_offsets, written_offset
from gpforecast.common.types import FloatArray, Index

_SAMPLE = 200  # cells that are enough to detect a form
CALENDAR = {
    "year", "month", "quarter", "week", "day", "date", "time", "hour", "jahr", "monat", "quartal",
    "woche", "tag", "datum", "zeit", "année", "mois", "trimestre", "semaine", "jour", "heure",
    "año", "mes", "semana", "día", "fecha", "hora", "anno", "mese", "settimana", "giorno", "jaar",
    "maand", "kwartaal", "dag", "timestamp", "datetime", "ts", "epoch",
}  # fmt: skip
"""Names of columns that say when."""
_DATED = {*CALENDAR, "data", "period", "stamp"}
_WEEK = {
    "week", "weeks", "wk", "cw", "yearweek", "isoweek", "yyyyww", "woche", "kalenderwoche", "kw",
    "semaine", "semana", "settimana", "vecka", "uge", "uke",
}  # fmt: skip
_WORDS = re.compile(r"[A-Z]{2,}(?![a-zà-ÿ])|[A-Z]?[^\W\d_A-Z]+|[A-Z]")  # "orderDate" has two
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\b")
_WEEK_OF_YEAR = re.compile(r"(19|20)\d\d([-/.]\d{1,2}|\d\d)|\d{1,2}[-/.](19|20)\d\d")
_WITH_DOTS = re.compile(r"\D*\d{1,2}\.\d{1,2}\.\d{4}\b")
_BETWEEN = re.compile(r"\s+(?:-|–|to)\s+|/(?=\d{4}-)")  # of the first and the last moment of a step
_BIG_YEARS = range(1600, 2300)
_EXCEL_DAYS = (20_000, 75_000)  # 1954 to 2105
_UNIX = (1e8, 1e10)  # seconds, from 1973 to beyond 2200
_UNITS = {1.0: "seconds", 1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}
_LATEST_SHORT = 2040  # beyond it, a year of two digits may be of the century before


def times_of(column: Column, options: FileOptions) -> tuple[Index, list[str]]:
    """Return the times in a column, in its order, and what was detected.

    Raises
    ------
    ValueError
        If a cell is no date in the form of the others, if the form can be read in two ways and no
        option decides, or if a cell is empty.
    """
    texts = column.texts()
    for i, text in enumerate(texts):
        if text == "" or text.casefold() in ("nan", "nat", "none", "null"):
            raise ValueError(
                f"--time: column {column.name!r} must have a time in every row; "
                f"{column.counts} {column.places[i]} of {column.source} has none. Complete it, or "
                f"leave the last rows out with --skip-footer if they are totals."
            )
    begins = _begins(texts, options.date_format)
    index, said = _read(column, begins, options)
    said = said if begins is texts else [*said, "the first of two in each cell"]
    return index.rename(column.name), said


def holds_dates(column: Column, *, leads: bool = False) -> bool:
    """Whether a column holds dates rather than values.

    Numbers such as 201912, and years by one, count as dates if they rise or fall all the time or if
    the name of the column says so. Then days of Excel, seconds of Unix and weeks do, too, to be
    refused. So do two dates in each cell, the first and the last moment of a step.
    Numbers such as 12.2019 count as dates if the name says so, or if the column leads others and
    most of its months, in order, are one, a quarter or a year apart.
    """
    texts = _begins([text for text in column.texts(_SAMPLE) if text])
    if len(texts) < 2:
        return False
    if all(is_date(text) for text in texts) or _dates(column.cells):
        return True
    named = _is_named(column)
    if _are_weeks(column, texts) or (named and serial_of(column)):
        return True
    for form in MONTHS_LIKE_NUMBERS:
        if _all_read(form, texts):
            return named or (leads and _mostly_apart(sorted({*_months(form, texts)}), (1, 3, 12)))
    if not all(text.isdigit() for text in texts):
        # Also what begins as dates do, so that it is not passed over but refused.
        dated = sum(is_date(text) or bool(_DATE.match(text)) for text in texts)
        return 2 * dated > len(texts)
    numbers = [int(text) for text in texts]
    steps = np.diff(numbers)
    if not named and not (steps > 0).all() and not (steps < 0).all():
        return False
    years = all(number in _BIG_YEARS for number in numbers) and (np.abs(steps) == 1).all()
    compact = any(_all_read(form, texts) for form in FORMS if form.loose)
    return bool(years or compact)


def _are_weeks(column: Column, texts: list[str]) -> bool:
    """Whether texts such as 201905 and 2019-05 are in a column of weeks, by its name."""
    words = {word.casefold() for word in _WORDS.findall(column.name)}
    return not words.isdisjoint(_WEEK) and all(map(_WEEK_OF_YEAR.fullmatch, texts))


def _begins(texts: list[str], named: str | None = None) -> list[str]:
    """Return the first of two dates, if every text has two, as in 01.01.2019 - 31.01.2019.

    They are dates in the format that is named, if one is.
    """
    pairs = [_BETWEEN.split(text) for text in texts]
    two = all(len(pair) == 2 for pair in pairs)
    some = [text for pair in pairs[:_SAMPLE] for text in pair] if two else []
    if named is None:
        two = two and all(map(is_date, some))
    else:
        two = two and all(_parsed(text, named) is not None for text in some)
    return [first for first, _ in pairs] if two else texts


def _parsed(text: str, named: str) -> datetime | None:
    """Return a date by a format, or None if it is not in it."""
    # A week begins on its first day: Python reads no week without a day of it.
    week = re.search("%[GVWU]", named) and not re.search("%[uwaA]", named)
    day = f" {0 if '%U' in named else 1}" if week else ""
    try:
        return datetime.strptime(text + day, named + " %w" * bool(week))
    except (ValueError, re.error):
        return None


def _check_single(column: Column, i: int, named: str | None = None) -> None:
    """Refuse a cell in which there are two dates."""
    if len(_DATE.findall(column.texts()[i])) > 1:
        option = "--time" if named is None else "--date-format"
        other = "" if named is None else f", not both in the format {named}"
        raise ValueError(
            f"{option}: {column.place(i)} holds two dates{other}; name one column of dates with "
            f"--time, or keep one date in each cell."
        )


def _is_named(column: Column) -> bool:
    """Whether a whole word of a column's name says that it holds dates."""
    return any(word.casefold() in _DATED for word in _WORDS.findall(column.name))


def _read(column: Column, texts: list[str], options: FileOptions) -> tuple[Index, list[str]]:
    if options.date_format is not None:
        return _by_format(column, texts, options)
    if _are_weeks(column, texts):
        raise ValueError(
            f"--time: {column.place(0)} can be a week or a month; pass --date-format "
            f"{_digits_as(texts[0], '%G', '%V')} if it is a week, or --date-format "
            f"{_digits_as(texts[0], '%Y', '%m')} if it is a month."
        )
    if found := _dates(column.cells):
        return in_zone(pd.DatetimeIndex(found), column, options, ["dates"])
    if any(isinstance(cell, datetime) for cell in column.cells):
        i = next(i for i, cell in enumerate(column.cells) if not isinstance(cell, datetime))
        raise ValueError(
            f"--time: {column.place(i)} must be a date like others of its column; got text or a "
            f"number. A spreadsheet leaves dates of another country as text: correct them there."
        )
    numeric = all(is_number(text) for text in texts[:_SAMPLE])
    form = _form(column, texts, options, loose=numeric)
    if form is None:
        return _numbers(column, options)
    return _by_form(form, column, texts, options)


def _form(
    column: Column, texts: list[str], options: FileOptions, *, loose: bool
) -> DateForm | None:
    """Return the form of all dates; None if they are numbers, error if they are neither."""
    sample = texts[:_SAMPLE]
    fits = {f: sum(f.read(text) is not None for text in sample) for f in FORMS if f.loose == loose}
    form = max(fits, key=lambda f: fits[f])
    if form in (DAY_FIRST, MONTH_FIRST):
        return _day_or_month_first(column, texts, options)
    if fits[form] < len(sample) and loose:
        return None
    if 2 * fits[form] < len(sample):
        odd = next((i for i, text in enumerate(sample) if not is_date(text)), 0)
        _check_single(column, odd)
        raise ValueError(
            f"--time: {column.place(odd)} is no date that can be read; pass its format, for "
            f"instance --date-format %d.%m.%Y, or write dates as 2019-12-31."
        )
    if form.example == "2019-12" and len(set(texts)) > 1:
        months = [text for text in sample if form.read(text) is not None]
        pairs = [text.replace("/", "-").split("-") for text in months]
        if all(int(b) == (int(a) + 1) % 100 for a, b in pairs):
            raise ValueError(
                f"--time: {column.place(0)} can be a month or a season of two years; pass "
                f"--date-format %Y-%m if it is a month."
            )
    if form is MONTH_AND_SHORT_YEAR and not _mostly_apart(_months(form, texts), (1, 3)):
        raise ValueError(
            f"--time: {column.place(0)} can be a month and a year or a month and a day; pass "
            f"--date-format %b-%y if it is a year."
        )
    return form


def _day_or_month_first(column: Column, texts: list[str], options: FileOptions) -> DateForm:
    """Return which of the two numbers of 03/04/2019 is the day, where only one order is right."""
    if options.dayfirst is not None:
        return DAY_FIRST if options.dayfirst else MONTH_FIRST
    fits = [form for form in (DAY_FIRST, MONTH_FIRST) if _all_read(form, texts)]
    if DAY_FIRST in fits and all(map(_WITH_DOTS.match, texts)):
        return DAY_FIRST  # nobody writes 12.31.2019
    short = next((i for i, text in enumerate(texts) if not has_long_year(text)), None)
    if short is not None and fits:
        mark = next((c for c in texts[short] if c in "./-"), "/")
        raise ValueError(
            f"--time: {column.place(short)} has a year of two digits; pass --dayfirst, "
            f"--no-dayfirst, or its format, for instance --date-format %y{mark}%m{mark}%d."
        )
    if len(fits) == 1:
        return fits[0]
    if fits:
        both = [[form.read(text) for text in texts] for form in fits]
        if both[0] == both[1]:
            return DAY_FIRST
        regular = [f for f, dates in zip(fits, both, strict=True) if _evenly_spaced(dates)]
        if len(regular) == 1:
            return regular[0]
        odd = next(i for i, (a, b) in enumerate(zip(*both, strict=True)) if a != b)
        raise ValueError(
            f"--time: {column.place(odd)} can be read day first or month first; pass --dayfirst "
            f"or --no-dayfirst."
        )
    counts = {form: sum(form.read(text) is not None for text in texts) for form in
              (DAY_FIRST, MONTH_FIRST)}  # fmt: skip
    best = max(counts, key=lambda form: counts[form])
    odd = next(i for i, text in enumerate(texts) if best.read(text) is None)
    like = best.like(next(text for text in texts if best.read(text) is not None))
    raise ValueError(
        f"--time: {column.place(odd)} is no date as others of its column are, like {like}; "
        f"correct it, or pass --dayfirst, --no-dayfirst or --date-format."
    )


def _by_form(
    form: DateForm, column: Column, texts: list[str], options: FileOptions
) -> tuple[Index, list[str]]:
    dates, offsets = [], []
    like = form.like(next(text for text in texts if form.read(text) is not None))
    for i, text in enumerate(texts):
        date = form.read(text)
        if date is None:
            other = " or --dayfirst" if form is MONTH_FIRST else " or --no-dayfirst"
            other = other if form in (DAY_FIRST, MONTH_FIRST) else ""
            raise ValueError(
                f"--time: {column.place(i)} is no date like {like}, as others of its "
                f"column are; correct it, or pass --date-format{other}."
            )
        if form.year(text) < 100:
            _check_century(column, i, date)
        dates.append(date)
        offsets.append(form.offset(text))
    return with_offsets(dates, offsets, column, options, [f"dates like {like}"])


def _check_century(column: Column, i: int, date: datetime) -> None:
    """Refuse a date with a year of two digits that may be of the century before."""
    if date.year > _LATEST_SHORT:
        raise ValueError(
            f"--time: {column.place(i)} can be of {date.year - 100} or {date.year}; write its "
            f"years with four digits."
        )


def _numbers(column: Column, options: FileOptions) -> tuple[Index, list[str]]:
    """Return numbers as times, unless they look like seconds of Unix or, by name, days of Excel."""
    values = numbers_of(column, options)
    whole = bool((values == np.round(values)).all())
    word = serial_of(column)
    if word == "unix" or (word and _is_named(column)):
        since = f"{_UNITS[_unit(values)]} since 1970"
        what = {"unix": since, "excel": "days as Excel counts them"}[word]
        raise ValueError(
            f"--time: {column.place(0)} can be {what} or a mere number; pass --date-format {word} "
            f"or --date-format number."
        )
    numbers = values.astype(np.int64) if whole and np.abs(values).max() < 2**53 else values
    return pd.Index(numbers), ["times are numbers"]


def serial_of(column: Column) -> str:
    """Say in which way the numbers of a column can be dates: ``unix``, ``excel`` or none (empty).

    Numbers with a fraction can be if they rise or fall all the time.
    """
    try:
        values = numbers_of(column, FileOptions())
    except ValueError:
        return ""
    steps = np.diff(values)
    if not ((values == np.round(values)).all() or (steps > 0).all() or (steps < 0).all()):
        return ""
    for word, (first, last) in {"unix": _UNIX, "excel": _EXCEL_DAYS}.items():
        seconds = values / _unit(values) if word == "unix" else values
        if (seconds >= first).all() and (seconds < last).all():
            return word
    return ""


def _unit(values: FloatArray) -> float:
    """Return how many to a second times since 1970 are: 1, or as milli-, micro-, nanoseconds."""
    highest = np.abs(values).max()
    return next((unit for unit in _UNITS if highest < 1e11 * unit), 1e9)


def _digits_as(text: str, year: str, part: str) -> str:
    """Return the format of a text that is a year of four digits and a part of it."""
    return re.sub(r"\d+", part, re.sub(r"(19|20)\d\d", year, text, count=1))


def _by_format(column: Column, texts: list[str], options: FileOptions) -> tuple[Index, list[str]]:
    """Return times by the format that the user names."""
    named = options.date_format or ""
    if named == "number":
        values = numbers_of(column, options)
        whole = bool((values == np.round(values)).all())
        return pd.Index(values.astype(np.int64) if whole else values), ["times are numbers"]
    if named in ("excel", "unix"):
        values = numbers_of(column, options)
        excel = named == "excel"
        # Spreadsheets write five digits of a day, which is less than a second.
        values = np.round(values * 86_400) if excel else values
        unit = 1000 / (1 if excel else _unit(values))
        if (np.abs(values * unit) > _UNIX[1] * 1000).any():
            raise ValueError(
                f"--date-format {named}: {column.place(int(np.abs(values).argmax()))} is no date."
            )
        origin = np.datetime64("1899-12-30" if excel else "1970-01-01", "ms")
        index = pd.DatetimeIndex(origin + np.round(values * unit).astype("timedelta64[ms]"))
        return in_zone(index, column, options, [f"dates of {named.title()}"])
    if not re.search("%[YyGcxDs]", named):
        raise ValueError(
            f"--date-format must have a year, %Y for 2019 or %y for 19, or be number, excel or "
            f"unix; got {named!r}."
        )
    dates, offsets = [], []
    for i, text in enumerate(texts):
        date = _parsed(text, named)
        if date is None:
            _check_single(column, i, named)
            raise ValueError(
                f"--date-format: {column.place(i)} is not in the format {named}; correct the "
                f"format, which has %Y for 2019, %y for 19, %m for 12, %b for Dec, %d for 31."
            )
        if "%y" in named:
            _check_century(column, i, date)
        offset = date.utcoffset()
        offsets.append(None if offset is None else written_offset(offset))
        dates.append(date.replace(tzinfo=None))
    return with_offsets(dates, offsets, column, options, [f"dates in {named}"])


def _dates(cells: Sequence[object]) -> list[datetime]:
    """Return the cells if all are dates of a spreadsheet, else none."""
    dates = [cell for cell in cells if isinstance(cell, datetime)]
    return dates if len(dates) == len(cells) else []


def _all_read(form: DateForm, texts: Sequence[str]) -> bool:
    return all(form.read(text) is not None for text in texts)


def _months(form: DateForm, texts: Sequence[str]) -> list[int]:
    """Return the dates as numbers of months."""
    dates = [date for text in texts if (date := form.read(text)) is not None]
    return [12 * date.year + date.month for date in dates]


def _mostly_apart(months: Sequence[int], apart: Sequence[int]) -> bool:
    """Whether most months are so far from the next; days of a month, read as years, are not."""
    steps = np.abs(np.diff(months))
    return len(steps) > 0 and 2 * int(np.isin(steps, apart).sum()) > len(steps)


def _evenly_spaced(dates: Sequence[datetime | None]) -> bool:
    """Whether three or more dates rise by the same time, or by the same number of months."""
    known = [date for date in dates if date is not None]
    steps = {b - a for a, b in pairwise(known)}
    months = {12 * (b.year - a.year) + b.month - a.month for a, b in pairwise(known)}
    same_day = len({(date.day, date.time()) for date in known}) == 1
    even = len(steps) == 1 or (len(months) == 1 and same_day)
    return len(known) > 2 and even and known[1] > known[0]
