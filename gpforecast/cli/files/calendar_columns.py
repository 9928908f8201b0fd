"""Years, months and other parts of dates in columns of their own, as one column of dates."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gpforecast.cli.files.date_forms import month_of, quarter_of
from gpforecast.cli.files.table import Column, joined, written

_YEAR = re.compile(r"(1[6-9]|20|21|22)\d\d")


def _number(low: int, high: int) -> Callable[[str], int]:
    """Return what reads a text as a number from `low` to `high`; -1 if it is none."""

    def read(text: str) -> int:
        return int(text) if text.isdecimal() and low <= int(text) <= high else -1

    return read


def _quarter(text: str) -> int:
    return int(text) if text in ("1", "2", "3", "4") else quarter_of(text) or -1


@dataclass(frozen=True)
class _Part:
    """A part of a date: how columns of it are called, and what their texts are."""

    names: frozenset[str]
    read: Callable[[str], int]


_PARTS = {
    "year": _Part(
        frozenset({"year", "yr", "yyyy", "jahr", "année", "annee", "año", "anno", "ano", "jaar"}),
        lambda text: int(text) if _YEAR.fullmatch(text) else -1,
    ),
    "quarter": _Part(
        frozenset({"quarter", "qtr", "q", "quartal", "trimestre", "kwartaal"}), _quarter
    ),
    "month": _Part(
        frozenset({"month", "mon", "mm", "monat", "mois", "mes", "mese", "maand", "mês"}),
        lambda text: month_of(text) or -1,
    ),
    "week": _Part(
        frozenset({"week", "wk", "woche", "kw", "semaine", "semana", "settimana"}), _number(1, 53)
    ),
    "day": _Part(
        frozenset({"day", "dd", "tag", "jour", "día", "dia", "giorno", "dag"}), _number(1, 31)
    ),
    "hour": _Part(
        frozenset({"hour", "hr", "hh", "stunde", "heure", "hora", "ora", "uur"}), _number(0, 23)
    ),
}
_TOGETHER = (
    ("year", "month"), ("year", "quarter"), ("year", "week"), ("year", "month", "day"),
    ("year", "month", "day", "hour"),
)  # fmt: skip


def dated_together(columns: Sequence[Column]) -> Column | None:
    """Return one column of the dates that columns of years, months and so on say together.

    What each column holds is said by its name, or by its texts: years of four digits, and then
    months from 1 to 12 and days. An empty year by name is the one above, as where a spreadsheet
    merges its cells. Rows that are no date keep their texts.

    Returns
    -------
    Column or None
        None if these columns are no such parts, or most of their rows are no date.
    """
    parts = _by_name(columns) or _by_texts(columns)
    if parts is None:
        return None
    one = joined(columns)
    columns = [
        _filled(c, columns) if part == "year" else c for part, c in zip(parts, columns, strict=True)
    ]
    rows = zip(*(column.texts() for column in columns), strict=True)
    dates = [_date(dict(zip(parts, row, strict=True))) for row in rows]
    if 2 * dates.count(None) >= len(dates):
        return None
    if None in dates:  # texts, of which the others are named as what this one is not
        texts = (written(d or cell) for d, cell in zip(dates, one.cells, strict=True))
        return replace(one, cells=tuple(texts))
    return replace(one, cells=tuple(filter(None, dates)))


def parts_of_dates(columns: Sequence[Column], value: str | None) -> tuple[Column, ...]:
    """Return the columns named as a year and its parts, other than the values; () if none are."""
    others = [column for column in columns if column.name != value]
    named = {part: [column for column in others if column.name.casefold() in known.names]
             for part, known in _PARTS.items()}  # fmt: skip
    once = {part: found[0] for part, found in named.items() if len(found) == 1}
    for together in sorted(_TOGETHER, key=len, reverse=True):
        if once.keys() == {*together}:
            return tuple(once[part] for part in together)
    return ()


def _by_name(columns: Sequence[Column]) -> tuple[str, ...] | None:
    """Return what each column holds by its name, None if not all names say so."""
    found = tuple(
        next((part for part in _PARTS if column.name.casefold() in _PARTS[part].names), "")
        for column in columns
    )
    return found if any(sorted(found) == sorted(together) for together in _TOGETHER) else None


def _by_texts(columns: Sequence[Column]) -> tuple[str, ...] | None:
    """Return what each column holds by its texts: a year, a month of any of twelve, a day."""
    for parts in (("year", "month"), ("year", "month", "day")):
        if len(columns) != len(parts):
            continue
        read = [
            [_PARTS[part].read(text) for text in column.texts()]
            for part, column in zip(parts, columns, strict=True)
        ]
        if min(map(min, read)) > 0 and max(read[1]) > 4:  # up to 4, quarters are as likely
            return parts
    return None


def _filled(column: Column, columns: Sequence[Column]) -> Column:
    """Return a column with the cell above in place of each that is empty, in rows that are not."""
    cells, above = [], ""
    for text, *row in zip(column.texts(), *(c.texts() for c in columns), strict=True):
        above = text or above
        cells.append(above if any(row) else "")
    return replace(column, cells=tuple(cells))


def _date(texts: dict[str, str]) -> datetime | None:
    """Return the date that parts say, its first day where they name none; None if they say none."""
    number = {part: _PARTS[part].read(text) for part, text in texts.items()}
    if min(number.values()) < 0:
        return None
    try:
        if "week" in number:
            day = datetime.fromisocalendar(number["year"], number["week"], 1)
        else:
            month = 3 * number["quarter"] - 2 if "quarter" in number else number["month"]
            day = datetime(number["year"], month, number.get("day", 1))
    except ValueError:
        return None
    return day + timedelta(hours=number.get("hour", 0))
