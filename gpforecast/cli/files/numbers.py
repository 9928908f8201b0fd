"""From texts to numbers: decimal marks, thousands, signs, percent, currencies, missing values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Cell, Column, written
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted

_CODES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|USD|"
    "ZAR"
)
_CURRENCY = rf"(?:US\$|R\$|[$€£¥₹₽₩₺₫₴₪฿]|\b(?:{_CODES})\b|kr\b\.?|zł|Kč|Ft\b|Fr\b\.?|Rs\b\.?)"
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[-+])?\s*
    (?P<digits>\d[\d.,' ]*|[.,]\d+)(?<!\s)(?P<power>[eE][-+]?\d+)?
    (?P<cents>(?<=[.,])(?:--?|–|—))?\s*(?P<percent>%)?\s*(?P<after>{_CURRENCY})?\s*(?P<last>-)?\s*(?P<close>\))?""",
    re.VERBOSE,
)
# Spaces that do not break, apostrophes and minus signs of typesetters.
_PLAIN = str.maketrans({"\xa0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-"})
_MISSING = {
    "", "na", "n/a", "n.a.", "#n/a", "#na", "nan", "-nan", "null", "none", "nil", "<na>", "missing",
    ".", "..", "...",
}  # fmt: skip
_UNIT = re.compile(r"[^A-Za-z]*\d\s*(?P<unit>(?:°|[^\W\d_])(?:[^\W_]|[°/·])*)")
_CODE = re.compile(r"-?9{3,}(\.[09]+)?|-?99\.9+")  # that instruments write for a missing value
_DASHES = {"-", "–", "—", "--"}


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


_READINGS = [Marks(decimal, thousands) for thousands in ("", ",", ".", " ", "'") for decimal in ".,"
             if decimal != thousands]  # fmt: skip


@dataclass(frozen=True)
class Bare:
    """The parts of a text that is a number: its digits and what stands around them.

    A dash behind a decimal mark, as in ``1500,-``, says that there are no cents.
    """

    digits: str
    negative: bool
    power: int
    percent: bool
    currency: str
    no_cents: bool = False

    @staticmethod
    def of(text: str) -> "Bare | None":
        """Take a text apart, or return None if it is no number.

        Examples
        --------
        >>> Bare.of("(€ 1.234,50)")  # doctest: +NORMALIZE_WHITESPACE
        Bare(digits='1.234,50', negative=True, power=0, percent=False, currency='€',
             no_cents=False)
        """
        found = _NUMBER.fullmatch(text.translate(_PLAIN).strip())
        if found is None or bool(found["open"]) != bool(found["close"]):
            return None
        signs = [found[name] for name in ("sign", "inner", "last") if found[name]]
        if found["open"]:
            signs.append("-")
        if len(signs) > 1 or (found["before"] and found["after"]):
            return None
        currency = found["before"] or found["after"] or ""
        power = int((found["power"] or "e0")[1:])
        percent, no_cents = bool(found["percent"]), bool(found["cents"])
        return Bare(found["digits"], "-" in signs, power, percent, currency, no_cents)


def is_number(text: str) -> bool:
    """Whether a text is a number in one of the ways that are read here.

    Examples
    --------
    >>> is_number("1.234,5 €"), is_number("01.02.2019")
    (True, False)
    """
    bare = Bare.of(text)
    return bare is not None and any(m.pattern().fullmatch(bare.digits) for m in _READINGS)


def unit_of(column: Column, options: FileOptions) -> str:
    """Return the unit that all numbers of a column end with, as in ``12.5 kWh``, or nothing."""
    texts = [text for text in column.texts() if not is_missing(text, options)]
    found = [_UNIT.fullmatch(text) for text in texts]
    units = {match["unit"] if match and not is_number(match[0]) else "" for match in found}
    return units.pop() if len(units) == 1 else ""


def is_missing(text: str, options: FileOptions) -> bool:
    """Whether a text stands for a missing value."""
    return text.casefold() in _MISSING or _among(text, options.missing)


def numbers_of(column: Column, options: FileOptions) -> tuple[FloatArray, list[str]]:
    """Return the values of a column, NaN where missing, and what was detected.

    Raises
    ------
    ValueError
        If a cell is no number, if the cells disagree about their marks, or if two readings of them
        differ and neither the option nor the delimiter of the file decides.
    """
    values = np.full(len(column.cells), np.nan)
    texts: dict[int, Bare] = {}
    unit = unit_of(column, options)
    for i, cell in enumerate(column.cells):
        text = written(cell)
        if _among(text, options.zero):
            values[i] = 0.0
        elif is_missing(text, options):
            continue
        elif isinstance(cell, str):
            texts[i] = _bare(text.removesuffix(unit).rstrip(), i, column)
        else:
            values[i] = _given(cell, i, column)
    marks = _marks(column, texts, options)
    for i, bare in texts.items():
        sign = -1.0 if bare.negative else 1.0
        values[i] = sign * marks.number(bare.digits, bare.power)
    whole = all(bare.digits.isdecimal() for bare in texts.values())  # and show no marks
    said = [] if whole else [str(marks)]
    said += _signs(column, texts) + [f"unit {unit}"] * bool(unit) + _codes(column, values)
    if absent := int(np.isnan(values).sum()):
        said.append(f"{absent} missing")
    if absent == len(values):
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{counted(len(values), 'cell')} are missing."
        )
    return values, said


def _given(cell: Cell, i: int, column: Column) -> float:
    if isinstance(cell, (int, float)) and not np.isinf(cell):
        return float(cell)
    raise ValueError(f"--value: {column.place(i)} is no number; name another column.")


def _bare(text: str, i: int, column: Column) -> Bare:
    bare = Bare.of(text)
    if bare is not None:
        return bare
    if text in _DASHES:
        raise ValueError(
            f"{column.place(i)} can stand for 0 or for a missing value; pass --zero - or "
            f"--missing -."
        )
    raise ValueError(
        f"--value: {column.place(i)} is no number; correct it, name another column, or pass "
        f"--missing {_quoted(text)} if it stands for a missing value."
    )


def _marks(column: Column, texts: dict[int, Bare], options: FileOptions) -> Marks:
    """Return the one reading of all texts that the options, or else the delimiter, leave."""
    readings = [m for m in _READINGS if options.decimal in (None, m.decimal)]
    digits = sorted({bare.digits for bare in texts.values()})
    patterns = {marks: marks.pattern() for marks in readings}
    fitting = [m for m in readings if all(patterns[m].fullmatch(text) for text in digits)]
    if not fitting:
        best = max(readings, key=lambda m: sum(bool(patterns[m].fullmatch(t)) for t in digits))
        odd = next(i for i, bare in texts.items() if not patterns[best].fullmatch(bare.digits))
        raise ValueError(
            f"--decimal: {column.place(odd)} is no number with {best}, as most of its column; "
            f"correct it, or pass --decimal , or --decimal . as it should be read."
        )
    different: dict[tuple[float, ...], Marks] = {}
    for marks in fitting:
        different.setdefault(tuple(map(marks.number, digits)), marks)
    left = list(different.values())
    if len(left) > 1 and column.sep == ",":
        # A file with commas between its fields has points in its numbers.
        left = [marks for marks in left if marks.decimal == "."]
    if len(left) > 1:
        odd = next(i for i, b in texts.items() if len({m.number(b.digits) for m in left}) > 1)
        ways = " or ".join(f"{m.number(texts[odd].digits):g} (--decimal {m.decimal})" for m in left)
        raise ValueError(
            f"--decimal must say how numbers are written: {column.place(odd)} can be {ways}."
        )
    return left[0]


def _signs(column: Column, texts: dict[int, Bare]) -> list[str]:
    """Say which signs were dropped, and refuse those that differ."""
    said = []
    money = sorted({bare.currency for bare in texts.values()} - {""})
    if len(money) > 1:
        other = next(i for i, bare in texts.items() if bare.currency == money[1])
        raise ValueError(
            f"column {column.name!r} must be in one currency; got {money[0]} and {money[1]}, the "
            f"latter in line {column.places[other]} of {column.source}. Convert one of them."
        )
    if money:
        said.append(f"currency {money[0]}")
    percent = {i: bare.percent for i, bare in texts.items() if bare.digits.strip("0.,")}
    if any(percent.values()):
        if not all(percent.values()):
            odd = next(i for i, with_sign in percent.items() if not with_sign)
            raise ValueError(
                f"{column.place(odd)} must be in per cent, as others of its column; write all "
                f"with the sign or all without."
            )
        said.append("values in per cent (5 % is 5)")
    if any(bare.no_cents for bare in texts.values()):
        said.append("5,- is 5")
        signed = [i for i, bare in texts.items() if bare.negative and not bare.no_cents]
        behind = [i for i in signed if _ends_with_sign(column, i)]
        if behind:
            raise ValueError(
                f"--value: {column.place(behind[0])} has its sign at the end, where others of its "
                f"column have a dash for no cents; write negative numbers as -5."
            )
    if any(bare.negative and "(" in written(column.cells[i]) for i, bare in texts.items()):
        said.append("(5) is -5")
    return said


def _codes(column: Column, values: FloatArray) -> list[str]:
    """Name what may stand for a missing value: only nines, and far from all other values."""
    nines = {text: i for i, text in enumerate(column.texts()) if _CODE.fullmatch(text)}
    others = values[~np.isin(values, values[[*nines.values()]]) & ~np.isnan(values)]
    return [
        f"{text} is taken as a value (pass --missing {text} if it stands for a missing one)"
        for text, i in nines.items()
        if len(others) and np.abs(others - values[i]).min() > np.ptp(others)
    ]


def _ends_with_sign(column: Column, i: int) -> bool:
    return written(column.cells[i]).translate(_PLAIN).endswith("-")


def _among(text: str, listed: Sequence[str]) -> bool:
    """Whether a text is listed; all dashes are one."""
    return text in listed or (text in _DASHES and not _DASHES.isdisjoint(listed))


def _quoted(text: str) -> str:
    return f"'{text}'" if re.search(r"[^\w.-]", text) else text
