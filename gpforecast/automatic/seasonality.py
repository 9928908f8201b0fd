"""Whether a series has a season of constant length, and how strong it is."""

import re
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.stationarity import is_constant
from gpforecast.common.types import FloatArray

_CYCLES = {"M": (12,), "Q": (4,), "W": (52,), "B": (5,), "C": (5,), "D": (7,)}
"""Steps in a cycle of the calendar, by the code of a frequency."""


def calendar_periods(index: pd.Index) -> tuple[int, ...]:
    """Return the seasons that a frequency suggests, in steps, the longest first.

    Examples
    --------
    >>> calendar_periods(pd.date_range("2024-01-01", periods=9, freq="h"))
    (168, 24)
    >>> calendar_periods(pd.RangeIndex(9))
    ()
    """
    if not isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)) or index.freq is None:
        return ()
    freq = index.freq
    try:
        name, n = str(freq.rule_code).split("-")[0], int(freq.n)
    except NotImplementedError:  # a rule of the user's own
        return ()
    if name == "W" and n > 1:
        return ()
    name = re.sub("^B?([MQ])[SE]?$", r"\1", name)  # of business days too, start or end
    cycles = [steps / n for steps in _CYCLES.get(name, ())]
    if not cycles and isinstance(freq, pd.offsets.Tick):
        cycles = [pd.Timedelta(days, unit="D") / pd.Timedelta(freq) for days in (7, 1)]
    return tuple(int(steps) for steps in cycles if steps >= 2 and steps == int(steps))


def find_season(
    y: FloatArray, suggested: Sequence[int], *, familiar: bool = False
) -> Decision[int] | None:
    """Return the season of a series, from its frequency or from itself, if it is strong enough.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps.
    suggested : sequence of int
        Seasons that the index suggests, which need a strength by STL. Without one, periods are
        peaks of the autocorrelation, and must repeat themselves well over several cycles: a cycle
        that is nearly regular, as many chaotic series have, is better learned than taken for a
        season.
    familiar : bool
        Whether to look for cycles as long as those of calendars alone, of which less is required.

    Returns
    -------
    Decision or None
        Steps in a season; its scores are what the periods leave unexplained.
    """
    if suggested:
        near = [m for m in suggested if th.SEASON_CYCLES * m <= len(y)]
        found, least = {m: strength(y, m) for m in near}, th.SEASON_STRENGTH
        words = "the index suggests a season of {} steps; its strength is {:.2f} (STL)"
    else:
        near = [m for m in _peaks(y) if th.SEASON_CYCLES_WITHOUT_INDEX * m <= len(y)]
        near = [m for m in near if m in th.FAMILIAR_PERIODS or not familiar]
        found = {m: repeats(y, m) for m in near}
        least = th.SEASON_REPEATS_FAMILIAR if familiar else th.SEASON_REPEATS
        words = (
            "the average cycle of {} steps in the first part of the series explains {:.2f} of the "
            "variance of the rest"
        )
    best = max(found.values(), default=0.0)
    if best < least:
        return None
    # Two periods repeat as well as one. A longer season must halve what a shorter one leaves.
    enough = 1.0 - 2.0 * (1.0 - best) - th.SEASON_TIE
    period = min(m for m, value in found.items() if value >= enough)
    left = {f"period {m}": 1.0 - value for m, value in found.items()}
    return Decision(period, words.format(period, found[period]), left)


def offered_season(y: FloatArray, suggested: Sequence[int]) -> int | None:
    """Return a season that is worth a trial as lags, though it may be too weak to be removed.

    It is the one of those that the index suggests, or else of the calendar's, whose
    autocorrelation in the differences is largest; of the calendar's, outside 2.6 / sqrt(n).

    Examples
    --------
    >>> t = np.arange(400)
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal(400))
    >>> y = walk + 2 * np.sin(2 * np.pi * t / 52)
    >>> offered_season(y, [52])
    52
    """
    n, steps = len(y), np.diff(y)
    steps -= steps.mean()
    total = float(steps @ steps)
    near = [p for p in (suggested or th.OFFERED_PERIODS) if th.OFFERED_CYCLES * (p + 1) <= n]
    if total <= 0 or not near:
        return None
    r = {p: float(steps[p:] @ steps[:-p]) / total for p in near}
    best = max(near, key=lambda p: r[p])
    return best if suggested or r[best] > th.OFFERED_CORRELATION / np.sqrt(n) else None


def repeats(y: FloatArray, m: int) -> float:
    """Return the share of variance that the mean season of the first part explains in the rest.

    The series is detrended by a centred moving average over a season first. A cycle that changes
    its length, as sunspots and chaotic series have, loses step with its own past and scores low
    or negative.

    Examples
    --------
    >>> t = np.arange(120.0)
    >>> round(repeats(0.1 * t + np.sin(2 * np.pi * t / 12), 12), 6)
    1.0
    """
    n = len(y)
    if n < th.SEASON_CYCLES * m:
        return 0.0
    weights = np.ones(m) / m if m % 2 else np.r_[0.5, np.ones(m - 1), 0.5] / m
    z = y[len(weights) // 2 : n - (len(weights) - 1) // 2] - np.convolve(y, weights, "valid")
    phase = np.arange(len(z)) % m
    cut = max(m, int(th.SEASON_FIRST_PART * len(z)) // m * m)
    if len(z) - cut < max(m // 2, 2) or is_constant(z, y):
        return 0.0
    early = np.bincount(phase[:cut], z[:cut], m) / np.bincount(phase[:cut], minlength=m)
    late, expected = z[cut:], early[phase[cut:]]
    return float(1.0 - ((late - expected) ** 2).sum() / (late**2).sum())


def strength(y: FloatArray, m: int) -> float:
    """Return the seasonal strength of Hyndman and Athanasopoulos by STL, from 0 to 1."""
    from statsmodels.tsa.seasonal import STL

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = STL(y, period=m).fit()
    rest = float(np.var(parts.resid))
    both = float(np.var(parts.resid + parts.seasonal))
    return max(0.0, 1.0 - rest / both) if both > 0 else 0.0


def _peaks(y: FloatArray) -> list[int]:
    """Return lags at which the autocorrelation of the detrended series peaks, strongest first."""
    from statsmodels.tsa.stattools import acf

    t = np.linspace(-1.0, 1.0, len(y))
    z = y - np.polynomial.Polynomial.fit(t, y, 2)(t)
    if is_constant(z, y):
        return []
    # Adjusted for the number of terms, or long periods would be put down.
    r = acf(z, nlags=len(y) // th.SEASON_CYCLES + 1, adjusted=True, fft=True)
    inner = np.flatnonzero((r[1:-1] > r[:-2]) & (r[1:-1] >= r[2:])) + 1
    inner = inner[(inner >= 2) & (r[inner] > th.PEAK_CORRELATION)]
    return [int(m) for m in inner[np.argsort(-r[inner], kind="stable")][: th.MOST_PEAKS]]
