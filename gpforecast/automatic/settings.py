"""The settings of a fit: what the user gave, and the automatic choice of the rest."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.cleaned import Cleaned, Original, cleaned
from gpforecast.automatic.closed import with_closed_times, without_closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.effects import (
    effects_of,
    in_words,
    rarely_on,
    without_effects,
)
from gpforecast.automatic.ensemble import Other, combined, others_of
from gpforecast.automatic.inputs import CONTROLLED, InputChoice, choose_inputs, process_of
from gpforecast.automatic.known_seasons import (
    SeasonLength,
    Seasons,
    check_length,
    choose_with_seasons,
    main_season,
    seasons_of,
)
from gpforecast.automatic.lags.after_transforms import affordable
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.model import default_model, row_limit
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.process import Process, suited
from gpforecast.automatic.simulations import Simulated
from gpforecast.automatic.support import SupportLike, choose_support
from gpforecast.automatic.transforms import nothing_removed
from gpforecast.automatic.trials import NOTHING_BEFORE, Before, TransformPlan, bridged
from gpforecast.common.kinds import is_auto
from gpforecast.common.progress import bar
from gpforecast.common.types import BoolArray
from gpforecast.common.wording import named_lags
from gpforecast.models import BayesianAR, GaussianProcess, LinearAR
from gpforecast.models.base import OneStepModel
from gpforecast.results.support import Support
from gpforecast.series.checked import values_of, without
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms import Chain, Compose, Difference, Log
from gpforecast.transforms.words import TransformsLike, transforms_of
from gpforecast.transforms.words import named as transforms_in_words

logger = logging.getLogger(__name__)

_OF_MODEL = "the inputs enter the model with its lags, and no trend or season is removed"


_TOTAL = "a running total is forecast by its increments"
_OTHERWISE = "transforms=gf.transforms.InputEffects() subtracts their effects instead"


@dataclass(frozen=True, eq=False)
class Settings:
    """What a fit is made with. Only automatic choices have a reason.

    Attributes
    ----------
    transforms : Decision of Compose
    lags : Decision of tuple of int
    model : Decision of OneStepModel
        Not fitted, and shared: a fit takes a copy.
    chain : Chain
        The transforms as fitted to the series, with their reasons and the season.
    support : Decision of Support or None
        Which values the series can have; None for all.
    ensemble : Decision of Ensemble or None
        The structural models that forecast beside the model, and the weights of all.
    outliers : Decision of tuple of int
        Positions of the values that are treated as missing.
    exog : Exogenous or None
        The inputs, with where they enter; None for none.
    input_notes : tuple of str
        What was taken away because of them, and how far back they reach.
    exog_lags
        Their lags, as for `gpforecast.Forecaster`.
    simulated : Simulated or None
        What the model was judged by, where inputs enter it: the width of intervals follows.
    others : tuple of Other
        Further one-step models of the ensemble.
    candidates : tuple of (str, float, float)
        Those that were tried, their weights and mean CRPS in the units of the series.
    """

    transforms: Decision[Compose]
    lags: Decision[tuple[int, ...]]
    model: Decision[OneStepModel]
    chain: Chain
    support: Decision[Support | None] = field(default_factory=lambda: Decision(None))
    outliers: Decision[tuple[int, ...]] = field(default_factory=lambda: Decision(()))
    ensemble: Decision[Ensemble | None] = field(default_factory=lambda: Decision(None))
    exog: Exogenous | None = None
    input_notes: tuple[str, ...] = ()
    exog_lags: ExogLags = None
    simulated: Simulated | None = None
    others: tuple[Other, ...] = ()
    candidates: tuple[tuple[str, float, float], ...] = ()


def settings_for(
    y: "pd.Series[float]",
    *,
    transforms: TransformsLike = "auto",
    lags: int | Sequence[int] | str = "auto",
    model: OneStepModel | None = None,
    exog: Exogenous | None = None,
    exog_lags: ExogLags = None,
    max_rows: int | str | None = "auto",
    support: SupportLike = "auto",
    outliers: str | None = "auto",
    combine: bool = True,
    iterated: bool = True,
    season_length: SeasonLength = "auto",
    prior: Prior | None = None,
    measured: bool = False,
    beside_effects: bool = False,
    named: BoolArray | None = None,
    original: Original | None = None,
) -> Settings:
    """Return the settings for a series: what the user gave, and the automatic choice of the rest.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    transforms, lags, model, exog_lags, max_rows, support, outliers, season_length, prior
        As for `gpforecast.Forecaster`.
    exog : Exogenous, optional
        Inputs beside the series. Simulations of its past decide how they enter (`inputs`).
    combine : bool
        Whether further candidates may forecast beside the model.
    iterated : bool
        Whether forecasts iterate the model. Only these may hold the hyperparameters that judged
        the lags: a direct model of each lead is trained.
    measured : bool
        Whether the model must tell the noise of measurements from its own.
    beside_effects : bool
        Whether effects of inputs were taken from the series: structural models are then of what
        they are effects of, the series or its logarithm.
    named : ndarray of bool (n,), optional
        Where an input says that something happened: no outliers.
    original : Original, optional
        The series as the user knows it, where `y` is what effects of inputs leave.

    Returns
    -------
    Settings

    Raises
    ------
    ValueError
        If the series is empty, or what the user gave is not possible for it.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> t, months = np.arange(150), pd.date_range("2010-01", periods=150, freq="MS")
    >>> noise = np.random.default_rng(0).standard_normal(150)
    >>> sales = pd.Series(0.3 * t + 10 * np.sin(2 * np.pi * t / 12) + noise, months)
    >>> settings = settings_for(sales)
    >>> settings.transforms.value.steps[0], settings.lags.value, type(settings.model.value).__name__
    (Deterministic(trend=1, fourier=6, period=12), (1, 2, 3, 4, 5, 6, 7, 8), 'BayesianAR')
    """
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from.")
    automatic = is_auto(transforms)
    seasons = seasons_of(season_length)
    check_length(seasons, len(bridged(values_of(y))))
    axis, clean, entered = TimeAxis(y.index), Cleaned(y), Decision(InputChoice())
    if exog and automatic:
        if outliers is not None:
            clean = cleaned_beside(y, exog, seasons)
        with bar("simulating with inputs"):
            entered = choose_inputs(
                clean.known,
                exog,
                exog_lags,
                lags=None if is_auto(lags) else LagEmbedding(lags).lags_,
                seasons=seasons,
            )
        if entered.value.chain is not None:
            options = {"lags": lags, "model": model, "max_rows": max_rows, "outliers": outliers}
            options |= {"combine": combine, "iterated": iterated, "season_length": season_length}
            options |= {"measured": measured}
            return _beside_inputs(y, exog, entered, support, prior=prior, **options)
    one, simulated = entered.value.candidate, entered.value.simulated
    if one is not None and exog_lags is None:
        exog_lags = one.inputs
    entry = f"{_OF_MODEL}: {entered.reasons[0]}; {_OTHERWISE}" if entered.reason else ""
    notes = tuple(filter(None, (entry, entered.value.note)))
    if support == "auto" and not automatic:
        support = None  # who chooses the transforms knows the values
    chosen = choose_support(values_of(y), support)
    if chosen.reason:
        logger.info("support %s; %s", chosen.value, chosen.reason)
    if automatic:
        with bar("choosing transforms"):
            if outliers is not None and not exog:
                clean = cleaned(y, seasons, named)
            clean = replace(clean, original=original)
            if clean.begin or clean.end:  # zeros outside its life are no bound
                chosen = choose_support(values_of(clean.known), support)
            before = NOTHING_BEFORE
            if original is not None:  # effects were taken from it
                least = float(np.nanmin(values_of(without(original.y, clean.outliers.value))))
                before = Before(least, original.warp == Log())
            total = chosen.value is not None and bool(chosen.value.rising)
            if total:
                combine = False
                plan = clean.with_steps(_of_increments(clean.steady, seasons, prior))
            elif exog:
                period = main_season(y, seasons) if seasons else None
                plan = nothing_removed("the inputs may explain trend and season", period)
            else:
                found = choose_with_seasons(clean.steady, seasons, before=before, prior=prior)
                if model is not None or not is_auto(lags) or measured:
                    found = replace(found, value=found.value.for_given(differenced=not measured))
                plan = clean.with_steps(found)
        values = values_of(clean.known)
        closed = with_closed_times(plan.value.transforms, values, axis)
        chain = closed.value.fit_at(values, axis)
        chain = replace(chain, reasons=(*plan.reasons, *closed.reasons), period=plan.value.period)
        logger.info("transforms %s; %s", chain.spec, "; ".join(plan.reasons))
        steps = Decision(chain.spec, plan.reason, plan.scores)
        if entered.reason:
            chain = replace(chain, reasons=(*chain.reasons, *entered.reasons))
    else:
        values, given = values_of(y), transforms_of(transforms)
        if exog and given.takes_inputs:
            effects = effects_of(exog, exog_lags)
            assert effects.known is not None
            assert effects.terms is not None
            given = given.with_inputs(effects.known, effects.terms, effects.names)
            exog, exog_lags = replace(exog, in_model=False), None
        chain = given.fit_at(values, axis)
        if chain.period is None and seasons:
            chain = replace(chain, period=main_season(y, seasons))
        steps = Decision(given)

    z = chain.levels(values, axis)[-1][chain.n_lost :]
    portfolio = plan.value.portfolio if automatic else None
    main: Autoregression | Process | None = None
    if one is not None:
        why = f"{named_lags(one.lags)}: as the candidate that was selected has them"
        kept = affordable(Decision(one.lags, why if is_auto(lags) else ""), np.isnan(z))
    elif is_auto(lags):
        as_judged = portfolio is not None and (
            (model is None and not measured)
            or portfolio.before_others(differenced=not measured) == portfolio.main.transforms
        )
        main = portfolio.main if portfolio and as_judged else suited(chain, bridged(z))
        kept = affordable(main.lags_after(chain, len(bridged(z))), np.isnan(z))
        logger.info("lags %s; %s", ", ".join(map(str, kept.value)), "; ".join(kept.reasons))
    else:
        kept = Decision(LagEmbedding(lags).lags_)

    if model is not None:
        users = Decision(model)
        return Settings(
            steps, kept, users, chain, chosen, clean.outliers, exog=exog, input_notes=notes,
            exog_lags=exog_lags,
        )  # fmt: skip
    limit = row_limit(max_rows, None)
    mixed: Decision[Ensemble | None] = Decision(None)
    further: tuple[Other | None, ...] = ()
    if combine and automatic and is_auto(lags) and not exog:
        further = () if beside_effects else others_of(plan, clean, values, axis, limit)
        mixed = combined(values, axis, plan.value, clean, chain, further, alike=beside_effects)
    exog = Exogenous.fit(None, axis) if exog is None else exog
    inputs = exog.scaled(exog.past)[chain.n_lost :]
    embedding = LagEmbedding(kept.value, exog_lags=exog.lags(exog_lags))
    rows = embedding.embed(z, pd.RangeIndex(len(z)), inputs, exog.model_columns, chain.n_lost)
    places = np.asarray(rows.index, dtype=np.int64)  # of z
    taught = ~chain.uninformative(axis)[places + chain.n_lost]
    X, targets = rows.X[taught], rows.y[taught]
    n = len(targets) if limit is None else min(len(targets), limit)
    varies = n > 0 and bool(np.ptp(targets) > 0)
    its_own = iterated and varies and not (measured and isinstance(main, Autoregression))
    if main is not None and its_own and not (exog and exog.in_model):
        taken = main.model_for(kept.value, chain, len(bridged(z)), n)
    else:
        judged: GaussianProcess | None = None
        if one is not None and not one.is_linear and len(targets) > 1:
            judged = process_of(one, X, targets)
        linear: OneStepModel | None = None
        if X.shape[1] == len(kept.value) and not measured:
            seasons_held = () if chain.period is None else (chain.period,)
            short = Autoregression("", chain.spec, seasons=seasons_held)
            linear = short.model(kept.value, chain, len(z))
        taken = default_model(
            n,
            X.shape[1],
            differenced=chain.n_lost > 0,
            linear=linear,
            varies=varies,
            judged=judged,
            held=iterated,
        )
    if one is not None and one.kind == CONTROLLED and not measured:
        line = BayesianAR(strengths=(1.0,), set_by_target=entered.value.follow or None)
        taken = Decision(line, f"{one.kind}: inputs follow the series")
    elif one is not None:
        taken = replace(
            Decision(LinearAR()) if one.is_linear else taken,
            reason=f"{one.kind}: simulations by it had the smallest error",
        )
    name, why = type(taken.value).__name__, "; ".join(taken.reasons)
    logger.info("model %s; %s", name, why or "the default")
    return Settings(
        steps, kept, taken, chain, chosen, clean.outliers, mixed, exog, notes, exog_lags,
        None if chain.spec.steps else simulated,
        tuple(filter(None, further)), () if portfolio is None else portfolio.rows,
    )  # fmt: skip


def _of_increments(
    y: "pd.Series[float]", seasons: Seasons | None, prior: Prior | None
) -> Decision[TransformPlan]:
    """Return the transforms of a running total: its increments, and those that suit these."""
    plan = choose_with_seasons(y.diff(), seasons, before=Before(-np.inf), prior=prior)
    steps = Compose(Difference(), *plan.value.for_given().transforms.steps)
    value = replace(plan.value, transforms=steps, portfolio=None)
    return replace(plan, value=value, reason=f"{_TOTAL}\n{plan.reason}")


def _beside_inputs(
    y: "pd.Series[float]",
    exog: Exogenous,
    entered: Decision[InputChoice],
    support: SupportLike,
    **options: Any,
) -> Settings:
    """Return the settings for a series whose inputs have effects beside its trend and season.

    They are those for what the effects leave; then the effects are found again with these
    transforms. Columns that explain nothing change nothing.
    """
    chosen = choose_support(values_of(y), support)
    found = entered.value.chain
    assert found is not None
    before = found.effects
    assert before is not None
    rest = without_effects(y, found, TimeAxis(y.index))
    original = Original(y, found.warp if before.explains else None)
    options |= {"named": rarely_on(exog.past), "original": original}
    left = settings_for(rest, support=None, beside_effects=before.explains, **options)
    chain = left.chain
    if before.explains:
        known = values_of(without(y, left.outliers.value))
        axis, steps = TimeAxis(y.index), without_closed_times(chain.spec).with_first(before.spec)
        closed = with_closed_times(steps, known, axis)
        found, chosen_before = closed.value.fit_at(known, axis), left.transforms.reasons
        chain = replace(found, reasons=(*chosen_before, *closed.reasons), period=chain.period)
    effects = chain.effects or before
    parts = in_words(effects, chain.warp)
    reasons = (f"effects of the inputs: {parts}", *entered.reasons, *chain.reasons)
    beside = transforms_in_words(left.chain.spec.steps)
    note = (
        f"the effects of the inputs are subtracted from the series, and the rest is modelled "
        f"({beside}): {parts}"
    )
    chain = replace(chain, reasons=reasons)
    return replace(
        left,
        transforms=replace(left.transforms, value=chain.spec),
        chain=chain,
        support=chosen,
        exog=replace(exog, in_model=False),
        input_notes=(note,),
    )
