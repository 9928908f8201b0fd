"""Series with inputs: a table of candidates, judged by free simulations of the series' own past.

Inputs have effects on a series with a trend and a season of its own, as holidays, promotions and
the temperature have; or they drive a process with delays and curves, as a voltage drives a motor.
Which it is, and with which lags, no rule says. Every candidate is fitted to the first part of the
series and simulates what follows, all from the same origins, with the inputs known. A candidate
that runs away has a large error, and loses by it.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.effects import effects_of, explains
from gpforecast.automatic.features import calendar_periods, is_constant, n_newest
from gpforecast.automatic.feedback import set_by_series
from gpforecast.automatic.judge import on_grid
from gpforecast.automatic.known_seasons import Seasons, choose_with_seasons
from gpforecast.automatic.lags.candidates import lags_around
from gpforecast.automatic.origins import evenly
from gpforecast.automatic.simulations import Simulated
from gpforecast.automatic.trials import TransformPlan, bridged
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import on_trial
from gpforecast.common.wording import in_digits, listed, named_lags
from gpforecast.covariances import Linear
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.results.warped import distribution_of
from gpforecast.scores import crps_log_normal
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous, ExogLags
from gpforecast.series.scaling import ROUNDING
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Chain, Compose, Log

logger = logging.getLogger(__name__)

Lags = tuple[int, ...]

EFFECTS, ON_LOGARITHM = "effects on the series", "effects on its logarithm"
LINEAR, CURVE, BOTH = "linear ARX", "Gaussian process", "Gaussian process plus linear"
CONTROLLED = "linear ARX of a controlled process"

#: The last lags of the inputs and of the series that each kind is tried with, from the simplest.
TABLE: Mapping[str, tuple[tuple[int, int], ...]] = {
    EFFECTS: ((0, 4), (3, 4), (8, 4), (20, 4)),
    ON_LOGARITHM: ((0, 4), (3, 4), (8, 4), (20, 4)),
    LINEAR: ((0, 2), (3, 2), (3, 3), (8, 8), (20, 4), (20, 20)),
    CURVE: ((0, 2), (3, 2), (8, 8), (20, 2), (20, 8)),
    BOTH: ((3, 2), (8, 8), (20, 8)),
}


@dataclass(frozen=True)
class InputCandidate:
    """How inputs may enter a forecast.

    Attributes
    ----------
    kind : str
    inputs : tuple of int or None
        Lags of the inputs that the user passes; None for those that the user gave.
    lags : tuple of int
        Of the series, or of what effects leave of it.
    steps : Compose
        What follows the effects.
    """

    kind: str
    inputs: Lags | None
    lags: Lags
    steps: Compose = field(default_factory=Compose)

    @property
    def are_effects(self) -> bool:
        """Whether effects are subtracted, and the model has no inputs."""
        return self.kind in (EFFECTS, ON_LOGARITHM)

    @property
    def is_linear(self) -> bool:
        """Whether its model is."""
        return self.kind not in (CURVE, BOTH)

    @property
    def warped(self) -> Compose:
        """Its steps, with the logarithm that they follow."""
        return Compose(Log(), self.steps) if self.kind == ON_LOGARITHM else self.steps

    def __str__(self) -> str:
        """Name it, with its lags."""
        if self.are_effects:
            return self.kind + ("" if self.inputs is None else f", {_last(self.inputs)}")
        own = f"{self.kind}, {named_lags(self.lags)} of the series"
        return own if self.inputs is None else f"{own}, {_last(self.inputs)}"


def _last(inputs: Lags) -> str:
    """Return lags of inputs in words."""
    return f"inputs at lag{f's 0 to {inputs[-1]}' if inputs[-1] else ' 0'}"


@dataclass(frozen=True, eq=False)
class InputChoice:
    """How inputs enter a forecast.

    Attributes
    ----------
    chain : Chain or None
        Transforms with the effects of the inputs; None where these enter the model.
    candidate : InputCandidate or None
        None where nothing could be tried.
    simulated : Simulated or None
        What it was judged by.
    note : str
        On inputs that follow the series.
    follow : tuple of int
        Positions of these at lag 0 among the inputs of the model.
    """

    chain: Chain | None = None
    candidate: InputCandidate | None = None
    simulated: Simulated | None = None
    note: str = ""
    follow: tuple[int, ...] = ()


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
    if int(y.notna().sum()) < th.SHORTEST or is_constant(bridged(values_of(y))):
        return Decision(InputChoice(), "the series is too short or too constant to try how")
    past, plan = _Past.of(y, exog, exog_lags), choose_with_seasons(y, seasons).value
    steps = plan.transforms.steps[plan.transforms.n_warps :]
    # What comes by the calendar is no cycle.
    plan = replace(plan, transforms=Compose(*(one for one in steps if one not in plan.cycles)))
    none = InputCandidate(EFFECTS, None if exog_lags is not None else (0,), (), plan.transforms)
    at_once = None
    with suppress(ValueError):  # too few values for so many columns
        at_once = past.chain(none, y)
    if at_once is not None and plan.period is not None:
        past = replace(past, steps=plan.horizon)
    if controlled := past.controlled(None if at_once is None else plan.period, lags):
        return Decision(controlled, str(controlled.candidate))
    table = list(_candidates(past, None if at_once is None else plan, lags))
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        tried = past.judged(table)
    scores = {one: found.score for one, found in tried.items()}
    least = min(scores.values(), default=np.inf)
    if not np.isfinite(least):
        reason = "the series is too short for simulations of its past"
        if at_once is None:
            return Decision(InputChoice(), reason)
        chosen, found = none, None
    else:
        chosen = next(one for one, score in scores.items() if score <= th.AS_GOOD_AS_BEST * least)
        found, reason = tried[chosen], _why(scores, chosen)
    chain = None
    if at_once and not chosen.are_effects and not past.owes(chosen, scores[chosen]):
        reason += f"\n{chosen.kind}: its model of one step is as likely without inputs"
        left = [one for one in tried if one.are_effects]
        chosen, found = min(left, key=scores.__getitem__, default=none), None
    if chosen.are_effects:
        with suppress(ValueError):  # too few values, of which all are tried
            chain = past.chain(replace(chosen, steps=plan.transforms), y)
        if at_once and explains(at_once) and not (chain and explains(chain)):
            chosen, found, chain = none, None, at_once  # what many lags hide
    logger.info("inputs: %s", reason.replace("\n", "; "))
    falling = sorted(scores.items(), key=lambda item: -item[1])  # the best of a name is the last
    by_name = {str(one): score for one, score in falling}
    return Decision(InputChoice(chain, chosen, found), reason, by_name)


def _why(scores: Mapping[InputCandidate, float], chosen: InputCandidate) -> str:
    """Return which candidate was selected, and a line for the best of each kind, best first."""
    best = {chosen.kind: chosen}
    for one, score in sorted(scores.items(), key=lambda item: item[1]):
        if np.isfinite(score):
            best.setdefault(one.kind, one)
    rows = sorted(best.values(), key=lambda one: scores[one])
    least = "the smallest error" if rows[0] == chosen else "about the smallest error"
    table = (f"CRPS {in_digits(scores[one])}: {one}" for one in rows)
    return "\n".join([f"{chosen}: {least} in simulations of held-out values", *table])


def _candidates(
    past: "_Past", plan: TransformPlan | None, lags: Lags | None
) -> Iterator[InputCandidate]:
    """Yield the candidates of the table that the values can judge, each once, from the simplest."""
    found: dict[InputCandidate, None] = {}
    n, positive = len(past.y), bool(np.nanmin(past.y) > 0.0)
    for kind, sizes in TABLE.items():
        for last, own in sizes:
            inputs = tuple(range(last + 1 if past.exog.n_given else 1))
            one = InputCandidate(
                kind, inputs if past.exog_lags is None else None, tuple(range(1, own + 1))
            )
            size = len(past.terms(one)) + (0 if one.are_effects else own)
            if size > n // th.VALUES_A_LAG and last > 0:
                continue
            if not (one.are_effects or past.exog.n_given):  # a date drives no process
                continue
            if not one.are_effects:
                found[one if lags is None else replace(one, lags=lags)] = None
            elif plan is not None and (kind == EFFECTS or positive):
                found |= dict.fromkeys(_after(one, plan, n // 4))
    yield from found


def _after(one: InputCandidate, plan: TransformPlan, longest: int) -> list[InputCandidate]:
    """Return effects with the steps that follow them, and with none."""
    steps, period = plan.transforms, plan.period
    found = [replace(one, steps=steps), replace(one, steps=Compose())]
    if period is not None:
        found.insert(1, replace(one, steps=steps, lags=tuple(lags_around(period, longest))))
    return found


def process_of(one: InputCandidate, X: FloatArray, y: FloatArray) -> GaussianProcess:
    """Return the process of a candidate, not fitted, with the hyperparameters that rows suggest.

    It has one length-scale. Those of the sum are of what is left of a line whose slopes have the
    prior variance 1.
    """
    some = evenly(0, len(y) - 1, th.GRID_ROWS)
    X, y = X[some], y[some]
    if one.kind == CURVE:
        return on_grid(X, y).model
    slopes = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ y)
    curve = on_grid(X, y - X @ slopes).model
    assert curve.covariance is not None
    return replace(curve, covariance=curve.covariance + Linear(1.0))


@dataclass(frozen=True, eq=False)
class _Past:
    """The newest values (n,) of a series, the first of them known, and its inputs."""

    y: FloatArray
    size: float  # of the values, by which they are divided
    skipped: int  # how many values come before
    exog: Exogenous
    exog_lags: ExogLags
    steps: int = th.TRIAL_STEPS  # of a simulation, at most

    @property
    def inputs(self) -> FloatArray:
        """The inputs, standardised, (n, q); NaN where missing."""
        return self.exog.scaled(self.exog.past)[self.skipped :][: len(self.y)]

    @staticmethod
    def of(y: "pd.Series[float]", exog: Exogenous, exog_lags: ExogLags) -> "_Past":
        """Return the newest values."""
        values = values_of(y)
        known = np.flatnonzero(~np.isnan(values))
        first = int(known[known > known[-1] - n_newest(calendar_periods(y.index))][0])
        newest = values[first : known[-1] + 1]
        size = float(np.nanmax(np.abs(newest))) or 1.0
        return _Past(newest / size, size, first, exog, exog_lags)

    def controlled(self, period: int | None, lags: Lags | None) -> InputChoice | None:
        """Return how inputs enter of which some follow the series; None if none does."""
        near = (0, *th.LAGS_NEAR) if self.exog_lags is None else None
        one = InputCandidate(CONTROLLED, near, own := lags or th.LAGS_NEAR)
        now = {column: i for i, (column, lag) in enumerate(self.terms(one), len(own)) if lag == 0}
        given = self.inputs[:, : self.exog.n_given]
        found = set_by_series(self.y, given, period, at_once=bool(now))
        if not found.any():
            return None
        columns = np.flatnonzero(found).tolist()
        follow = tuple(now[j] for j in columns if j in now)
        names = listed([repr(self.exog.columns[j]) for j in columns])
        note = (
            f"input {names} follows the series, as one that a controller sets: the past tells its "
            f"effect from the controller's only where it moved by itself, and the intervals allow "
            f"for both; trials that move it whatever the series does would tell"
        )
        return InputChoice(candidate=one, note=note, follow=follow)

    def judged(self, candidates: Sequence[InputCandidate]) -> dict[InputCandidate, Simulated]:
        """Return the simulations of the better half of the better half of the candidates."""
        tried: dict[InputCandidate, Simulated] = {}
        left = candidates
        for shares in th.INPUT_ORIGINS:
            found = {}
            for one in left:
                with suppress(ValueError, np.linalg.LinAlgError):  # too short, or it runs away
                    new = self.simulated(one, [int(share * len(self.y)) for share in shares])
                    found[one] = tried[one] + new if one in tried else new
            tried = found
            half = np.median([each.score for each in found.values()] or [np.inf])
            left = [one for one, each in found.items() if each.score <= half]
        return tried

    def lags_of(self, one: InputCandidate) -> ExogLags:
        """Return the lags of the inputs that a candidate has, as a user would give them."""
        return self.exog_lags if one.inputs is None else one.inputs

    def chain(self, one: InputCandidate, y: "pd.Series[float]") -> Chain:
        """Return the effects of a candidate and the steps that follow them, fitted to a series."""
        steps = one.warped.with_first(effects_of(self.exog, self.lags_of(one)))
        return steps.fit_at(values_of(y), TimeAxis(y.index))

    def terms(self, one: InputCandidate) -> tuple[tuple[int, int], ...]:
        """Return column and lag of each input of a candidate."""
        if one.inputs == ():
            return ()
        lags = self.exog.lags(self.lags_of(one))
        return LagEmbedding(1, exog_lags=lags).exog_plan(self.exog.columns)

    def owes(self, one: InputCandidate, score: float) -> bool:
        """Whether a candidate owes its score to its inputs, by evidence or by simulations."""
        axis = TimeAxis.rows(len(self.y))
        z = Compose().fit_at(self.y, axis).levels(self.y, axis)[-1]
        X, targets = self.rows(Inputs(one.lags, self.terms(one)), z, 0)
        if _evidence(one, X, targets) > _evidence(one, X[:, : len(one.lags)], targets):
            return True
        without = self.judged([replace(one, inputs=())])
        least = min((found.score for found in without.values()), default=np.inf)
        return th.AS_GOOD_AS_BEST * score <= least

    def rows(self, plan: Inputs, z: FloatArray, lost: int) -> tuple[FloatArray, FloatArray]:
        """Return inputs and targets of a model of one step, of the first values (m,), complete."""
        at = np.arange(lost + max(plan.n_past, plan.n_past_exog), len(z))[:, None]
        columns, lags = np.array(plan.exog, dtype=int).reshape(-1, 2).T
        X = np.hstack([z[at - np.array(plan.lags)], self.inputs[at - lags, columns]])
        complete = ~np.isnan(z[at[:, 0]] + X.sum(axis=1))
        if complete.sum() < 2:
            raise ValueError("too few rows without a missing value")
        return X[complete], z[at[complete, 0]]

    def simulated(self, one: InputCandidate, origins: Sequence[int]) -> Simulated:
        """Fit a candidate to the values before each origin, and simulate those that follow.

        What counts is the error of known values at times whose inputs are known.
        """
        y, axis, steps, whole = self.y, TimeAxis.rows(len(self.y)), one.warped, bridged(self.y)
        unknown, filled = np.isnan(y + self.inputs.sum(axis=1)), np.nan_to_num(self.inputs)
        plan = Inputs(one.lags, () if one.are_effects else self.terms(one))
        if one.are_effects:
            effects = effects_of(self.exog, self.lags_of(one))
            assert effects.known is not None
            here = replace(effects.known, first=effects.known.first - self.skipped)
            steps = steps.with_first(replace(effects, known=here))
        found = []
        for origin in origins:
            chain = steps.fit_at(y[:origin], axis.part(0, origin))
            X, targets = self.rows(plan, chain.levels(y, axis)[-1][:origin], chain.n_lost)
            if one.is_linear and len(X) < 2 * X.shape[1] + 2:
                raise ValueError("too few rows for so many coefficients")
            some = evenly(0, len(X) - 1, len(X) if one.is_linear else th.GRID_ROWS)
            levels = chain.levels(whole, axis)
            ahead = np.arange(origin, min(origin + self.steps, len(y)))
            back = np.arange(origin - plan.n_past_exog, ahead[-1] + 1)
            start = Start(levels[-1][None, origin - plan.n_past : origin], filled[None, back])
            with on_trial():
                model = LinearAR() if one.is_linear else process_of(one, X, targets)
                fitted = predictive_of(model.fit(X[some], targets[some]))
                path = propagate(fitted, ExactMoments(), plan, start, len(ahead))
            path = chain.undo(path, levels, ahead[:1], axis)
            mean, std = path.mean[0], np.sqrt(path.var[0])
            std = np.maximum(std, ROUNDING * np.abs(mean).max())  # of an input that is the series
            if chain.warp == Log():  # in closed form
                crps = crps_log_normal(whole[ahead], mean, std**2, axis=())
            else:
                crps = np.ravel(distribution_of(path, chain.warp).crps(whole[None, ahead]))
            errors = np.where(unknown[ahead], np.nan, (chain.forward(whole[ahead]) - mean) / std)
            found.append((ahead, self.size * crps, errors, std))
        return Simulated(*zip(*found, strict=True))


def _evidence(one: InputCandidate, X: FloatArray, y: FloatArray) -> float:
    """Return the log evidence of rows, nats: Schwarz's for a line, that of one length-scale."""
    n, d = X.shape
    if not one.is_linear:
        some = evenly(0, n - 1, th.GRID_ROWS)
        return float(n * on_grid(X[some], y[some]).log_evidence)
    _, left, _, _ = np.linalg.lstsq(X, y)
    return float(-0.5 * (n * np.log(max(float(left.sum()), 1e-300)) + d * np.log(n)))
