"""Decimal marks and marks between thousands: which of them a column is written with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpforecast.cli.files.bare import Bare
from gpforecast.cli.files.table import Column

# Currencies of countries with decimal points.
_WITH_POINTS = {"$", "US$", "£", "USD", "GBP"}
_DOTTED = re.compile(r"\D{0,12}\d{1,2}\.\d{1,2}\.(\d{4}|\d{2})\b")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(?:\d{4}|\d{2})\b")


@dataclass(frozen=True)
class Marks:
    """A decimal mark and a mark between thousands, which may be none."""

    decimal: str
    thousands: str

    def pattern(self) -> re.Pattern[str]:
        """Return what digits written so match; groups of Indian numbers may have two digits."""
        d, t = re.escape(self.decimal), re.escape(self.thousands)
        if not t:
            return re.compile(rf"\d+({d}\d*)?|{d}\d+")
        # Some write 1234 and 12 345, but with points or commas that would be too much freedom.
        alone = r"\d{1,4}" if self.thousands == " " else r"\d{1,3}"
        indian = rf"|[1-9]\d?({t}\d\d)+{t}\d{{3}}" if self.thousands == "," else ""
        return re.compile(rf"({alone}|[1-9]\d{{0,2}}({t}\d{{3}})+{indian})({d}\d*)?")

    def number(self, digits: str, power: int = 0) -> float:
        """Return digits written so, times a power of ten, as a number."""
        plain = digits.replace(self.thousands or " ", "").replace(self.decimal, ".")
        return float(f"{plain}e{power}")

    def __str__(self) -> str:
        """Name them, as in "decimal comma, thousands as in 1.000"."""
        name = {".": "decimal points", ",": "decimal commas"}[self.decimal]
        return f"{name}, thousands as in 1{self.thousands}000" if self.thousands else name


READINGS = [Marks(decimal, thousands) for thousands in ("", ",", ".", " ", "'") for decimal in ".,"
            if decimal != thousands]  # fmt: skip


def mark_by_dates(dates: Sequence[str]) -> str:
    """Return the decimal mark that goes with how dates are written, or nothing.

    Who writes 31.12.2019 writes decimal commas; who writes 12/31/2019, decimal points.

    Examples
    --------
    >>> mark_by_dates(["31.12.2019"]), mark_by_dates(["12/31/2019"]), mark_by_dates(["2019-12-31"])
    (',', '.', '')
    """
    if dates and all(map(_DOTTED.match, dates)):
        return ","
    slashed = [(int(found[1]), int(found[2])) for text in dates if (found := _SLASHED.match(text))]
    month_first = all(first <= 12 for first, _ in slashed) and any(day > 12 for _, day in slashed)
    return "." if len(slashed) == len(dates) and month_first else ""


def marks_of(column: Column, texts: dict[int, Bare], decimal: str | None, dates_say: str) -> Marks:
    """Return the one reading of all texts that an option, or else the evidence, leaves.

    Parameters
    ----------
    column : Column
        For its delimiter and for messages.
    texts : dict
        The cells that are texts, by their places in the column.
    decimal : str, optional
        What the user says.
    dates_say : str
        The decimal mark that goes with the dates beside the column, if one does.

    Raises
    ------
    ValueError
        If the cells disagree about their marks, or if two readings are left.
    """
    readings = [m for m in READINGS if decimal in (None, m.decimal)]
    digits = sorted({bare.digits for bare in texts.values()})
    patterns = {marks: marks.pattern() for marks in readings}
    fitting = [m for m in readings if all(patterns[m].fullmatch(text) for text in digits)]
    if not fitting:
        count = {m: sum(bool(patterns[m].fullmatch(text)) for text in digits) for m in readings}
        best = max(readings, key=lambda m: count[m])
        odd = next(i for i, bare in texts.items() if not patterns[best].fullmatch(bare.digits))
        most = ", as most of its column" if 2 * count[best] > len(digits) else ""
        raise ValueError(
            f"--decimal: {column.place(odd)} is no number with {best}{most}; correct it"
            f"{_other_marks(texts[odd].digits, decimal)}."
        )
    different: dict[tuple[float, ...], Marks] = {}
    for marks in fitting:
        different.setdefault(tuple(map(marks.number, digits)), marks)
    left = list(different.values())
    if len(left) > 1:
        left = _by_evidence(left, column.sep, texts, dates_say)
    if len(left) > 1:
        odd = next(i for i, b in texts.items() if len({m.number(b.digits) for m in left}) > 1)
        ways = " or ".join(f"{m.number(texts[odd].digits):g} (--decimal {m.decimal})" for m in left)
        raise ValueError(
            f"--decimal must say how numbers are written: {column.place(odd)} can be {ways}."
        )
    return left[0]


def _other_marks(digits: str, decimal: str | None) -> str:
    """Return the options that have not been tried and read a number, as what else to pass."""
    fit = {m.decimal for m in READINGS if m.pattern().fullmatch(digits)} - {decimal}
    options = " or ".join(f"--decimal {mark}" for mark in sorted(fit))
    return f", or pass {options} as it should be read" if fit else ""


def _by_evidence(
    left: list[Marks], sep: str, texts: dict[int, Bare], dates_say: str
) -> list[Marks]:
    """Return the readings that remain, where every mark has three digits behind it.

    In a file with commas between its fields, a number with a comma is in quotes. Whole numbers
    beside it are then below 1000. Numbers with points there are ordinary decimals, unless whole
    numbers beside them or the dates suggest that the point is between thousands. Dates and
    dollars say how numbers are written in a country.
    """
    mark = "," if any("," in bare.digits for bare in texts.values()) else "."
    whole = any(bare.digits.isdecimal() and not bare.power for bare in texts.values())
    in_dollars = any(bare.currency in _WITH_POINTS for bare in texts.values())
    votes = ({dates_say} - {""}) | ({"."} if in_dollars else set())
    if mark == ",":
        votes |= {"."} if sep == "," and whole else set()
    elif sep == ",":
        votes = {"."} if votes == {"."} or not (whole or votes) else set()
    else:
        votes = set()
    return [m for m in left if m.decimal in votes] if len(votes) == 1 else left
