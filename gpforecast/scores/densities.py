"""Scores of the whole predictive distribution: Gaussian, or known by samples."""

import math

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import real_array
from gpforecast.scores import checks
from gpforecast.scores.checks import Axis, Score, Values


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
    y, m, v = checks.gaussian_arrays(y_true, mean, var)
    return checks.average(0.5 * np.log(2.0 * math.pi * v) + (y - m) ** 2 / (2.0 * v), axis)


def crps(y_true: Values, mean: Values, var: Values, *, axis: Axis = None) -> Score:
    """Return the continuous ranked probability score of Gaussian forecasts, averaged.

    ::

        integral (F(x) - [x >= y])^2 dx = s (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),
        z = (y - m) / s,    s = sqrt(v)

    It is the absolute error of a forecast with no spread, and less sensitive than `nlpd` to
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
    y, m, v = checks.gaussian_arrays(y_true, mean, var)
    s = np.sqrt(v)
    with np.errstate(over="ignore"):  # far off the density is 0
        z = (y - m) / s
        density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    inside = scipy.special.erf(z / math.sqrt(2.0))  # 2 Phi(z) - 1, without the cancellation
    return checks.average(s * (z * inside + 2.0 * density - 1.0 / math.sqrt(math.pi)), axis)


def crps_log_normal(y_true: Values, mean: Values, var: Values, *, axis: Axis = None) -> Score:
    """Return the continuous ranked probability score of log-normal forecasts, averaged.

    ::

        y (2 Phi(x) - 1) + 2 exp(m + v/2) (Phi(-s/sqrt(2)) - Phi(x - s)),
        x = (log y - m) / s,    s = sqrt(v)

    Parameters
    ----------
    y_true : array-like
        True values, in the units of the series; a forecast lies above 0.
    mean, var : array-like
        Mean and variance of the logarithm, the variance positive.
    axis : int, tuple of int or None
        What to average over.

    Returns
    -------
    float or ndarray
        In the units of the series; inf where a forecast is too wide for a number.

    References
    ----------
    Baran & Lerch (2015), "Log-normal distribution based ensemble model output statistics models for
    probabilistic wind-speed forecasting", eq. 3.

    Examples
    --------
    >>> round(crps_log_normal(1.0, 0.0, 0.25), 4)
    0.1208
    """
    y, m, v = checks.gaussian_arrays(y_true, mean, var)
    s = np.sqrt(v)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        x = (np.log(np.maximum(y, 0.0)) - m) / s  # what is not positive lies below a forecast
        centre = m + 0.5 * v  # logarithm of the expected value
        tails = np.exp(centre + scipy.special.log_ndtr(-s / math.sqrt(2.0))) - np.exp(
            centre + scipy.special.log_ndtr(x - s)
        )
        score = y * scipy.special.erf(x / math.sqrt(2.0)) + 2.0 * tails
    too_wide = ~np.isfinite(score) & ~np.isnan(y + m + v)
    return checks.average(np.where(too_wide, np.inf, score), axis)


def crps_samples(y_true: Values, samples: Values, *, axis: Axis = None) -> Score:
    """Return the continuous ranked probability score of forecasts known by samples.

    ::

        1/M sum_i |x_i - y| - 1/(2 M (M - 1)) sum_ij |x_i - x_j|

    This is the fair estimator: its expectation is the score of the distribution the samples come
    from, however few they are, so it can be compared with `crps`. Over the sorted samples it is a
    sum without a subtraction, in O(M log M)::

        2/(M (M - 1)) sum_i |x_(i) - y| (M - i if x_(i) > y, else i - 1)

    so that it is never negative, and samples of a heavy tail cost it no digits.

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
    checks.check_labels({"y_true": y_true, "samples": samples})
    x = real_array(samples, "samples")
    if x.ndim == 0 or x.shape[-1] < 2:
        raise ValueError(
            f"samples must hold at least 2 samples along its last axis; got shape {x.shape}. If "
            f"the samples are along the first axis, transpose them."
        )
    y, _ = checks.broadcast(**{"y_true": y_true, "samples less its last axis": x[..., 0]})
    errors = np.sort(x - y[..., None], axis=-1)  # (... M)
    count = x.shape[-1]
    below = np.arange(count, dtype=np.float64)  # how many samples lie below each
    others = np.where(errors > 0, count - 1.0 - below, below)
    total = (np.abs(errors) * others).sum(axis=-1)
    return checks.average(total * 2.0 / (count * (count - 1.0)), axis)


def pit(y_true: Values, mean: Values, var: Values) -> FloatArray:
    """Return the probability integral transforms of Gaussian forecasts, ``Phi((y - m) / sqrt(v))``.

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
    y, m, v = checks.gaussian_arrays(y_true, mean, var)
    return np.asarray(scipy.special.ndtr((y - m) / np.sqrt(v)), dtype=float)
