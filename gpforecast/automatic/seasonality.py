"""Whether a series has a season of constant length, and how strong it is."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray

_CYCLES = 3  # so many whole seasons at least
_CALENDAR = (7, 12, 24, 48, 52)  # looked for where the index suggests nothing
_FAMILIAR = (7, 12, 24, 48, 52, 168, 336)  # of the calendar's, less is asked
_FAMILIAR_LEAST = 0.6
_CYCLES_UNLABELLED = 6  # and so many if nothing but the data suggests them


def calendar_periods(index: Any) -> tuple[int, ...]:
    """Return the seasons that a frequency suggests, in steps, the longest first.

    Examples
    --------
    >>> calendar_periods(pd.date_range("2024-01-01", periods=9, freq="h"))
    (168, 24)
    >>> calendar_periods(pd.RangeIndex(9))
    ()
    """
    freq = getattr(index, "freq", None)
    if freq is None or not isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        return ()
    try:
        name, n = str(freq.rule_code).split("-")[0], int(freq.n)
    except NotImplementedError:  # a rule of the user's own
        return ()
    months = {"M": 1, "MS": 1, "ME": 1, "BMS": 1, "BME": 1, "BM": 1, "Q": 3, "QS": 3, "QE": 3,
              "BQS": 3, "BQE": 3}  # fmt: skip
    if name in months:
        span = n * months[name]
        return (12 // span,) if 12 % span == 0 and span < 12 else ()
    if name == "W":
        return (52,) if n == 1 else ()
    if name in {"B", "C"}:
        return (5,) if n == 1 else ()
    try:
        step = pd.Timedelta(freq) if name != "D" else pd.Timedelta(n, unit="D")
    except ValueError:
        return ()
    day, week = pd.Timedelta(1, unit="D"), pd.Timedelta(7, unit="D")
    ratios = [unit / step for unit in (week, day)]
    return tuple(int(r) for r in ratios if r >= 2 and r == int(r))


@dataclass(frozen=True)
class Season:
    """A season of constant length.

    Attributes
    ----------
    period : int
        In steps.
    why : str
        Where it comes from and how strong it is.
    """

    period: int
    why: str


def find_season(
    y: FloatArray, index: Any, *, smooth: bool, familiar: bool = False
) -> Season | None:
    """Return the season of a series, from its frequency or from itself, if it is strong enough.

    Parameters
    ----------
    y : ndarray (n,)
        Without gaps.
    index : Index
        Its frequency suggests periods, which need a strength by STL of 0.64 (the threshold of
        Hyndman's ``nsdiffs``). Without one, periods are peaks of the autocorrelation, and must
        repeat themselves well over at least six cycles: a cycle that is nearly regular, as many
        chaotic series have, is better learned than taken for a season.
    smooth : bool
        Whether the series is so smooth that a few lags tell nearly all; then no period is taken
        from the data.
    familiar : bool
        Whether to ask less of cycles as long as those that calendars make.
    """
    suggested = calendar_periods(index)
    if suggested:
        scored = [(strength(y, m), m) for m in suggested if _CYCLES * m <= len(y)]
        least, source = 0.64, "the index suggests {} steps; strength {:.2f}"
    else:
        peaks = [] if smooth else [m for m in _peaks(y) if _CYCLES_UNLABELLED * m <= len(y)]
        scored = [(repeats(y, m), m) for m in peaks]
        least, source = 0.88, "a cycle of {} steps found; it repeats itself to {:.2f}"
        if familiar:
            scored, least = [s for s in scored if s[1] in _FAMILIAR], _FAMILIAR_LEAST
    best = max((s[0] for s in scored), default=0.0)
    if best < least:
        return None
    # Two periods repeat as well as one. A longer season must halve what a shorter one leaves.
    enough = 1.0 - 2.0 * (1.0 - best) - 0.01
    value, period = min((s for s in scored if s[0] >= enough), key=lambda s: s[1])
    return Season(period, source.format(period, value))


def offered_season(y: FloatArray, index: Any) -> int | None:
    """Return a season that is worth a trial as lags, though it may be too weak to be removed.

    It is the one of those that the index suggests, or else of the calendar's, whose
    autocorrelation in the differences is largest and outside 2.6 / sqrt(n).

    Examples
    --------
    >>> t = np.arange(400)
    >>> walk = np.cumsum(np.random.default_rng(0).standard_normal(400))
    >>> y = walk + 2 * np.sin(2 * np.pi * t / 52)
    >>> offered_season(y, pd.date_range("2000-01-02", periods=400, freq="W"))
    52
    """
    suggested = calendar_periods(index)
    n = len(y)
    steps = np.diff(y)
    steps = steps - steps.mean()
    total = float(steps @ steps)
    near = [p for p in (suggested or _CALENDAR) if 4 * (p + 1) <= n]
    if total <= 0 or not near:
        return None
    r = {p: float(steps[p:] @ steps[:-p]) / total for p in near}
    best = max(near, key=lambda p: r[p])
    return best if suggested or r[best] > 2.6 / np.sqrt(n) else None


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
    if n < _CYCLES * m:
        return 0.0
    weights = np.ones(m) / m if m % 2 else np.r_[0.5, np.ones(m - 1), 0.5] / m
    z = y[len(weights) // 2 : n - (len(weights) - 1) // 2] - np.convolve(y, weights, "valid")
    phase = np.arange(len(z)) % m
    cut = max(m, (len(z) * 3 // 5) // m * m)
    if len(z) - cut < max(m // 2, 2) or np.ptp(z) <= 1e-10 * max(1e-300, np.abs(y).max()):
        return 0.0
    early = np.bincount(phase[:cut], z[:cut], m) / np.bincount(phase[:cut], minlength=m)
    late, told = z[cut:], early[phase[cut:]]
    return float(1.0 - ((late - told) ** 2).sum() / (late**2).sum())


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
    n = len(y)
    t = np.linspace(-1.0, 1.0, n)
    z = y - np.polynomial.polynomial.polyval(t, np.polynomial.polynomial.polyfit(t, y, 2))
    if np.ptp(z) <= 1e-10 * max(1e-300, np.abs(y).max()):
        return []
    spectrum = np.abs(np.fft.rfft(z, 2 * n)) ** 2
    r = np.fft.irfft(spectrum)[: n // _CYCLES + 2]
    r = r / (n - np.arange(len(r))) * n / r[0]  # unbiased: long periods are not put down
    inner = np.flatnonzero((r[1:-1] > r[:-2]) & (r[1:-1] >= r[2:])) + 1
    inner = inner[(inner >= 2) & (r[inner] > 0.1)]
    return [int(m) for m in inner[np.argsort(-r[inner], kind="stable")][:5]]
