"""Decimal marks and marks between thousands: which of them a column is written with."""

import re
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True)
class Hints:
    """What other columns say of decimal marks.

    Attributes
    ----------
    numbers : str
        The mark that their numbers show beyond doubt; empty if there is none.
    dates : str
        The mark that goes with how dates are written; empty if none does.
    """

    numbers: str = ""
    dates: str = ""

    @property
    def mark(self) -> str:
        """The likelier mark, empty if there is no hint."""
        return self.numbers or self.dates


NO_HINTS = Hints()
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


def mark_by_numbers(digits: Iterable[str]) -> str:
    """Return the one decimal mark that numbers show beyond doubt, or nothing.

    Those count that can be read with one mark only, such as those with two digits behind it.

    Examples
    --------
    >>> [mark_by_numbers([digits]) for digits in ("1.234,567", "0.5", "1.234", "1 234")]
    [',', '.', '', '']
    """
    fitting = [
        {marks.decimal for marks in READINGS if marks.pattern().fullmatch(text)} for text in digits
    ]
    shown = set().union(*(found for found in fitting if len(found) == 1))
    return "".join(shown) if len(shown) == 1 else ""


def marks_of(column: Column, texts: dict[int, Bare], decimal: str | None, hints: Hints) -> Marks:
    """Return the one reading of all texts that an option, or else the evidence, leaves.

    Parameters
    ----------
    column : Column
        For its delimiter and for messages.
    texts : dict
        The cells that are texts, by their places in the column.
    decimal : str, optional
        What the user says.
    hints : Hints
        What other columns say.

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
            f"{_other_marks(texts[odd].digits, {decimal, best.decimal})}."
        )
    fitting.sort(key=lambda marks: marks.decimal != hints.mark)  # where both decimals say the same
    different: dict[tuple[float, ...], Marks] = {}
    for marks in fitting:
        different.setdefault(tuple(map(marks.number, digits)), marks)
    left = list(different.values())
    if len(left) > 1:
        left = _by_evidence(left, column.sep, texts, hints)
    if len(left) > 1:
        odd = next(i for i, b in texts.items() if len({m.number(b.digits) for m in left}) > 1)
        ways = " or ".join(f"{m.number(texts[odd].digits):g} (--decimal {m.decimal})" for m in left)
        raise ValueError(
            f"--decimal must say how numbers are written: {column.place(odd)} can be {ways}."
        )
    return left[0]


def _other_marks(digits: str, tried: set[str | None]) -> str:
    """Return the options that have not been tried and read a number, as what else to pass."""
    fit = {m.decimal for m in READINGS if m.pattern().fullmatch(digits)} - tried
    options = " or ".join(f"--decimal {mark}" for mark in sorted(fit))
    return f", or pass {options} as it should be read" if fit else ""


def _by_evidence(left: list[Marks], sep: str, texts: dict[int, Bare], hints: Hints) -> list[Marks]:
    """Return the readings that remain, where every mark has three digits behind it.

    Numbers of other columns that can be read in one way only are written with the same marks.
    In a file with commas between its fields, a number with a comma is in quotes. Whole numbers
    beside it are then below 1000. Numbers with points there are ordinary decimals, unless whole
    numbers beside them or the dates suggest that the point is between thousands. Dates and
    dollars say how numbers are written in a country.
    """
    mark = "," if any("," in bare.digits for bare in texts.values()) else "."
    whole = any(bare.digits.isdecimal() and not bare.power for bare in texts.values())
    in_dollars = any(bare.currency in _WITH_POINTS for bare in texts.values())
    votes = ({hints.dates} - {""}) | ({"."} if in_dollars else set())
    if hints.numbers:
        votes |= {hints.numbers}
    elif mark == ",":
        votes |= {"."} if sep == "," and whole else set()
    elif sep == ",":
        votes = {"."} if votes == {"."} or not (whole or votes) else set()
    else:
        votes = set()
    return [m for m in left if m.decimal in votes] if len(votes) == 1 else left
