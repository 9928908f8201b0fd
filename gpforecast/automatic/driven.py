"""Driven processes: trials of models with inputs beside the lags, and the lags of both.

A series alone does not tell the lags of a process that is driven: what its inputs did looks like
memory, so that lags 1, 8, 16, ... seem best, where the newest values and earlier inputs are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import calendar_periods, n_newest
from gpforecast.automatic.judge import on_grid
from gpforecast.automatic.lags.after_transforms import affordable
from gpforecast.automatic.origins import evenly, trial_parts
from gpforecast.automatic.trials import bridged
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import on_trial
from gpforecast.common.wording import compared, in_digits, named_lags
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.results.warped import distribution_of
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags

Lags = tuple[int, ...]


@dataclass(frozen=True)
class LagPair:
    """Lags of a series and of its inputs.

    Attributes
    ----------
    own : tuple of int
        Lags of the series.
    inputs : tuple of int
        Lags of the inputs that the user passes.
    """

    own: Lags
    inputs: Lags

    def n_inputs(self, n_columns: int) -> int:
        """Return how many inputs that is for a model."""
        return len(self.own) + len(self.inputs) * n_columns

    def __str__(self) -> str:
        """Name both."""
        last = max(self.inputs)
        return f"{named_lags(self.own)} and of the inputs {f'0 to {last}' if last else '0'}"


def lags_with_inputs(
    y: "pd.Series[float]",
    exog: Exogenous,
    own: Decision[Lags],
    *,
    given: bool = False,
) -> tuple[Decision[Lags], Decision[Lags | None]]:
    """Return lags of the series and of its inputs, None for lag 0 alone, by trials of both.

    Parameters
    ----------
    y : Series (n,)
    exog : Exogenous
    own : Decision of lags
        Those chosen by the series alone, or the user's.
    given : bool
        Whether they are the user's, and stay.

    Notes
    -----
    Up to eight trials of a Gaussian process with one length-scale on 200 rows, a fifth of a second
    or less each.
    """
    simplest, n = LagPair(own.value, (0,)), int(y.notna().sum())
    scores = {simplest: _score(y, exog, simplest)}
    newest = own if given else affordable(Decision(th.LAGS_FURTHER), y.isna().to_numpy())
    for lags in dict.fromkeys((own.value, newest.value)):
        for last in (0, *th.INPUT_LAGS):
            tried = LagPair(lags, tuple(range(last + 1)))
            size = tried.n_inputs(exog.n_given)
            if tried != simplest and size <= min(th.INPUT_LAGS_MOST, n // th.VALUES_A_LAG):
                scores[tried] = _score(y, exog, tried)
    first, least = scores[simplest], min(scores.values())
    if not np.isfinite(first):  # too few values for these lags
        return own, Decision(None, "inputs count at the time of the value alone (lag 0)")
    alike = [tried for tried, score in scores.items() if score <= th.AS_GOOD_AS_BEST * least]
    best = min(alike, key=lambda tried: tried.n_inputs(exog.n_given), default=simplest)
    errors = {str(tried): score for tried, score in scores.items()}
    at_once = "inputs count at the time of the value alone (lag 0)"
    if any(len(tried.inputs) > 1 for tried in scores):
        at_once += "; trials with earlier ones were no better"
    if best == simplest or not scores[best] < th.INPUT_LAGS_HELP * first:
        return own, Decision(None, at_once, errors)
    compares = f"the error of trials is {compared(scores[best], first)} that with"
    numbers = f"(CRPS {in_digits(scores[best])} against {in_digits(first)})"
    if best.own != own.value:
        alone = f"{named_lags(own.value)}, which the series alone suggests, and inputs at lag 0"
        own = Decision(best.own, f"{named_lags(best.own)}: {compares} {alone} {numbers}")
    if len(best.inputs) == 1:
        return own, Decision(None, at_once, errors)
    last = max(best.inputs)
    counted_lags = f"inputs count up to {last} steps before the value (lags 0 to {last})"
    return own, Decision(best.inputs, f"{counted_lags}: {compares} lag 0 alone {numbers}", errors)


def _score(y: "pd.Series[float]", exog: Exogenous, pair: LagPair) -> float:
    """Return the CRPS of trials by a Gaussian process: the model that is to be taken."""
    with one_blas_thread():
        return within(y, exog, pair.inputs, 0, own=(pair.own,), linear=(False,))


def within(
    y: "pd.Series[float]",
    exog: Exogenous,
    exog_lags: ExogLags,
    horizon: int,
    *,
    own: Sequence[Lags] = (th.LAGS_NEAR, th.LAGS_FURTHER),
    linear: Sequence[bool] = (True, False),
) -> float:
    """Return the smallest CRPS of trial forecasts by models with inputs, and nothing taken away.

    Parameters
    ----------
    y : Series (n,)
    exog : Exogenous
    exog_lags
        As for `gpforecast.Forecaster`.
    horizon : int
        0 for what suits the length of the series.
    own : sequence of lags
        Of the series; each set is tried,
    linear : sequence of bool
        by a linear model, by a Gaussian process, or by both.
    """
    values, skipped, size = newest_of(y)
    values = values / size
    horizon = trial_horizon(len(values), horizon)
    U = exog.scaled(exog.past)[skipped : skipped + len(values)]
    U = np.where(np.isnan(U), 0.0, U)
    best = np.inf
    for lags in own:
        embedding = LagEmbedding(list(lags), exog_lags=exog.lags(exog_lags))
        for line in linear:
            try:
                scores = [
                    _part(values, U, exog, embedding, (origins, horizon), linear=line)
                    for origins in trial_parts(len(values), horizon)
                ]
            except (ValueError, np.linalg.LinAlgError):  # too short, or it runs away
                continue
            if scores:
                best = min(best, float(np.concatenate(scores).mean()))
    return size * best


def _part(
    y: FloatArray,
    U: FloatArray,
    exog: Exogenous,
    embedding: LagEmbedding,
    ahead: tuple[np.ndarray, int],
    *,
    linear: bool,
) -> FloatArray:
    """Return the CRPS of forecasts by one model with inputs from the origins of one part."""
    origins, horizon = ahead
    start = int(origins[0])
    middle, spread = float(y[:start].mean()), max(float(y[:start].std()), 1e-300)
    z = (y - middle) / spread
    rows = embedding.embed(z[:start], pd.RangeIndex(start), U[:start], exog.columns)
    inputs = Inputs(embedding.lags_, embedding.exog_plan(exog.columns))
    back = np.arange(-inputs.n_past_exog, horizon)
    past = z[origins[:, None] + np.arange(-inputs.n_past, 0)]
    with on_trial():
        if linear:
            if len(rows.y) < 2 * rows.X.shape[1] + 2:
                raise ValueError("too few rows")
            posterior = LinearAR().fit(rows.X, rows.y).posterior_
        else:
            some = evenly(0, len(rows.y) - 1, th.INPUT_ROWS)
            model: GaussianProcess = on_grid(rows.X[some], rows.y[some]).model
            posterior = model.fit(rows.X[some], rows.y[some]).posterior_
        found = propagate(
            posterior, ExactMoments(), inputs, Start(past, U[origins[:, None] + back]), horizon
        )
    truth = z[origins[:, None] + np.arange(horizon)]
    return spread * np.ravel(distribution_of(found, None).crps(truth))


def newest_of(y: "pd.Series[float]") -> tuple[FloatArray, int, float]:
    """Return the newest values without gaps, how many come before, and their size, 1 for zeros."""
    values = values_of(y)
    first = int(np.flatnonzero(~np.isnan(values))[0])
    whole = bridged(values)
    newest = whole[-n_newest(calendar_periods(y.index)) :]
    return newest, first + len(whole) - len(newest), float(np.abs(newest).max()) or 1.0


def trial_horizon(n: int, planned: int) -> int:
    """Return the steps of trial forecasts: those planned, or what suits n values."""
    return planned or max(min(n // th.HORIZON_PARTS, th.TRIAL_STEPS), 1)
