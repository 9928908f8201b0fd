"""Choosing lags by how well they forecast the series itself."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.judge import LagJudge, LagTrial
from gpforecast.automatic.lags.candidates import Proposed, first_round, neighbours
from gpforecast.automatic.lags.dependence import (
    by_partial_autocorrelation,
    embedding_delay,
    embedding_dimension,
)
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray, SeriesLike
from gpforecast.common.validation import counted, one_of, positive_integer
from gpforecast.common.wording import compared, in_digits, named_lags
from gpforecast.models import GaussianProcess
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import checked
from gpforecast.series.scaling import ROUNDING

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
        One row for each set of lags that was tried, the best first: ``lags``, ``source``,
        ``chosen``, ``score`` (mean absolute error of the forecasts, in standard deviations of the
        series, each error cut off at 1; or, where sets were compared by evidence alone, minus the
        log evidence a row), ``score_se`` (its standard error over the origins), ``log_evidence``
        (nats a row), ``lengthscale`` and ``noise_var`` (for the standardised series).
    delay : int
        First minimum of the average mutual information, in steps.
    dimension : int
        First dimension without false neighbours at that delay.
    model : GaussianProcess
        Not fitted: one length-scale for all lags, with the hyperparameters found on the grid for a
        standardised series (the noise at least 1e-6), which training keeps. On deterministic
        series it forecasts better than a length-scale for every lag.
    notes : tuple of str
        Remarks: sets that were not tried, a shorter horizon.
    """

    lags: tuple[int, ...]
    reason: str
    table: pd.DataFrame = field(repr=False)
    delay: int
    dimension: int
    model: GaussianProcess = field(repr=False)
    notes: tuple[str, ...] = ()


def choose_lags(
    series: SeriesLike,
    max_lag: int | None = None,
    *,
    period: int | None = None,
    horizon: int | None = None,
    max_sets: int | None = None,
    max_lags: int | None = None,
) -> LagChoice:
    """Choose the set of lags that forecasts the series best from origins in its own past.

    The candidates are, in this order: lags 1 to n for some n up to 32; lags of significant partial
    autocorrelation; seasonal sets, if there is a `period`; the embedding by average mutual
    information and false nearest neighbours; and multiples of a stride, without lag 1. Smooth
    deterministic series that are sampled finely need strides: neighbouring values repeat each
    other, and a model of the next one learns little but that. The last candidates are the
    neighbours of the best sets of multiples, as long as they are better.

    Each is judged by forecasts of `horizon` steps from 12 origins, by a Gaussian process with one
    length-scale that knows the rows before the origin. An error counts as at most one standard
    deviation of the series: how far a forecast strays once it is wrong does not matter. Of the sets
    whose errors are within half a standard error of the least, origin by origin, the first in the
    order above is taken, which goes from simple to elaborate.

    Forecasts of many steps hardly distinguish sets on a noisy series: after some steps every set
    forecasts the mean, and the rest is chance. If the set of most evidence leaves more than a
    hundredth of the variance to noise, errors within 0.03 count as equal too, and of the sets that
    are as good the one of most evidence of one step is taken, each lag at a price of 3 nats.

    With a horizon of one step, or fewer than 40 values, the evidence alone decides, on the same
    targets; with fewer than 8 values, partial autocorrelation.

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
        Steps of the forecasts; n / 6 by default, at most 200.
    max_sets : int, optional
        How many sets to try at most, in the order above; ``notes`` count those that are left out.
        By default all are tried.
    max_lags : int, optional
        How many lags to return at most.

    Returns
    -------
    LagChoice

    Raises
    ------
    TypeError, ValueError
        If the series is not regular, finite and at least 3 long, or an option is out of its range.

    Notes
    -----
    Some 10 to 60 sets at O(600^3) each: under a second for 300 values, seconds for 1000, and no
    more for longer series.

    References
    ----------
    Tashman (2000), "Out-of-sample tests of forecasting accuracy", International Journal of
    Forecasting 16, 437-450 (rolling origins); Breiman et al. (1984), "Classification and regression
    trees", section 3.4.3 (standard errors); Kennel et al. (1992) and Fraser and Swinney (1986), see
    `gpforecast.lags.false_neighbours` and `gpforecast.lags.average_mutual_information`.

    Examples
    --------
    >>> import gpforecast as gf
    >>> choice = choose_lags(gf.datasets.mackey_glass(150), max_lag=20)
    >>> fc = gf.Forecaster(lags=choice.lags, model=choice.model)
    >>> choice.table.columns.tolist()
    ['lags', 'source', 'chosen', 'score', 'score_se', 'log_evidence', 'lengthscale',
     'noise_var']
    """
    counts = {"max_lags": max_lags, "period": period, "horizon": horizon, "max_sets": max_sets}
    for name, value in counts.items():
        if value is not None:
            positive_integer(value, name)
    y = checked(series, complete=True).values
    partial = by_partial_autocorrelation(y, max_lag, max_lags=max_lags)
    newest = th.NEWEST_VALUES
    notes = [f"lags were chosen on the last {newest} values alone"] if len(y) > newest else []
    y = y[-newest:]
    spread, alone = float(np.abs(y - y.mean()).max()), ""
    if len(y) < th.SHORTEST:
        alone = (
            f"{counted(len(y), 'value')}, too few to compare forecasts; correlations with "
            f"earlier values decide (partial autocorrelations)"
        )
    elif spread <= ROUNDING * float(np.abs(y).max()):
        alone = "the series is constant"
    if alone:
        reason = f"{named_lags(partial)}: {alone}"
        return LagChoice(tuple(partial), reason, _table([]), 1, 1, GaussianProcess())
    z = (y - y.mean()) / spread
    z /= z.std()
    seasons = 0 if period is None else 2 * period + 1
    longest = max_lag or max(len(y) // 4, seasons if seasons <= len(y) // 3 else 0)
    steps = _horizon(len(y), horizon)
    if horizon is not None and 0 < steps < horizon:
        parts = f"lags were chosen for forecasts of {counted(steps, 'step')}, a third of the series"
        notes.append(parts)
    delay = embedding_delay(z, min(longest, th.TRIAL_STEPS))
    dimension = embedding_dimension(z, delay)
    first = first_round(partial, period, delay, dimension)
    trials, n_left = _tried(LagJudge(z, longest, steps), first, delay, max_lags or len(y), max_sets)
    if n_left:
        notes.append(f"{n_left} sets of lags were not tried, because of max_sets={max_sets}")
    chosen, reason = _chosen(trials, steps)
    table, model = _table(trials, chosen), chosen.found.model
    return LagChoice(chosen.lags, reason, table, delay, dimension, model, tuple(notes))


def select_lags(
    series: SeriesLike,
    max_lag: int | None = None,
    *,
    method: str = "auto",
    period: int | None = None,
    horizon: int | None = None,
    max_sets: int | None = None,
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
    period, horizon, max_sets
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
        choice = choose_lags(
            series, max_lag, period=period, horizon=horizon, max_sets=max_sets, max_lags=max_lags
        )
        return list(choice.lags)
    y = checked(series, complete=True).values
    return by_partial_autocorrelation(y, max_lag, alpha=alpha, max_lags=max_lags)


def _tried(
    judge: LagJudge, first: Proposed, delay: int, max_lags: int, max_sets: int | None
) -> tuple[list[LagTrial], int]:
    """Try the first round, then the neighbours of the best as long as there are new ones.

    No set is tried twice, reaches too far back or has too many lags. The second result is how
    many sets `max_sets` left untried.
    """
    trials: dict[tuple[int, ...], LagTrial] = {}
    proposed = first
    with one_blas_thread(), bar("choosing lags", unit="sets") as shown:
        while proposed:
            new: dict[tuple[int, ...], str] = {}
            for given, source in proposed:
                lags = tuple(sorted(set(given)))
                fits = 0 < len(lags) <= max_lags and lags[0] >= 1 and lags[-1] <= judge.longest
                if fits and lags not in trials:
                    new.setdefault(lags, source)
            for i, (lags, source) in enumerate(new.items()):
                if len(trials) == max_sets:
                    return list(trials.values()), len(new) - i
                trials[lags] = judge.trial(lags, source)
                logger.debug("tried %s: %.3g", trials[lags], trials[lags].score)
                shown.update()
            leader = _best_first(trials.values())[0]
            proposed = neighbours(leader.lags, delay) if new else []
    return list(trials.values()), 0


def _best_first(trials: Iterable[LagTrial]) -> list[LagTrial]:
    return sorted(trials, key=lambda trial: trial.score)  # stable: of equal scores the first tried


def _chosen(trials: list[LagTrial], steps: int) -> tuple[LagTrial, str]:
    """Choose among the sets that are as good as the best: the simplest, or the likeliest."""
    best = min(trials, key=lambda trial: trial.score)
    likeliest = max(trials, key=lambda trial: trial.credit)
    noisy = steps > 0 and likeliest.found.noise_var > th.SMOOTH
    margin = th.LAG_ALIKE if noisy else 0.0
    close = [trial for trial in trials if _as_good(trial, best, margin)]
    # They were tried from simple to elaborate.
    chosen = max(close, key=lambda trial: trial.credit) if noisy else close[0]
    tried = f"of {len(trials)} sets of lags"
    if steps == 0:
        return (
            chosen,
            f"{named_lags(best.lags)}: {tried} the one that predicts the next value best",
        )
    which = "predicts the next value best" if noisy else "is the simplest"
    alike = f"{tried} one of {len(close)} that forecast best and differ by no more than chance"
    why = f"{tried} the one that forecasts best" if len(close) == 1 else f"{alike}; it {which}"
    others = [trial for trial in _best_first(trials) if trial is not chosen]
    if others and np.isfinite([chosen.score, others[0].score]).all():
        other = others[0]
        why += (
            f"\nin forecasts of {counted(steps, 'step')} from {len(best.errors)} starting points "
            f"in the past its mean error is {compared(chosen.score, other.score)} that of "
            f"{named_lags(other.lags)}, the best of the others ({in_digits(chosen.score)} against "
            f"{in_digits(other.score)} standard deviations of the series)"
        )
    return chosen, f"{named_lags(chosen.lags)}: {why}"


def _as_good(trial: LagTrial, best: LagTrial, margin: float) -> bool:
    """Whether a trial is worse than the best by half a standard error, or `margin`, at most."""
    worse = trial.errors - best.errors  # origin by origin: hard origins are hard for both
    by_chance = th.LAG_STANDARD_ERRORS * float(np.nan_to_num(_standard_error(worse)))
    return trial is best or float(worse.mean()) <= max(by_chance, margin)


def _standard_error(errors: FloatArray) -> float:
    return float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else float("nan")


def _table(trials: list[LagTrial], chosen: LagTrial | None = None) -> pd.DataFrame:
    order = _best_first(trials)
    columns = {
        "lags": [trial.lags for trial in order],
        "source": [trial.source for trial in order],
        "chosen": [trial is chosen for trial in order],
        "score": [trial.score for trial in order],
        "score_se": [_standard_error(trial.errors) for trial in order],
        "log_evidence": [trial.found.log_evidence for trial in order],
        "lengthscale": [trial.found.lengthscale for trial in order],
        "noise_var": [trial.found.noise_var for trial in order],
    }
    return pd.DataFrame(columns)


def _horizon(n: int, horizon: int | None) -> int:
    """Return the steps of a forecast, 0 for a choice by evidence."""
    if horizon == 1 or n < th.LAG_SHORT_SERIES:
        return 0
    if horizon is None:
        return min(n // th.PARTS, th.TRIAL_STEPS)
    return min(horizon, n // 3)
