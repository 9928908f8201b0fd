"""Lags of significant partial autocorrelation."""

import warnings
from statistics import NormalDist

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer


def by_partial_autocorrelation(
    y: FloatArray,
    max_lag: int | None = None,
    *,
    alpha: float = th.PARTIAL_ALPHA,
    max_lags: int = th.MOST_LAGS,
) -> list[int]:
    """Return lag 1 and those whose partial autocorrelation is too large for chance.

    Lag k is kept if Burg's estimate of the partial autocorrelation at k lies outside
    ±z / sqrt(n), with z the normal quantile of 1 - alpha / 2: the band within which it falls with
    probability 1 - alpha when an autoregression of order k - 1 is enough (Quenouille, 1949). Of
    more than `max_lags` such lags the largest partial autocorrelations win.

    Parameters
    ----------
    y : ndarray (n,)
        Finite.
    max_lag : int, optional
        Less than n / 2. By default the larger of 48 and 10 log10(n), but no more than n / 4, so
        that three quarters of the series remain as rows.
    alpha : float
        Between 0 and 1.
    max_lags : int

    Returns
    -------
    list of int
        In increasing order.

    Raises
    ------
    ValueError
        If there are fewer than 3 values, or an option is out of its range.

    Examples
    --------
    >>> by_partial_autocorrelation(np.random.default_rng(0).normal(size=400).cumsum(), 5)
    [1]
    """
    most = positive_integer(max_lags, "max_lags")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    n = len(y)
    if n < 3:
        raise ValueError(f"series has {n} values but choosing lags needs at least 3.")
    supported = max((n - 1) // 2, 1)
    usual = min(max(th.PARTIAL_LARGEST_LAG, int(10 * np.log10(n))), max(n // 4, 1), supported)
    largest = usual if max_lag is None else positive_integer(max_lag, "max_lag")
    if largest > supported:
        raise ValueError(
            f"max_lag must be at most {supported} for a series of {n} values; got {largest}."
        )
    strength = np.abs(_partial_autocorrelations(y, largest))  # (largest,), from lag 1
    significant = strength > NormalDist().inv_cdf(1 - alpha / 2) / np.sqrt(n)
    order = np.argsort(-strength[1:], kind="stable") + 2
    others = [int(lag) for lag in order if significant[lag - 1]][: most - 1]
    return sorted([1, *others])


def _partial_autocorrelations(y: FloatArray, largest: int) -> FloatArray:  # (largest,)
    """Burg's estimates at lags 1 to `largest`, 0 where there is nothing left to explain."""
    from statsmodels.tsa.stattools import pacf_burg  # costs half a second to import

    result = np.zeros(largest)
    scale = np.abs(y - y[0]).max()
    if scale == 0 or largest >= len(y) - 1:
        return result
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        phi, innovation_var = pacf_burg((y - y[0]) / scale, nlags=largest)
    # A deterministic series is explained to rounding at some lag; what follows is noise of the
    # arithmetic, of any size.
    left = np.concatenate([[1.0], innovation_var[1:-1] / innovation_var[0]])
    known = np.isfinite(phi[1:]) & (np.minimum.accumulate(left) > th.PARTIAL_ROUNDING)
    result[known] = phi[1:][known]
    return result
