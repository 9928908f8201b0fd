"""How heavy the tails of residuals are, and which residuals are too large for them."""

from functools import cache

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray


def limit_for(e: FloatArray, n: int) -> float:
    """Return what a standardised residual must exceed: rare in n of them, by their own tails.

    Of several Student-t distributions, all with the median of |e|, the most likely one is taken for
    the residuals that are not suspect.
    """
    tail = tail_of(e, wild=th.WILD_GAIN)
    rare = float(scipy.stats.t.isf(th.FALSE_ALARMS / (2 * n), tail)) / unit_of(tail)
    return max(rare, th.SMALLEST_RATIO)


def tail_of(e: FloatArray, gain: float = 0.0, wild: float = 0.0) -> float:
    """Return the degrees of freedom of the most likely Student-t distribution of residuals.

    Those that are suspect do not count. It is the lightest tail that is tried, unless another is
    more likely by `gain` nats. Tails without a variance must be so by `wild` nats more: a few dozen
    values hardly tell them from others, and they excuse nearly any outlier.
    """
    size = np.abs(e)
    size = size[size <= th.SUSPECT]
    likely = {}
    for df in th.TAILS:
        unit = unit_of(df)
        inside = 1.0 - 2.0 * scipy.stats.t.sf(th.SUSPECT * unit, df)
        each = scipy.stats.t.logpdf(size * unit, df)
        likely[df] = float(np.sum(each)) + len(size) * float(np.log(unit / inside))
        likely[df] -= 0.0 if df > 2.0 else wild
    tail, lightest = max(likely, key=likely.__getitem__), th.TAILS[-1]
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
