"""Which transforms a series is given, and why.

1. Is it smooth? If a few lags predict it almost wholly (chaotic and other deterministic series),
   nothing is done: unit-root tests and period finders mislead there, and the model needs no help.
2. Does it have a season of constant length? The index suggests some, the series itself others.
3. Does its spread grow with its level, as a logarithm or a root would undo (`warps`)?
4. What is best removed: its season, or a wandering level? Trials decide (`judge`). Tests have
   little power on short and on trending series, so they only set which transform is preferred:
   another must forecast better by a margin.

The reasons give the numbers that decided, and how good the alternatives should have been.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.lags.candidates import lags_around, related
from gpforecast.automatic.short import (
    horizon_of_short,
    steps_of_short,
    tried_on_short,
    warps_of_short,
)
from gpforecast.automatic.trials import (
    NOTHING_BEFORE,
    Before,
    Steps,
    TransformPlan,
    Trials,
    bridged,
    named,
    trial_of,
)
from gpforecast.automatic.warps import NO_WARP, hopeless, margin_for_logarithm, margin_for_root
from gpforecast.common.validation import counted
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import is_far_from_zero
from gpforecast.transforms import (
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)
from gpforecast.transforms.warps import BoxCox

_AS_EFFECTS = "the logarithm, on which the effects of the inputs were found"


def choose_transforms(
    y: "pd.Series[float]",
    *,
    driven: bool = False,
    suggested: tuple[int, ...] | None = None,
    cycles: tuple[int, ...] = (),
    known: Decision[int | None] | None = None,
    before: Before = NOTHING_BEFORE,
) -> Decision[TransformPlan]:
    """Return the transforms that a series is given.

    Parameters
    ----------
    y : Series
        On a regular index; missing values are bridged by straight lines for the tests.
    driven : bool
        Whether there are exogenous inputs: what looks like a trend or a season may be theirs, so
        nothing is removed.
    suggested : tuple of int, optional
        Seasons to look for first, in steps; those that the index suggests by default.
    cycles : tuple of int
        Those of them that were found in the values, not suggested by the index.
    known : Decision of int or None, optional
        The season that the user says there is, or that there is none: then none is looked for.
    before : Before
        What is known of the series before effects or cycles were taken from it.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> walk = pd.Series(np.cumsum(np.random.default_rng(0).standard_normal(300)))
    >>> choose_transforms(walk).value.transforms
    Compose(Difference(order=1))
    """
    values, given = bridged(values_of(y)), None if known is None else known.value
    if known is not None:
        suggested = () if given is None else (given,)
    suggested = features.calendar_periods(y.index) if suggested is None else suggested
    if driven:
        return _nothing("the inputs may explain trend and season", given)
    if y.count() < th.SHORTEST:
        return _nothing(f"fewer than {th.SHORTEST} values are too few to try anything", given)
    if features.is_constant(values):
        return _nothing("the series is constant", given)
    before = before.smallest(values)  # the oldest too, which the transform will see
    size = float(np.abs(values).max())
    values = values[-features.n_newest(suggested) :] / size  # no square overflows or vanishes
    if is_far_from_zero(values):  # a logarithm is a straight line there
        values, before = values - values.mean(), Before(-np.inf)
    trials = Trials(values, suggested, size, cycles, known)
    found = _tried(trials, before)
    why = hopeless(values, found.value.transforms)
    if not why:
        return found
    found = _tried(trials, Before(min(before.least, 0.0)))
    return replace(found, reason=f"{found.reason}\n{why}")


def _tried(plainly: Trials, before: Before) -> Decision[TransformPlan]:
    """Return the transforms of a series that is not constant.

    A logarithm only if the smallest value is positive, a root only if it is not negative.
    """
    least, positive = before.least, before.least > 0.0
    logs = replace(plainly, warp=(Log(),))
    values, given = plainly.y, None if plainly.known is None else plainly.known.value
    size = plainly.size
    left = features.unexplained(values) if len(values) >= th.FEWEST_VALUES else 1.0
    if left < th.SMOOTH and given is None:
        why = f"a few past values predict all but {100 * left:.1g} % of the variance of its steps"
        reason = f"nothing is taken away: the series is smooth, {why}"
        return Decision(TransformPlan(Compose(), smooth=True), reason)

    season = _season(plainly, positive)
    period = None if season is None else season.value
    if len(values) <= th.SHORT_VALUES and left >= th.FOLLOWS_A_MAP:
        return _of_short(plainly, season, before)
    logarithm = margin_for_logarithm(values, period) if positive else NO_WARP
    if before.in_logs and positive:
        warped = _without(logs, season and (_season_of(logs) or season))
        return replace(warped, reason=f"{logarithm.reason or _AS_EFFECTS}\n{warped.reason}")
    root = NO_WARP if logarithm.reason or least < 0.0 else margin_for_root(values, period)
    if np.isfinite(root.value):
        roots = replace(plainly, y=np.sqrt(values), size=float(np.sqrt(size)))
        plain, warp = _without(roots, season, "units of the square root"), BoxCox(th.ROOT)
        plan = replace(plain.value, transforms=Compose(warp, plain.value.transforms))
        score = trial_of(values, plan).crps
        plan = replace(plan, crps=size * score)  # of the series, as of other transforms
        return replace(plain, value=plan, reason=f"the square root: {root.reason}\n{plain.reason}")
    plain = _without(plainly, season)
    if not np.isfinite(logarithm.value):
        against = [f"no logarithm or root: {d.reason}" for d in (logarithm, root) if d.reason]
        return replace(plain, reason="\n".join([plain.reason, *against]))
    warped = _without(logs, season and (_season_of(logs) or season))
    choice = _logarithm_or_not(plainly, plain.value, warped.value, logarithm)
    if choice.value:
        return replace(warped, reason=f"{choice.reason}\n{warped.reason}")
    return replace(plain, reason=f"{plain.reason}\n{choice.reason}")


def changes_of_a_handful(
    plan: Decision[TransformPlan], y: "pd.Series[float]"
) -> Decision[TransformPlan]:
    """Return the plan for a series of a few values without gaps: its changes, untried.

    The lags must be free to follow: one is all that a handful has rows for.
    """
    fits = th.FEWEST_CHANGES <= len(y) < th.SHORTEST and not y.hasnans
    if not fits or features.is_constant(values_of(y)):
        return plan
    steps = Compose(Difference(), DampedMean(th.SHORT_DAMPING, halflife=th.SHORT_HALFLIFE))
    reason = f"the changes, untried: fewer than {th.SHORTEST} values are too few to try anything"
    return replace(plan, value=replace(plan.value, transforms=steps), reason=reason)


def _of_short(
    trials: Trials, season: Decision[int] | None, before: Before
) -> Decision[TransformPlan]:
    """Return the transforms of a short series, which may have a season that the index suggests."""
    least, positive = before.least, before.least > 0.0
    y, n, looked_for = trials.y, len(trials.y), trials.known is None
    if season is None and (possible := [m for m in trials.suggested if 2 * m < n]):
        weak = (
            "the index suggests a season of {} steps; the values do not clearly show one, as it is "
            "weak or they are few, but it is allowed for (season_length=1 leaves it out)"
        )
        season = Decision(min(possible), weak.format(min(possible)))
    if season is not None and season.value > th.SHORT_SURE_SEASON and looked_for:
        season = season if features.alike(y, season.value) >= th.SHORT_SEASON_ALIKE else None
    period = None if season is None else season.value
    tests = n >= th.FEWEST_VALUES
    level = features.level_of(y) if tests else Decision[features.Level]("undecided", "")
    root = margin_for_root(y, period) if tests and least >= 0.0 else NO_WARP
    logarithm = margin_for_logarithm(y, period) if tests and positive else NO_WARP
    warps = warps_of_short(positive, logarithm.value, bool(np.isfinite(root.value)))
    if before.in_logs and positive:
        warps = {(Log(),): 1.0}
    horizon = horizon_of_short(n, period)
    steps = steps_of_short(n, period, level.value)
    tried = tried_on_short(y, steps, warps, horizon)
    best = best_of(tried, judged=_judged(horizon), size=trials.size)
    of_season = "" if season is None else season.reason
    if before.in_logs and positive:
        logarithm = Decision(np.inf, logarithm.reason or _AS_EFFECTS)
    considered = (logarithm.reason, root.reason, level.reason, of_season)
    score = best.scores[" and ".join(map(repr, best.value.steps)) or named(())]
    plan = TransformPlan(best.value, period, horizon, trials.size * score)
    return Decision(plan, "\n".join([best.reason, *filter(None, considered)]), best.scores)


def _judged(horizon: int) -> str:
    """Return what decides among transforms."""
    return f"trial forecasts of {counted(horizon, 'step')}"


def _nothing(why: str, period: int | None) -> Decision[TransformPlan]:
    return Decision(TransformPlan(Compose(), period), f"nothing is taken away: {why}")


def _without(
    trials: Trials, season: Decision[int] | None, unit: str = ""
) -> Decision[TransformPlan]:
    if season is None:
        return without_trend(trials, unit)
    return without_season(trials, season, unit)


def _season(trials: Trials, positive: bool) -> Decision[int] | None:
    """Return the season of the series or of its logarithm, which may repeat itself better."""
    if trials.known is not None:
        return _season_of(trials)
    values, suggested = trials.y, trials.suggested
    found = (
        features.find_season(y, suggested, familiar=familiar, cycles=trials.cycles)
        for familiar in ([False] if suggested else [False, True])
        for y in ([values, np.log(values)] if positive else [values])
    )
    return next((season for season in found if season is not None), None)


def _season_of(trials: Trials) -> Decision[int] | None:
    """Return the season that is known, or that the tests find; None if there is none."""
    known = trials.known
    if known is None:
        return features.find_season(trials.z, trials.suggested, cycles=trials.cycles)
    return None if known.value is None else Decision(known.value, known.reason)


def _logarithm_or_not(
    trials: Trials, plain: TransformPlan, warped: TransformPlan, margin: Decision[float]
) -> Decision[bool]:
    """Return whether the logarithm is taken.

    Where log-normal forecasts become so wide that their means mean little, it must be far better.
    """
    spread = trial_of(trials.y, warped).last_std
    wide = spread > th.LOG_WIDEST
    penalty = max(margin.value, th.LOG_MARGIN_WIDE) if wide else margin.value
    taken = Candidate(True, repr(Log()), warped.crps, penalty, "the logarithm")
    left = Candidate(False, "no logarithm", plain.crps)
    judged = _judged(plain.horizon)
    if not wide:
        return best_of([taken, left], margin.reason, left.name, judged=judged)
    why = (
        f"{margin.reason}, but forecasts of the logarithm are so wide (standard deviation "
        f"{spread:.2g}) that their means say little"
    )
    return best_of([left, taken], why, judged=judged)


def without_season(
    trials: Trials, season: Decision[int], unit: str = ""
) -> Decision[TransformPlan]:
    """Return the steps that remove a season, and a wandering level with it.

    What is less likely has a penalty. The unit is that of the scores, unless it is the series'.
    """
    n, period = len(trials.y), season.value
    m, *longer = related(period, n // th.LONG_SEASON_CYCLES)[:2] or [period]
    # Few weeks are tried beside the day, found or not: forecasts that miss weekends are far off.
    few = [p for p in trials.suggested if p == 7 * m and not longer and n >= th.SEASON_CYCLES * p]
    pairs = min(m // 2, th.MOST_PAIRS)
    rough = th.PENALTY_FEW_PAIRS if pairs < m // 2 else 1.0
    penalties: dict[Steps, float] = {
        (SeasonalDifference(m),): th.PENALTY_SHORTER_SEASON if m != period and longer else 1.0,
        (SeasonalDifference(m), Difference()): th.PENALTY_TWO_DIFFERENCES,
        (Deterministic(1, pairs, m),): rough,
        (Difference(), Deterministic(0, pairs, m)): th.PENALTY_DIFFERENCE_AND_SINES * rough,
    }
    for p in longer:
        penalties[(SeasonalDifference(p),)] = 1.0 if p == period else th.PENALTY_LONGER_SEASON
    for p in (*longer, *few):
        if p % m == 0:
            penalties[_mean_of(p, m)] = 1.0
    penalties[()] = th.PENALTY_NOTHING_REMOVED
    horizon = min(2 * m, n // th.HORIZON_PARTS, th.TRIAL_STEPS_SEASONAL)
    sets = [[1], lags_around(m, n // 4)]
    tried = trials.of(penalties, period, horizon, sets)
    judged = _judged(horizon)
    best = best_of(tried, season.reason, judged=judged, size=trials.size, unit=unit)
    shorter = _why_shorter(best.value.transforms, period, [*longer, *few])
    return replace(best, reason="\n".join(filter(None, (best.reason, shorter))))


def _mean_of(period: int, part: int) -> Steps:
    """Return what takes the mean of each step of a season, shrunk to that of a part of it.

    The mean week is that of the day where its days do not differ by more than chance.
    """
    return (DampedMean(1.0, part, prior=None), DampedMean(0.0, period))  # its mean is 0


def _why_shorter(transforms: Compose, period: int, longer: Sequence[int]) -> str:
    """Return why a season is taken away that is a part of the one that was found; "" if it is not.

    Examples
    --------
    >>> _why_shorter(Compose(SeasonalDifference(24)), 168, [])
    'the season of 24 steps is a part of that of 168: the series is too short for the longer one'
    """
    taken = transforms.period
    if taken is None or period in transforms.periods or period % taken:
        return ""
    part = f"the season of {taken:g} steps is a part of that of {period}: "
    if period not in longer:
        return f"{part}the series is too short for the longer one"
    return (
        f"{part}to take away the shorter one was tried beside the longer one, and did better in "
        f"the trial forecasts; the lags may still use the longer one"
    )


def without_trend(trials: Trials, unit: str = "") -> Decision[TransformPlan]:
    """Return the steps that remove a wandering level or a line.

    A season that is too weak to be removed may still be worth lags; then it is the period. One that
    the index suggests is dropped only where trials without its lags are clearly better.
    """
    n, level = len(trials.y), features.level_of(trials.z)
    horizon = min(n // th.HORIZON_PARTS, th.TRIAL_STEPS)
    penalties: dict[Steps, float] = {(Difference(),): 1.0 / th.MARGIN_WANDERS, (): 1.0}
    if level.value != "wanders":  # if neither can be tried, the first is taken
        doubt = th.MARGIN_CONSTANT if level.value == "constant" else 1.0 / th.MARGIN_UNDECIDED
        penalties = {(): 1.0, (Difference(),): doubt}

    sets: list[Sequence[int]] = [th.LAGS_NEAR, th.LAGS_FURTHER]
    tried = trials.of(penalties, None, horizon, sets)
    offered = features.offered_season(trials.y, trials.suggested) if trials.known is None else None
    if offered is not None:
        around = [lags_around(offered, n // 4, recent=len(th.LAGS_NEAR))]
        seasonal = trials.of(penalties, offered, horizon, around)
        best = min(seasonal, key=lambda c: c.score)
        margin = th.OFFERED_MARGIN_LEVEL
        if best.name != named(()):
            margin = th.OFFERED_MARGIN_INDEX if trials.suggested else 1.0
        if best.score < margin * min(c.score for c in tried):
            tried, sets = seasonal, [*around]
    if level.value == "line":
        line = Deterministic(1)
        (alone,) = trials.of({(line,): 1.0}, tried[0].value.period, horizon, sets)
        return Decision(alone.value, f"{alone.label}: {level.reason}")
    unlikely = {"wanders": named(()), "constant": named((Difference(),))}
    against = unlikely.get(level.value, "")
    judged = _judged(horizon)
    return best_of(tried, level.reason, against, judged=judged, size=trials.size, unit=unit)
