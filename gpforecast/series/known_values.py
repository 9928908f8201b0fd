"""Which part of a series is the history of a forecaster: by labels, or by the values."""

import numpy as np
import pandas as pd
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.series.labels import all_numbers, counts_from_zero

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


def _seen_by_value(history: FloatArray, y: FloatArray, tolerance: float) -> int:
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

    Runs that the beginning of `values` cuts short count, those that differ anywhere do not. A run
    is as long as it has pairs of known values.
    """
    pairs, squares, rounding = _compared_at_each_end(tail, values)
    near = (pairs > 0) & (squares <= pairs * tolerance**2 + rounding)
    for i in np.argsort(np.where(near, -pairs, 0), kind="stable")[: near.sum()]:
        m = min(i + 1, len(tail))
        if not (np.abs(values[i + 1 - m : i + 1] - tail[len(tail) - m :]) > tolerance).any():
            return int(i) + 1
    return 0


def _compared_at_each_end(
    tail: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return how many known pairs a run to each value has, and the sum of their squared errors.

    One Fourier transform for all ends. The third result bounds the rounding error of a sum.
    """
    centre = np.nanmedian(tail)
    v, t = values - centre, tail[::-1] - centre
    scale = max(float(np.nanmax(np.abs(v))), float(np.nanmax(np.abs(t)))) or 1.0
    sides = []
    for x in (v / scale, t / scale):
        known = ~np.isnan(x)
        x = np.where(known, x, 0.0)
        sides.append(np.stack([x**2, x, known]))
    length = scipy.fft.next_fast_len(len(v) + len(t), real=True)
    (v2, v1, v0), (t2, t1, t0) = (scipy.fft.rfft(side, length) for side in sides)
    pairs, squares = scipy.fft.irfft([v0 * t0, v2 * t0 - 2.0 * v1 * t1 + v0 * t2], length)[
        :, : len(v)
    ]
    rounding = 1e-12 * float(np.prod([np.linalg.norm(side) for side in sides]))
    return np.rint(pairs), scale**2 * squares, scale**2 * rounding
