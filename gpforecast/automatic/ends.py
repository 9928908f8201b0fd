"""Series that end in one value, far from their usual ones: a store that closed, a dead sensor.

The longer such an end, the less it looks like a shift of the level to a search that takes away a
season and the scale of all residuals: half of these are then zero. So the end is found by itself,
and what comes before it is searched as a series of its own.
"""

from dataclasses import replace

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.outliers import Unusual, find_unusual
from gpforecast.automatic.robust import residuals, robust_autoregression, seasonal, steadier
from gpforecast.automatic.tails import scale_of
from gpforecast.common.types import FloatArray, IntArray


def unusual_in(values: FloatArray, period: int | None) -> Unusual:
    """Return outliers and level shifts as `find_unusual` does, also of a series that has ended.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    period : int or None
        Steps in a season that there may be.
    """
    least = max(th.SHIFT_FEWEST + th.LONGEST_RUN, th.END_SEASONS * (period or 0))
    end = constant_end(values, period, least)
    if not end:
        return _beside_stuck(values, period)
    found = _beside_stuck(values[:end], period)
    before = values[:end][~np.isnan(values[:end])]
    size = values[end] - np.median(before[-max(th.LONGEST_RUN, period or 0) :])
    return replace(found, shifts=np.append(found.shifts, end), sizes=np.append(found.sizes, size))


def _beside_stuck(values: FloatArray, period: int | None) -> Unusual:
    """Return what `find_unusual` does, without the values of a sensor that was stuck for a while.

    They say nothing of the level, nor does their end, unless the level is another one then.
    """
    known, width = values.copy(), max(th.LONGEST_RUN, period or 0)
    for first, last in stuck_runs(values):
        before, after = values[:first], values[last + 1 : last + 1 + width]
        before, after = before[~np.isnan(before)], after[~np.isnan(after)]
        if len(before) < width or not len(after):
            continue
        change = abs(np.median(after) - np.median(before[-width:]))
        if change <= th.SMALLEST_RATIO * scale_of(before - np.median(before)):
            known[first + 1 : last + 1] = np.nan
    return find_unusual(known, period)


def runs_of_equals(y: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where each run of equal values begins, and how many it has.

    Examples
    --------
    >>> runs_of_equals(np.array([1.0, 1.0, 1.0, 2.0, 1.0]))
    (array([0, 3, 4]), array([3, 1, 1]))
    """
    first = np.flatnonzero(np.append(True, y[1:] != y[:-1])[: len(y)])
    return first, np.diff(np.append(first, len(y)))


def stuck_runs(values: FloatArray) -> list[tuple[int, int]]:
    """Return the first and the last place of each run in which a sensor may be stuck.

    Equal values in a row, between the smallest and the largest of all (rain stops, and a tank is
    full), are stuck where the series hardly ever repeats a value otherwise, and chance would not
    make such a run in one of a hundred such series. A value that it comes back to and keeps is a
    limit or a level, and a series that is mostly made of such runs has steps.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> stuck_runs(values)
    [(20, 29)]
    """
    known = np.flatnonzero(~np.isnan(values))
    y = values[known]
    first, length = runs_of_equals(y)
    held = length >= th.STUCK_FEWEST
    among = int(length[held].sum())
    repeats = len(y) - len(first) - (among - int(held.sum()))
    made_of_steps = repeats > th.STUCK_REPEATS * len(y) or among > th.STUCK_SHARE * len(y)
    if not held.any() or made_of_steps:
        return []
    share = max(repeats, 1) / len(y)  # of values that repeat the one before
    held &= share ** (length - 1.0) * len(y) < th.FALSE_ALARMS
    held &= (y[first] > y.min()) & (y[first] < y.max())
    kept, times = np.unique(y[first][length > 1], return_counts=True)
    held &= ~np.isin(y[first], kept[times > 1])
    last = known[first[held] + length[held] - 1]
    return [*zip(known[first[held]].tolist(), last.tolist(), strict=True)]


def stuck_places(values: FloatArray) -> tuple[int, ...]:
    """Return the positions of stuck readings, but for the first of each run.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> stuck_places(values)
    (21, 22, 23, 24, 25, 26, 27, 28, 29)
    """
    return tuple(at for first, last in stuck_runs(values) for at in range(first + 1, last + 1))


def constant_end(values: FloatArray, period: int | None, least: int) -> int:
    """Return from which position on a series keeps one value that is far from its usual ones.

    0 if it ends as other series do: in a run of fewer than `least` values, or not much longer than
    others before it, or near what is usual.

    Examples
    --------
    >>> values = np.append(50.0 + np.random.default_rng(0).standard_normal(60), np.zeros(30))
    >>> constant_end(values, None, 24)
    60
    """
    known = np.flatnonzero(~np.isnan(values))
    y = values[known]
    first, length = runs_of_equals(y)
    if len(first) < 2 or first[-1] < th.FEWEST_VALUES:
        return 0
    if length[-1] < max(least, th.END_AS_LONG * length[:-1].max()):
        return 0
    before = y[: first[-1]]
    usual = before - seasonal(before, period)
    middle, newest = np.median(usual), np.median(usual[-max(th.LONGEST_RUN, period or 0) :])
    off = min(abs(y[-1] - middle), abs(y[-1] - newest))
    apart = off > th.SMALLEST_RATIO * scale_of(usual - middle)
    return int(known[first[-1]]) if apart else 0


def unfinished_end(values: FloatArray, period: int | None) -> float | None:
    """Return what was expected instead of a last value that looks like part of a total; else None.

    It is above zero, as all are, and far below all of the last season and what is expected.

    Examples
    --------
    >>> values = 50.0 + np.random.default_rng(0).standard_normal(60)
    >>> values[-1] = 18.0
    >>> round(unfinished_end(values, None))
    50
    """
    newest = values[-max(th.UNFINISHED_NEWEST, (th.NEAREST_CYCLES + 2) * (period or 0)) :]
    y = newest[~np.isnan(newest)]
    recent = y[-1 - max(period or 0, th.UNUSUAL_LAGS) : -1]
    if len(y) < th.FEWEST_VALUES or np.isnan(values[-1]) or not 0.0 < y[-1] < recent.min():
        return None
    if y.min() < 0.0:
        return None
    logs = bool(y.min() > 0.0) and steadier(y, np.log(y), period)
    z = np.log(y) if logs else y / y.max()
    z = z - seasonal(z, period)
    p = min(th.UNUSUAL_LAGS, len(y) // 8)
    e = residuals(z, *robust_autoregression(z[:-1], p))
    likely = y[-1] * np.exp(-e[-1]) if logs else y[-1] - e[-1] * y.max()
    low = e[-1] < -th.UNFINISHED_RATIO * scale_of(e[p:]) and y[-1] < th.UNFINISHED * likely
    return float(likely) if low else None
