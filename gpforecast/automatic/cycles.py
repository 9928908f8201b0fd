"""Cycles that no index suggests, of any length and shape, and the year in weeks, days and hours.

Peaks of the autocorrelation and of the periodogram propose periods, and the calendar a year. A
cycle counts if it explains more than a few lags of the series do, in nats, by more than its price:
Schwarz's of its sines, and that of an event. Cycles that drift, as those of autoregressions do, are
explained by lags.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST, LAGS
from gpforecast.automatic.features import bridged
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import ROUNDING
from gpforecast.transforms import Deterministic
from gpforecast.transforms.deterministic import MOST_PAIRS


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
        return _weighed(_detrended(bridged(values)), period)[0]

    def taken_from(self, y: "pd.Series[float]") -> "pd.Series[float]":
        """Return a series without it."""
        values, t = values_of(y), np.arange(len(y), dtype=np.float64)
        known = ~np.isnan(values)
        return y - self.curve(values[known], t[known], t)

    @property
    def terms(self) -> Deterministic:
        """What subtracts it."""
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


def find_cycle(y: FloatArray) -> Decision[Cycle] | None:
    """Return a cycle of any period and shape that keeps step over the series.

    The highest peaks of the autocorrelation and of the periodogram propose periods.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps, and without the seasons that are known.
    """
    n = len(y)
    if n < th.SHORTEST:
        return None
    t = np.arange(n, dtype=np.float64)
    z = _detrended(y)
    if not z.any():
        return None
    longest, power = n // th.SEASON_CYCLES, np.abs(np.fft.rfft(z, 2 * n)) ** 2
    r = np.fft.irfft(power)[: longest + 2] / np.arange(n, n - longest - 2, -1)
    power = np.abs(np.fft.rfft(z * np.hanning(n))) ** 2
    power[: th.SEASON_CYCLES - 1] = 0.0
    waves = [_refined(z, t, k / n) for k in _peaks(power)]  # or a half or a third of a cycle
    periods = {_rounded(several * wave, n) for wave in waves for several in (1, 2, 3)}
    periods |= {float(m) for m in _peaks(r)}
    each = [_weighed(z, period) for period in sorted(periods) if 2 <= period < longest + 1]
    price = COST + np.log(n)
    cycle, worth = max(each, key=lambda one: one[1], default=(None, 0.0))
    if cycle is None or worth < price:
        return None
    # A multiple of another cycle must be worth its price more.
    parts = (one for one, its in each if its > worth - price and cycle.period % one.period == 0)
    cycle = next(parts)
    left = cycle.unexplained(z, t) / float(z @ z)
    why = (
        f"a cycle of {cycle.period:g} steps keeps on through the series: it explains "
        f"{per_cent(1.0 - left)} of the variance"
    )
    return Decision(cycle, why)


def _weighed(z: FloatArray, period: float) -> tuple[Cycle, float]:
    """Return the cycle of a period, and what it is worth in nats.

    That is what it explains beyond a few lags, less Schwarz's price of its sines: of them there are
    a few, or as many as the steps tell apart. What lags explain as well is a cycle that drifts.

    Parameters
    ----------
    z : ndarray (n,)
        Without gaps and trend.
    period : float
    """
    n, p, most = len(z), min(LAGS, len(z) // 32), max(min(int(period / 2), len(z) // 4), 1)
    rows, t = sliding_window_view(z, p + 1), np.arange(p, n, dtype=np.float64)
    k = np.arange(1, min(most, MOST_PAIRS) + 1)
    X, sines = Cycle(period, len(k)).design(t), 2 + np.column_stack([k - 1, len(k) + k - 1]).ravel()
    whole = np.hstack([rows[:, :p], X[:, [0, 1, *sines]], rows[:, -1:]])
    along = np.asarray(np.linalg.qr(whole, mode="r"))[:-1, -1]
    left = rows[:, -1] @ rows[:, -1] - np.cumsum(along**2)[p + 1 :: 2]
    # All sines of a period span what is constant at each of its steps.
    free = pd.DataFrame(np.hstack([rows[:, :p], X[:, [1]], rows[:, -1:]]))
    free -= free.groupby((t % period).astype(int)).transform("mean")
    left, k = (
        np.append(left, np.asarray(np.linalg.qr(free.to_numpy(), mode="r"))[-1, -1] ** 2),
        np.append(k, most),
    )
    left = np.maximum(left, 1e-300)
    worth = 0.5 * (n - p) * np.log(left[0] / left[1:]) - k * np.log(n)
    best = int(np.argmax(worth))
    return Cycle(period, int(k[best])), float(worth[best])


def _peaks(x: FloatArray) -> list[int]:
    """Return the places of the highest peaks of x (k,) above 0, but for its ends."""
    inner = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > 0.0)) + 1
    return [int(k) for k in inner[np.argsort(-x[inner], kind="stable")][: th.MOST_PEAKS]]


def _refined(z: FloatArray, t: FloatArray, frequency: float) -> float:
    """Return the period near a frequency whose sine and cosine explain most."""
    near = (frequency - 1 / len(z), frequency + 1 / len(z))
    cost = scipy.optimize.minimize_scalar(lambda f: Cycle(1 / f, 1).unexplained(z, t), bounds=near)
    return 1.0 / float(cost.x)


def _rounded(period: float, n: int) -> float:
    """Return a period of n values, whole if a whole one drifts by no more than a tenth over them.

    Otherwise it has as many digits as they tell.
    """
    whole, cycle = max(round(period), 2), period**2 / n
    if abs(whole - period) <= th.CYCLE_DRIFT * cycle:
        return float(whole)
    return round(period, max(int(np.ceil(-np.log10(0.1 * th.CYCLE_DRIFT * cycle))), 1))


def find_year(values: FloatArray, period: float | None) -> Decision[Cycle] | None:
    """Return the year in a series of weeks, days, hours or shorter steps.

    It counts as any other cycle does, in averages over two weeks.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    period : float or None
        Steps in a year.
    """
    if period is None or len(values) < 2 * int(period):  # 365.25 days are 365 in most years
        return None
    width = max(int(period) // (4 * MOST_PAIRS), 1)
    n = len(values) // width
    blocks = pd.DataFrame(values[len(values) - n * width :].reshape(n, width))
    y = bridged(values_of(blocks.mean(axis=1)))
    cycle, worth = _weighed(_detrended(y), period / width)
    if worth < COST:
        return None
    why = f"a year of {period:g} steps explains more than lags do, in averages over two weeks"
    return Decision(Cycle(period, cycle.pairs), why)


def _detrended(y: FloatArray) -> FloatArray:
    """Return what a parabola leaves of values (n,); 0 if that is rounding."""
    t = np.arange(len(y), dtype=np.float64)
    z = y - np.polynomial.Polynomial.fit(t, y, 2)(t)
    return z if z.std() > ROUNDING * np.abs(y).max() else np.zeros(len(y))
