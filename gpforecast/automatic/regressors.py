"""Where exogenous columns enter: as effects beside trend and season, or as inputs of the model.

There are two kinds of inputs. Holidays, promotions or the temperature move a series that has a
trend and a season of its own: their effects are found together with these
(`transforms.InputEffects`), and all that is chosen for a series without inputs is chosen for what
they leave. The voltage of a motor or the gas of a furnace drives a process, with delays and curves:
the model learns them from lags of both, and nothing is taken away. Forecasts of the series' own
past decide, from the same origins with the inputs of their horizons known.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.cleaned import Cleaned, cleaned
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.driven import newest_of, trial_horizon, within
from gpforecast.automatic.features import is_constant
from gpforecast.automatic.judge import Trial, parts_of, trial
from gpforecast.automatic.known_seasons import Seasons, choose_with_seasons
from gpforecast.automatic.lags.candidates import lags_around
from gpforecast.automatic.trials import Before, TransformPlan, bridged
from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.common.wording import compared, in_digits, listed, number
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose, Log
from gpforecast.transforms.base import Warp
from gpforecast.transforms.input_effects import FittedEffects, InputEffects, KnownInputs

logger = logging.getLogger(__name__)

BESIDE = "with their effects taken from the series"
IN_LOGS = "with their effects taken from its logarithm"
WITHIN = "with the inputs beside the lags"
EARLIER = f"with the inputs up to {th.INPUT_LAGS[0]} steps before beside the lags"
WITHOUT = "without inputs"


def effects_of(exog: Exogenous, exog_lags: ExogLags) -> InputEffects:
    """Return the effects of columns at their lags, not fitted."""
    embedding = LagEmbedding(1, exog_lags=exog.lags(exog_lags))
    terms = embedding.exog_plan(exog.columns)
    embedding.first_target(len(exog.past), [lag for _, lag in terms])
    names = [f"{exog.columns[j]} lag {lag}" if lag else exog.columns[j] for j, lag in terms]
    return InputEffects().with_inputs(KnownInputs.of(exog.past, exog.location), terms, names)


def choose_inputs(
    y: "pd.Series[float]",
    exog: Exogenous,
    exog_lags: ExogLags = None,
    *,
    outliers: bool = True,
    seasons: Seasons | None = None,
) -> Decision[Chain | None]:
    """Return transforms with effects of the inputs, or None if these are the model's.

    Parameters
    ----------
    y : Series (n,)
    exog : Exogenous
    exog_lags
        As for `gpforecast.Forecaster`.
    outliers : bool
        Whether to look for outliers: of what the inputs leave, so that a sale is none.
    seasons : tuple of int, optional
        Those that the user says there are.
    """
    effects = effects_of(exog, exog_lags)
    if int(y.notna().sum()) < th.SHORTEST or is_constant(bridged(values_of(y))):
        return Decision(None, "the series is too short or too constant to find effects of inputs")
    around = partial(_around, y, effects, rarely_on(exog.past) if outliers else None, seasons)
    try:
        plan, chain = around(in_logs=False)
    except ValueError as error:
        why = str(error).removesuffix(".")
        return Decision(None, f"no effects of inputs could be found: {why}")
    # Delays that the user names, and a series with nothing to take away, speak for the model.
    lags_named = exog_lags is not None or not plan.transforms.steps
    with one_blas_thread():
        scores = {BESIDE: _beside(y, effects, plan).crps}
        logs = _of_logarithm(y, effects, plan, chain)
        if logs * th.INPUT_MARGIN_LOG < scores[BESIDE]:
            with suppress(ValueError):
                _, on_logs = around(in_logs=True)
                if on_logs.warp == Log():  # what is left may not take it
                    chain, scores[IN_LOGS] = on_logs, logs
        way = _way(y, exog, exog_lags, plan.horizon, scores, lags_named=lags_named)
    reason = _why(scores, way)
    logger.info("inputs: %s", reason)
    return Decision(chain if way in (BESIDE, IN_LOGS) else None, reason, scores)


def rarely_on(columns: FloatArray) -> BoolArray:
    """Return where columns (n, q) leave the value that they nearly always have, if there is one."""
    rare = np.zeros(columns.shape, dtype=bool)
    for column, on in zip(columns.T, rare.T, strict=True):
        known = column[~np.isnan(column)]
        values, times = np.unique(known, return_counts=True)
        if len(known) and times.max() >= (1.0 - th.INPUT_RARE) * len(known):
            on[:] = (column != values[np.argmax(times)]) & ~np.isnan(column)
    return rare


def _way(
    y: "pd.Series[float]",
    exog: Exogenous,
    exog_lags: ExogLags,
    horizon: int,
    scores: dict[str, float],
    *,
    lags_named: bool,
) -> str:
    """Return how inputs enter, and add the trial errors of models to that of effects in `scores`.

    Effects and lag 0 alone are blind to an input that acts with a delay. Where neither speaks for
    the model and nobody names lags, one more trial has earlier inputs.
    """
    effects = IN_LOGS if IN_LOGS in scores else BESIDE
    if not exog.n_given:  # a date drives no process
        return effects
    scores[WITHIN] = beside = within(y, exog, exog_lags, horizon)
    if not scores[effects] <= (th.INPUT_MARGIN_MODEL if lags_named else th.INPUT_MARGIN) * beside:
        if lags_named:
            return WITHIN
        scores[WITHOUT] = within(y, Exogenous.fit(None, y.index), None, horizon)
        if not beside > th.INPUT_HELPS * scores[WITHOUT]:  # it is better for its inputs
            return WITHIN
    lags = range(th.INPUT_LAGS[0] + 1)
    if exog_lags is None and 0 < len(lags) * exog.n_given <= th.INPUT_EARLIER_MOST:
        earlier = within(y, exog, lags, horizon)
        if earlier < th.INPUT_EARLIER_HELP * min(scores.values()):
            scores[EARLIER] = earlier
            return EARLIER
    return effects


def _why(scores: Mapping[str, float], chosen: str) -> str:
    """Return the errors of all ways that could be tried, from the smallest, and which was chosen.

    Examples
    --------
    >>> print(_why({BESIDE: 0.4, WITHIN: 0.2}, WITHIN))  # doctest: +NORMALIZE_WHITESPACE
    errors of trial forecasts of the series' own past (CRPS, smaller is better): 0.2 with the inputs
    beside the lags, which was chosen; 0.4 with their effects taken from the series
    """
    tried = sorted((error, way) for way, error in scores.items() if np.isfinite(error))
    if len(tried) < 2 or not (np.isfinite(scores[BESIDE]) or IN_LOGS in scores):
        failed = WITHIN if np.isfinite(scores[BESIDE]) else BESIDE
        return f"no trial forecasts {failed} could be made"
    mark = ", which was chosen"
    if tried[0][1] != chosen:
        mark += f" all the same, as {_why_not_best(scores, chosen)}"
    parts = [f"{in_digits(error)} {way}{mark if way == chosen else ''}" for error, way in tried]
    errors = "errors of trial forecasts of the series' own past (CRPS, smaller is better)"
    return f"{errors}: {'; '.join(parts)}"


def _why_not_best(scores: Mapping[str, float], chosen: str) -> str:
    """Return why a way was chosen that has not the smallest error."""
    if chosen == WITHIN:
        return (
            f"lags of the inputs were named or nothing else is taken from the series, and then "
            f"taking their effects must be at least {per_cent(1.0 - th.INPUT_MARGIN_MODEL)} better"
        )
    if WITHOUT in scores:
        return (
            f"beside the lags the inputs hardly help: the error with them is "
            f"{compared(scores[WITHIN], scores[WITHOUT])} that without inputs"
        )
    return f"the other way must be at least {per_cent(1.0 - 1.0 / th.INPUT_MARGIN)} better"


def with_effects(transforms: Compose, effects: InputEffects) -> Compose:
    """Return transforms with effects of inputs right after their logarithm or root."""
    return transforms.with_first(effects)


def without_effects(y: "pd.Series[float]", chain: Chain) -> "pd.Series[float]":
    """Return a series without what its inputs explain, in its own units."""
    effects, values = chain.effects, values_of(y)
    if effects is None or not effects.explains:
        return y
    rest = effects.apply(chain.forward(values), TimeAxis(y.index))
    return pd.Series(chain.backward(rest), index=y.index, name=y.name)


def in_words(effects: FittedEffects, warp: Warp | None) -> str:
    """Return what is known of the effects: the largest ones, and what explains nothing.

    One on a logarithm is a percentage, if all are moderate.
    """
    names = [str(name) for name in effects.spec.names]
    beta, std = effects.beta, effects.std
    found = np.flatnonzero(beta).tolist()
    largest = sorted(found, key=lambda j: -abs(float(beta[j])) / max(float(std[j]), 1e-300))
    unit = ""
    if warp is not None:
        unit = f" on the {'logarithm' if warp == Log() else 'square root or power'}"
        if warp == Log() and np.all(np.abs(beta) <= th.INPUT_PER_CENT):
            unit, std, beta = "", 100 * np.exp(beta) * std, 100 * np.expm1(beta)
    each, per = [], " %" if beta is not effects.beta else ""
    for j in largest[: th.INPUTS_NAMED]:
        size, error = number(float(beta[j]), float(std[j])), in_digits(float(std[j]), 2)
        sign = "+" if beta[j] > 0 else ""
        each.append(f"{names[j]} {sign}{size}{per} (standard error {error}{per})")
    more = [f"{len(found) - len(each)} more"] if len(found) > len(each) else []
    parts = []
    if each:
        parts.append(f"effect of one unit{unit}: {', '.join([*each, *more])}")
    never = [str(names[j]) for j in effects.never_seen]
    if never:
        parts.append(f"left out, as they never changed: {listed(never, th.INPUTS_NAMED)}")
    nothing = [str(n) for j, n in enumerate(names) if not beta[j] and j not in effects.never_seen]
    if nothing:
        parts.append(
            f"left out, as they explain no more than chance: {listed(nothing, th.INPUTS_NAMED)}"
        )
    return "; ".join(parts)


def _around(
    y: "pd.Series[float]",
    effects: InputEffects,
    named: BoolArray | None,
    seasons: Seasons | None,
    *,
    in_logs: bool,
) -> tuple[TransformPlan, Chain]:
    """Return the transforms of what effects leave, and the same with the effects.

    Outliers of it are left out; `named` are where inputs say that something happened.
    """
    rest, axis = y, TimeAxis(y.index)
    for once_known in (False, True):  # what a sale explains is no outlier
        clean = Cleaned(rest)
        if once_known and named is not None:
            clean = cleaned(rest, seasons, named)
        known = values_of(y.where(clean.known.notna()))
        before = Before(float(np.nanmin(known)), in_logs)
        plan = clean.with_steps(choose_with_seasons(clean.steady, seasons, before=before)).value
        chain = with_effects(plan.transforms, effects).fit_at(known, axis)
        rest = without_effects(y, chain)
    return plan, chain


def _of_logarithm(
    y: "pd.Series[float]", effects: InputEffects, plan: TransformPlan, chain: Chain
) -> float:
    """Return the CRPS of trials whose effects are on the logarithm; inf where it cannot be taken.

    An effect on the logarithm is a percentage: a promotion sells more where more is sold.
    """
    known, explains = values_of(y), chain.effects is not None and chain.effects.explains
    if not explains or chain.warp is not None or not plan.transforms.steps or np.nanmin(known) <= 0:
        return np.inf
    logs = replace(plan, transforms=Compose(Log(), *plan.transforms.steps))
    tried = _beside(y, effects, logs)
    return tried.crps if tried.last_std <= th.LOG_WIDEST else np.inf


def _beside(y: "pd.Series[float]", effects: InputEffects, plan: TransformPlan) -> Trial:
    """Try forecasts with effects beside transforms; the CRPS is in the units of the series."""
    values, skipped, size = newest_of(y)
    known = effects.known
    assert known is not None
    there = replace(known, first=known.first - skipped)
    steps = with_effects(plan.transforms, replace(effects, known=there))
    horizon = trial_horizon(len(values), plan.horizon)
    parts = parts_of(values / size, steps, horizon)
    sets: list[Sequence[int]] = [[1], th.LAGS_NEAR, th.LAGS_FURTHER]
    if plan.period is not None:
        sets.append(lags_around(plan.period, len(values) // 4))
    best = min((trial(parts, lags, horizon) for lags in sets), key=lambda one: one.crps)
    return replace(best, crps=size * best.crps)
