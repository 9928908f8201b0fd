"""What stands behind numbers and is neither unit nor currency: flags of offices, DR and CR."""

import re
from collections import Counter
from collections.abc import Sequence

from gpforecast.cli.files.bare import Bare
from gpforecast.cli.files.table import Column
from gpforecast.common.currencies import CURRENCY

# Provisional, estimated, revised, break in the series, unreliable; footnotes.
_LETTERS = r"(?:[preub]{1,2}|[PRE])"
_FLAGGED = re.compile(
    rf"(?P<number>.*?(?:[\d.,)%]|{CURRENCY}))\s*(?P<flag>{_LETTERS}|\({_LETTERS}\)|\[{_LETTERS}\]|\(?\*{{1,3}}\)?"
    rf"|[†‡¹²³])"
)
_SIGNS = {"-", "–", "—", "−", "+"}  # to leave them out would turn the sign
_SIDE = re.compile(r"(?P<number>.*[\d.,)])\s*(?P<side>dr|cr)\.?", re.IGNORECASE)
_PARTS = re.compile(
    r"(?P<before>[^\d(+-]*?)\s*(?P<number>[-+(]*\d(?:[\d.,' ]*\d)?\)?)\s*"
    r"(?P<after>[^\d]*|\(\d+\)|\[\d+\])"
)


def flagged(text: str) -> str:
    """Return the flag behind a number, or nothing.

    Examples
    --------
    >>> flagged("934.0 p"), flagged("934.0(p)"), flagged("12 h"), flagged("934.0")
    ('p', '(p)', '', '')
    """
    found = None if text[-1:].isdecimal() else _FLAGGED.fullmatch(text)
    is_one = found is not None and Bare.of(text) is None and Bare.of(found["number"]) is not None
    return found["flag"] if found is not None and is_one else ""


def has_side(text: str) -> bool:
    """Whether DR or CR, debit or credit, stands behind a number."""
    found = _SIDE.fullmatch(text)
    return found is not None and Bare.of(found["number"]) is not None


def without_flags(texts: dict[int, str]) -> tuple[dict[int, str], list[str]]:
    """Leave flags out where numbers without a flag stand beside them; say which and how many.

    Otherwise they would be units, such as pence, and are kept.
    """
    flags = {i: flag for i, text in texts.items() if (flag := flagged(text))}
    if not flags or not any(Bare.of(text) for text in texts.values()):
        return texts, []
    kept = {i: text.removesuffix(flags.get(i, "")).rstrip() for i, text in texts.items()}
    shown = ", ".join(f"{flag} ({n})" for flag, n in sorted(Counter(flags.values()).items()))
    return kept, [f"flags left out: {shown}"]


def with_signs(texts: dict[int, str], column: Column) -> tuple[dict[int, str], list[str]]:
    """Read DR behind a number as a minus and leave CR out.

    Raises
    ------
    ValueError
        If some numbers, other than 0, have neither.
    """
    ends = {i: text for i, text in texts.items() if text[-1:].isalpha() or text[-1:] == "."}
    sides = {i: found for i, text in ends.items() if (found := _SIDE.fullmatch(text))}
    if "dr" not in {found["side"].casefold() for found in sides.values()}:
        return texts, []  # Cr alone can be a unit, ten millions
    for i, text in texts.items():
        if i not in sides and re.search("[1-9]", text):
            raise ValueError(
                f"--value: {column.place(i)} must have DR or CR behind it, as others of its "
                f"column; write it in all rows, or write minus signs."
            )
    plain = dict(texts)
    for i, found in sides.items():
        number = found["number"].rstrip()
        debit = found["side"].casefold() == "dr" and not number.startswith("-")
        plain[i] = f"-{number}" if debit else number
    return plain, ["DR is negative"]


def without_ignored(text: str, ignored: Sequence[str]) -> str:
    """Return a text without the marks at its ends that the user says are to be left out.

    Examples
    --------
    >>> without_ignored("934 s", ["s"]), without_ignored("C$5", ["C$"])
    ('934', '5')
    """
    for mark in ignored:
        text = text.removeprefix(mark).strip().removesuffix(mark).strip()
    return text


def mark_beside(text: str) -> str:
    """Return what must be left out of a text for it to be a number, or nothing.

    Examples
    --------
    >>> mark_beside("934 s"), mark_beside("C$1,200.00"), mark_beside("closed")
    ('s', 'C$', '')
    """
    found = _PARTS.fullmatch(text)
    if found is None or bool(found["before"]) == bool(found["after"]):
        return ""
    mark: str = found["before"] or found["after"]
    return "" if Bare.of(found["number"]) is None or mark in _SIGNS else mark
