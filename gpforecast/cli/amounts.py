"""From texts to numbers: decimal marks, thousands, signs, per cent, currencies, missing values."""

import re
from dataclasses import dataclass
from functools import cached_property
from shlex import quote

import numpy as np

from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.types import FloatArray

_MISSING = {
    "", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "<na>", "missing", ".", "..", "...",
}  # fmt: skip
# Spaces that do not break, apostrophes and minus signs of typesetters.
_PLAIN = str.maketrans("\xa0\u202f\u2009\u2019\u2212\u2013", "   '--")
_SIGN = (
    r"US\$|R\$|[$€£¥₹₽₩₺₫₴₪฿]|\b(?:AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|"
    r"NZD|PLN|RUB|SEK|SGD|TRY|USD|ZAR)\b"
)
_CURRENCY = re.compile(rf"^([-+(\s]*)({_SIGN})|({_SIGN})([-)%\s]*)$")
_NUMBER = re.compile(
    r"(?P<start>[-+(]?)\s*(?P<digits>[0-9][0-9.,' ]*|[.,][0-9]+)(?<!\s)(?P<power>[eE][-+]?[0-9]+)?"
    r"\s*(?P<percent>%?)\s*(?P<end>\)|(?<![.,])-)?(?P<behind>%?)"  # 5,- has no cents, and no sign
)
_SIGNS = {"": "", "+": "", "-": "-", "()": "-"}
_REMARK = re.compile(r"([^0-9]*?)\s*[-+(]*[0-9](?:[0-9.,' ]*[0-9])?\)?\s*(\D.*)?")
_SAMPLE = 200  # cells that are enough to tell numbers from texts


@dataclass(frozen=True)
class _Amount:
    """The parts of a text that is a number."""

    digits: str
    sign: str
    power: str
    percent: str
    currency: str

    @staticmethod
    def of(text: str) -> "_Amount | None":
        """Take a text apart; None if it is no number.

        Examples
        --------
        >>> _Amount.of("(€ 1.234,50)")
        _Amount(digits='1.234,50', sign='-', power='', percent='', currency='€')
        """
        text = text.translate(_PLAIN).strip()
        money = _CURRENCY.search(text)
        found = _NUMBER.fullmatch(_CURRENCY.sub(r"\1\4", text, count=1).strip())
        sign = _SIGNS.get(found["start"] + (found["end"] or "")) if found else None
        if found is None or sign is None:
            return None
        currency = (money[2] or money[3]) if money else ""
        percent = found["percent"] + found["behind"]
        return _Amount(found["digits"], sign, found["power"] or "", percent, currency)


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
    values = np.full(len(column.cells), np.nan)
    amounts: dict[int, _Amount] = {}
    for i, (cell, text) in enumerate(zip(column.cells, column.texts, strict=True)):
        if text in options.zero:
            values[i] = 0.0
        elif is_missing(text, options):
            continue
        elif isinstance(cell, float):
            values[i] = cell
        else:
            amounts[i] = _amount(_without(text, options), i, column)
    digits = sorted({amount.digits for amount in amounts.values()})
    marks = _marks(column, amounts, digits, options.decimal, sep)
    for i, amount in amounts.items():
        values[i] = float(f"{amount.sign}{marks.number(amount.digits)!r}{amount.power}")
    if np.isnan(values).all():
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{len(values)} cells are missing."
        )
    currency = _alike(column, {i: amount.currency for i, amount in amounts.items()})
    percent = _alike(column, {i: amount.percent for i, amount in amounts.items()})
    detected = [] if all(text.isdecimal() for text in digits) else [str(marks)]
    detected += [f"currency {currency}"] * bool(currency)
    detected += ["values in per cent (5 % is 5)"] * bool(percent)
    shown = any(marks.decimal in text for text in digits)
    return Numbers(values, detected, marks.decimal if shown else "", currency)


def _amount(text: str, i: int, column: Column) -> _Amount:
    """Return a cell as a number, or refuse it with what helps."""
    amount = _Amount.of(text)
    if amount is not None:
        return amount
    found = _REMARK.fullmatch(text)
    remark = (found[1] or found[2] or "") if found else ""
    ignore = f"--ignore={quote(remark)} if that is only a remark, " if remark else ""
    what = (
        f"is no number such as 1234.5 or -1234.5; correct or delete it, name another column, or "
        f"pass {ignore}--missing={quote(text)} or --zero={quote(text)} if it stands for a missing "
        f"value or 0, or --skip-rows or --skip-footer if the table begins below or ends above it"
    )
    raise column.refused(i, "--value", what)


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
        raise column.refused(odd, "--decimal", what)
    if len(left) > 1 and sep == ",":
        # A number with a comma is in quotes: it has thousands if smaller ones have none. One with
        # a point has three decimals, if whole numbers do not speak for thousands.
        whole = any(text.isdecimal() for text in digits)
        commas = any("," in text for text in digits)
        left = [m for m in left if m.decimal == "."] if whole == commas else left
    if len(left) > 1:
        odd = next(i for i, a in amounts.items() if len({m.number(a.digits) for m in left}) > 1)
        ways = (f"{m.number(amounts[odd].digits):g} (--decimal {m.decimal})" for m in left)
        raise column.refused(odd, "--decimal", f"can be {' or '.join(ways)}")
    return left[0]


def _alike(column: Column, signs: dict[int, str]) -> str:
    """Return the sign of all numbers of a column, "" for none; refuse those that differ."""
    found = {sign: i for i, sign in reversed(signs.items()) if column.texts[i].strip("0.,")}
    if len(found) > 1:
        what = (
            f"must be in one currency, or in per cent, as others of its column; convert them, or "
            f"pass --ignore={quote(max(found))} if the sign says nothing"
        )
        raise column.refused(max(found.values()), "--value", what)
    return next(iter(found), "")


def _without(text: str, options: FileOptions) -> str:
    """Return a text without the marks at its ends that the user says are to be left out."""
    for mark in options.ignore:
        text = text.removeprefix(mark).strip().removesuffix(mark).strip()
    return text
