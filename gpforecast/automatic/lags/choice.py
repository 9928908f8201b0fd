"""Choosing lags by how well they forecast the series itself."""

import logging
from dataclasses import dataclass, field

import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.features import is_constant
from gpforecast.automatic.lags.candidates import sets_of_lags
from gpforecast.automatic.lags.dependence import by_partial_autocorrelation
from gpforecast.automatic.lags.trial import Lags, tried
from gpforecast.common.progress import bar
from gpforecast.common.types import SeriesLike
from gpforecast.common.validation import counted, one_of, positive_integer
from gpforecast.common.wording import named_lags
from gpforecast.models import GaussianProcess
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import checked
from gpforecast.series.scaling import location_and_scale

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class LagChoice:
    """Lags, and why they were chosen.

    Attributes
    ----------
    lags : tuple of int
        In increasing order.
    reason : str
        In words.
    table : DataFrame
        One row for each set of lags that was tried, the best first, which is chosen: ``lags``;
        ``score``, the sum of ``crps`` (of the forecasts) and ``crps_of_step`` (of one step), in
        standard deviations of the series; ``lengthscale`` and ``noise_var`` of the standardised
        series.
    model : GaussianProcess
        Not fitted: one length-scale for all lags, with the hyperparameters found on the grid for a
        standardised series, which training keeps. On deterministic
        series it forecasts better than a length-scale for every lag.
    """

    lags: Lags
    reason: str
    table: pd.DataFrame = field(repr=False)
    model: GaussianProcess = field(repr=False)


def choose_lags(
    series: SeriesLike,
    max_lag: int | None = None,
    *,
    period: int | None = None,
    horizon: int | None = None,
    max_lags: int | None = None,
) -> LagChoice:
    r"""Choose the set of lags that forecasts the series best from origins in its own past.

    The candidates are lags 1 to n for some n up to 32; multiples of a stride, because neighbouring
    values of a smooth series that is sampled finely repeat each other; and sets around a season, if
    there is a `period`. Each is the input of a Gaussian process with one length-scale, which
    forecasts `horizon` steps from 12 origins o by the rows before. The smallest score is chosen:

    .. math:: \Bigl(\prod_o \mathrm{CRPS}_o\Bigr)^{1/12} + \mathrm{CRPS}_1, \qquad
        \log \mathrm{CRPS}_1 = -\frac1n (\log p(y \mid X) - 3 k) - \log(\pi \sqrt{2e})

    The second term is the CRPS of one step, by the log evidence of n rows and a prior of 3 nats
    against each of k lags. Where noise is small the first decides: it shows which sets are still
    right once they are iterated. Forecasts of many steps of a noisy series are all alike, and the
    second decides; with a horizon of one step it alone counts.

    Parameters
    ----------
    series : Series or 1-D array-like
        The n values, none missing. Only the last 3000 are used.
    max_lag : int, optional
        The largest lag to consider, less than n / 2; by default n / 4, or what two periods take
        if that is within n / 3.
    period : int, optional
        Of a season, in steps.
    horizon : int, optional
        Steps of the forecasts, at most n / 3; n / 6 by default, at most 200.
    max_lags : int, optional
        How many lags to return at most.

    Returns
    -------
    LagChoice
        With fewer than 8 values, or a constant, that of lag 1, with an empty table.

    Raises
    ------
    TypeError, ValueError
        If the series is not regular, finite and at least 3 long, or an option is out of its range.

    Notes
    -----
    Some 30 sets at O(600^3) each: under a second for 300 values, seconds for 1000, and no
    more for longer series. The paths are not given a width: their CRPS is the absolute error.

    References
    ----------
    Tashman (2000), "Out-of-sample tests of forecasting accuracy", International Journal of
    Forecasting 16, 437-450 (rolling origins); Kass and Raftery (1995), "Bayes factors", Journal of
    the American Statistical Association 90, 773-795 (3 nats: odds of 20 to 1).

    Examples
    --------
    >>> import gpforecast as gf
    >>> choice = choose_lags(gf.datasets.mackey_glass(150), max_lag=20)
    >>> fc = gf.Forecaster(lags=choice.lags, model=choice.model)
    >>> choice.table.columns.tolist()
    ['lags', 'score', 'crps', 'crps_of_step', 'lengthscale', 'noise_var']
    """
    counts = {"max_lag": max_lag, "max_lags": max_lags, "period": period, "horizon": horizon}
    for name, value in counts.items():
        if value is not None:
            positive_integer(value, name)
    y = checked(series, complete=True).values[-th.NEWEST_VALUES :]
    n, supported = len(y), max((len(y) - 1) // 2, 1)
    if n < 3:
        raise ValueError(f"series has {counted(n, 'value')} but choosing lags needs at least 3.")
    if max_lag is not None and max_lag > supported:
        raise ValueError(
            f"max_lag must be at most {supported} for a series of {n} values; got {max_lag}."
        )
    columns = ["lags", "score", "crps", "crps_of_step", "lengthscale", "noise_var"]
    few = n < th.SHORTEST
    if few or is_constant(y):
        why = f"{counted(n, 'value')}, too few to compare lags" if few else "the series is constant"
        return LagChoice((1,), f"lag 1: {why}", pd.DataFrame(columns=columns), GaussianProcess())
    location, scale = location_and_scale(y)
    z = (y - location) / scale
    seasons = 0 if period is None else 2 * period + 1
    longest = max_lag or max(n // 4, seasons if seasons <= n // 3 else 0)
    steps = min(horizon, n // 3) if horizon else min(n // th.PARTS, th.TRIAL_STEPS)
    steps = steps if steps > 1 else 0
    sets, trials = sets_of_lags(period, longest, max_lags or n), []
    with one_blas_thread(), bar("choosing lags", unit="sets") as shown:
        for lags in sets:
            trials.append(tried(z, lags, longest, steps))
            logger.debug("tried %s: %.3g", lags, trials[-1].score)
            shown.update()
    trials.sort(key=lambda trial: trial.score)  # stable: of equal scores the smallest set
    by = f"forecasts of {counted(steps, 'step')} from the past" if steps else "evidence"
    best = trials[0]
    reason = f"{named_lags(best.lags)}: the best of {counted(len(sets), 'set')} by {by}"
    rows = [(*one[:-1], one.found.lengthscale, one.found.noise_var) for one in trials]
    table = pd.DataFrame(rows, columns=columns)
    return LagChoice(best.lags, reason, table, best.found.model)


def select_lags(
    series: SeriesLike,
    max_lag: int | None = None,
    *,
    method: str = "auto",
    period: int | None = None,
    horizon: int | None = None,
    alpha: float = 0.05,
    max_lags: int | None = None,
) -> list[int]:
    """Choose lags from the series itself.

    ``"auto"`` returns the lags of `gpforecast.lags.choose_lags`, which tries sets of lags by
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
        that and 10 log10(n).
    method : {"auto", "pacf"}
        How to choose.
    period, horizon
        For ``"auto"``; see `choose_lags`.
    alpha : float
        The significance level of ``"pacf"``, between 0 and 1.
    max_lags : int, optional
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
        options = {"period": period, "horizon": horizon, "max_lags": max_lags}
        return list(choose_lags(series, max_lag, **options).lags)
    y = checked(series, complete=True).values
    return by_partial_autocorrelation(y, max_lag, alpha=alpha, max_lags=max_lags)
