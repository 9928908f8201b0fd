"""The plain way to ask for lags: a series in, a list of integers out."""

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.lags.choice import choose_lags
from gpforecast.automatic.lags.partial import by_partial_autocorrelation
from gpforecast.common.types import SeriesLike
from gpforecast.common.validation import one_of
from gpforecast.series.checked import checked


def select_lags(
    series: SeriesLike,
    max_lag: int | None = None,
    *,
    method: str = "auto",
    period: int | None = None,
    horizon: int | None = None,
    max_sets: int | None = None,
    alpha: float = th.PARTIAL_ALPHA,
    max_lags: int = th.MOST_LAGS,
) -> list[int]:
    """Choose lags from the series itself.

    ``"auto"`` is the list alone of `gpforecast.lags.choose_lags`, which tries sets of lags by
    forecasting the series from origins in its own past.

    ``"pacf"`` keeps lag 1 and every lag k at which Burg's estimate of the partial autocorrelation
    lies outside ±z / sqrt(n), with z the normal quantile of 1 - alpha / 2: the band within which it
    falls with probability 1 - alpha when an autoregression of order k - 1 is enough (Quenouille,
    1949). Of more than `max_lags` such lags the largest partial autocorrelations win. It takes
    milliseconds, sees linear dependence only, and lets a fraction `alpha` of idle lags through.

    Parameters
    ----------
    series : Series or 1-D array-like
        The n values, none missing.
    max_lag : int, optional
        The largest lag to consider, less than n / 2. By default n / 4; for ``"pacf"`` no more than
        that and the larger of 48 and 10 log10(n).
    method : {"auto", "pacf"}
        How to choose.
    period, horizon, max_sets
        For ``"auto"``; see `choose_lags`.
    alpha : float
        The significance level of ``"pacf"``, between 0 and 1.
    max_lags : int
        How many lags to return at most.

    Returns
    -------
    list of int
        In increasing order; ``"pacf"`` begins with 1.

    Raises
    ------
    TypeError, ValueError
        If the series is not regular, finite and at least 3 long, or an option is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.zeros(400)
    >>> for t in range(3, 400):
    ...     y[t] = 0.5 * y[t - 1] - 0.6 * y[t - 3] + rng.normal()
    >>> select_lags(y, max_lag=5, method="pacf")
    [1, 2, 3]
    """
    if one_of(method, "method", ("auto", "pacf")) == "auto":
        choice = choose_lags(
            series, max_lag, period=period, horizon=horizon, max_sets=max_sets, max_lags=max_lags
        )
        return list(choice.lags)
    y = checked(series, fill=False, complete=True).values
    return by_partial_autocorrelation(y, max_lag, alpha=alpha, max_lags=max_lags)
