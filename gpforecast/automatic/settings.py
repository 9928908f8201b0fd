"""The settings of a fit: what the user gave, and the automatic choice of the rest."""

import logging
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.cleaned import Cleaned, Original, cleaned
from gpforecast.automatic.closed import with_closed_times
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.driven import Driven
from gpforecast.automatic.effects import in_words, inputs_at, rarely_on, without_effects
from gpforecast.automatic.ensemble import Other, ensemble_of
from gpforecast.automatic.features import bridged
from gpforecast.automatic.inputs import InputChoice, choose_inputs
from gpforecast.automatic.lags.after_transforms import affordable
from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.automatic.model import default_model
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.process import Process, suited
from gpforecast.automatic.seasons import Seasons, check_length, main_season
from gpforecast.automatic.support import SupportLike, choose_support
from gpforecast.automatic.transforms import (
    TransformPlan,
    Warps,
    choose_transforms,
    nothing_removed,
    warps_for,
)
from gpforecast.common.progress import bar
from gpforecast.common.types import FloatArray
from gpforecast.models import BayesianAR
from gpforecast.models.base import OneStepModel
from gpforecast.models.measured import LearnsMeasured
from gpforecast.results.support import Support
from gpforecast.series.checked import values_of, without
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms import Chain, Compose, Deterministic, Difference, SeasonalDifference
from gpforecast.transforms.words import named as transforms_in_words

logger = logging.getLogger(__name__)

Lags: TypeAlias = tuple[int, ...]
Main: TypeAlias = Autoregression | Process | Driven
"""What suggests lags, and a model of them."""

_OF_MODEL = "the inputs enter the model with its lags, and no trend or season is removed"
_OTHERWISE = "transforms=gf.transforms.InputEffects() subtracts their effects instead"
_SUBTRACTED = "the effects of the inputs are subtracted from the series, and the rest is modelled"
_TOTAL = "a running total is forecast by its increments"


@dataclass(frozen=True, eq=False)
class Given:
    """What a user gives of a fit, such as ``gf.Forecaster(lags=3).given``; the rest is selected.

    Attributes
    ----------
    transforms : Compose or None
    lags : tuple of int or None
    model : OneStepModel or None
        Where one of these is None, it is selected.
    exog_lags, support
        As for `gpforecast.Forecaster`.
    row_limit : int or None
        Rows to train on at most; None for no limit.
    seasons : tuple of int or None
        In steps, the longest first, () for none; None if they are looked for.
    prior : Prior or None
        Of the candidates; None is the one that comes with the library.
    outliers : bool
        Whether outliers are looked for.
    combine : bool
        Whether further candidates may join the model in an ensemble.
    iterated : bool
        Whether forecasts iterate the model. Only these may hold the hyperparameters that judged
        the lags: a direct model of each lead is trained.
    measured : bool
        Whether the model must tell measurement noise from process noise.
    """

    transforms: Compose | None = None
    lags: Lags | None = None
    model: OneStepModel | None = None
    exog_lags: ExogLags = None
    row_limit: int | None = None
    support: SupportLike = "auto"
    seasons: Seasons | None = None
    prior: Prior | None = None
    outliers: bool = True
    combine: bool = True
    iterated: bool = True
    measured: bool = False


_NOTHING_GIVEN = Given()


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
    exog : Exogenous
        The inputs, with where they enter; there may be none.
    embedding : LagEmbedding
        The lags of the model, and those of the inputs that enter it.
    input_notes : tuple of str
        How the inputs enter.
    support : Decision of Support or None
        Which values the series can have; None for all.
    outliers : Decision of tuple of int
        Positions of the values that are treated as missing.
    ensemble : Decision of Ensemble or None
        The structural models that join the model, and the weights of all.
    others : tuple of Other
        Further one-step models of the ensemble.
    candidates : tuple of (str, float, float)
        Those that were tried, their weights and mean CRPS in the units of the series.
    widening : ndarray (h,) or None
        Factors of the standard deviations at each step, where inputs enter the model.
    """

    transforms: Decision[Compose]
    lags: Decision[Lags]
    model: Decision[OneStepModel]
    chain: Chain
    exog: Exogenous
    embedding: LagEmbedding
    input_notes: tuple[str, ...] = ()
    support: Decision[Support | None] = field(default_factory=lambda: Decision(None))
    outliers: Decision[tuple[int, ...]] = field(default_factory=lambda: Decision(()))
    ensemble: Decision[Ensemble | None] = field(default_factory=lambda: Decision(None))
    others: tuple[Other, ...] = ()
    candidates: tuple[tuple[str, float, float], ...] = ()
    widening: FloatArray | None = None


def settings_for(
    y: "pd.Series[float]", given: Given = _NOTHING_GIVEN, exog: Exogenous | None = None
) -> Settings:
    """Return the settings for a series: what the user gave, and the automatic choice of the rest.

    How inputs enter is decided first. What happened in the series and its transforms are found in
    what effects of the inputs leave, lags and model in what the transforms leave.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    given : Given
        By default nothing.
    exog : Exogenous, optional
        Inputs. Simulations of the past of the series decide how they enter (`inputs`).

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
    (SeasonalDifference(period=12), (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13), 'BayesianAR')
    """
    if not len(y):
        raise ValueError("series is empty; pass one with values to learn from.")
    check_length(given.seasons, len(bridged(values_of(y))))
    axis = TimeAxis(y.index)
    exog = Exogenous.fit(None, axis) if exog is None else exog
    entered, clean = _entered(y, given, exog)
    choice, outliers = entered.value, clean.outliers
    known = without(y, outliers.value)
    # Zeros outside the life of a series are no bound.
    lived = known if clean.begin or clean.end else y
    support = choose_support(values_of(lived), given.support)
    plan = _planned(clean, given, exog, choice, support.value)
    chain, notes = _fitted(known, plan, given, exog, entered)
    if choice.chain or chain.effects:
        exog = replace(exog, in_model=False)
    driven, z = choice.driven, chain.levels(values_of(known), axis)[-1][chain.n_lost :]
    main = driven or plan.value.main or suited(chain, bridged(z))
    lags = _lags(main, chain, z, given)
    exog_lags = given.exog_lags if exog.in_model else None
    if driven and driven.inputs:
        exog_lags = driven.inputs
    embedding = LagEmbedding(lags.value, exog_lags=exog.lags(exog_lags))
    model = _model(main, embedding, chain, z, axis, exog, given)
    others: tuple[Other, ...] = ()
    ensemble, judged = None, given.model is None
    if judged and given.lags is None and given.combine:
        limit, alike = given.row_limit, bool(choice.effects)
        others, ensemble = ensemble_of(plan, clean, chain, limit, alike=alike)
    return Settings(
        transforms=Decision(chain.spec, plan.reason, plan.scores),
        lags=lags,
        model=model,
        chain=chain,
        exog=exog,
        embedding=embedding,
        input_notes=notes,
        support=support,
        outliers=outliers,
        ensemble=Decision(ensemble),
        others=others,
        candidates=plan.value.portfolio.rows if judged and plan.value.portfolio else (),
        widening=choice.widening if judged and not chain.spec.steps else None,
    )


def _entered(
    y: "pd.Series[float]", given: Given, exog: Exogenous
) -> tuple[Decision[InputChoice], Cleaned]:
    """Return how inputs enter, and what is modelled: the series, or what their effects leave.

    The second comes with what happened in it.
    """
    entered, original = Decision(InputChoice()), None
    if exog and given.transforms is None:
        clean = cleaned_beside(y, exog, given.seasons) if given.outliers else Cleaned(y)
        with bar("simulating with inputs"):
            entered = choose_inputs(
                clean.known, exog, given.exog_lags, lags=given.lags, seasons=given.seasons
            )
        if entered.value.chain is None:
            return entered, clean
        if entered.value.effects is not None:
            original = Original(y, entered.value.chain.warp)
            y = without_effects(y, entered.value.chain, TimeAxis(y.index))
    named = rarely_on(exog.past)
    clean = cleaned(y, given.seasons, named) if given.outliers else Cleaned(y)
    return entered, replace(clean, original=original)


def _planned(
    clean: Cleaned, given: Given, exog: Exogenous, choice: InputChoice, support: Support | None
) -> Decision[TransformPlan]:
    """Return the transforms of a series, with the candidates that they come from."""
    seasons, original = given.seasons, clean.original
    if given.transforms is not None:
        period = given.transforms.period or (main_season(clean.y, seasons) if seasons else None)
        return Decision(TransformPlan(given.transforms, period))
    with bar("choosing transforms"):
        if support is not None and support.rising:
            return clean.with_steps(_of_increments(clean.steady, given))
        if exog and choice.chain is None:
            period = main_season(clean.y, seasons) if seasons else None
            return nothing_removed("the inputs may explain trend and season", period)
        warps: Warps | None = None
        if original is not None:
            warps = warps_for(values_of(without(original.y, clean.outliers.value)))
            warps = [warp for warp in warps if warp or original.warp is None] or warps
        plan = choose_transforms(clean.steady, seasons, warps=warps, prior=given.prior)
        if given.model is not None or given.lags is not None or given.measured:
            hiding = (Difference, SeasonalDifference) if given.measured else ()
            plan = replace(plan, value=plan.value.for_given(*hiding))
        return clean.with_steps(plan)


def _of_increments(y: "pd.Series[float]", given: Given) -> Decision[TransformPlan]:
    """Return the transforms of a running total: its increments, and those that suit these.

    A straight line of increments would be a parabola of the total.
    """
    plan = choose_transforms(y.diff(), given.seasons, warps=(None,), prior=given.prior)
    best = plan.value.for_given(Deterministic, by_score=True)
    steps = Compose(Difference(), *best.transforms.steps)
    value = replace(plan.value, transforms=steps, portfolio=None, main=None)
    return replace(plan, value=value, reason=f"{_TOTAL}\n{plan.reason}")


def _fitted(
    known: "pd.Series[float]",
    plan: Decision[TransformPlan],
    given: Given,
    exog: Exogenous,
    entered: Decision[InputChoice],
) -> tuple[Chain, tuple[str, ...]]:
    """Return the transforms fitted to the known values, and notes on how inputs enter."""
    values, axis, choice = values_of(known), TimeAxis(known.index), entered.value
    spec = Decision(plan.value.transforms)
    if given.transforms is None:
        first = () if choice.effects is None else (choice.effects.spec,)
        spec = with_closed_times(spec.value.with_first(*first), values, axis)
    elif exog and spec.value.takes_inputs:
        spec = Decision(spec.value.with_inputs(*inputs_at(exog, given.exog_lags)))
    chain = spec.value.fit_at(values, axis)
    reasons, notes = (*plan.reasons, *spec.reasons), [choice.note]
    if choice.chain is not None:
        rest = transforms_in_words(plan.value.transforms.steps)
        fitted = chain.effects or choice.chain.effects
        assert fitted is not None
        effects = in_words(fitted, chain.warp)
        notes = [f"{_SUBTRACTED} ({rest}): {effects}"]
        again = "the rest is modelled in logarithms, and so the effects are those on the logarithm"
        warped = () if chain.warp == choice.chain.warp else (again,)
        reasons = (*entered.reasons, *warped, *reasons)
    elif entered.reason:
        notes.insert(0, f"{_OF_MODEL}: {entered.reasons[0]}; {_OTHERWISE}")
        reasons = (*reasons, *entered.reasons)
    logger.info("transforms %s; %s", chain.spec, "; ".join(reasons))
    return replace(chain, reasons=reasons, period=plan.value.period), tuple(filter(None, notes))


def _lags(main: Main, chain: Chain, z: FloatArray, given: Given) -> Decision[Lags]:
    """Return the lags of transformed values (n,)."""
    if given.lags is not None:
        return Decision(given.lags)
    lags = affordable(main.lags_after(chain, len(bridged(z))), np.isnan(z))
    logger.info("lags %s; %s", ", ".join(map(str, lags.value)), "; ".join(lags.reasons))
    return lags


def _model(
    main: Main,
    embedding: LagEmbedding,
    chain: Chain,
    z: FloatArray,
    axis: TimeAxis,
    exog: Exogenous,
    given: Given,
) -> Decision[OneStepModel]:
    """Return the model for the rows that transformed values (n,) and inputs make."""
    if given.model is not None:
        return Decision(given.model)
    inputs, columns = exog.scaled(exog.past)[chain.n_lost :], exog.model_columns
    lags = embedding.lags_
    rows = embedding.embed(z, pd.RangeIndex(len(z)), inputs, columns, chain.n_lost)
    places = np.asarray(rows.index, dtype=np.int64) + chain.n_lost
    targets = rows.y[~chain.uninformative(axis)[places]]
    n, d = min(len(targets), given.row_limit or len(targets)), rows.X.shape[1]
    varies = len(targets) > 0 and bool(np.ptp(targets) > 0.0)
    own = given.iterated and given.lags is None
    if isinstance(main, Driven):
        own = given.iterated or main.is_linear
    if own and varies:
        model = main.model_for(lags, chain, len(bridged(z)), n)
        if not given.measured or isinstance(model.value, LearnsMeasured):
            return model
    linear: OneStepModel | None = None
    if d == len(lags) and not given.measured:
        m = chain.period or 0  # lags are close to now, or to one season before
        scales = tuple(1.0 / min(lag, 2 + abs(lag - m)) for lag in lags)
        linear = BayesianAR(scales, largest_sum=1.0)
    return default_model(n, d, differenced=chain.n_lost > 0, linear=linear, varies=varies)
