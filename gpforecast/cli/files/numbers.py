"""From texts to numbers: decimal marks, thousands, signs, percent, currencies, missing values."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.cli.files.bare import PLAIN, Bare, without_currency
from gpforecast.cli.files.flags import (
    flagged,
    has_side,
    mark_beside,
    with_signs,
    without_flags,
    without_ignored,
)
from gpforecast.cli.files.marks import (
    NO_HINTS,
    READINGS,
    Hints,
    mark_by_dates,
    mark_by_numbers,
    marks_of,
)
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Cell, Column, Money, written
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted

_SAMPLE = 200  # cells of another column that are enough to show its marks
_MISSING = {
    "", "na", "n/a", "n.a.", "#n/a", "#na", "nan", "-nan", "null", "none", "nil", "<na>", "missing",
    ".", "..", "...",
}  # fmt: skip
_UNIT = re.compile(r"[^A-Za-z]*\d\s*(?P<unit>(?:°|[^\W\d_])(?:[^\W_]|[°/·])*)")
_CODE = re.compile(r"-?9{3,}(\.[09]+)?|-?99\.9+")  # that instruments write for a missing value
_DASHES = {"-", "–", "—", "--"}


@dataclass(frozen=True)
class Numbers:
    """The values of a column, and what was detected.

    Attributes
    ----------
    values : array (n,)
        NaN where missing.
    said : list of str
    decimal : str
        The decimal mark; empty if no number shows one.
    currency : str
        The sign or code of all values, if they have one.
    """

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
    bare = Bare.of(text)
    return bare is not None and any(m.pattern().fullmatch(bare.digits) for m in READINGS)


def unit_of(column: Column, options: FileOptions) -> str:
    """Return the unit that all numbers of a column end with, as in ``12.5 kWh``, or nothing."""
    return _unit([text for text in column.texts() if not is_missing(text, options)])


def _unit(texts: Sequence[str]) -> str:
    found = [_UNIT.fullmatch(text) for text in texts]
    units = {match["unit"] if match and not is_number(match[0]) else "" for match in found}
    return units.pop() if len(units) == 1 else ""


def mostly_numbers(texts: Sequence[str], options: FileOptions) -> bool:
    """Whether most texts that are not missing are numbers, also with flags, DR or CR, or formulas.

    Flags count beside numbers that have none.
    """
    known = [without_ignored(t, options.ignore) for t in texts if not is_missing(t, options)]
    bare = [is_number(text) or has_side(text) or text.startswith("=") for text in known]
    flags = [bool(flagged(text)) for text in known] if any(bare) else []
    return 2 * (sum(bare) + sum(flags)) > len(known) or not known


def is_missing(text: str, options: FileOptions) -> bool:
    """Whether a text stands for a missing value."""
    return text.casefold() in _MISSING or _among(text, options.missing)


def numbers_of(column: Column, options: FileOptions) -> FloatArray:
    """Return the values of a column, NaN where missing; errors as of `read_numbers`."""
    return read_numbers(column, options).values


def hints_of(others: Iterable[Column], times: Column | None, options: FileOptions) -> Hints:
    """Return what the columns of a table other than the values say of decimal marks.

    Parameters
    ----------
    others : iterable of Column
        Other than the values and the times.
    times : Column or None
    options : FileOptions
    """
    digits = set[str]()
    for column in others:
        texts = [text for text in column.texts(_SAMPLE) if not is_missing(text, options)]
        bare = [found for found in map(Bare.of, texts) if found is not None]
        digits |= {found.digits for found in bare if len(bare) == len(texts)}
    return Hints(mark_by_numbers(digits), "" if times is None else mark_by_dates(times.texts()))


def read_numbers(column: Column, options: FileOptions, hints: Hints = NO_HINTS) -> Numbers:
    """Read a column as numbers.

    Parameters
    ----------
    column : Column
    options : FileOptions
    hints : Hints, optional
        What other columns say of decimal marks.

    Raises
    ------
    ValueError
        If a cell is no number, if the cells disagree about their marks, or if two readings of them
        differ and neither the option nor the evidence decides.
    """
    values = np.full(len(column.cells), np.nan)
    raw: dict[int, str] = {}
    for i, cell in enumerate(column.cells):
        text = written(cell)
        if _among(text, options.zero):
            values[i] = 0.0
        elif is_missing(text, options):
            continue
        elif isinstance(cell, str):
            raw[i] = without_ignored(text, options.ignore)
        else:
            values[i] = _given(cell, i, column)
    raw, flags = without_flags(raw)
    raw, sides = with_signs(raw, column)
    unit = "" if sides else _unit([*raw.values()])
    texts = {i: _bare(text.removesuffix(unit).rstrip(), i, column) for i, text in raw.items()}
    marks = marks_of(column, texts, options.decimal, hints)
    for i, bare in texts.items():
        sign = -1.0 if bare.negative else 1.0
        values[i] = sign * marks.number(bare.digits, bare.power)
        if np.isinf(values[i]):
            raise ValueError(f"--value: {column.place(i)} is too large for a number; correct it.")
    if np.isnan(values).all():
        raise ValueError(
            f"column {column.name!r} of {column.source} must hold at least one value; all "
            f"{counted(len(values), 'cell')} are missing."
        )
    whole = all(bare.digits.isdecimal() for bare in texts.values())  # and show no marks
    shown = any(marks.decimal in bare.digits for bare in texts.values())
    free = not shown and marks.thousands in (" ", "'")  # either decimal mark goes with these
    said = [] if whole else [f"thousands as in 1{marks.thousands}000" if free else str(marks)]
    currency = _currency(column, texts)
    said += [f"currency {currency}"] * bool(currency) + _signs(column, texts)
    said += [f"unit {unit}"] * bool(unit) + flags + sides
    decimal = "" if whole or free else marks.decimal
    return Numbers(values, said + _codes(column, values), decimal, currency)


def _given(cell: Cell, i: int, column: Column) -> float:
    if isinstance(cell, (int, float)) and not np.isinf(cell):
        return float(cell)
    raise ValueError(f"--value: {column.place(i)} is no number; name another column.")


def _bare(text: str, i: int, column: Column) -> Bare:
    bare = Bare.of(text)
    if bare is not None:
        return bare
    if without_currency(text) in _DASHES:
        raise ValueError(
            f"{column.place(i)} can stand for 0 or for a missing value; pass --zero - or "
            f"--missing -."
        )
    if text.startswith("="):
        raise ValueError(
            f"--value: {column.place(i)} is a formula, and {column.source} does not hold its "
            f"value; open the file in a spreadsheet program and save it once, then it does."
        )
    if mark := mark_beside(text):
        raise ValueError(
            f"--value: {column.place(i)} is no number; pass --ignore{_quoted(mark)} if "
            f"{mark!r} is only a remark, to be left out. If it is a unit that changes from row to "
            f"row, bring all values to one unit first."
        )
    raise ValueError(
        f"--value: {column.place(i)} is no number; correct it, name another column, or pass "
        f"--missing{_quoted(text)} if it stands for a missing value."
    )


def _currency(column: Column, texts: dict[int, Bare]) -> str:
    """Return the currency that cells have in their text or by their format, and refuse two."""
    given = {i: bare.currency for i, bare in texts.items()}
    given |= {i: cell.currency for i, cell in enumerate(column.cells) if isinstance(cell, Money)}
    money = sorted({*given.values()} - {""})
    if len(money) > 1:
        other = next(i for i, sign in given.items() if sign == money[1])
        raise ValueError(
            f"column {column.name!r} must be in one currency; got {money[0]} and {money[1]}, the "
            f"latter in {column.counts} {column.places[other]} of {column.source}. Convert one of "
            f"them."
        )
    return money[0] if money else ""


def _signs(column: Column, texts: dict[int, Bare]) -> list[str]:
    """Say which other signs were dropped, and refuse those that differ."""
    said = []
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
    return written(column.cells[i]).translate(PLAIN).endswith("-")


def _among(text: str, listed: Sequence[str]) -> bool:
    """Whether a text is listed; all dashes are one, also with a currency as in ``$ -``."""
    if text in listed or not listed:
        return bool(listed)
    return without_currency(text) in _DASHES and not _DASHES.isdisjoint(listed)


def _quoted(text: str) -> str:
    """Return what is typed behind an option for a text; one like an option is joined to it."""
    between = "=" if text.startswith("-") else " "
    if "'" in text:
        return f'{between}"{text}"'
    return f"{between}'{text}'" if re.search(r"[^\w.-]", text) else between + text
