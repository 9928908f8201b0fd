"""Which part of a series a forecaster has seen: by labels, or by the values themselves."""

from typing import Any

import numpy as np
import pandas as pd

from gpforecast.indexes import counts_from_zero, values_of
from gpforecast.typing import FloatArray

_ANCHOR = 8  # values by which to look for the end of an overlap
_CHANCE = 10  # so many values in common may be chance


def seen_before(history: "pd.Series[float]", y: "pd.Series[float]") -> int:
    """Return how many values of y, from its start, lie in the history: by labels, or by values."""
    if len(y) == 0 or len(history) == 0:
        return 0
    tolerance = _tolerance(values_of(history))
    if _labels_agree(history, y, tolerance):
        last: Any = history.index[-1]
        return int(y.index.searchsorted(last, side="right"))
    return _seen_by_value(values_of(history), values_of(y), tolerance)


def _tolerance(history: FloatArray) -> float:
    """How far apart two copies of a value may lie: rounded to single precision, for instance."""
    spread = float(np.ptp(history))
    single = float(np.abs(history).max()) * 2.0**-23
    return min(max(1e-6 * spread, single), 1e-3 * spread)


def _labels_agree(history: Any, y: Any, tolerance: float) -> bool:
    """Whether the labels tell which values of y are in the history, or older."""
    a, b = history.index, y.index
    if all(i.dtype.kind in "iuf" for i in (a, b)):
        common = b.intersection(a)
        if counts_from_zero(b) or not len(common):
            return False
        return bool((np.abs(y.loc[common] - history.loc[common]) <= tolerance).all())
    zoned = [getattr(i, "tz", None) is not None for i in (a, b)]
    comparable = type(a) is type(b) and zoned[0] == zoned[1]
    if isinstance(a, pd.PeriodIndex):
        comparable = a.dtype == b.dtype
    return bool(comparable and b[0] <= a[-1] and a[0] <= b[-1])


def _seen_by_value(history: FloatArray, y: FloatArray, tolerance: float) -> int:
    """Up to which position y overlaps the history best, from the places where an end of it fits."""
    n = len(history)
    found = longest_run(history, y, tolerance)
    within = longest_run(y, history, tolerance)  # the other way about: y ends in the history
    overlap = min(within, len(y))
    if overlap == len(y) or (
        # Only the last values of y: of a few, or of equal ones, that may be chance.
        overlap > max(min(found, n), _CHANCE) and np.ptp(y[len(y) - overlap :]) > tolerance
    ):
        return len(y)
    return found


def longest_run(tail: FloatArray, values: FloatArray, tolerance: float) -> int:
    """Return the end of the longest run of `values` that is the end of `tail`, the first of many.

    Runs that the beginning of `values` cuts short count, those that differ anywhere do not.
    """
    shift = tail[-1]
    scale = max(float(np.abs(tail - shift).max()), float(np.abs(values - shift).max())) or 1.0
    # So that no square overflows or vanishes, and none is larger than it need be.
    tail, values, tolerance = (tail - shift) / scale, (values - shift) / scale, tolerance / scale
    ends = np.arange(1, len(values) + 1)
    overlaps = np.minimum(ends, len(tail))
    distance, rounding = _squared_distance(tail, values)
    fits = distance <= overlaps * tolerance**2 + rounding
    for back in range(min(_ANCHOR, len(tail), len(values))):  # where rounding lets short runs pass
        fits[back:] &= np.abs(values[: len(values) - back] - tail[-1 - back]) <= tolerance
    ends, overlaps = ends[fits], overlaps[fits]
    for i in np.argsort(-overlaps, kind="stable"):
        end, m = ends[i], overlaps[i]
        if (np.abs(values[end - m : end] - tail[len(tail) - m :]) <= tolerance).all():
            return int(end)
    return 0


def _squared_distance(tail: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
    """Sum of squared differences of each run of `values` (n,) from the end of `tail`, by FFT.

    Returns
    -------
    ndarray (n,)
        By the last position of the run.
    float
        A bound on its rounding.
    """
    a, b, n = tail[::-1], values, len(values)
    size = 1 << (len(a) + n).bit_length()
    product = np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:n]
    square = np.cumsum(b**2)
    square[len(a) :] -= square[: max(n - len(a), 0)].copy()
    upto = np.minimum(np.arange(n), len(a) - 1)
    distance = square + np.cumsum(a**2)[upto] - 2 * product
    return distance, size * np.finfo(float).eps * float(a @ a + b @ b)
