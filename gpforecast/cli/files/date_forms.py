"""The forms in which dates are written, each a pattern and the date that it makes."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

Parts: TypeAlias = dict[str, str]
DateOf: TypeAlias = Callable[[Parts], datetime]

_CLOCK = (
    r"(?:(?:\s*T\s*|,?\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})"
    r"(?:[.,](?P<fraction>\d{1,9}))?)?(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_OFFSET = r"(?:\s*(?P<offset>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?"
# The first letters of the days' names in the languages of the months below.
_WEEKDAY = (
    r"(?:(?:mo|tu|we|th|fr|sa|sá|su|di|mi|mié|do|so|lu|ma|me|je|ju|vi|ve|jo|gi|wo|vr|za|zo|"
    r"se|te|qu)[^\W\d_]*(?:-feira)?\.?,?\s+)?"
)
_MONTH = r"(?P<name>[^\W\d_]{3,10})\.?"
_YEAR = r"(?P<year>\d{4})"

# The first letters of the months' names in English, German, French, Spanish, Italian, Portuguese
# and Dutch, without accents.
_NAMES = [
    "jan ene gen", "feb fev fevr", "mar maa mrt mrz marz", "apr avr abr", "mai may mei mag",
    "jun juin giu", "jul juil lug", "aug aou ago", "sep set", "oct okt ott out", "nov",
    "dec dez dic",
]  # fmt: skip
_ROMAN = "III|II|IV|I"
_ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4}
# A quarter by its word in the languages of the months, and in Polish and Scandinavian ones.
_QUARTER = (
    rf"(?P<quarter>[1-4]|{_ROMAN})(?:\.|\.?º|\.?ª|er|e|ère|ème|st|nd|rd|th)?\s*"
    rf"(?:quarter|qtr|quartal|trimestre|trim|tri|kwartaal|kwarta[lł]|kvartal)\.?"
)
# A week by the letter or the word of these languages.
_WEEK = (
    r"(?:W|KW|CW|WK|week|woche|semaine|semana|settimana|(?:S|sem)(?=\.?\s*\d\d))\.?\s*"
    r"(?P<week>\d{1,2})"
)  # S1 is half a year
_MONTHS = {name: i for i, names in enumerate(_NAMES, 1) for name in names.split()}


@dataclass(frozen=True)
class DateForm:
    """A way to write dates.

    Attributes
    ----------
    example : str
        The last day of 2019 or the period that it is in, written so.
    pattern : Pattern
        What such texts match as a whole.
    date : callable
        From the named groups of a match to the date; ValueError if there is no such date.
    loose : bool
        Whether other things are often written so too, such as counts.
    """

    example: str
    pattern: re.Pattern[str]
    date: DateOf
    loose: bool = False

    def read(self, text: str) -> datetime | None:
        """Return the date that a text is, without its offset from UTC, or None.

        Examples
        --------
        >>> next(form for form in FORMS if form.example == "2019Q4").read("2020-Q2")
        datetime.datetime(2020, 4, 1, 0, 0)
        """
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        parts = {name: part for name, part in found.groupdict().items() if part is not None}
        try:
            return self.date(parts) + _clock(parts)
        except (ValueError, OverflowError):
            return None

    def year(self, text: str) -> int:
        """Return the year of a text of this form as it is written, of two digits or four.

        Examples
        --------
        >>> DAY_FIRST.year("03.04.49"), DAY_FIRST.year("03.04.2049")
        (49, 2049)
        """
        found = self.pattern.fullmatch(text)
        assert found is not None
        return int(found["year"])

    def like(self, text: str) -> str:
        """Return the example with what stands between the numbers of a text.

        Examples
        --------
        >>> DAY_FIRST.like("03.04.2021"), DAY_FIRST.like("03/04/2021")
        ('31.12.2019', '31/12/2019')
        """
        between = r"(?<=\d)[-/. ](?=\d)"
        found = re.search(between, text)
        return self.example if found is None else re.sub(between, found[0], self.example)

    def offset(self, text: str) -> str | None:
        """Return the offset from UTC that a text ends with, as in ``+01:00``."""
        found = self.pattern.fullmatch(text)
        offset = found.groupdict().get("offset") if found else None
        if offset is None or offset[0] not in "+-":
            return offset and "+00:00"
        digits = offset[1:].replace(":", "").ljust(4, "0")
        return f"{offset[0]}{digits[:2]}:{digits[2:]}"


def _clock(parts: Parts) -> timedelta:
    hour, half = int(parts.get("hour", 0)), parts.get("half", "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + 12 * (half == "p")
    minute, second = int(parts.get("minute", 0)), int(parts.get("second", 0))
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute + second):
        raise ValueError(parts)
    micro = int(parts.get("fraction", "0")[:6].ljust(6, "0"))
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro)


def year_of(text: str) -> int:
    """Return a year; of two digits, 1969 to 2068 as in POSIX."""
    if len(text) == 4:
        return int(text)
    return int(text) + (2000 if int(text) < 69 else 1900)


def _day(parts: Parts) -> datetime:
    return datetime(year_of(parts["year"]), int(parts["month"]), int(parts.get("day", 1)))


def _named(parts: Parts) -> datetime:
    return datetime(year_of(parts["year"]), _month(parts["name"]), int(parts.get("day", 1)))


def _month(name: str) -> int:
    """Return the number of a month by the first letters of its name; 0 if it is none."""
    letters = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return next((_MONTHS[letters[:n]] for n in (4, 3) if letters[:n] in _MONTHS), 0)


def month_of(name: str) -> int:
    """Return the month that a column of it is named by, 0 if by none.

    Examples
    --------
    >>> [month_of(name) for name in ("Jan", "Février", "M03", "04", "Mai.", "total")]
    [1, 2, 3, 4, 5, 0]
    """
    if found := re.fullmatch(r"M?0?(\d|1[0-2])", name, re.IGNORECASE):
        return int(found[1])
    return _month(name) if re.fullmatch(r"[^\W\d_]{3,10}\.?", name) else 0


def quarter_of(name: str) -> int:
    """Return the quarter that a column of it is named by, 0 if by none.

    Examples
    --------
    >>> [quarter_of(name) for name in ("Q1", "2. Quartal", "T3", "IV", "total")]
    [1, 2, 3, 4, 0]
    """
    found = re.fullmatch(rf"{_QUARTER}|[QT](?P<short>[1-4])|(?P<alone>{_ROMAN})", name, re.I)
    if found is None:
        return 0
    number = found["quarter"] or found["short"] or found["alone"]
    return _ROMANS.get(number.upper(), 0) or int(number)


def _quarter(parts: Parts) -> datetime:
    number = parts["quarter"].upper()
    return datetime(year_of(parts["year"]), 3 * (_ROMANS.get(number) or int(number)) - 2, 1)


def _semester(parts: Parts) -> datetime:
    return datetime(year_of(parts["year"]), 6 * int(parts["semester"]) - 5, 1)


def _week(parts: Parts) -> datetime:
    return datetime.fromisocalendar(
        int(parts["year"]), int(parts["week"]), int(parts.get("weekday", 1))
    )


def _compact(parts: Parts) -> datetime:
    if not 1600 <= int(parts["year"]) < 2300:
        raise ValueError(parts)
    return _day(parts)


def _form(example: str, pattern: str, date: DateOf, loose: bool = False) -> DateForm:
    return DateForm(example, re.compile(pattern, re.IGNORECASE), date, loose)


_A_DAY, _A_MONTH = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})"
_TWO_OR_FOUR = r"(?P<year>\d{4}|\d{2})"
_BY = r"(?P<by>[-/.])"  # the same mark twice

DAY_FIRST = _form(
    "31/12/2019",
    f"{_WEEKDAY}{_A_DAY}{_BY}{_A_MONTH}(?P=by){_TWO_OR_FOUR}{_CLOCK}{_OFFSET}",
    _day,
)
MONTH_FIRST = _form(
    "12/31/2019",
    f"{_WEEKDAY}{_A_MONTH}{_BY}{_A_DAY}(?P=by){_TWO_OR_FOUR}{_CLOCK}{_OFFSET}",
    _day,
)
MONTH_AND_SHORT_YEAR = _form("Dec-19", rf"{_MONTH}[-/ ']+(?P<year>\d{{2}})", _named)

MONTHS_LIKE_NUMBERS = (
    _form("12.2019", rf"{_A_MONTH}\.{_YEAR}", _compact, loose=True),
    _form("2019.12", rf"{_YEAR}\.(?P<month>\d{{2}})", _compact, loose=True),
)
_TOGETHER = rf"{_YEAR}(?P<month>\d{{2}})(?P<day>\d{{2}})"
_HOUR_AND_MINUTE = r"(?P<hour>\d{2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2}))?"

FORMS = (
    _form("2019-12-31", f"{_YEAR}{_BY}{_A_MONTH}(?P=by){_A_DAY}{_CLOCK}{_OFFSET}", _day),
    DAY_FIRST,
    MONTH_FIRST,
    _form("2019-12", rf"{_YEAR}[-/]{_A_MONTH}", _day),
    _form("12/2019", rf"{_A_MONTH}[-/]{_YEAR}", _day),
    _form("2019M12", rf"{_YEAR}[-: ]?M{_A_MONTH}", _day),
    _form("2019Q4", rf"{_YEAR}[-: /]?Q(?P<quarter>[1-4])", _quarter),
    _form("Q4 2019", rf"(?:Q(?P<quarter>[1-4])[-: /']*){_TWO_OR_FOUR}", _quarter),
    _form("4Q2019", rf"(?P<quarter>[1-4])\.?\s*Q[-: /']*{_TWO_OR_FOUR}", _quarter),
    _form("T4 2019", rf"T(?P<quarter>[1-4])[-: /']*{_YEAR}", _quarter),
    _form("2019T4", rf"{_YEAR}[-: /]?T(?P<quarter>[1-4])", _quarter),
    _form("IV/2019", rf"(?P<quarter>{_ROMAN})[-/. ]+{_YEAR}", _quarter),
    _form("2019/IV", rf"{_YEAR}[-/. ]+(?P<quarter>{_ROMAN})", _quarter),
    _form("4. Quartal 2019", rf"{_QUARTER}(?:[-/ ,]| de )*{_YEAR}", _quarter),
    _form("2019 4. Quartal", rf"{_YEAR}[-/ ,]*{_QUARTER}", _quarter),
    _form("2019H2", rf"{_YEAR}[-: ]?[HS](?P<semester>[12])", _semester),
    _form("2019-W52", rf"{_YEAR}[-: /]*{_WEEK}(?:-?(?P<weekday>[1-7]))?", _week),
    _form("W52 2019", rf"{_WEEK}[-: /]+{_YEAR}", _week),
    _form(
        "31 Dec 2019",
        rf"{_WEEKDAY}{_A_DAY}(?:st|nd|rd|th|er|\.)?(?:[-/ ]| de )*{_MONTH}(?:[-/, ]| de )*"
        rf"{_TWO_OR_FOUR}{_CLOCK}{_OFFSET}",
        _named,
    ),
    _form(
        "Dec 31, 2019",
        rf"{_WEEKDAY}{_MONTH}[-/ ]*{_A_DAY}(?:st|nd|rd|th)?,?[-/ ]+{_YEAR}{_CLOCK}{_OFFSET}",
        _named,
    ),
    _form("2019-Dec-31", rf"{_YEAR}[-/ ]{_MONTH}[-/ ]{_A_DAY}{_CLOCK}{_OFFSET}", _named),
    _form("Dec 2019", rf"{_MONTH}[-/ ]*{_YEAR}", _named),
    _form("2019 Dec", rf"{_YEAR}[-/ ]*{_MONTH}", _named),
    MONTH_AND_SHORT_YEAR,
    _form("20191231", _TOGETHER, _compact, loose=True),
    _form("20191231T2359", rf"{_TOGETHER}[T ]{_HOUR_AND_MINUTE}{_OFFSET}", _compact),
    _form("201912312359", f"{_TOGETHER}{_HOUR_AND_MINUTE}{_OFFSET}", _compact, loose=True),
    _form("2019123123", rf"{_TOGETHER}(?P<hour>\d{{2}})", _compact, loose=True),
    _form("201912", rf"{_YEAR}(?P<month>\d{{2}})", _compact, loose=True),
    *MONTHS_LIKE_NUMBERS,
)


def is_date(text: str) -> bool:
    """Whether a text is a date in one of the forms, other than a mere number.

    Examples
    --------
    >>> [is_date(text) for text in ("Jan-19", "31.01.2019", "20190131", "soon")]
    [True, True, False, False]
    """
    return any(form.read(text) is not None for form in FORMS if not form.loose)


def has_long_year(text: str) -> bool:
    """Whether a date such as 3.4.2019 has all digits of its year; what is no such date counts."""
    found = DAY_FIRST.pattern.fullmatch(text)
    return found is None or len(found["year"]) == 4
