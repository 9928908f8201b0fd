"""Scores of quantiles and intervals: how often they hold the truth, and how wide they are."""

import numpy as np

from gpforecast.scores import checks
from gpforecast.scores.checks import Axis, Score, Values


def pinball(y_true: Values, quantile_value: Values, level: Values, *, axis: Axis = None) -> Score:
    """Return the quantile ("pinball") loss, averaged.

    ::

        level (y - q) where y >= q,    (1 - level) (q - y) elsewhere

    Twice its mean over evenly spaced levels approaches the continuous ranked probability score.

    Parameters
    ----------
    y_true, quantile_value : array-like
        True values and predicted quantiles, in the units of the series.
    level : array-like
        The level or levels of the quantiles, between 0 and 1.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        In the units of the series.

    References
    ----------
    Koenker & Bassett (1978), "Regression quantiles".

    Examples
    --------
    >>> pinball([3.0, 1.0], 2.0, 0.75, axis=())
    array([0.75, 0.25])
    """
    checks.check_probability(level, "level")
    y, q, p = checks.broadcast(y_true=y_true, quantile_value=quantile_value, level=level)
    return checks.average(np.maximum(p * (y - q), (p - 1.0) * (y - q)), axis)


def coverage(y_true: Values, lower: Values, upper: Values, *, axis: Axis = None) -> Score:
    """Return the fraction of true values inside their intervals, the ends included.

    Parameters
    ----------
    y_true, lower, upper : array-like
        True values and ends of the intervals, in the units of the series; the ends may be
        infinite.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        Between 0 and 1; the nearer to the nominal level, the better.

    Examples
    --------
    >>> coverage([0.0, 1.0, 2.0, 5.0], lower=0.0, upper=2.0)
    0.75
    """
    y, lo, hi = checks.interval_arrays(y_true, lower, upper)
    missing = np.isnan(y) | np.isnan(lo) | np.isnan(hi)
    return checks.average(np.where(missing, np.nan, (lo <= y) & (y <= hi)), axis)


def interval_score(
    y_true: Values, lower: Values, upper: Values, alpha: Values, *, axis: Axis = None
) -> Score:
    """Return the interval score: the width, and a fine for each miss in proportion to its size.

    ::

        (u - l) + 2/alpha max(l - y, 0) + 2/alpha max(y - u, 0)

    Parameters
    ----------
    y_true, lower, upper : array-like
        As for `coverage`.
    alpha : array-like
        The probability the intervals leave out: 0.05 for 95% intervals.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        In the units of the series.

    References
    ----------
    Gneiting & Raftery (2007), "Strictly proper scoring rules, prediction, and estimation",
    eq. 43.

    Examples
    --------
    >>> interval_score([1.0, 3.0], lower=0.0, upper=2.0, alpha=0.5, axis=())
    array([2., 6.])
    """
    checks.check_probability(alpha, "alpha")
    y, lo, hi, left_out = checks.interval_arrays(y_true, lower, upper, alpha=alpha)
    miss = np.maximum(lo - y, 0.0) + np.maximum(y - hi, 0.0)
    return checks.average(hi - lo + 2.0 / left_out * miss, axis)


def msis(
    y_true: Values,
    lower: Values,
    upper: Values,
    history: Values,
    *,
    period: int = 1,
    alpha: float = 0.05,
    axis: Axis = None,
) -> Score:
    """Return the interval score, scaled by the error of a naive forecast of the history.

    `interval_score` over the scale of `mase`, so that series of different units can be averaged.

    Parameters
    ----------
    y_true, lower, upper, axis
        As for `coverage`.
    history : array-like, shape (n,)
        The values the forecaster learned from, in the units of the series.
    period : int, default 1
        The season of the naive forecast, in steps.
    alpha : float, default 0.05
        The probability the intervals leave out.

    Returns
    -------
    float or ndarray
        Dimensionless.

    References
    ----------
    Makridakis, Spiliotis & Assimakopoulos (2020), "The M4 Competition: 100,000 time series and
    61 forecasting methods".

    Examples
    --------
    >>> msis([5.0, 6.0], [4.0, 4.0], [6.0, 6.0], history=[1.0, 3.0, 5.0])
    1.0
    """
    scale = checks.naive_error(history, period)
    return interval_score(y_true, lower, upper, alpha, axis=axis) / scale
