"""Which part of a series is the history of a forecaster: by labels, or by the values."""

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.series.labels import all_numbers, counts_from_zero

_FIRST = 1000  # values that are compared before all of them
_CHANCE = 10  # up to so many values in common may be chance


def n_in_history(history: "pd.Series[float]", y: "pd.Series[float]") -> int:
    """Return how many values of y, from its start, lie in the history: by labels, or by values.

    Values that are missing (NaN) on either side are equal to anything.
    """
    if not (y.notna().any() and history.notna().any()):
        return 0
    tolerance = _tolerance(values_of(history))
    if _labels_agree(history, y, tolerance):
        return int(y.index.searchsorted(history.index[-1], side="right"))
    return _overlap(values_of(history), values_of(y), tolerance)


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
    """Whether the labels show which values of y are in the history, or older."""
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


def _overlap(history: FloatArray, y: FloatArray, tolerance: float) -> int:
    """Return up to which position y overlaps the history, for the longest overlap by values."""
    n = len(history)
    found = longest_run(history, y, tolerance)
    within = longest_run(y, history, tolerance)  # the other way about: y ends in the history
    overlap = min(within, len(y))
    if overlap == len(y) or (
        # Only the last values of y overlap: if they are few or all equal, that may be chance.
        overlap > max(min(found, n), _CHANCE) and _range(y[len(y) - overlap :]) > tolerance
    ):
        return len(y)
    return found


def longest_run(tail: FloatArray, values: FloatArray, tolerance: float) -> int:
    """Return the end of the longest run of `values` that is the end of `tail`, the first of many.

    Runs that the beginning of `values` cuts short count, those that differ anywhere do not.
    """
    n = len(tail)
    last = np.flatnonzero(~(np.abs(values - tail[-1]) > tolerance))
    whole, shorter = last[last >= n - 1], last[last < n - 1][::-1]
    for end in (np.concatenate([whole, shorter]) + 1).tolist():
        for m in (min(end, n, _FIRST), min(end, n)):
            apart = np.abs(values[end - m : end] - tail[n - m :])
            if (apart > tolerance).any():
                break
        else:
            if not np.isnan(apart).all():
                return int(end)
    return 0
