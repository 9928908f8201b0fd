"""From texts to numbers: decimal marks, thousands, signs, per cent, currencies, missing values."""

import re
from dataclasses import dataclass
from functools import cached_property
from shlex import quote
from typing import NamedTuple

import numpy as np

from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.types import FloatArray

_MISSING = {
    "", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "<na>", "missing", ".", "..", "...",
}  # fmt: skip
# Spaces that do not break, apostrophes and minus signs of typesetters.
_PLAIN = str.maketrans("\xa0\u202f\u2009\u2019\u2212\u2013", "   '--")
_UNIT = r"US\$|R\$|[$€£¥₹₽₩₺₫₴₪฿%]"
_NUMBER = re.compile(
    rf"(\(?[-+]?)\s*(?:({_UNIT})\s*([-+]?))?([0-9][0-9.,' ]*|[.,][0-9]+)(?<!\s)([eE][-+]?[0-9]+)?"
    rf"\s*({_UNIT})?\s*(\)?)"
)
_SIGNS = {"": "", "+": "", "-": "-", "()": "-"}
_SAMPLE = 200  # cells that are enough to tell numbers from texts


class _Amount(NamedTuple):
    """The parts of a text that is a number; `unit` is a currency or %."""

    digits: str
    sign: str
    power: str
    unit: str

    @staticmethod
    def of(text: str) -> "_Amount | None":
        """Take a text apart; None if it is no number.

        Examples
        --------
        >>> _Amount.of("(€ 1.234,50)")
        _Amount(digits='1.234,50', sign='-', power='', unit='€')
        """
        found = _NUMBER.fullmatch(text.translate(_PLAIN).strip())
        if found is None:
            return None
        start, before, inner, digits, power, behind, end = found.groups("")
        sign = _SIGNS.get(start + inner + end)
        if sign is None or (before and behind):
            return None
        return _Amount(digits, sign, power, before or behind)


@dataclass(frozen=True)
class _Marks:
    """A decimal mark and a mark between thousands, which may be none."""

    decimal: str
    thousands: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What digits written so match."""
        d, t = re.escape(self.decimal), re.escape(self.thousands)
        # Some write 1234 and 12 345, but with points or commas that would be too much freedom.
        alone = "[0-9]{1,4}" if self.thousands == " " else "[0-9]{1,3}"
        whole = rf"(?:{alone}|[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+)" if t else "[0-9]+"
        return re.compile(rf"{whole}(?:{d}[0-9]*)?|{d}[0-9]+")

    def fit(self, digits: str) -> bool:
        """Whether digits are written so."""
        return self.pattern.fullmatch(digits) is not None

    def number(self, digits: str) -> float:
        """Return digits written so as a number."""
        return float(digits.replace(self.thousands or " ", "").replace(self.decimal, "."))

    def __str__(self) -> str:
        """Name them, as in "decimal commas, thousands as in 1.000"."""
        name = {".": "decimal points", ",": "decimal commas"}[self.decimal]
        return f"{name}, thousands as in 1{self.thousands}000" if self.thousands else name


_MARKS = [_Marks(decimal, thousands) for thousands in ("", ",", ".", " ", "'") for decimal in ".,"
          if decimal != thousands]  # fmt: skip


@dataclass(frozen=True)
class Numbers:
    """The values of a column (NaN where missing), what was detected, decimal mark and currency."""

    values: FloatArray
    detected: list[str]
    decimal: str
    currency: str


def is_number(text: str) -> bool:
    """Whether a text is a number in one of the ways that are read here.

    Examples
    --------
    >>> is_number("1.234,5 €"), is_number("01.02.2019")
    (True, False)
    """
    amount = _Amount.of(text)
    return amount is not None and any(marks.fit(amount.digits) for marks in _MARKS)


def is_missing(text: str, options: FileOptions) -> bool:
    """Whether a text stands for a missing value."""
    return text.casefold() in _MISSING or text in options.missing


def mostly_numbers(column: Column, options: FileOptions) -> bool:
    """Whether at least half of the cells that are not missing are numbers."""
    known = [text for text in column.texts[:_SAMPLE] if not is_missing(text, options)]
    return 2 * sum(is_number(_without(text, options)) for text in known) >= len(known)


def read_numbers(column: Column, options: FileOptions, sep: str = "") -> Numbers:
    """Read a column as numbers.

    Parameters
    ----------
    column : Column
    options : FileOptions
    sep : str
        The delimiter of the file.

    Raises
    ------
    ValueError
        If a cell is no number, if the cells disagree about their marks, or if two readings of them
        differ and nothing decides.
    """
    texts = [_without(text, options) for text in column.texts]
    known = {i: text for i, text in enumerate(texts) if not is_missing(text, options)}
    amounts = {i: _Amount.of(text) or _refuse(i, column) for i, text in known.items()}
    if not amounts:
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{len(texts)} cells are missing."
        )
    typed = {i: amount for i, amount in amounts.items() if isinstance(column.cells[i], str)}
    units = {amount.unit: i for i, amount in typed.items() if amount.digits.strip("0.,")}
    if len(units) > 1:
        what = "must be in one currency, or in per cent, as others of its column; convert them"
        raise column.refused(max(units.values()), what)
    unit = next(iter(units), "")
    digits = sorted({amount.digits for amount in typed.values()})
    marks = _marks(column, typed, digits, options.decimal, sep) if digits else _MARKS[0]
    values = np.full(len(texts), np.nan)
    for i, amount in amounts.items():
        number = (marks if i in typed else _MARKS[0]).number(amount.digits)
        values[i] = float(f"{amount.sign}{number!r}{amount.power}")
    detected = [] if all(map(str.isdecimal, digits)) else [str(marks)]
    if unit:
        detected += ["values in per cent (5 % is 5)" if unit == "%" else f"currency {unit}"]
    shown = any(marks.decimal in text for text in digits)
    return Numbers(values, detected, marks.decimal if shown else "", unit.strip("%"))


def _refuse(i: int, column: Column) -> _Amount:
    """Refuse a cell that is no number, with what helps."""
    text = column.texts[i]
    remark = text.strip("0123456789.,' +-()")
    ignore = f"--ignore={quote(remark)} if that is only a remark, " if remark != text else ""
    what = (
        f"is no number such as 1234.5 or -1234.5; correct or delete it, name another column, or "
        f"pass {ignore}--missing={quote(text)} if it stands for a missing value, or --skip-rows or "
        f"--skip-footer if the table begins below or ends above it"
    )
    raise column.refused(i, what)


def _marks(
    column: Column, amounts: dict[int, _Amount], digits: list[str], decimal: str | None, sep: str
) -> _Marks:
    """Return the one reading of all digits that is left."""
    marks = [m for m in _MARKS if decimal in (None, m.decimal)]
    different = {
        tuple(map(m.number, digits)): m for m in reversed(marks) if all(map(m.fit, digits))
    }
    left = [*different.values()][::-1]
    if not left:
        best = max(marks, key=lambda m: sum(map(m.fit, digits)))
        odd = next(i for i, amount in amounts.items() if not best.fit(amount.digits))
        what = (
            f"is no number with {best}, as others of its column are; correct it, or pass "
            f"--decimal . or --decimal , as it should be read"
        )
        raise column.refused(odd, what)
    if len(left) > 1 and sep == ",":
        # A number with a comma is in quotes: it has thousands if smaller ones have none. One with
        # a point has three decimals, if whole numbers do not speak for thousands.
        whole = any(text.isdecimal() for text in digits)
        commas = any("," in text for text in digits)
        left = [m for m in left if m.decimal == "."] if whole == commas else left
    if len(left) > 1:
        odd = next(i for i, a in amounts.items() if len({m.number(a.digits) for m in left}) > 1)
        ways = (f"{m.number(amounts[odd].digits):g} (--decimal {m.decimal})" for m in left)
        raise column.refused(odd, f"can be {' or '.join(ways)}")
    return left[0]


def _without(text: str, options: FileOptions) -> str:
    """Return a text without the remarks at its ends that the options name."""
    for remark in options.ignore:
        text = text.removeprefix(remark).strip().removesuffix(remark).strip()
    return text
