"""How heavy the tails of residuals are, and how unlikely a large residual is for them."""

from functools import cache

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

#: Standard deviations. Larger residuals are suspect: they have no weight in a robust regression
#: (Tukey's bisquare), and do not tell how heavy the tails are.
SUSPECT = 4.685
#: Degrees of freedom. Student-t distributions that are compared: tails without a variance would
#: excuse nearly any outlier, and a few dozen values hardly tell them from others.
TAILS = (3.0, 4.0, 6.0, 10.0, 30.0)


def nats(e: FloatArray, df: float) -> FloatArray:
    """Return how much less likely than 0 each standardised residual is, by its tails.

    Examples
    --------
    >>> nats(np.array([0.0, 5.0]), 30.0).round(1)
    array([0. , 9.6])
    """
    return np.asarray(0.5 * (df + 1.0) * np.log1p((e * unit_of(df)) ** 2 / df))


def tail_of(e: FloatArray, gain: float = 0.0) -> float:
    """Return the degrees of freedom of the most likely Student-t distribution of residuals.

    Those that are suspect do not count. It is the lightest tail that is tried, unless another is
    more likely by `gain` nats.
    """
    size = np.abs(e)
    size = size[size <= SUSPECT]
    likely = {}
    for df in TAILS:
        unit = unit_of(df)
        inside = 1.0 - 2.0 * scipy.stats.t.sf(SUSPECT * unit, df)
        each = scipy.stats.t.logpdf(size * unit, df)
        likely[df] = float(np.sum(each)) + len(size) * float(np.log(unit / inside))
    tail, lightest = max(likely, key=likely.__getitem__), TAILS[-1]
    return tail if likely[tail] > likely[lightest] + gain else lightest


def unit_of(df: float) -> float:
    """Return the quartile of a Student-t distribution over that of a standard normal one."""
    return _quartile(df) / _quartile(np.inf)


def scale_of(e: FloatArray) -> float:
    """Return a robust standard deviation of values around zero."""
    return float(np.median(np.abs(e))) / _quartile(np.inf)


@cache
def _quartile(df: float) -> float:
    """Return the upper quartile of a Student-t distribution."""
    return float(scipy.stats.t.ppf(1.0 - 0.5 / 2, df))
