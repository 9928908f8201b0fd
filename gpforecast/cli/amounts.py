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
_UNIT = r"US\$|R\$|[$€£¥₹₽₩₺₫₴₪฿%]"
_SIGNS = {"": "", "+": "", "-": "-", "()": "-"}
_SAMPLE = 200  # cells that are enough to tell numbers from texts


@dataclass(frozen=True)
class _Marks:
    """A decimal mark and a mark between thousands, which may be none."""

    decimal: str
    thousands: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What numbers written so match: sign, unit, sign, digits, power, unit, parenthesis."""
        d, t = re.escape(self.decimal), re.escape(self.thousands)
        # Some write 1234 and 12 345, but with points or commas that would be too much freedom.
        alone = "[0-9]{1,4}" if self.thousands == " " else "[0-9]{1,3}"
        whole = rf"(?:{alone}|[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+)" if t else "[0-9]+"
        return re.compile(
            rf"(\(?[-+]?)\s*(?:({_UNIT})\s*([-+]?))?({whole}(?:{d}[0-9]*)?|{d}[0-9]+)"
            rf"([eE][-+]?[0-9]+)?\s*({_UNIT})?\s*(\)?)"
        )

    def read(self, text: str) -> tuple[float, str] | None:
        """Return a number and its unit, a currency or %, if it is written so.

        Examples
        --------
        >>> _Marks(",", ".").read("(€ 1.234,50)")
        (-1234.5, '€')
        """
        found = self.pattern.fullmatch(text.translate(_PLAIN).strip())
        start, before, inner, digits, power, behind, end = found.groups("") if found else [""] * 7
        sign = _SIGNS.get(start + inner + end)
        if found is None or sign is None or (before and behind):
            return None
        plain = digits.replace(self.thousands or " ", "").replace(self.decimal, ".")
        return float(f"{sign}{plain}{power}"), before or behind

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
    return any(marks.read(text) for marks in _MARKS)


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
    if not known:
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{len(texts)} cells are missing."
        )
    if odd := [i for i, text in known.items() if not is_number(text)]:
        text = column.texts[odd[0]]
        remark = re.sub(r"[-+(]*[0-9](?:[0-9.,' ]*[0-9])?\)?", "", text).strip()
        ignore = f"--ignore={quote(remark)} if that is only a remark, " if remark != text else ""
        what = (
            f"is no number such as 1234.5 or -1234.5; correct or delete it, name another column, "
            f"or pass {ignore}--missing={quote(text)} if it stands for a missing value, or "
            f"--skip-rows or --skip-footer if the table begins below or ends above it"
        )
        raise column.refused(odd[0], what)
    typed = {i: text for i, text in known.items() if isinstance(column.cells[i], str)}
    marks = _marks(column, typed, options.decimal, sep)
    values, units = np.full(len(texts), np.nan), dict[str, int]()
    for i, text in known.items():
        if found := (marks if i in typed else _MARKS[0]).read(text):
            values[i], unit = found
            units |= {unit: i} if found[0] and i in typed else {}
    if len(units) > 1:
        what = "must be in one currency, or in per cent, as others of its column; convert them"
        raise column.refused(max(units.values()), what)
    unit = next(iter(units), "")
    shown = any(marks.decimal in text for text in typed.values())
    detected = [str(marks)] if shown or marks.thousands else []
    if unit:
        detected += ["values in per cent (5 % is 5)" if unit == "%" else f"currency {unit}"]
    return Numbers(values, detected, marks.decimal if shown else "", unit.strip("%"))


def _marks(column: Column, texts: dict[int, str], decimal: str | None, sep: str) -> _Marks:
    """Return the marks of the one reading of all texts that is left."""
    each = {*texts.values()}
    read = {m: [m.read(t) for t in each] for m in _MARKS if decimal in (None, m.decimal)}
    fitting = {tuple(found): m for m, found in reversed(read.items()) if None not in found}
    left = [*fitting.values()][::-1]
    if not left:
        best = max(read, key=lambda m: sum(found is not None for found in read[m]))
        odd = next(i for i, text in texts.items() if best.read(text) is None)
        what = (
            f"is no number with {best}, as others of its column are; correct it, or pass "
            f"--decimal . or --decimal , as it should be read"
        )
        raise column.refused(odd, what)
    if len(left) > 1 and sep == ",":
        # A number with a comma is in quotes: it has thousands if smaller ones have none. One with
        # a point has three decimals, if whole numbers do not speak for thousands.
        whole, commas = (any(re.search(form, text) for text in each) for form in ("^[^.,]+$", ","))
        left = [m for m in left if m.decimal == "."] if whole == commas else left
    if len(left) > 1:
        odd = next(i for i, text in texts.items() if len({m.read(text) for m in left}) > 1)
        found = [(m.read(texts[odd]), m.decimal) for m in left]
        ways = " or ".join(f"{one[0]:g} (--decimal {mark})" for one, mark in found if one)
        raise column.refused(odd, f"can be {ways}")
    return left[0]


def _without(text: str, options: FileOptions) -> str:
    """Return a text without the remarks at its ends that the options name."""
    for remark in options.ignore:
        text = text.removeprefix(remark).strip().removesuffix(remark).strip()
    return text
