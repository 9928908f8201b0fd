"""Series with inputs: a table of candidates, judged by free simulations of the series' own past.

Inputs have effects on a series with its own trend and season, as holidays, promotions and the
temperature have; or they drive a process with delays and curves, as a voltage drives a motor.
No rule decides which it is, or with which lags. Every candidate is fitted to the first part of the
series and simulates what follows, all from the same origins, with the inputs known. A candidate
whose simulations run away has a large error, and is not selected.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.driven import LINEAR, TABLE, Driven, Lags, Past, at_lags, widening
from gpforecast.automatic.effects import explains, inputs_at
from gpforecast.automatic.features import bridged, is_constant
from gpforecast.automatic.feedback import set_by_series
from gpforecast.automatic.seasons import Seasons
from gpforecast.automatic.transforms import TransformPlan, choose_transforms
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import on_trial
from gpforecast.common.wording import in_digits, listed
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.series.checked import values_of
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose, Log
from gpforecast.transforms.input_effects import FittedEffects, InputEffects

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class InputChoice:
    """How inputs enter a forecast.

    Attributes
    ----------
    chain : Chain or None
        Transforms with the effects of the inputs; None where these enter the model.
    driven : Driven or None
        Whose model has the inputs; None where nothing could be tried.
    widening : ndarray (h,) or None
        Factors of its standard deviations in a simulation.
    note : str
        On inputs that follow the series.
    """

    chain: Chain | None = None
    driven: Driven | None = None
    widening: FloatArray | None = None
    note: str = ""

    @property
    def effects(self) -> FittedEffects | None:
        """The effects of the inputs; None where there are none, or where these enter the model."""
        return self.chain.effects if self.chain and explains(self.chain) else None


def choose_inputs(
    y: "pd.Series[float]",
    exog: Exogenous,
    exog_lags: ExogLags = None,
    *,
    lags: Lags | None = None,
    seasons: Seasons | None = None,
) -> Decision[InputChoice]:
    """Return how inputs enter the forecast of a series, by free simulations of its past.

    Parameters
    ----------
    y : Series (n,)
        Without what counts as outliers even with the inputs known.
    exog : Exogenous
    exog_lags
        As for `gpforecast.Forecaster`; lags that are given are those of every candidate.
    lags : tuple of int, optional
        Of the series, likewise.
    seasons : tuple of int, optional
        Those that the user says there are.
    """
    values, axis = values_of(y), TimeAxis(y.index)
    if int(y.notna().sum()) < th.SHORTEST or is_constant(bridged(values)):
        return Decision(InputChoice(), "the series is too short or too constant to try how")
    past, plan = Past.of(y, exog, exog_lags), choose_transforms(y, seasons).value.for_given()
    effects = _effects(past, plan)
    try:
        at_once = effects[0].transforms.fit_at(values, axis)
    except ValueError:  # too few values for so many columns
        effects, at_once = [], None
    if controlled := _controlled(past, plan.period if at_once else None, lags):
        return Decision(controlled, str(controlled.driven))
    driven, k = _driven(past, lags), len(effects)
    table: list[Autoregression | Driven] = [*effects, *driven]
    steps = plan.horizon if at_once and plan.period is not None else th.TRIAL_STEPS
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        scores, z = past.simulated(table, steps)
        if not np.isfinite(scores.min(initial=np.inf)):
            reason = "the series is too short for simulations of its past"
            return Decision(InputChoice(at_once), reason)
        c = int(np.argmin(scores))
        reason = _why(table, scores)
        if at_once and c >= k:
            (alone,), _ = past.simulated([replace(driven[c - k], inputs=())], steps)
            if alone <= scores[c]:
                reason += f"\n{table[c].name}: its simulations are as good without inputs"
                c = int(np.argmin(scores[:k]))
    choice = InputChoice(at_once)
    if c >= k:
        newest = past.origins[:1]
        horizon = min(len(past.y) - int(newest[0]), th.TRIAL_STEPS)
        with one_blas_thread(), on_trial():
            (var,) = driven[c - k].forecast(bridged(past.y), newest, horizon)[1]
        choice = InputChoice(driven=driven[c - k], widening=widening(z[c], var))
    elif at_once:
        with suppress(ValueError):  # too few values, of which all are tried
            chain = effects[c].transforms.fit_at(values, axis)
            if explains(chain) or not explains(at_once):  # many lags may hide what one shows
                choice = InputChoice(chain)
    logger.info("inputs: %s", reason.replace("\n", "; "))
    by_name = {table[i].name: float(scores[i]) for i in np.argsort(-scores)}
    return Decision(choice, reason, by_name)


def _why(table: Sequence[Driven | Autoregression], scores: FloatArray) -> str:
    """Return which candidate was selected, and a line for the best of each kind, best first."""
    best: dict[str, int] = {}
    for c in np.argsort(scores, kind="stable").tolist():
        if np.isfinite(scores[c]):
            best.setdefault(table[c].name.partition(",")[0], c)
    lines = [f"CRPS {in_digits(scores[c])}: {table[c].name}" for c in best.values()]
    why = f"{table[int(np.argmin(scores))].name}: the smallest error in simulations of held-out"
    return "\n".join([f"{why} values", *lines])


def _effects(past: Past, plan: TransformPlan) -> list[Autoregression]:
    """Return autoregressions of what effects of the inputs leave, the simplest first.

    Effects are at once, with the transforms of every autoregression that was tried without inputs,
    or at as many lags as the values can judge: what these explain no more than chance is left out.
    What comes by the calendar is no cycle.
    """
    tried = () if plan.portfolio is None else plan.portfolio.tried
    lagged = [one for one in tried if isinstance(one, Autoregression)]
    seasons = next((one.seasons for one in lagged), ())
    steps = plan.transforms.steps[plan.transforms.n_warps :]
    first = tuple(one for one in steps if one not in plan.cycles), ()
    others = [one.transforms.steps[one.transforms.n_warps :] for one in lagged]
    most = len(past.y) // th.VALUES_A_LAG
    lasts = sorted({last for sizes in TABLE.values() for last, _ in sizes})
    every = [past.lags_up_to(last) for last in lasts]
    judged = [lags for lags in every if len(past.terms(lags)) <= most]
    found: dict[Autoregression, None] = {}
    for warp in (None, Log()) if np.nanmin(past.y) > 0.0 else (None,):
        what = "the series" if warp is None else "its logarithm"
        for lags in (every[0], *judged[-1:]):
            given = past.exog_lags if lags is None else lags
            effects = InputEffects().with_inputs(*inputs_at(past.exog, given))
            for after in (*first, *(others if lags == every[0] else ())):
                spec = Compose(*(() if warp is None else (warp,)), effects, *after)
                name = f"effects on {what}{at_lags(lags)}"
                found[Autoregression(name, spec, warp, seasons, axis=past.axis)] = None
    return [*found]


def _driven(past: Past, lags: Lags | None) -> list[Driven]:
    """Return driven processes, each once, the simplest first; a date drives none."""
    found: dict[Driven, None] = {}
    for kind, sizes in TABLE.items() if past.exog.n_given else ():
        for last, own in sizes:
            one = Driven(kind, past.lags_up_to(last), lags or tuple(range(1, own + 1)), past)
            if len(one.terms) + own <= len(past.y) // th.VALUES_A_LAG or last == 0:
                found[one] = None
    return [*found]


def _controlled(past: Past, period: int | None, lags: Lags | None) -> InputChoice | None:
    """Return how inputs enter of which some follow the series; None if none does."""
    near = (0, *th.LAGS_NEAR) if past.exog_lags is None else None
    one = Driven(LINEAR, near, lags or th.LAGS_NEAR, past)
    now = {column: i for i, (column, lag) in enumerate(one.terms, len(one.lags)) if lag == 0}
    given = past.inputs[:, : past.exog.n_given]
    columns = np.flatnonzero(set_by_series(past.y, given, period, at_once=bool(now))).tolist()
    if not columns:
        return None
    names = listed([repr(past.exog.columns[j]) for j in columns])
    note = (
        f"input {names} follows the series, as one that a controller sets: in the past, its effect "
        f"differs from the controller's only where it moved by itself, and the intervals allow "
        f"for both; experiments that move it whatever the series does would separate them"
    )
    follow = tuple(now[j] for j in columns if j in now)
    return InputChoice(driven=replace(one, follow=follow), note=note)
