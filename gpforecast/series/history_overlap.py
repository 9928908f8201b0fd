"""Which part of a series is the history of a forecaster: by labels, or by the values."""

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.series.labels import counts_from_zero, kind_mismatch

_FIRST = 1000  # values that are compared before all of them


def n_in_history(history: "pd.Series[float]", y: "pd.Series[float]") -> int:
    """Return how many values of y, from its start, lie in the history: by labels, or by values.

    Labels count if they overlap with those of the history, unless they only count the rows of y.
    Values that are missing (NaN) on either side are equal to anything.
    """
    if not (y.notna().any() and history.notna().any()):
        return 0
    a, b = history.index, y.index
    alike = not (counts_from_zero(b) or kind_mismatch(b, a))
    if alike and b[0] <= a[-1] and a[0] <= b[-1]:
        return int(b.searchsorted(a[-1], side="right"))
    tail = values_of(history)
    spread = float(np.nanmax(tail) - np.nanmin(tail))
    # Copies may be rounded, to single precision for instance.
    tolerance = min(1e-6 * float(np.nanmax(np.abs(tail))), 1e-3 * spread)
    return longest_run(tail, values_of(y), tolerance)


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
