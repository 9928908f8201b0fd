"""Checks at the edge: what a user passes becomes a clean array, or a sentence that helps."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import TypeGuard

import numpy as np
import pandas as pd

from gpforecast.common.kinds import has_dates, is_labelled
from gpforecast.common.types import BoolArray, FloatArray, Seed

MISSING = (None, pd.NA, pd.NaT, np.ma.masked)
"""What stands for a value that is missing, besides NaN."""

SMALLEST, LARGEST = 1e-152, 1e152  # of the largest value of a series: room for sums of squares
_MOST_NUMBERS = 4 * 10**9  # in one array
_LARGEST_FLOAT = float(np.finfo(np.float64).max)


def real_array(value: object, name: str, *, ndim: int | None = None) -> FloatArray:
    """Return `value` as a float64 array, or say what was wrong with it.

    Missing values (``None``, ``pandas.NA``, ``numpy.ma.masked``) become NaN; `finite_array`
    refuses them.

    Parameters
    ----------
    value : array-like
        What the user passed.
    name : str
        Its name in the user's call, for the message.
    ndim : int, optional
        The number of axes it must have.

    Returns
    -------
    ndarray
        C-contiguous, float64; a copy wherever the input is not that already.

    Raises
    ------
    TypeError
        If the values are not real numbers.
    ValueError
        If the number of axes is wrong.
    """
    if isinstance(value, Mapping):
        raise TypeError(
            f"{name} must be numbers in a list, an array or a pandas object; got a "
            f"{type(value).__name__}. Make a Series or DataFrame of it first."
        )
    if np.ma.isMaskedArray(value):  # what is masked is missing, whatever lies under the mask
        value = np.ma.asarray(value, dtype=np.float64).filled(np.nan)
    array = np.asarray(value)
    if not array.size or (array.dtype.kind in "Mm" and np.isnat(array).all()):
        array = np.full(array.shape, np.nan)
    if array.dtype.kind not in "fiub":
        # pandas keeps times what they are, of which NumPy would make whole numbers.
        as_given = pd.Index(array.ravel()) if array.dtype.kind in "Mm" else value
        each = np.asarray(as_given, dtype=object).ravel()
        missing = np.array([any(v is m for m in MISSING) for v in each], dtype=bool)
        if bad := [v for v in each[~missing] if not _is_real(v)]:
            text = "" if isinstance(bad[0], dt.date) else " Convert text with pandas.to_numeric."
            read = pd.isna(pd.to_numeric(str(bad[0]), errors="coerce"))
            times = " Times belong in the index: see to_datetime and set_index of pandas." * read
            raise TypeError(f"{name} must hold real numbers; got {shown(bad[0])}.{text}{times}")
        array = np.where(missing, np.nan, each).astype(float).reshape(array.shape)
    array = np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(float)
    if ndim is not None and array.ndim != ndim:
        shape = "one column of values" if ndim == 1 else f"an array with {ndim} axes"
        if not array.ndim:
            raise ValueError(
                f"{name} must be {shape}; got {shown(value)}. Pass a list, an array or a pandas "
                f"object."
            )
        raise ValueError(f"{name} must be {shape}; got an array of shape {array.shape}.")
    return array


def finite_array(value: object, name: str, *, ndim: int | None = None) -> FloatArray:
    """Return `value` as a float64 array without NaN or infinities, or say where they are.

    Parameters
    ----------
    value, name, ndim
        As for `real_array`.

    Returns
    -------
    ndarray
        C-contiguous float64.

    Raises
    ------
    TypeError, ValueError
        As `real_array`, and if a value is missing or infinite.
    """
    array = real_array(value, name, ndim=ndim)
    if np.isfinite(array).all():
        return array
    missing = np.isnan(array_without_infinities(value, name))
    raise ValueError(
        f"{name} has {_places(missing, 'missing (NaN) value', value)}; drop or fill them first, "
        f"for instance with Series.interpolate()."
    )


def array_without_infinities(value: object, name: str, *, ndim: int | None = None) -> FloatArray:
    """Return `value` as a float64 array that may hold NaN but nothing infinite.

    Parameters
    ----------
    value, name, ndim
        As for `real_array`.

    Returns
    -------
    ndarray
        C-contiguous float64.

    Raises
    ------
    TypeError, ValueError
        As `real_array`, and if a value is infinite.

    Examples
    --------
    >>> array_without_infinities([1, None], "series")
    array([ 1., nan])
    """
    array = real_array(value, name, ndim=ndim)
    bad = np.isinf(array)
    if bad.any():
        raise ValueError(
            f"{name} has {_places(bad, 'infinite value', value)}; a logarithm of 0 or a division "
            f"by 0 is the usual cause. Replace with NaN what should count as missing."
        )
    return array


def check_size(values: FloatArray, name: str) -> None:
    """Refuse values whose squares, in which variances are measured, overflow or vanish.

    Parameters
    ----------
    values : ndarray
        NaN where missing.
    name : str
        What they are called in the user's call.

    Raises
    ------
    ValueError
        If the largest magnitude is beyond 1e152, or below 1e-152 and not 0.
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest == 0.0 or SMALLEST <= largest <= LARGEST:
        return
    unit = int(np.floor(np.log10(largest)))
    what, where = ("above", LARGEST) if largest > LARGEST else ("below", SMALLEST)
    raise ValueError(
        f"{name} must hold values whose squares are numbers; the largest is {largest:.3g}, {what} "
        f"{where:g}. Use larger or smaller units: divide by 1e{unit:+03d}."
    )


def positive_integer(value: object, name: str, *, least: int = 1) -> int:
    """Return `value` as a positive int, or say what came instead.

    Parameters
    ----------
    value : object
        What the user passed; bools and floats are refused, even whole ones.
    name : str
        Its name in the user's call.
    least : int
        The smallest one allowed.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        ``horizon must be a positive integer; got 0.``
    """
    if not is_integer(value) or value < least:
        kind = "a positive integer" if least == 1 else f"an integer from {least} up"
        raise ValueError(f"{name} must be {kind}; got {shown(value)}.")
    return int(value)


def how_many(value: object, name: str, *, each: int = 1, least: int = 1) -> int:
    """Return a number of draws or values as an int, or say that no memory holds so many.

    Parameters
    ----------
    value, name, least
        As for `positive_integer`.
    each : int
        How many numbers each one has.

    Raises
    ------
    ValueError
        As `positive_integer`, and above 4e9 numbers in all.
    """
    n = positive_integer(value, name, least=least)
    if n * each > _MOST_NUMBERS:
        raise ValueError(
            f"{name} must be at most {_MOST_NUMBERS // each}, which takes 32 GB of memory; got "
            f"{shown(n)}. Ask for fewer, several times if need be."
        )
    return n


def is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is one real number: Python's or NumPy's, but no bool and no array.

    A whole number that no float can hold is none.

    Examples
    --------
    >>> is_number(1), is_number(np.float32(0.5)), is_number(True), is_number("1")
    (True, True, False, False)
    >>> is_number(10**400)
    False
    """
    if is_integer(value):
        return -_LARGEST_FLOAT <= value <= _LARGEST_FLOAT
    return isinstance(value, (float, np.floating))


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether `value` is one whole number: Python's or NumPy's, but no bool.

    NumPy's lengths of time are integers to NumPy, and none here.
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def interval_level(level: float) -> float:
    """Return the level of an interval as a fraction; numbers above 1 are in percent.

    Raises
    ------
    ValueError
        If it is neither, or 1, which could be either.
    """
    if is_number(level) and 0.0 < level < 100.0 and level != 1.0:
        return float(level if level < 1.0 else level / 100)
    raise ValueError(
        f"the level of an interval must be a fraction such as 0.95, or a percentage such as 95; "
        f"got {shown(level)}."
    )


def percent(level: float) -> float:
    """Return the level of an interval in percent."""
    return round(100 * interval_level(level), 10)


def probability(level: float) -> float:
    """Return a probability strictly between 0 and 1, or say what came instead."""
    if is_number(level) and 0.0 < level < 1.0:
        return float(level)
    hint = f" Did you mean {level / 100:g}?" if is_number(level) and 1.0 < level < 100.0 else ""
    raise ValueError(f"level must lie between 0 and 1; got {shown(level)}.{hint}")


def generator(seed: Seed) -> np.random.Generator:
    """Return the generator of random numbers that a seed stands for, or say what came instead."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"seed must be a whole number from 0 up, a numpy Generator, or None for another draw "
            f"each time; got {shown(seed)}."
        ) from error


def one_of(value: object, name: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`, or list them.

    Raises
    ------
    ValueError
        ``kind must be one of 'step', 'function'; got 'x'.``
    """
    if value not in choices:
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name} must be one of {listed}; got {shown(value)}.")
    return str(value)


def per_cent(share: float) -> str:
    """Return a share from 0 to 1 in per cent, none as 0 or 100 that is not.

    Examples
    --------
    >>> per_cent(0.482), per_cent(0.001), per_cent(1.0)
    ('48 %', 'under 1 %', '100 %')
    """
    if 0.0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 < share < 1.0 else f"{100.0 * share:.0f} %"


def shown(value: object) -> str:
    """Return what a message shows of a value that it refuses: at most some 80 characters.

    Examples
    --------
    >>> shown(0), shown("x"), len(shown("x" * 400)), shown(10**400)
    ('0', "'x'", 80, 'a whole number beyond 1e308')
    >>> shown(dict)
    'the class dict; call it: dict()'
    """
    if isinstance(value, type):
        return f"the class {value.__name__}; call it: {value.__name__}()"
    if is_integer(value) and not is_number(value):
        return "a whole number beyond 1e308"
    try:
        text = " ".join(repr(value).split("\n"))
    except ValueError:  # a whole number of more digits than Python writes
        return "a number of thousands of digits"
    if len(text) > 80 and (is_labelled(value) or isinstance(value, np.ndarray)):
        return f"a {type(value).__name__} of shape {np.shape(value)}"
    return text if len(text) <= 80 else f"{text[:50]}...{text[-27:]}"


def _is_real(value: object) -> bool:
    """Whether a value is a number that a float can hold; to NumPy its durations are integers."""
    fits = is_number(value) or not is_integer(value)
    return (
        fits
        and isinstance(value, (Real, Decimal, np.bool_))
        and not isinstance(value, np.timedelta64)
    )


def counted(n: int, what: str) -> str:
    """Return a number of things, in words.

    Examples
    --------
    >>> counted(1, "value"), counted(2, "value")
    ('1 value', '2 values')
    """
    return f"{n} {what}{'' if n == 1 else 's'}"


def _places(bad: BoolArray, what: str, value: object) -> str:
    """Say how many values are bad, and where and when the first of them is."""
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    place = first[0] if len(first) == 1 else first
    index, when = value.index if is_labelled(value) else None, ""
    if has_dates(index):
        when = f" ({str(index[first[0]]).removesuffix(' 00:00:00')})"
    return f"{counted(int(bad.sum()), what)}, the first at position {place}{when}"


def check_distinct_columns(frame: pd.DataFrame, name: str) -> None:
    """Refuse a frame in which two columns have the same name."""
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ValueError(
            f"{name} must have a different name for each column; got {twice[0]!r} twice. Rename "
            f"one of them."
        )
