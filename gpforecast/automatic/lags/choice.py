"""Choosing lags by how well they forecast the series itself."""

import logging
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.automatic.lags.candidates import Candidate, Shortlist
from gpforecast.automatic.lags.delay import embedding_delay, embedding_dimension
from gpforecast.automatic.lags.judging import Hyperparameters, Judge, Trial
from gpforecast.automatic.lags.partial import by_partial_autocorrelation
from gpforecast.common.progress import Bar, bar
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number, positive_integer
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import checked

logger = logging.getLogger(__name__)

_FEW = 12  # values below which nothing can be judged
_SHORT = 40  # values below which a horizon is too short to judge by
_RECENT = 10_000  # values looked at
_LONGEST = 200  # steps of a forecast
_ROUNDS = 4  # of refinement
_LEAST_NOISE = 1e-6  # with less, error bars of free-running forecasts are too narrow
_MARGIN = 0.5  # standard errors within which a simpler set is as good
_NOISY = 0.01  # of the variance is noise of single steps
_ALIKE = 0.03  # standard deviations; noise makes larger differences of 12 forecasts
_PRICE = 3.0  # nats a lag: prior odds of 20 to 1 against each
_COLUMNS = (
    "lags",
    "source",
    "chosen",
    "score",
    "score_se",
    "log_evidence",
    "lengthscale",
    "noise_var",
)


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
        What a user should know: the budget spent before all was tried, a shorter horizon.
    """

    lags: tuple[int, ...]
    reason: str
    table: pd.DataFrame = field(repr=False)
    delay: int
    dimension: int
    model: GaussianProcess = field(repr=False)
    notes: tuple[str, ...] = ()


def choose_lags(
    series: Any,
    max_lag: int | None = None,
    *,
    period: int | None = None,
    horizon: int | None = None,
    budget_s: float = 60.0,
    max_lags: int = 32,
) -> LagChoice:
    """Choose the set of lags that forecasts the series best from origins in its own past.

    Tried are, in this order: lags 1 to n for some n up to 32; those of significant partial
    autocorrelation; seasonal sets, if there is a `period`; the embedding by average mutual
    information and false nearest neighbours; and multiples of a stride, without lag 1. Finely
    sampled series of smooth, deterministic origin need strides: neighbouring values repeat each
    other, and a model of the next one learns little but that. Then come the neighbours of the best
    sets of multiples, for as long as they are better.

    Each is judged by forecasts of `horizon` steps from 12 origins, by a Gaussian process with one
    length-scale that knows the rows before the origin. An error counts as at most one standard
    deviation of the series, so that a forecast which goes wrong at last is not judged by how far.
    Of the sets whose errors are within half a standard error of the least, origin by origin, the
    first in the order above is taken, which goes from simple to elaborate.

    Forecasts of many steps tell little of a noisy series: after some of them every set forecasts
    the mean, and what they then differ by is chance. If the set of most evidence leaves more than
    a hundredth of the variance to noise, errors within 0.03 count as equal too, and of the sets
    that are as good the one of most evidence of one step is taken, each lag at a price of 3 nats.

    A horizon of one step, or fewer than 40 values, are judged by evidence alone, on the same
    targets; fewer than 12 values by partial autocorrelation.

    Parameters
    ----------
    series : Series or 1-D array-like
        The n values, none missing. Of more than 10 000 the last 10 000 are looked at.
    max_lag : int, optional
        The largest lag to consider, less than n / 2; by default n / 4, or what two periods take
        if that is within n / 3.
    period : int, optional
        Of a season, in steps.
    horizon : int, optional
        Steps of the forecasts; n / 6 by default, at most 200.
    budget_s : float
        Seconds of processor time. No candidate is begun after them; what is left out is said in
        ``notes``. As the order is fixed, a choice that ends within its budget is the same on every
        machine, but for the rounding of its arithmetic.
    max_lags : int
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
    Some 10 to 50 sets at O(600^3) each: under a second for 300 values, seconds for 1000, and no
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
    positive_integer(max_lags, "max_lags")
    for value, name in ((period, "period"), (horizon, "horizon")):
        if value is not None:
            positive_integer(value, name)
    if not (is_number(budget_s) and budget_s > 0):
        raise ValueError(f"budget_s must be a positive number of seconds; got {budget_s!r}.")
    y = checked(series, fill=False, complete=True).values
    partial = by_partial_autocorrelation(y, max_lag, max_lags=max_lags)
    notes = [] if len(y) <= _RECENT else [f"lags were chosen on the last {_RECENT} values"]
    y = y[-_RECENT:]
    spread = float(np.abs(y - y.mean()).max())
    if len(y) < _FEW or spread <= 1e-12 * float(np.abs(y).max()):
        return _by_partial_alone(tuple(partial), len(y))
    z = (y - y.mean()) / spread
    z /= z.std()
    reach = _reach(len(y), max_lag, period)
    steps, said = _horizon(len(y), horizon)
    delay = embedding_delay(z, min(reach, _LONGEST))
    dimension = embedding_dimension(z, delay)
    shortlist = Shortlist(reach, max_lags, delay)
    first = shortlist.first_round(partial, period, dimension)
    with one_blas_thread(), bar("choosing lags", unit="sets") as shown:
        trials, unfinished = _try(Judge(z, reach, steps), shortlist, first, budget_s, shown)
    return _chosen(trials, steps, delay, dimension, (*notes, *said, *unfinished))


_Trials = dict[Candidate, Trial]


def _try(
    judge: Judge, shortlist: Shortlist, first: list[Candidate], budget_s: float, shown: Bar
) -> tuple[_Trials, list[str]]:
    """Try the first round, then the neighbours of the best for as long as they get better."""
    end = time.thread_time() + budget_s
    trials: _Trials = {}
    waiting = list(first)
    for _ in range(_ROUNDS):
        for i, candidate in enumerate(waiting):
            if trials and time.thread_time() > end:
                left = len(waiting) - i
                return trials, [f"budget_s={budget_s:g} ended with {left} sets of lags to try"]
            trials[candidate] = judge.trial(candidate.lags)
            logger.debug("%s: %.3g", _named(candidate), trials[candidate].score)
            shown.update()
        leaders = sorted(trials, key=lambda c: trials[c].score)[:2]
        waiting = [c for leader in leaders for c in shortlist.near(leader.lags)]
        if not waiting:
            break
    return trials, []


def _chosen(
    trials: _Trials, steps: int, delay: int, dimension: int, notes: tuple[str, ...]
) -> LagChoice:
    """Choose among the sets that are as good as the best: the simplest, or the likeliest."""
    order = sorted(trials, key=lambda c: trials[c].score)  # stable: of equals the first tried
    likeliest = max(trials, key=lambda c: _credit(c, trials[c]))
    noisy = steps > 0 and trials[likeliest].found.noise_var > _NOISY
    alike = _ALIKE if noisy else 0.0
    close = [c for c in trials if _as_good(trials[c], trials[order[0]], alike)]
    # They were tried from simple to elaborate.
    chosen = max(close, key=lambda c: _credit(c, trials[c])) if noisy else close[0]
    return LagChoice(
        chosen.lags,
        _reason(chosen, order, trials, len(close), steps, noisy=noisy),
        _table(chosen, order, trials),
        delay,
        dimension,
        _model(trials[chosen].found),
        notes,
    )


def _credit(candidate: Candidate, trial: Trial) -> float:
    """Return the log evidence of all rows less the price of the lags, nats."""
    return trial.n_compared * trial.found.log_evidence - _PRICE * len(candidate.lags)


def _as_good(trial: Trial, best: Trial, alike: float) -> bool:
    """Return whether a trial is worse than the best by half a standard error at most, or alike."""
    worse = trial.errors - best.errors  # origin by origin: hard origins are hard for both
    margin = _MARGIN * float(np.nan_to_num(_standard_error(worse)))
    return trial is best or float(worse.mean()) <= max(margin, alike)


def _reason(
    chosen: Candidate,
    order: list[Candidate],
    trials: _Trials,
    n_close: int,
    steps: int,
    *,
    noisy: bool,
) -> str:
    if steps == 0:
        return f"of {len(order)} sets, {_named(chosen)} had the largest evidence of one step"
    best = order[0]
    reason = (
        f"of {len(order)} sets, {_named(best)} had the smallest error of forecasts of {steps} "
        f"steps from {len(trials[best].errors)} origins, {trials[best].score:.3g}"
    )
    if n_close == 1:
        return reason
    if noisy:
        return reason + (
            f"; steps are noisy, and of the {n_close} within half a standard error or {_ALIKE:g} "
            f"of that, {_named(chosen)} are the likeliest for one step (error "
            f"{trials[chosen].score:.3g})"
        )
    return reason + (
        f"; of the {n_close} within half a standard error of that, {_named(chosen)} are the "
        f"simplest (error {trials[chosen].score:.3g})"
    )


def _named(candidate: Candidate) -> str:
    return f"lags {candidate.label} ({candidate.source})"


def _table(chosen: Candidate, order: list[Candidate], trials: _Trials) -> pd.DataFrame:
    rows = [
        (
            c.lags,
            c.source,
            c is chosen,
            trials[c].score,
            _standard_error(trials[c].errors),
            trials[c].found.log_evidence,
            trials[c].found.lengthscale,
            trials[c].found.noise_var,
        )
        for c in order
    ]
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _standard_error(errors: FloatArray) -> float:
    return float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else float("nan")


def _model(found: Hyperparameters) -> GaussianProcess:
    bumps = SquaredExponential(lengthscales=found.lengthscale, variance=found.variance)
    noise_var = max(found.noise_var, _LEAST_NOISE)
    return GaussianProcess(bumps, noise_var=noise_var, optimizer=None)


def _by_partial_alone(lags: tuple[int, ...], n: int) -> LagChoice:
    why = f"{n} values are too few to judge by forecasts" if n < _FEW else "the series is constant"
    return LagChoice(
        lags,
        f"lags of significant partial autocorrelation: {why}",
        pd.DataFrame(columns=list(_COLUMNS)),
        1,
        1,
        GaussianProcess(),
    )


def _reach(n: int, max_lag: int | None, period: int | None) -> int:
    if max_lag is not None:
        return max_lag
    seasons = 0 if period is None else 2 * period + 1
    return max(n // 4, seasons if seasons <= n // 3 else 0)


def _horizon(n: int, horizon: int | None) -> tuple[int, list[str]]:
    """Return the steps of a forecast, 0 for a choice by evidence, and what to say of it."""
    if horizon == 1 or n < _SHORT:
        return 0, []
    if horizon is None:
        return min(n // 6, _LONGEST), []
    if horizon > n // 3:
        return n // 3, [f"lags were chosen for a horizon of {n // 3}, a third of the series"]
    return horizon, []
