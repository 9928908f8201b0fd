"""Whether inputs act later than at the time of the value: correlations with what a series leaves.

The test of Haugh (1976): what an autoregression of the series does not predict is correlated with
what an autoregression of the column does not predict, some steps before. If the two do not depend
on each other, and one of them is white, each correlation of n pairs is N(0, 1/n).

References
----------
Haugh (1976), "Checking the independence of two covariance-stationary time series: a univariate
residual cross-correlation approach", JASA 71, 378-385. Box, Jenkins and Reinsel (2008), "Time
series analysis", section 12.1.1 (prewhitening).
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import listed
from gpforecast.pipeline.fitted import Fitted

LONGEST = 24  # lags that are looked at
_ORDER = 12  # of the autoregressions
_FEWEST = 50  # pairs; with fewer, nothing is said
_CHANCE = 0.01  # probability that any lag of any column is named where none acts
_NEAR = 3  # lags that are suggested where rows are few
_ROWS = 4  # per lag of a column; with fewer, rows are few
_WIDEST = 3.0  # robust standard deviations of an error, beyond which it counts as that much


@dataclass(frozen=True)
class Later:
    """The lag at which a column is most clearly correlated with what the series leaves.

    Attributes
    ----------
    lag : int
    correlation : float
    """

    lag: int
    correlation: float


def found_in(z: FloatArray, inputs: FloatArray) -> list[Later | None]:
    """Return for each column whether it acts later, None if that may be chance.

    Parameters
    ----------
    z : ndarray (n,)
        What the transforms and the effects at the same time leave of the series; NaN where missing.
    inputs : ndarray (n, q)
        The columns over the same times.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, other = rng.standard_normal((2, 300))
    >>> z = 0.5 * np.roll(x, 3) + rng.standard_normal(300)
    >>> [found and found.lag for found in found_in(z, np.column_stack([x, other]))]
    [3, None]
    """
    e, q = _innovations(z), max(inputs.shape[1], 1)
    size = 1.4826 * float(np.nanmedian(np.abs(e))) if np.isfinite(e).any() else 0.0
    if size == 0.0:
        return [None] * inputs.shape[1]
    e = np.clip(e, -_WIDEST * size, _WIDEST * size)
    limit = -float(scipy.special.ndtri(0.5 * _CHANCE / (LONGEST * q)))  # of Bonferroni
    return [_clearest(e, _innovations(column), limit) for column in inputs.T]


def noted(fitted: Fitted) -> str:
    """Return which inputs of the user act later than at once, or may, and what to do; "" for none.

    Parameters
    ----------
    fitted : Fitted
        With effects of inputs at lag 0, taken from the series.
    """
    chain, q = fitted.chain, fitted.exog.n_given
    names, inputs = fitted.exog.columns[:q], fitted.exog.past[:, :q]
    z = chain.levels(fitted.known, chain.axis.locate(fitted.axis))[-1]
    found = found_in(z[chain.n_lost :], inputs[chain.n_lost :])
    each = [
        f"{name} {counted(one.lag, 'step')} before (correlation {one.correlation:.2f})"
        for name, one in zip(names, found, strict=True)
        if one is not None
    ]
    reach = _reach(int(np.isfinite(z[chain.n_lost :]).sum()), found)
    wide = f"exog_lags=range({reach + 1})"
    if each:
        return (
            f"inputs act later, too: what is left of the series depends on {listed(each)}; pass "
            f"{wide} to let earlier inputs in, and see by a backtest whether that is better"
        )
    beta = np.zeros(q) if chain.effects is None else chain.effects.beta[:q]
    varies = np.nanmax(inputs, axis=0) > np.nanmin(inputs, axis=0)
    idle = [str(name) for j, name in enumerate(names) if varies[j] and not beta[j]]
    if not idle:
        return ""
    act = "acts" if len(idle) == 1 else "act"
    return (
        f"if {listed(idle)} {act} later than at the time of the value, pass {wide} and see by a "
        f"backtest whether that is better"
    )


def _reach(n: int, found: list[Later | None]) -> int:
    """Return the last lag to suggest for n values: fewer where rows would not tell all of them.

    Examples
    --------
    >>> _reach(200, [None]), _reach(40, [None]), _reach(100, [Later(5, 0.7)])
    (24, 3, 5)
    """
    if n - LONGEST >= _ROWS * (LONGEST + 1) * len(found):
        return LONGEST
    return max([_NEAR, *(one.lag for one in found if one is not None)])


def _clearest(e: FloatArray, u: FloatArray, limit: float) -> Later | None:
    """Return the lag of the largest correlation, in standard errors, if it is beyond a limit."""
    best, found = limit, None
    for lag in range(1, min(LONGEST, len(e) - _FEWEST) + 1):
        pairs = e[lag:], u[:-lag]
        known = np.isfinite(pairs[0]) & np.isfinite(pairs[1])
        a, b = (side[known] - side[known].mean() for side in pairs) if known.any() else pairs
        n, scale = int(known.sum()), float(np.sqrt((a @ a) * (b @ b)))
        if n < _FEWEST or not scale > 0.0:
            continue
        r = float(a @ b) / scale
        if abs(r) * np.sqrt(n) > best:
            best, found = abs(r) * np.sqrt(n), Later(lag, r)
    return found


def _innovations(values: FloatArray) -> FloatArray:
    """Return what an autoregression does not predict (n,), NaN where values before are missing."""
    e = np.full(len(values), np.nan)
    order = min(_ORDER, len(values) // 10)
    if len(values) <= order:
        return e
    rows = sliding_window_view(values, order + 1)
    known = ~np.isnan(rows).any(axis=1)
    if int(known.sum()) < max(3 * order, _FEWEST):
        return e
    X = np.column_stack([np.ones(int(known.sum())), rows[known, :-1]])
    beta = np.linalg.lstsq(X, rows[known, -1], rcond=None)[0]
    e[order + np.flatnonzero(known)] = rows[known, -1] - X @ beta
    return e
