"""Features of a series: its level, its season, and how well a few lags predict its steps."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.common.kinds import has_dates
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import quietly
from gpforecast.numerics.linear_algebra import condensed
from gpforecast.series.retail import is_retail
from gpforecast.series.scaling import ROUNDING
from gpforecast.series.spacing import in_steps

# Steps in a cycle of the calendar, by the code of a frequency.
_CYCLES = {"M": (12,), "Q": (4,), "W": (52,), "B": (5,), "D": (7,)}


def is_constant(y: FloatArray) -> bool:
    """Return whether all values are the same, up to rounding."""
    return bool(np.ptp(y) <= ROUNDING * max(float(np.abs(y).max()), 1e-300))


def bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])


def left_by(z: FloatArray, lags: Sequence[int]) -> float:
    """Return the sum of squares that a constant and some lags leave of a series (n,).

    By least squares on n - last lag rows, in memory for one block of them.
    """
    n, p = len(z), lags[-1]

    def rows(begin: int, end: int) -> FloatArray:
        columns = (z[p - lag + begin : p - lag + end] for lag in (*lags, 0))
        return np.column_stack([np.ones(end - begin), *columns])

    both = condensed(n - p, rows)
    X, y = both[:, :-1], both[:, -1]
    left = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    return float(left @ left)


def unexplained(y: FloatArray) -> float:
    """Return the residual variance of an autoregression over the variance of the differences.

    About 1/2 for noise, 1 for a random walk, 1e-5 for a chaotic flow sampled finely.
    """
    p = min(len(th.LAGS_FURTHER), len(y) // 4)
    left, steps = left_by(y - y.mean(), range(1, p + 1)), float(np.diff(y).var())
    return left / max(len(y) - 2 * p - 1, 1) / steps if steps > 0 else 0.0


def enough_for_lags(n: int) -> bool:
    """Return whether n values tell what a few lags explain: three a lag."""
    return n >= 3 * len(th.LAGS_FURTHER)


def calendar_periods(index: pd.Index) -> tuple[int, ...]:
    """Return the seasons that a frequency suggests, in steps, the longest first.

    Examples
    --------
    >>> calendar_periods(pd.date_range("2024-01-01", periods=9, freq="h"))
    (168, 24)
    >>> calendar_periods(pd.RangeIndex(9))
    ()
    """
    index = in_steps(index)
    if not has_dates(index) or index.freq is None:
        return ()
    name, n = _rule_of(index.freq)
    open_days = _days_a_week(index.freq)
    cycles = [steps / n for steps in ((open_days,) if open_days else _CYCLES.get(name, ()))]
    if not cycles and isinstance(index.freq, pd.offsets.Tick):
        cycles = [pd.Timedelta(days, unit="D") / pd.Timedelta(index.freq) for days in (7, 1)]
    return tuple(int(steps) for steps in cycles if steps >= 2 and steps == int(steps))


def n_newest(seasons: Sequence[int | None]) -> int:
    """Return how many of the newest values transforms are chosen by: enough to see the seasons.

    Examples
    --------
    >>> n_newest([24, 168]), n_newest([144, 1008]), n_newest([None])
    (3000, 4032, 3000)
    """
    near = [m for m in seasons if m is not None and m <= th.NEWEST_VALUES]
    return max(th.NEWEST_VALUES, th.SEASON_CYCLES * max(near, default=0))


def steps_in_a_year(index: pd.Index) -> float | None:
    """Return how many steps a year has, if they are weeks or shorter.

    Examples
    --------
    >>> steps_in_a_year(pd.date_range("2024-01-01", periods=9, freq="D"))
    365.25
    >>> steps_in_a_year(pd.RangeIndex(9))
    """
    index = in_steps(index)
    if not has_dates(index) or index.freq is None:
        return None
    name, n = _rule_of(index.freq)
    open_days = _days_a_week(index.freq)
    days = 7 / open_days if open_days else {"W": 7.0, "D": 1.0, "B": 7 / 5}.get(name)
    if days is None and isinstance(index.freq, pd.offsets.Tick):
        days = pd.Timedelta(index.freq) / pd.Timedelta(1, unit="D")
    if days is None:
        return None
    step = n * days if open_days or name in _CYCLES else days
    return (365 + 1 / 4) / step


def _days_a_week(freq: pd.offsets.BaseOffset) -> int:
    """Return how many days of a week a rule has that names them; 0 for another."""
    if not isinstance(freq, pd.offsets.CustomBusinessDay) or is_retail(freq):
        return 0
    return int(freq.calendar.weekmask.sum())


def _rule_of(freq: pd.offsets.BaseOffset) -> tuple[str, int]:
    """Return the letter of a frequency and how many of them a step has; "" for others.

    Months and quarters may be stamped on any day, and seven days are a week.
    """
    months = freq.kwds.get("months", 0) + 12 * freq.kwds.get("years", 0)
    if type(freq) is pd.DateOffset and set(freq.kwds) <= {"months", "years"} and months:
        return "M", months * freq.n
    if is_retail(freq):
        return "M", freq.n
    try:
        name, n = str(freq.rule_code).split("-")[0], int(freq.n)
    except NotImplementedError:  # a rule of the user's own
        return "", 1
    if name in ("WOM", "LWOM"):  # a weekday of the month
        return "M", n
    name = re.sub("^B?([MQ])[SE]?$", r"\1", name)  # of business days too, start or end
    if name in ("D", "h"):
        n_days = n if name == "D" else n / 24
        if n_days % 7 == 0:
            return "W", int(n_days) // 7
    return name, n


def season_of(y: FloatArray, suggested: Sequence[int]) -> int | None:
    """Return the season of values (n,), without gaps, of those that are suggested, in steps.

    Of several that they hold four times, the shortest that describes them about as well as the
    best; else the shortest that they hold twice, be it seen in them or not.

    Examples
    --------
    >>> day = np.resize(np.sin(np.arange(24.0)), 800)
    >>> season_of(day, [168, 24]), season_of(day, [500]), season_of(day[:100], [168, 24])
    (24, None, 24)
    """
    near = [m for m in suggested if 2 * m <= len(y)]
    sure = [m for m in near if th.SEASON_CYCLES * m <= len(y)]
    if len(sure) < 2:
        return min(near, default=None)
    return shortest_of_best({m: strength(y, m) for m in sure})


def shortest_of_best(shares: Mapping[int, float]) -> int:
    """Return the shortest season that describes a series about as well as the best.

    Two periods repeat as well as one. A longer season must halve what a shorter one leaves.

    Parameters
    ----------
    shares : mapping of int to float
        What each season explains, up to 1.

    Examples
    --------
    >>> shortest_of_best({12: 0.9, 24: 0.94}), shortest_of_best({7: 0.5, 30: 0.9})
    (12, 30)
    """
    enough = 1.0 - 2.0 * (1.0 - max(shares.values())) - ROUNDING
    return min(m for m, share in shares.items() if share >= enough)


def strength(y: FloatArray, m: int) -> float:
    """Return the seasonal strength of Hyndman and Athanasopoulos by STL, from 0 to 1.

    For a long season, the trend and the low-pass filter are computed at 30 to 60 points a window,
    and interpolated between them; R has ten by default.
    """
    from statsmodels.tsa.seasonal import STL

    jump = max(m // 32, 1)
    with quietly():
        parts = STL(y, period=m, trend_jump=jump, low_pass_jump=jump).fit()
    rest = float(np.var(parts.resid))
    both = float(np.var(parts.resid + parts.seasonal))
    return max(0.0, 1.0 - rest / both) if both > 0 else 0.0
