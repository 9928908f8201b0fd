"""Choosing the lags of an autoregressive model from the series itself."""

import warnings
from statistics import NormalDist
from typing import Any

import numpy as np

from gpforecast.indexes import as_series
from gpforecast.typing import FloatArray
from gpforecast.validation import one_of, positive_integer


def select_lags(
    series: Any,
    max_lag: int | None = None,
    *,
    method: str = "pacf",
    alpha: float = 0.05,
    max_lags: int = 32,
) -> list[int]:
    """Choose lags by the significance of their partial autocorrelations.

    Lag k is kept if Burg's estimate of the partial autocorrelation at k lies outside
    ±z / sqrt(n), with z the normal quantile of 1 - alpha / 2: the band within which it falls with
    probability 1 - alpha when an autoregression of order k - 1 is enough (Quenouille, 1949). Of
    more than `max_lags` such lags the largest partial autocorrelations win. Lag 1 is always in.

    This sees linear dependence only, and lets a fraction `alpha` of idle lags through. For a choice
    by the evidence of the model itself, fit it with each of a few lag sets and keep the set with
    the largest ``log_marginal_likelihood_``; drop the first rows where a set reaches back less, so
    that all are judged on the same targets.

    Parameters
    ----------
    series : Series or 1-D array-like
        The n values, none missing.
    max_lag : int, optional
        The largest lag to consider, less than n / 2. By default the larger of 48 and 10 log10(n),
        but no more than n / 4, so that three quarters of the series remain as rows.
    method : {"pacf"}
        How to choose.
    alpha : float
        The significance level, between 0 and 1.
    max_lags : int
        How many lags to return at most.

    Returns
    -------
    list of int
        In increasing order, beginning with 1.

    Raises
    ------
    TypeError, ValueError
        If the series is not regular, finite and at least 3 long, or an option is out of its range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.zeros(400)
    >>> for t in range(3, 400):
    ...     y[t] = 0.5 * y[t - 1] - 0.6 * y[t - 3] + rng.normal()
    >>> select_lags(y, max_lag=5)
    [1, 2, 3]
    """
    one_of(method, "method", ("pacf",))
    most = positive_integer(max_lags, "max_lags")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    y = np.asarray(as_series(series), dtype=np.float64)
    n = len(y)
    if n < 3:
        raise ValueError(f"series has {n} values but choosing lags needs at least 3.")
    supported = max((n - 1) // 2, 1)
    if max_lag is None:
        largest = min(max(48, int(10 * np.log10(n))), max(n // 4, 1), supported)
    else:
        largest = positive_integer(max_lag, "max_lag")
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
    known = np.isfinite(phi[1:]) & (np.minimum.accumulate(left) > 1e-10)
    result[known] = phi[1:][known]
    return result
