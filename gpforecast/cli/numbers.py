"""From texts to numbers: decimal marks, thousands, signs, per cent, currencies, missing values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column
from gpforecast.common.currencies import CURRENCY
from gpforecast.common.types import FloatArray

_MISSING = {
    "", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "<na>", "missing", ".", "..", "...",
}  # fmt: skip
# Spaces that do not break, apostrophes and minus signs of typesetters.
_PLAIN = str.maketrans("\xa0\u202f\u2009\u2019\u2212\u2013", "   '--")
_AT_AN_END = re.compile(rf"^([-+(\s]*)({CURRENCY})|({CURRENCY})([-)%\s]*)$")
_NUMBER = re.compile(
    r"(?P<start>[-+(]?)\s*(?P<digits>[0-9][0-9.,' ]*|[.,][0-9]+)(?<!\s)(?P<power>[eE][-+]?[0-9]+)?"
    r"\s*(?P<percent>%?)\s*(?P<end>[-)]?)(?P<behind>%?)"
)
_NEGATIVE = {("-", ""): True, ("", "-"): True, ("(", ")"): True, ("", ""): False, ("+", ""): False}
_REMARK = re.compile(
    r"(?P<before>[^0-9]*?)\s*[-+(]*[0-9](?:[0-9.,' ]*[0-9])?\)?\s*(?P<after>\D.*)?"
)
_DASHES = {"-", "–", "—", "--"}


@dataclass(frozen=True)
class _Amount:
    """The parts of a text that is a number."""

    digits: str
    negative: bool
    power: str
    percent: bool
    currency: str

    @staticmethod
    def of(text: str) -> "_Amount | None":
        """Take a text apart; None if it is no number.

        Examples
        --------
        >>> _Amount.of("(€ 1.234,50)")
        _Amount(digits='1.234,50', negative=True, power='e0', percent=False, currency='€')
        """
        text = text.translate(_PLAIN).strip()
        money = _AT_AN_END.search(text)
        bare = _AT_AN_END.sub(r"\1\4", text, count=1).strip() if money else text
        found = _NUMBER.fullmatch(bare)
        if found is None or (found["start"], found["end"]) not in _NEGATIVE:
            return None
        if found["end"] and found["digits"][-1] in ".,":  # 5,- has no cents, and no sign
            return None
        return _Amount(
            found["digits"],
            _NEGATIVE[found["start"], found["end"]],
            found["power"] or "e0",
            bool(found["percent"] or found["behind"]),
            (money[2] or money[3]) if money else "",
        )


@dataclass(frozen=True)
class _Marks:
    """A decimal mark and a mark between thousands, which may be none."""

    decimal: str
    thousands: str

    def fit(self, digits: str) -> bool:
        """Whether digits are written so; groups of Indian numbers may have two digits."""
        d, t = re.escape(self.decimal), re.escape(self.thousands)
        if not t:
            return re.fullmatch(rf"[0-9]+({d}[0-9]*)?|{d}[0-9]+", digits) is not None
        # Some write 1234 and 12 345, but with points or commas that would be too much freedom.
        alone = "[0-9]{1,4}" if t == re.escape(" ") else "[0-9]{1,3}"
        indian = rf"|[1-9][0-9]?({t}[0-9]{{2}})+{t}[0-9]{{3}}" if t == "," else ""
        grouped = rf"[1-9][0-9]{{0,2}}({t}[0-9]{{3}})+"
        return re.fullmatch(rf"({alone}|{grouped}{indian})({d}[0-9]*)?", digits) is not None

    def number(self, digits: str) -> str:
        """Return digits written so as Python writes them."""
        return digits.replace(self.thousands or " ", "").replace(self.decimal, ".")

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
    said: list[str]
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
    return text.casefold() in _MISSING or _listed(text, options.missing)


def mostly_numbers(column: Column, options: FileOptions) -> bool:
    """Whether at least half of the cells that are not missing are numbers."""
    known = [text for text in column.texts[:200] if not is_missing(text, options)]
    return 2 * sum(is_number(_without(text, options)) for text in known) >= len(known)


def read_numbers(
    column: Column, options: FileOptions, others: Iterable[Column] = (), sep: str = ""
) -> Numbers:
    """Read a column as numbers.

    Parameters
    ----------
    column : Column
    options : FileOptions
    others : iterable of Column
        Of the same table, whose numbers may show the decimal mark.
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
        if _listed(text, options.zero):
            values[i] = 0.0
        elif is_missing(text, options):
            continue
        elif isinstance(cell, float):
            values[i] = cell
        else:
            amounts[i] = _amount(_without(text, options), i, column)
    digits = sorted({amount.digits for amount in amounts.values()})
    marks, decimal = _marks(column, amounts, digits, options, _decimals(others, options), sep)
    for i, amount in amounts.items():
        values[i] = float(marks.number(amount.digits) + amount.power) * (-1) ** amount.negative
        if np.isinf(values[i]):
            raise ValueError(f"--value: {column.place(i)} is too large for a number; correct it.")
    if np.isnan(values).all():
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{len(values)} cells are missing."
        )
    said = [] if all(text.isdecimal() for text in digits) else [str(marks)]
    currency = _alike(column, {i: a.currency for i, a in amounts.items()}, "in one currency")
    percent = _alike(column, {i: "%" * a.percent for i, a in amounts.items()}, "in per cent")
    said += [f"currency {currency}"] * bool(currency)
    said += ["values in per cent (5 % is 5)"] * bool(percent)
    return Numbers(values, said, decimal, currency)


def _amount(text: str, i: int, column: Column) -> _Amount:
    """Return a cell as a number, or refuse it with what helps."""
    amount = _Amount.of(text)
    if amount is not None:
        return amount
    if re.sub(CURRENCY, "", text).strip() in _DASHES:
        raise ValueError(
            f"{column.place(i)} can stand for 0 or for a missing value; pass --zero - or "
            f"--missing -."
        )
    found = _REMARK.fullmatch(text)
    remark = (found["before"] or found["after"] or "") if found else ""
    ignore = f"--ignore{_typed(remark)} if {remark!r} is only a remark, " if remark else ""
    raise ValueError(
        f"--value: {column.place(i)} is no number such as 1234.5 or -1234.5; correct or delete it, "
        f"name another column, or pass {ignore}--missing{_typed(text)} if it stands for a missing "
        f"value, or --skip-rows or --skip-footer if the table begins below or ends above it."
    )


def _decimals(others: Iterable[Column], options: FileOptions) -> set[str]:
    """Return the decimal marks with which all numbers of other columns can be read."""
    texts = [text for c in others for text in c.texts[:200] if not is_missing(text, options)]
    digits = {amount.digits for text in texts if (amount := _Amount.of(text))}
    fitting = [{marks.decimal for marks in _MARKS if marks.fit(text)} for text in digits]
    return {".", ","}.intersection(*(fit for fit in fitting if fit))


def _marks(
    column: Column,
    amounts: dict[int, _Amount],
    digits: list[str],
    options: FileOptions,
    decimals: set[str],
    sep: str,
) -> tuple[_Marks, str]:
    """Return the one reading of all digits that is left, and its decimal mark if one shows."""
    marks = [m for m in _MARKS if options.decimal in (None, m.decimal)]
    fitting = [m for m in marks if all(map(m.fit, digits))]
    if not fitting:
        best = max(marks, key=lambda m: sum(map(m.fit, digits)))
        odd = next(i for i, amount in amounts.items() if not best.fit(amount.digits))
        raise ValueError(
            f"--decimal: {column.place(odd)} is no number with {best}, as others of its column "
            f"are; correct it, or pass --decimal . or --decimal , as it should be read."
        )
    different: dict[tuple[str, ...], _Marks] = {}
    for m in fitting:
        different.setdefault(tuple(f"{float(m.number(text))!r}" for text in digits), m)
    left = list(different.values())
    if len(left) > 1 and len(decimals) == 1:
        left = [m for m in left if m.decimal in decimals] or left
    if len(left) > 1 and sep == ",":
        # A number with a comma is in quotes: it has thousands if smaller ones have none. One with
        # a point has three decimals, if whole numbers do not speak for thousands.
        whole = any(text.isdecimal() for text in digits)
        commas = any("," in text for text in digits)
        left = [m for m in left if m.decimal == "."] if whole == commas else left
    if len(left) > 1:
        odd = next(i for i, a in amounts.items() if len({m.number(a.digits) for m in left}) > 1)
        raise ValueError(
            f"--decimal must say how numbers are written: {column.place(odd)} can be "
            + " or ".join(
                f"{float(m.number(amounts[odd].digits)):g} (--decimal {m.decimal})" for m in left
            )
            + "."
        )
    shown = any(left[0].decimal in text for text in digits)
    return left[0], left[0].decimal if shown else "".join(decimals) if len(decimals) == 1 else ""


def _alike(column: Column, signs: dict[int, str], what: str) -> str:
    """Return the sign of all numbers of a column, "" for none; refuse those that differ."""
    zero = {i for i in signs if not column.texts[i].strip("0.,")}
    found = {sign: i for i, sign in reversed(signs.items()) if i not in zero}
    if len(found) > 1:
        odd = max(found.values())
        raise ValueError(
            f"{column.place(odd)} must be {what}, as others of its column; write all with the same "
            f"sign, or pass --ignore{_typed(max(found))} to leave it out."
        )
    return next(iter(found), "")


def _without(text: str, options: FileOptions) -> str:
    """Return a text without the marks at its ends that the user says are to be left out."""
    for mark in options.ignore:
        text = text.removeprefix(mark).strip().removesuffix(mark).strip()
    return text


def _listed(text: str, listed: Iterable[str]) -> bool:
    """Whether a text is listed; all dashes are one, also with a currency as in ``$ -``."""
    if text in listed or not listed:
        return bool(listed)
    return re.sub(CURRENCY, "", text).strip() in _DASHES and not _DASHES.isdisjoint(listed)


def _typed(text: str) -> str:
    """Return what is typed behind an option for a text; one like an option is joined to it."""
    between = "=" if text.startswith("-") else " "
    quote = '"' if "'" in text else "'"
    return between + (f"{quote}{text}{quote}" if re.search(r"[^\w.-]", text) else text)
