"""Inputs of a model of classes: indicators of lagged classes, and the time in a season."""

import numpy as np

from gpforecast.automatic.features import calendar_periods
from gpforecast.common.types import FloatArray, Index, IntArray


def with_indicators(raw: FloatArray, n_lags: int, n_classes: int) -> FloatArray:
    r"""Return rows in which each of the first columns, a class, has become its indicators.

    A class c out of C becomes :math:`[c > 0], \dots, [c > C - 2]`. Two classes are one indicator.
    Of more, neighbours differ in one of them and distant classes in several, so that the order is
    part of the distance of two rows. They are linear in the indicators [c = k].

    Parameters
    ----------
    raw : ndarray (..., n_lags + q)
        Places of classes, 0 to C - 1, then other inputs.
    n_lags, n_classes : int

    Returns
    -------
    ndarray (..., n_lags (C - 1) + q)

    Examples
    --------
    >>> with_indicators(np.array([[0.0, 2.0, 0.7]]), 2, 3)
    array([[0. , 0. , 1. , 1. , 0.7]])
    """
    above = raw[..., :n_lags, None] > np.arange(n_classes - 1)
    indicators = above.reshape(*raw.shape[:-1], -1).astype(np.float64)
    return np.concatenate([indicators, raw[..., n_lags:]], axis=-1)


def drawn(p: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a class at each of the probabilities p (..., C): (...)."""
    u = rng.random(p.shape[:-1])
    return np.asarray((u[..., None] >= np.cumsum(p, axis=-1)[..., :-1]).sum(axis=-1))


WORTH = 1.0  # nats of log evidence, from which on "auto" keeps a season


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
    found = min(calendar_periods(index), default=None)
    return 52.1775 if found == 52 else found


def phases(period: float | None, n: int) -> FloatArray:
    """Return sine and cosine of the season at the first n times of a series, (n, 2), or (n, 0)."""
    if period is None:
        return np.empty((n, 0))
    angle = 2.0 * np.pi * np.arange(n) / period
    return np.column_stack([np.sin(angle), np.cos(angle)])
