"""What values are that are no numbers, and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

MISSING = (None, pd.NA, pd.NaT, np.ma.masked)
"""What stands for a value that is missing, beside NaN."""


@dataclass(frozen=True)
class Kind:
    """A kind of values: their types, what messages call them, and what to do."""

    types: tuple[type, ...]
    name: str
    remedy: str
    readable: bool = False  # as str() rather than as repr()


_KINDS = (
    Kind(
        (str, bytes),
        "text",
        "Convert the text to numbers first: in pandas, with pandas.to_numeric.",
    ),
    Kind(
        (timedelta, np.timedelta64),
        "durations",
        "Divide them by a unit first, such as pd.Timedelta(1, 'h').",
        readable=True,
    ),
    Kind(
        (date, time, pd.Period, np.datetime64),
        "dates",
        "Pass the values; their times are the index of a pandas Series.",
        readable=True,
    ),
    Kind(
        (complex,),
        "complex numbers",
        "Take their real part, imaginary part or modulus first.",
    ),
    Kind((object,), "objects", "Convert them to numbers first."),
)


def first_no_number(values: Sequence[object]) -> tuple[object, Kind] | None:
    """Return the first value that is no number, not even as text, and its kind.

    Numbers as text count where there is nothing else; None where there are numbers alone.

    Examples
    --------
    >>> value, kind = first_no_number([1.0, None, "2", "few"])
    >>> value, kind.name
    ('few', 'text')
    """
    others = [v for v in values if not _is_real(v) and all(v is not m for m in MISSING)]
    if not others:
        return None
    first = next((v for v in others if not _is_number_as_text(v)), others[0])
    return first, next(kind for kind in _KINDS if isinstance(first, kind.types))


def _is_real(value: object) -> bool:
    """Whether a value is a number, of whatever size; to NumPy its durations are whole numbers."""
    return isinstance(value, (Real, Decimal, np.bool_)) and not isinstance(value, np.timedelta64)


def _is_number_as_text(value: object) -> bool:
    if not isinstance(value, (str, bytes)):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True
