"""Steps by their labels: which ones a key names, and what observed ones add to sums over steps."""

import re

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series.time_axis import TimeAxis


def positions(index: pd.Index, key: object) -> IntArray:
    """Return the positions that a key selects, as pandas would with ``loc``; none if it refuses.

    A pair is the first and the last label.

    Examples
    --------
    >>> positions(pd.period_range("2024-11", periods=4, freq="M"), "2025").tolist()
    [2, 3]
    >>> positions(pd.RangeIndex(5, 9), (6, 7)).tolist()
    [1, 2]
    """
    places = pd.Series(np.arange(len(index)), index)
    try:
        with quietly():  # pandas warns of quarters, which it reads
            found = places.loc[slice(*key) if isinstance(key, tuple) else key]  # type: ignore[call-overload]
    except (KeyError, IndexError, TypeError, ValueError):
        found = []
    return np.atleast_1d(np.asarray(found, dtype=np.int64))


def with_neighbours(index: pd.Index) -> tuple[pd.Index, int]:
    """Return an index with a step more on either side, and how many come before it.

    Labels that are no times, such as those of sums with names, have no neighbours.
    """
    try:
        axis = TimeAxis.of(index)
    except (TypeError, ValueError):
        return index, 0
    first, second = axis.index[:2] if len(axis.index) > 1 else (index[0], axis.future(1)[0])
    freq = axis.index.freq if are_dates(axis.index) else None
    before = first - (second - first if freq is None else freq)
    return pd.Index([before]).append([axis.index, axis.future(1)]), 1


def periods_of(index: pd.Index, rule: str) -> pd.Index:
    """Return the period that each time belongs to, labelled as pandas does."""
    if not has_dates(index):
        raise TypeError(
            f"resample needs an index of dates or periods; this one is a {type(index).__name__}. "
            f"Use linear() with a matrix that adds the steps you want."
        )
    if are_periods(index):  # "YE", "QE-NOV" and "MS" of dates are "Y", "Q-NOV", "M"
        rule = re.sub(r"^(\d*(?:Y|Q|M|BY|BQ|BM))[ES](?=-|$)", r"\1", rule)
    with quietly():  # pandas 2 warns that it would no longer resample periods; pandas 3 does
        counts = pd.Series(1, index).resample(rule).sum()
    if not (counts > 0).all():  # NaN of periods in pandas 2
        raise ValueError(
            f"the periods of {rule!r} are shorter than the steps of the forecast; pass longer ones."
        )
    return counts.index.repeat(counts.to_numpy(dtype=np.int64))


def observed_part(weights: FloatArray, history: "pd.Series[float]", what: str) -> FloatArray:
    """Return what observed values add to sums over steps, (k,).

    Parameters
    ----------
    weights : ndarray (k, n)
        Of the n values of the history.
    history : Series (n,)
    what : str
        What needs them, for a message.

    Raises
    ------
    ValueError
        If one that is needed is missing.
    """
    values = history.to_numpy(dtype=np.float64)
    known: FloatArray = np.where(weights != 0.0, weights * values, 0.0).sum(axis=1)
    if np.isnan(known).any():
        raise ValueError(
            f"{what} needs past values that are missing; fill the gaps with "
            f"Forecaster.fill_missing() first."
        )
    return known


def observed_before(history: "pd.Series[float]", periods: int, h: int) -> FloatArray:
    """Return the observed value `periods` steps before each of h; 0 where that is forecast."""
    n = len(history)
    if n < periods:
        raise ValueError(
            f"periods={periods} goes beyond the start of the history, which has "
            f"{counted(n, 'value')}; pass a smaller number."
        )
    past, what = history.iloc[n - periods :], f"a change over {counted(periods, 'step')}"
    return observed_part(np.eye(h, periods), past, what)
