"""Scores of forecasts: how far the mean was off, and how honest the error bars were.

Every function takes the true values first, then the forecast: numbers, arrays or pandas objects
that broadcast against each other. Values are matched by position; pandas objects of one length
whose labels differ are refused rather than compared out of step.

`axis` says what to average over: everything (None, the default), or for instance `axis=0` when
rows are origins and columns are steps, which leaves a curve over the steps; `axis=()` averages
nothing. The result is a float, or an array when axes remain. A NaN anywhere in an average makes
that average NaN.

Except for `coverage` and `pit`, smaller is better. Wrong shapes, variances that are not positive
and the like raise a ValueError; values that are not numbers a TypeError.
"""

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import erf, ndtr

from gpforecast.typing import FloatArray
from gpforecast.validation import positive_integer, real_array

Values: TypeAlias = npt.ArrayLike | pd.Series | pd.DataFrame
Axis: TypeAlias = int | tuple[int, ...] | None
# A float when axis is None, an array otherwise; Any, as in NumPy's own reductions.
Score: TypeAlias = Any


def mae(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the mean absolute error, mean |y - m|.

    Parameters
    ----------
    y_true, mean : array-like
        True values and forecasts, in the units of the series. The median is the forecast that
        this score rewards.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        In the units of the series.

    Examples
    --------
    >>> mae([1.0, 2.0, 4.0], [1.0, 3.0, 2.0])
    1.0
    """
    y, m = _broadcast(y_true=y_true, mean=mean)
    return _average(np.abs(y - m), axis)


def mse(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the mean squared error, mean (y - m)^2.

    Parameters
    ----------
    y_true, mean, axis
        As for `mae`; here the mean is the forecast that is rewarded.

    Returns
    -------
    float or ndarray
        In the squared units of the series.

    Examples
    --------
    >>> mse([[1.0, 2.0], [1.0, 4.0]], [1.0, 3.0], axis=0)
    array([0., 1.])
    """
    y, m = _broadcast(y_true=y_true, mean=mean)
    return _average((y - m) ** 2, axis)


def rmse(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the root of the mean squared error, sqrt(mean (y - m)^2).

    Parameters
    ----------
    y_true, mean, axis
        As for `mse`.

    Returns
    -------
    float or ndarray
        In the units of the series.

    Examples
    --------
    >>> rmse([0.0, 0.0], [3.0, -3.0])
    3.0
    """
    root = np.sqrt(mse(y_true, mean, axis=axis))
    return root if np.ndim(root) else float(root)


def mase(
    y_true: Values, mean: Values, history: Values, *, period: int = 1, axis: Axis = None
) -> Score:
    """Return the mean absolute error, scaled by that of a naive forecast of the history.

    ::

        mean |y - m| / mean_t |h_t - h_(t - period)|

    Below 1, the forecast errs less than the naive one did inside the history.

    Parameters
    ----------
    y_true, mean, axis
        As for `mae`.
    history : array-like, shape (n,)
        The values the forecaster learned from, in the units of the series.
    period : int, default 1
        The season of the naive forecast, in steps; 1 is "no change".

    Returns
    -------
    float or ndarray
        Dimensionless.

    References
    ----------
    Hyndman & Koehler (2006), "Another look at measures of forecast accuracy", section 3.

    Examples
    --------
    >>> mase([5.0, 6.0], [5.0, 5.0], history=[1.0, 2.0, 3.0, 4.0])
    0.5
    """
    return mae(y_true, mean, axis=axis) / _naive_error(history, period)


def smape(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the symmetric absolute percentage error, 200 mean(|y - m| / (|y| + |m|)).

    Where y and m are both 0 the forecast is perfect and the term counts 0.

    Parameters
    ----------
    y_true, mean, axis
        As for `mae`. The score makes sense for positive series far from 0 only.

    Returns
    -------
    float or ndarray
        In percent, from 0 to 200.

    References
    ----------
    Makridakis, Spiliotis & Assimakopoulos (2020), "The M4 Competition: 100,000 time series and
    61 forecasting methods".

    Examples
    --------
    >>> smape([1.0, 0.0], [3.0, 0.0])
    50.0
    """
    y, m = _broadcast(y_true=y_true, mean=mean)
    size = np.abs(y) + np.abs(m)
    return _average(200.0 * np.abs(y - m) / np.where(size == 0.0, 1.0, size), axis)


def nlpd(y_true: Values, mean: Values, var: Values, *, axis: Axis = None) -> Score:
    """Return the negative log predictive density of Gaussian forecasts, averaged.

    ::

        1/2 log(2 pi v) + (y - m)^2 / (2 v)

    Parameters
    ----------
    y_true, mean : array-like
        True values and predictive means, in the units of the series.
    var : array-like
        Predictive variances of observations (noise included), positive, in squared units.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        In nats per value; it shifts by log(c) if the series is multiplied by c.

    References
    ----------
    Gneiting & Raftery (2007), "Strictly proper scoring rules, prediction, and estimation",
    section 4.1 (the logarithmic score, with its sign changed).

    Examples
    --------
    >>> round(nlpd(0.0, 0.0, 1.0), 4)
    0.9189
    """
    y, m, v = _gaussian(y_true, mean, var)
    return _average(0.5 * np.log(2.0 * math.pi * v) + (y - m) ** 2 / (2.0 * v), axis)


def crps(y_true: Values, mean: Values, var: Values, *, axis: Axis = None) -> Score:
    """Return the continuous ranked probability score of Gaussian forecasts, averaged.

    ::

        integral (F(x) - [x >= y])^2 dx = s (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),
        z = (y - m) / s,    s = sqrt(v)

    It is the absolute error of a forecast with no spread, and less touchy than `nlpd` about
    values far in the tails.

    Parameters
    ----------
    y_true, mean, var, axis
        As for `nlpd`.

    Returns
    -------
    float or ndarray
        In the units of the series.

    References
    ----------
    Gneiting, Raftery, Westveld & Goldman (2005), "Calibrated probabilistic forecasting using
    ensemble model output statistics and minimum CRPS estimation", eq. 5.

    Examples
    --------
    >>> round(crps(0.0, 0.0, 1.0), 4)
    0.2337
    """
    y, m, v = _gaussian(y_true, mean, var)
    s = np.sqrt(v)
    z = (y - m) / s
    density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    inside = erf(z / math.sqrt(2.0))  # 2 Phi(z) - 1, without the cancellation
    return _average(s * (z * inside + 2.0 * density - 1.0 / math.sqrt(math.pi)), axis)


def crps_samples(y_true: Values, samples: Values, *, axis: Axis = None) -> Score:
    """Return the continuous ranked probability score of forecasts known by samples.

    ::

        1/M sum_i |x_i - y| - 1/(2 M (M - 1)) sum_ij |x_i - x_j|

    This is the fair estimator: its expectation is the score of the distribution the samples come
    from, however few they are, so it can be compared with `crps`; a single value may be negative.
    The double sum is taken over the sorted samples, in O(M log M).

    Parameters
    ----------
    y_true : array-like
        True values, in the units of the series.
    samples : array-like
        Samples along the last axis, at least 2; the axes before it broadcast with `y_true`, so a
        table of steps by paths goes with a vector of true values.
    axis : int, tuple of int or None
        What to average over, after the axis of the samples has gone.

    Returns
    -------
    float or ndarray
        In the units of the series.

    References
    ----------
    Gneiting & Raftery (2007), eq. 21; Ferro (2014), "Fair scores for ensemble forecasts".

    Examples
    --------
    >>> crps_samples([1.0, 2.0], [[0.0, 2.0], [2.0, 2.0]], axis=())
    array([0., 0.])
    """
    _check_labels({"y_true": y_true, "samples": samples})
    x = real_array(samples, "samples")
    if x.ndim == 0 or x.shape[-1] < 2:
        raise ValueError(
            f"samples must hold at least 2 samples along its last axis; got shape {x.shape}. If "
            f"the samples are along the first axis, transpose them."
        )
    y = real_array(y_true, "y_true")
    try:
        errors = x - y[..., None]  # (... M)
    except ValueError:
        raise ValueError(
            f"y_true must broadcast with samples less its last axis, shape {x.shape[:-1]}; got "
            f"shape {y.shape}. Put the samples along the last axis."
        ) from None
    count = x.shape[-1]
    spread = np.sort(errors, axis=-1) @ (2.0 * np.arange(1, count + 1) - count - 1.0)
    return _average(np.abs(errors).mean(axis=-1) - spread / (count * (count - 1.0)), axis)


def pit(y_true: Values, mean: Values, var: Values) -> FloatArray:
    """Return the probability integral transforms Phi((y - m) / sqrt(v)) of Gaussian forecasts.

    For honest forecasts they are uniform on (0, 1): a histogram that piles up at the ends says
    that the error bars are too narrow, one that bulges in the middle that they are too wide.

    Parameters
    ----------
    y_true, mean, var : array-like
        As for `nlpd`.

    Returns
    -------
    ndarray
        Of the shape they broadcast to, in [0, 1]; not averaged.

    References
    ----------
    Gneiting, Balabdaoui & Raftery (2007), "Probabilistic forecasts, calibration and sharpness".

    Examples
    --------
    >>> pit([0.0, 1.96], 0.0, 1.0).round(3)
    array([0.5 , 0.975])
    """
    y, m, v = _gaussian(y_true, mean, var)
    return np.asarray(ndtr((y - m) / np.sqrt(v)), dtype=float)


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
    _check_probability(level, "level")
    y, q, p = _broadcast(y_true=y_true, quantile_value=quantile_value, level=level)
    return _average(np.maximum(p * (y - q), (p - 1.0) * (y - q)), axis)


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
    y, lo, hi = _interval(y_true, lower, upper)
    missing = np.isnan(y) | np.isnan(lo) | np.isnan(hi)
    return _average(np.where(missing, np.nan, (lo <= y) & (y <= hi)), axis)


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
    _check_probability(alpha, "alpha")
    y, lo, hi, left_out = _interval(y_true, lower, upper, alpha=alpha)
    miss = np.maximum(lo - y, 0.0) + np.maximum(y - hi, 0.0)
    return _average(hi - lo + 2.0 / left_out * miss, axis)


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
    return interval_score(y_true, lower, upper, alpha, axis=axis) / _naive_error(history, period)


def _naive_error(history: Values, period: int) -> float:
    """Return mean |h_t - h_(t - period)|, the scale of `mase` and `msis`."""
    period = positive_integer(period, "period")
    h = real_array(history, "history", ndim=1)
    if len(h) <= period:
        raise ValueError(
            f"history has {len(h)} values but period={period} needs at least {period + 1}; pass "
            f"all the values the forecaster learned from, or a shorter period."
        )
    scale = float(np.abs(h[period:] - h[:-period]).mean())
    if scale == 0.0:
        raise ValueError(
            f"history must change from one period to the next to give a scale; got {len(h)} "
            f"values that repeat with period={period}. Use mae or interval_score instead."
        )
    return scale


def _gaussian(y_true: Values, mean: Values, var: Values) -> tuple[FloatArray, ...]:
    y, m, v = _broadcast(y_true=y_true, mean=mean, var=var)
    if (v <= 0.0).any():
        raise ValueError(
            f"var must be positive; got {np.nanmin(v):g}. Pass the variances of observations, "
            f"which include the noise."
        )
    return y, m, v


def _interval(
    y_true: Values, lower: Values, upper: Values, **others: Values
) -> tuple[FloatArray, ...]:
    arrays = _broadcast(y_true=y_true, lower=lower, upper=upper, **others)
    crossed = np.argwhere(arrays[1] > arrays[2])
    if len(crossed):
        at = tuple(int(i) for i in crossed[0])
        raise ValueError(
            f"lower must not be above upper; got {arrays[1][at]:g} above {arrays[2][at]:g} at "
            f"position {at}. Are they in the wrong order?"
        )
    return arrays


def _check_probability(value: Values, name: str) -> None:
    array = real_array(value, name)
    wrong = array[(array <= 0.0) | (array >= 1.0)]
    if wrong.size:
        raise ValueError(
            f"{name} must be between 0 and 1, both excluded; got {wrong[0]:g}. A percentage "
            f"must be divided by 100."
        )


def _broadcast(**values: Values) -> tuple[FloatArray, ...]:
    """Return the values as arrays of one shape, or say whose shape does not fit."""
    _check_labels(values)
    arrays = [real_array(value, name) for name, value in values.items()]
    try:
        return tuple(np.broadcast_arrays(*arrays))
    except ValueError:
        listed = ", ".join(list(values)[:-1]) + " and " + list(values)[-1]
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(
            f"{listed} must have shapes that broadcast; got {shapes}. Is the forecast as long as "
            f"the true values?"
        ) from None


def _check_labels(values: dict[str, Values]) -> None:
    """Refuse pandas objects that have as many rows but not the same labels."""
    labelled = {k: v.index for k, v in values.items() if isinstance(v, (pd.Series, pd.DataFrame))}
    if not labelled:
        return
    name, index = next(iter(labelled.items()))
    for other_name, other in labelled.items():
        if len(other) == len(index) and not other.equals(index):
            at = next((i for i in range(len(index)) if other[i] != index[i]), 0)
            raise ValueError(
                f"{other_name} must have the index of {name}; got {other[at]!r} where {name} has "
                f"{index[at]!r}. Align them, or pass {other_name}.to_numpy() to match them by "
                f"position."
            )


def _average(values: FloatArray, axis: Axis) -> Score:
    if np.size(values) == 0:
        raise ValueError(f"y_true must hold at least one value; got shape {np.shape(values)}.")
    try:
        mean = np.mean(values, axis=axis)
    except np.exceptions.AxisError:
        raise ValueError(
            f"axis must be None or an axis of the values, whose shape is {np.shape(values)}; "
            f"got {axis!r}."
        ) from None
    return mean if np.ndim(mean) else float(mean)
