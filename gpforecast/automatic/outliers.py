r"""Outliers and level shifts of a series, found by what a robust linear model does not expect.

The season is taken away by medians of the same phase in the nearest cycles, and an autoregression
is fitted to the rest with the largest residuals left out. With :math:`\pi(B) y = e`, an outlier of
size w at t leaves w in e(t) and :math:`-w \phi_k` in e(t+k), a shift of the level from t on leaves
:math:`w (1 - \phi_1 - \dots - \phi_k)`; least squares gives w and its ratio to its standard error
for every t at once (Chen and Liu 1993, "Joint estimation of model parameters and outlier effects").
The largest is removed first, then the next. How large is too large depends on the tails of the
residuals: a Student-t distribution is fitted to those that are not suspect, and a value counts only
if chance would not bring it in one of a hundred such series. A value that is absurd beside the
range of all others counts whatever the tails, and few values are not taken to show tails without a
variance: series that have such tails lose more of their largest values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.robust import (
    residuals,
    robust_autoregression,
    steadier,
    without_season,
)
from gpforecast.automatic.tails import limit_for, scale_of
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.series.scaling import ROUNDING


@dataclass(frozen=True, eq=False)
class Unusual:
    """What was found in a series.

    Attributes
    ----------
    outliers : ndarray (k,)
        Positions of values that stand apart, in order.
    expected : ndarray (k,)
        What was expected instead, in the units of the series.
    shifts : ndarray (s,)
        Positions at which the level shifts for good.
    sizes : ndarray (s,)
        By how much, in the units of the series.
    """

    outliers: IntArray
    expected: FloatArray
    shifts: IntArray
    sizes: FloatArray

    def beside(self, outliers: IntArray, expected: FloatArray) -> "Unusual":
        """Return it with more outliers, and what was expected there."""
        both = np.concatenate([self.outliers, outliers])
        order = np.argsort(both)
        instead = np.concatenate([self.expected, expected])[order]
        return replace(self, outliers=both[order], expected=instead)


NOTHING = Unusual(np.zeros(0, int), np.zeros(0), np.zeros(0, int), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Effects:
    """Sizes of the outliers (n,) and of the shifts (n,) of a series; 0 where there is none."""

    outliers: FloatArray
    shifts: FloatArray

    @property
    def total(self) -> FloatArray:
        """What they add to each value, (n,)."""
        return self.outliers + np.cumsum(self.shifts)


def find_unusual(values: FloatArray, period: int | None) -> Unusual:
    """Return outliers and level shifts.

    Where some outliers lie far outside the range of all other values, such as an amount with a
    digit too many, the others are looked for again without these: usual values beside them, or a
    level, may have looked unusual only because of them.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    period : int or None
        Steps in a season that there may be.
    """
    found = _found(values, period)
    absurd = _absurd(values, ~np.isnan(values))[found.outliers] if len(found.outliers) else ()
    if not np.any(absurd):
        return found
    first, instead = found.outliers[absurd], found.expected[absurd]
    others = values.copy()
    others[first] = np.nan
    return _found(others, period).beside(first, instead)


def _found(values: FloatArray, period: int | None) -> Unusual:
    known = ~np.isnan(values)
    if known.sum() < th.FEWEST_VALUES or np.ptp(values[known]) == 0.0:
        return NOTHING
    absurd = _before_a_new_level(_absurd(values, known))
    places, steady = np.arange(len(values)), np.flatnonzero(known & ~absurd)
    y = np.where(known, values, np.interp(places, steady, values[steady]))
    logs = bool(y.min() > 0) and steadier(y, np.log(y), period)
    z = np.log(y) if logs else y / np.abs(y).max()
    unit = 1.0 if logs else float(np.abs(y).max())
    adjusted = z if period is None else without_season(z, period)
    longest = min(max(th.LONGEST_RUN, period or 0), len(values) // 8)
    effects, peaks = _effects(adjusted, known, absurd, longest)
    outliers = _kept(effects.outliers != 0.0, peaks & absurd, known)
    shifts = np.flatnonzero(effects.shifts)
    if len(shifts) > th.MOST_SHIFTS:
        shifts = shifts[:0]
    if not len(outliers) and not len(shifts):
        return NOTHING
    expected = _without(z, effects.outliers)
    moved = effects.shifts[shifts]
    if logs:
        middle = [float(np.median(y[max(s - th.LONGEST_RUN, 0) : s])) for s in shifts]
        sizes = np.array(middle) * np.expm1(moved)
        return Unusual(outliers, np.exp(expected[outliers]), shifts, sizes)
    return Unusual(outliers, unit * expected[outliers], shifts, unit * moved)


def _without(z: FloatArray, outliers: FloatArray) -> FloatArray:
    """Return the series (n,) less its outliers.

    Of an outlier so large that its rounding is as large as other values, nothing would be left:
    the values beside it count.
    """
    others = np.flatnonzero(outliers == 0.0)
    lost = np.abs(z) * ROUNDING > np.median(np.abs(z[others]))
    beside = np.interp(np.arange(len(z)), others, z[others])
    return np.where(lost & (outliers != 0.0), beside, z - outliers)


def _absurd(y: FloatArray, known: BoolArray) -> BoolArray:
    """Return which values (n,) lie so far outside the range of all others that no tail excuses it.

    Examples
    --------
    >>> y = np.array([1.0, 2.0, 3.0, 30.0, 2.0, 1.0, 3.0, 1.0, 2.0, 3.0, 2.0, 1.0])
    >>> _absurd(y, np.ones(12, dtype=bool)).nonzero()[0].tolist()
    [3]
    """
    x = np.sort(y[known])
    found, most = np.zeros(len(y), dtype=bool), int(th.MOST_OUTLIERS * len(x))
    for k in range(1, most + 1):
        lowest, highest = x[k] - x[k - 1], x[-k] - x[-k - 1]
        if highest > th.ABSURD * (x[-k - 1] - x[0]):
            found |= y >= x[-k]
        if lowest > th.ABSURD * (x[-1] - x[k]):
            found |= y <= x[k - 1]
    return found & known


def _effects(
    z: FloatArray, known: BoolArray, absurd: BoolArray, longest: int
) -> tuple[Effects, BoolArray]:
    """Return outliers and shifts, and which outliers (n,) are so without a neighbour.

    The autoregression is fitted again to what is left of them.
    """
    n = len(z)
    p = min(th.UNUSUAL_LAGS, n // 8)
    effects, peaks = Effects(np.zeros(n), np.zeros(n)), np.zeros(n, dtype=bool)
    steps = scale_of(np.diff(z))
    for _ in range(th.UNUSUAL_ROUNDS):
        phi, constant = robust_autoregression(z - effects.total, p)
        found = _search(z, phi, constant, th.SMALLEST_EFFECT * steps, known, absurd, longest)
        found = _paired(found, longest)
        peaks = found.outliers != 0.0
        found = _whole_runs(z, phi, constant, found)
        same = np.array_equal(found.total != 0, effects.total != 0)
        effects = found
        if same:
            break
    return effects, peaks


def _search(
    z: FloatArray,
    phi: FloatArray,
    constant: float,
    least: float,
    known: BoolArray,
    absurd: BoolArray,
    longest: int,
) -> Effects:
    """Remove the largest effect until none is too large for chance; the absurd need less."""
    n, p = len(z), len(phi)
    effects = Effects(np.zeros(n), np.zeros(n))
    pi = np.concatenate([[1.0], -phi])
    e = residuals(z, phi, constant)
    s = scale_of(e[p:])
    if s <= ROUNDING * scale_of(z):  # more than half of the series never changes
        return effects
    limit = limit_for(e[p:] / s, n)
    limits = np.where(absurd, th.SMALLEST_RATIO, limit)
    step = np.cumsum(pi)  # what a shift leaves, constant from p on
    before, after = max(th.SHIFT_FEWEST, p), th.SHIFT_FEWEST + min(longest, th.LONGEST_RUN)
    for _ in range(th.MOST_EFFECTS):
        size, ratio = _outliers(e, pi, s)
        spike = np.abs(ratio) / limits
        spike[:p] = 0.0
        spike[~known | (np.abs(size) < least)] = 0.0
        jump, jump_ratio = _shifts(e, step, s)
        shift = np.abs(jump_ratio) / limit
        shift[:before], shift[n - after + 1 :] = 0.0, 0.0
        shift[np.abs(jump) < least] = 0.0
        a, b = int(np.argmax(spike)), int(np.argmax(shift))
        if max(spike[a], shift[b]) <= 1.0:
            break
        if spike[a] >= shift[b]:
            for i in _peaks(spike, max(1.0, 0.5 * spike[a]), p):
                effects.outliers[i] += size[i]
                part = pi[: n - i]
                e[i : i + len(part)] -= size[i] * part
        else:
            effects.shifts[b] += jump[b]
            tail = np.full(n - b, step[-1])
            tail[: len(step)] = step[: n - b]
            e[b:] -= jump[b] * tail
        e[:p] = 0.0
    return effects


def _outliers(e: FloatArray, pi: FloatArray, s: float) -> tuple[FloatArray, FloatArray]:
    """Return the size of an outlier at every time, and its ratio to its standard error."""
    n, p = len(e), len(pi) - 1
    power = np.cumsum(pi**2)[np.minimum(np.arange(n)[::-1], p)]  # of the residuals that it reaches
    ahead = np.convolve(np.concatenate([e, np.zeros(p)]), pi[::-1], "valid")
    return ahead / power, ahead / (s * np.sqrt(power))


def _shifts(e: FloatArray, step: FloatArray, s: float) -> tuple[FloatArray, FloatArray]:
    """Return the size of a shift at every time, and its ratio to its standard error."""
    n, p = len(e), len(step) - 1
    later = np.concatenate([np.cumsum(e[::-1])[::-1], np.zeros(p + 1)])
    near = np.convolve(np.concatenate([e, np.zeros(p)]), step[::-1], "valid")
    total = near + step[-1] * later[p + 1 : p + 1 + n]
    left = np.arange(n)[::-1]
    power = np.cumsum(step**2)[np.minimum(left, p)] + step[-1] ** 2 * np.maximum(left - p, 0)
    return total / power, total / (s * np.sqrt(power))


def _peaks(height: FloatArray, least: float, apart: int) -> Iterator[int]:
    """Yield the highest position of each cluster of positions above `least`."""
    above = np.flatnonzero(height >= least)
    for group in runs_of(above, apart):
        yield int(group[np.argmax(height[group])])


def runs_of(places: IntArray, apart: int = 1) -> list[IntArray]:
    """Return the runs of places (k,), which are in order: a wider gap than `apart` divides them.

    Examples
    --------
    >>> runs_of(np.array([3, 4, 9]))
    [array([3, 4]), array([9])]
    """
    return np.split(places, np.flatnonzero(np.diff(places) > apart) + 1)


def _paired(effects: Effects, longest: int) -> Effects:
    """Return the same with every shift that is soon taken back as a run of outliers."""
    outliers, shifts = effects.outliers.copy(), effects.shifts.copy()
    places = np.flatnonzero(shifts)
    for a, b in pairwise(places):
        if b - a <= longest and abs(shifts[a] + shifts[b]) < 0.5 * abs(shifts[a]):
            outliers[a:b] += shifts[a]
            shifts[a], shifts[b] = 0.0, 0.0
    return Effects(outliers, shifts)


def _whole_runs(z: FloatArray, phi: FloatArray, constant: float, effects: Effects) -> Effects:
    """Return the same with outliers in one run estimated together, and their neighbours tried.

    Beside an outlier, a smaller one is enough; a run grows by no more than 16 on either side.
    """
    n, p, most, least = len(z), len(phi), th.LONGEST_RUN, th.SMALLEST_RATIO_BESIDE
    e = residuals(z - np.cumsum(effects.shifts), phi, constant)
    s = scale_of(e[p:])
    pi = np.concatenate([[1.0], -phi])
    outliers = np.zeros(n)

    def together(a: int, b: int) -> tuple[FloatArray, FloatArray]:
        """Return sizes of outliers from a to before b by least squares, and their ratios."""
        stop = min(b + p, n)
        T = np.zeros((stop - a, b - a))
        for j, column in enumerate(T.T):
            column[j : j + p + 1] = pi[: stop - a - j]
        # T.T @ T would square the condition of T, which grows with every step of an explosive phi.
        inverse = np.linalg.pinv(T, rcond=np.finfo(float).eps * len(T))
        size: FloatArray = inverse @ e[a:stop]
        return size, size / (s * np.linalg.norm(inverse, axis=1))

    places = np.flatnonzero(effects.outliers)
    for run in runs_of(places, 3):
        if not len(run):
            break
        a, b = int(run[0]), int(run[-1]) + 1
        first, last = max(p, a - most), min(n, b + most)
        for step in (1, 2, 3):  # values between that look usual are no end
            while a - step >= first and abs(together(a - step, b)[1][0]) > least:
                a -= step
            while b + step <= last and abs(together(a, b + step)[1][-1]) > least:
                b += step
        size = together(a, b)[0]
        outliers[a:b] = size
        for j, w in enumerate(size, start=a):
            e[j : j + p + 1] -= w * pi[: n - j]
    return Effects(outliers, effects.shifts)


def _kept(flagged: BoolArray, peaks: BoolArray, known: BoolArray) -> IntArray:
    """Return places of outliers: of absurd peaks alone where all that are flagged are too many.

    A long run at the end of the series is left out but for such peaks, and what happens often.
    """
    alone = _before_a_new_level(peaks)
    for found in (_before_a_new_level(flagged) | alone, alone):
        places = np.flatnonzero(found & known)
        if len(places) <= th.MOST_OUTLIERS * known.sum():
            return places
    return places[:0]  # what happens so often is a habit of the series


def _before_a_new_level(flagged: BoolArray) -> BoolArray:
    """Return the flags (n,) with a long run at the end of the series cleared."""
    n = len(flagged)
    last = n - 1 - int(np.argmax(~flagged[::-1]))  # the last that is as usual
    long = n - 1 - last > th.LONGEST_END  # a new level as likely as a run of outliers
    return flagged & (np.arange(n) <= last) if long else flagged
