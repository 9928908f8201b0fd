"""Scores of the mean: how far it was off."""

import numpy as np

from gpforecast.scores.checks import Axis, Score, Values, average, broadcast, naive_error


def mae(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the mean absolute error, ``mean |y - m|``.

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
    y, m = broadcast(y_true=y_true, mean=mean)
    return average(np.abs(y - m), axis)


def mse(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the mean squared error, ``mean (y - m)^2``.

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
    y, m = broadcast(y_true=y_true, mean=mean)
    return average((y - m) ** 2, axis)


def rmse(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the root of the mean squared error, ``sqrt(mean (y - m)^2)``.

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
    return mse(y_true, mean, axis=axis) ** 0.5


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
    return mae(y_true, mean, axis=axis) / naive_error(history, period)


def smape(y_true: Values, mean: Values, *, axis: Axis = None) -> Score:
    """Return the symmetric absolute percentage error.

    ::

        200 mean(|y - m| / (|y| + |m|))

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
    y, m = broadcast(y_true=y_true, mean=mean)
    size = np.abs(y) + np.abs(m)
    return average(200.0 * np.abs(y - m) / np.where(size == 0.0, 1.0, size), axis)
