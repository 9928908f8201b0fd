"""The time in a season as two inputs, and whether they are worth having."""

import numpy as np
from statsmodels.tsa.tsatools import freq_to_period

from gpforecast.common.types import FloatArray, Index

WORTH = 1.0  # nats of log evidence, from which on "auto" keeps a season
COLUMNS = ("sine of the season", "cosine of the season")
_LEAST = 2  # periods of the series
_YEAR = {52: 52.1775}  # weeks


def period_of(index: Index) -> float | None:
    """Return the steps of the usual season of an index: 12 of months, 7 of days; None without one.

    Examples
    --------
    >>> import pandas as pd
    >>> period_of(pd.period_range("2024-01", periods=3, freq="M"))
    12
    >>> period_of(pd.RangeIndex(3)) is None
    True
    """
    freq = getattr(index, "freq", None)
    if freq is None or getattr(freq, "n", 0) != 1:
        return None
    try:
        found = int(freq_to_period(freq.freqstr))
    except ValueError:  # of a frequency without one, such as seconds
        return None
    return _YEAR.get(found, found) if found > 1 else None


def is_covered(period: float, n: int) -> bool:
    """Return whether n values hold a season often enough to learn it."""
    return n >= _LEAST * period


def phases(period: float | None, n: int) -> FloatArray:
    """Return sine and cosine of the season at the first n times of a series, (n, 2), or (n, 0)."""
    if period is None:
        return np.empty((n, 0))
    angle = 2.0 * np.pi * np.arange(n) / period
    return np.column_stack([np.sin(angle), np.cos(angle)])
