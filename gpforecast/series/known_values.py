"""Which part of a series a forecaster has seen: by labels, or by the values themselves."""

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.series.labels import all_numbers, counts_from_zero

_ANCHOR = 100  # values by which to look for the end of an overlap
_CHANCE = 10  # so many values in common may be chance


def seen_before(history: "pd.Series[float]", y: "pd.Series[float]") -> int:
    """Return how many values of y, from its start, lie in the history: by labels, or by values.

    Values that are missing (NaN) on either side are equal to anything.
    """
    if not (y.notna().any() and history.notna().any()):
        return 0
    tolerance = _tolerance(values_of(history))
    if _labels_agree(history, y, tolerance):
        return int(y.index.searchsorted(history.index[-1], side="right"))
    return _seen_by_value(values_of(history), values_of(y), tolerance)


def _tolerance(history: FloatArray) -> float:
    """How far apart two copies of a value may lie: rounded to single precision, for instance."""
    spread = _range(history)
    single = float(np.nanmax(np.abs(history))) * 2.0**-23
    return min(max(1e-6 * spread, single), 1e-3 * spread)


def _range(values: FloatArray) -> float:
    """How far the known values spread; 0 where there are none."""
    known = values[~np.isnan(values)]
    return float(np.ptp(known)) if len(known) else 0.0


def _labels_agree(history: "pd.Series[float]", y: "pd.Series[float]", tolerance: float) -> bool:
    """Whether the labels tell which values of y are in the history, or older."""
    a, b = history.index, y.index
    if all_numbers(a, b):
        common = b.intersection(a)
        if counts_from_zero(b) or not len(common):
            return False
        apart = (y.loc[common] - history.loc[common]).abs().dropna()
        return bool(len(apart) and (apart <= tolerance).all())
    try:
        return bool(type(a) is type(b) and b[0] <= a[-1] and a[0] <= b[-1])
    except (TypeError, ValueError):  # with a time zone and without, or periods of other lengths
        return False


def _seen_by_value(history: FloatArray, y: FloatArray, tolerance: float) -> int:
    """Up to which position y overlaps the history best, from the places where an end of it fits."""
    n = len(history)
    found = longest_run(history, y, tolerance)
    within = longest_run(y, history, tolerance)  # the other way about: y ends in the history
    overlap = min(within, len(y))
    if overlap == len(y) or (
        # Only the last values of y: of a few, or of equal ones, that may be chance.
        overlap > max(min(found, n), _CHANCE) and _range(y[len(y) - overlap :]) > tolerance
    ):
        return len(y)
    return found


def longest_run(tail: FloatArray, values: FloatArray, tolerance: float) -> int:
    """Return the end of the longest run of `values` that is the end of `tail`, the first of many.

    Runs that the beginning of `values` cuts short count, those that differ anywhere do not. A run
    is as long as it has pairs of known values.
    """
    fits = np.ones(len(values), dtype=bool)
    for back in range(min(_ANCHOR, len(tail), len(values))):
        fits[back:] &= ~(np.abs(values[: len(values) - back] - tail[-1 - back]) > tolerance)
    ends = 1 + np.flatnonzero(fits)
    lengths = np.minimum(ends, len(tail))
    best = pairs = 0
    for i in np.argsort(-lengths, kind="stable"):
        end, m = int(ends[i]), int(lengths[i])
        if m < pairs or (m == pairs and end > best):
            break  # no other run is longer, or as long and earlier
        off = np.abs(values[end - m : end] - tail[len(tail) - m :])
        known = int((~np.isnan(off)).sum())
        longer = known > pairs or (known == pairs > 0 and end < best)
        if longer and not (off > tolerance).any():
            best, pairs = end, known
    return best
