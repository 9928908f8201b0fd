"""Cycles that no index suggests, of any length, and the year in weeks, days and hours.

A cycle counts if it is a line in the periodogram, far above its median, and keeps step: sines
of its period fitted to the first part of a series explain the rest nearly as well as sines fitted
to the rest itself. Cycles that drift, as those of autoregressions and most chaotic series do, fail.
Some chaotic series keep step for thousands of cycles, the Mackey-Glass series among them. Their
cycle belongs to the map that they follow, and a series without it follows none: it stays where
analogues, what followed similar values, forecast the series with it far better than without.
A year counts if what is fitted to all years but the newest explains the newest, and the other way
round.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import BISQUARE, seasonal
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.automatic.trials import NOTHING_BEFORE, Before, TransformPlan, bridged
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import ROUNDING
from gpforecast.transforms import Deterministic


@dataclass(frozen=True)
class Cycle:
    """A cycle of constant shape.

    Attributes
    ----------
    period : float
        In steps.
    pairs : int
        Of a sine and a cosine that describe it.
    """

    period: float
    pairs: int

    @staticmethod
    def of(values: FloatArray, period: float) -> "Cycle":
        """Return the cycle of a period with as many sines as values (n,) speak for."""
        known = ~np.isnan(values)
        t = np.arange(len(values), dtype=np.float64)[known]
        return Cycle(period, _pairs(values[known], t, period))

    def taken_from(self, y: "pd.Series[float]") -> "pd.Series[float]":
        """Return a series without it."""
        values, t = values_of(y), np.arange(len(y), dtype=np.float64)
        known = ~np.isnan(values)
        return y - self.curve(values[known], t[known], t)

    @property
    def terms(self) -> Deterministic:
        """What takes it away."""
        return Deterministic(0, self.pairs, self.period)

    @property
    def whole(self) -> int | None:
        """The period, if it is a whole number of steps."""
        return int(self.period) if self.period == int(self.period) else None

    def curve(self, y: FloatArray, t: FloatArray, at: FloatArray) -> FloatArray:
        """Return the cycle at some times, as fitted to values y at times t, with mean 0."""
        return self._sines(at) @ np.linalg.lstsq(self.design(t), y, rcond=None)[0][2:]

    def design(self, t: FloatArray) -> FloatArray:
        """Return a constant, a line and the sines, (n, 2 + 2 pairs)."""
        line = t / max(float(np.abs(t).max()), 1.0)
        return np.column_stack([np.ones(len(t)), line, self._sines(t)])

    def unexplained(self, y: FloatArray, t: FloatArray) -> float:
        """Return the residual sum of squares."""
        X = self.design(t)
        left = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
        return float(left @ left)

    def _sines(self, t: FloatArray) -> FloatArray:
        angles = 2 * np.pi * np.outer(t, np.arange(1, self.pairs + 1)) / self.period
        return np.hstack([np.cos(angles), np.sin(angles)])


def choose_with_cycles(
    y: "pd.Series[float]",
    *,
    driven: bool = False,
    before: Before = NOTHING_BEFORE,
    prior: Prior | None = None,
) -> Decision[TransformPlan]:
    """Return the transforms of a series, with a year or a cycle of its own taken away first.

    Parameters
    ----------
    y, driven, before, prior
        As for `choose_transforms`.

    Examples
    --------
    >>> t = np.arange(400)
    >>> noise = np.random.default_rng(0).standard_normal(400)
    >>> y = pd.Series(np.sin(2 * np.pi * t / 17.3) + 0.3 * noise)
    >>> choose_with_cycles(y).value.transforms.steps[0]
    Deterministic(trend=0, fourier=1, period=17.3)
    """
    values = values_of(y)
    if driven or np.isfinite(values).sum() < th.FEWEST_VALUES:
        return choose_transforms(y, driven=driven, before=before, prior=prior)
    before = before.smallest(values)
    first, suggested = [], features.calendar_periods(y.index)
    cycles: tuple[int, ...] = ()
    year = find_year(values, features.steps_in_a_year(y.index))
    if year is not None:
        first.append(year)
        y = year.value.taken_from(y)
    newest = bridged(values_of(y))[-features.n_newest(suggested) :]
    own = None
    if not features.is_constant(newest) and not features.follows_map(newest):
        longest = next((m for m in suggested if th.OFFERED_CYCLES * m <= len(newest)), None)
        rest = newest - seasonal(newest, longest)
        if np.std(rest) > ROUNDING * np.abs(newest).max():
            own = find_cycle(rest)
    if own is not None and not suggested and own.value.whole is not None:
        found = (features.find_season(newest, (), familiar=known) for known in (False, True))
        if any(season is not None for season in found):
            own = None  # `choose_transforms` finds it, or a longer one
    near = [m for m in suggested if th.SEASON_CYCLES * m <= len(newest)]
    if own is not None and _is_new(own.value, near):
        m = own.value.whole
        if m is not None and features.strength(newest, m) >= th.SEASON_STRENGTH:
            suggested, cycles = (m, *suggested), (m,)
        else:
            first.append(own)
            y = own.value.taken_from(y)
    plan = choose_transforms(y, suggested=suggested, cycles=cycles, before=before, prior=prior)
    return with_cycles(first, plan)


def with_cycles(
    first: Sequence[Decision[Cycle]], plan: Decision[TransformPlan]
) -> Decision[TransformPlan]:
    """Return a plan in which some cycles are taken away before anything else but a warp."""
    if not first:
        return plan
    transforms = plan.value.transforms.with_first(*(cycle.value.terms for cycle in first))
    reason = "\n".join([*(cycle.reason for cycle in first), plan.reason])
    periods = tuple(float(cycle.value.period) for cycle in first)
    value = replace(plan.value, transforms=transforms, cycles=periods)
    return replace(plan, value=value, reason=reason)


def _is_new(cycle: Cycle, seasons: Sequence[int]) -> bool:
    """Return whether a cycle is no part of a season that the index suggests."""
    return cycle.whole is None or all(m % cycle.whole for m in seasons)


def find_cycle(y: FloatArray) -> Decision[Cycle] | None:
    """Return a cycle of any period that keeps step over the series.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps, and without the seasons that are known.
    """
    n = len(y)
    if n < th.FEWEST_VALUES:
        return None
    t = np.arange(n, dtype=np.float64)
    z = y - np.polynomial.Polynomial.fit(t, y, 2)(t)
    limit = BISQUARE * float(np.median(np.abs(z - np.median(z))))
    z = np.clip(z, -limit, limit) if limit > 0 else z
    power = np.abs(np.fft.rfft(z * np.hanning(n))) ** 2
    ratio = power / max(float(np.median(power)), 1e-300)
    ratio[: th.SEASON_CYCLES_WITHOUT_INDEX] = 0.0
    ratio[n // 2 - 1 :] = 0.0
    k = int(np.argmax(np.where(ratio >= th.CYCLE_RATIO, power, 0.0)))
    if ratio[k] < th.CYCLE_RATIO:
        return None
    cut = int(th.SEASON_FIRST_PART * n)
    period = _refined(z, t, k / n)
    cycle = Cycle(period, _pairs(z, t, period))
    late = z[cut:] - cycle.curve(z[:cut], t[:cut], t[cut:])
    total = float(z[cut:].var())
    if total == 0.0:
        return None
    kept = 1.0 - float(late.var()) / total
    best = 1.0 - cycle.unexplained(z[cut:], t[cut:]) / (total * (n - cut))
    if kept < th.KEPT * best or _follows_a_map(y, cycle):
        return None
    why = (
        f"a cycle of {period:g} steps keeps on through the series: fitted to its first part, it "
        f"explains {per_cent(kept)} of the variance of the rest"
    )
    return Decision(cycle, why)


def _follows_a_map(y: FloatArray, cycle: Cycle) -> bool:
    """Return whether the next quarter of a cycle is predicted better by a map than by the cycle."""
    y, steps = y[-th.NEIGHBOURS_AMONG :], max(int(cycle.period / 4), 1)
    t = np.arange(len(y), dtype=np.float64)
    whole, rest = (_by_analogues(z, steps) for z in (y, y - cycle.curve(y, t, t)))
    return whole < th.CYCLE_OF_A_MAP * rest


def _by_analogues(y: FloatArray, steps: int) -> float:
    """Return the mean squared error of forecasts in the second half of a series by its first half.

    They are linear in some lags, plus what this left of the most similar values (Lorenz 1969,
    "Atmospheric predictability as revealed by naturally occurring analogues"), shrunk to zero.
    """
    p, k = min(th.UNEXPLAINED_LAGS, len(y) // 8), th.CYCLE_ANALOGUES
    windows = sliding_window_view(y, p + steps)
    X, target = windows[:, :p], windows[:, -1]
    half = len(target) // 2
    A = np.column_stack([np.ones(len(X)), X])
    left = target - A @ np.linalg.lstsq(A[:half], target[:half], rcond=None)[0]
    _, similar = scipy.spatial.KDTree(X[:half]).query(X[half:], k)
    more = left[:half][similar].sum(axis=1) / (k + 1)
    return float(np.mean((left[half:] - more) ** 2))


def _refined(z: FloatArray, t: FloatArray, frequency: float) -> float:
    """Return the period near a frequency, whole if a whole one drifts by no more than a tenth."""
    n = len(z)
    near = (frequency - 1 / n, frequency + 1 / n)
    cost = scipy.optimize.minimize_scalar(
        lambda f: Cycle(1 / f, 1).unexplained(z, t), near, bounds=near
    )
    period = 1.0 / float(cost.x)
    for several in (3, 2):  # a harmonic may be stronger than the cycle itself
        longer = Cycle(several * period, 3 * several)
        shorter = Cycle(period, max(min(int(period / 2), 3), 1))
        better = longer.unexplained(z, t) < 0.5 * shorter.unexplained(z, t)
        if longer.period * th.SEASON_CYCLES_WITHOUT_INDEX <= n and better:
            period = longer.period
            break
    whole = max(round(period), 2)
    drift = abs(whole - period) / period * n / period
    if drift <= th.CYCLE_DRIFT:
        return float(whole)
    # As many digits as the series tells.
    digits = int(np.ceil(np.log10(10 * n / period**2 / th.CYCLE_DRIFT)))
    return round(period, max(digits, 1))


def _pairs(y: FloatArray, t: FloatArray, period: float) -> int:
    """Return the number of pairs of Schwarz's choice."""
    n, most = len(y), max(min(int(period / 2), th.CYCLE_PAIRS), 1)
    costs = [
        n * np.log(max(Cycle(period, k).unexplained(y, t), 1e-300)) + 2 * k * np.log(n)
        for k in range(1, most + 1)
    ]
    return int(np.argmin(costs)) + 1


def find_year(values: FloatArray, period: float | None) -> Decision[Cycle] | None:
    """Return the year in a series of weeks, days, hours or shorter steps.

    It counts if other years explain the newest one, and the newest one those before it.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    period : float or None
        Steps in a year.
    """
    if period is None or len(values) < 2 * int(period):  # 365.25 days are 365 in most years
        return None
    width = max(int(period / th.YEAR_PARTS), 1)
    n = len(values) // width
    blocks = values[len(values) - n * width :].reshape(n, width)
    known = ~np.isnan(blocks).any(axis=1)
    y = blocks[known].mean(axis=1)
    # The middle of each part, in steps of the series.
    places = np.flatnonzero(known).astype(np.float64)
    t = len(values) - n * width + width * places + (width - 1) / 2
    newest = t >= len(values) - period
    if newest.sum() < th.YEAR_PARTS / 2 or (~newest).sum() < th.YEAR_PARTS / 2:
        return None
    cycle = Cycle(period, _pairs(y, t, period))
    shares = []
    for part in (newest, ~newest):
        left = y[part] - cycle.curve(y[~part], t[~part], t[part])
        shares.append(1.0 - float(left.var() / max(y[part].var(), 1e-300)))
    if min(shares) < th.REPEATS:
        return None
    why = (
        f"a year of {period:g} steps repeats itself: other years explain {per_cent(shares[0])} of "
        f"the variance of the newest one, in averages of two weeks"
    )
    return Decision(cycle, why)
