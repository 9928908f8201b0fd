"""Which transforms a series is given, and why.

1. Is it smooth? If a few lags predict it almost wholly (chaotic and other deterministic series),
   nothing is done: unit-root tests and period finders mislead there, and the model needs no help.
2. Has it a season of constant length? The index suggests some, the series itself others.
3. Does its spread grow with its level, as a logarithm or a root would undo (`warps`)?
4. What is then best taken away (`removal`)?

The reasons give the numbers that decided, and how good the alternatives should have been.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.judge import trial
from gpforecast.automatic.removal import Plan, Trials, without_season, without_trend
from gpforecast.automatic.seasonality import calendar_periods, find_season
from gpforecast.automatic.stationarity import is_constant, unexplained
from gpforecast.automatic.warps import NO_WARP, margin_for_logarithm, margin_for_root
from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.transforms import BoxCox, Compose, Log


def choose_transforms(y: "pd.Series[float]", *, driven: bool = False) -> Decision[Plan]:
    """Return the transforms that a series is given.

    Parameters
    ----------
    y : Series
        On a regular index; missing values are bridged by straight lines for the tests.
    driven : bool
        Whether there are exogenous inputs: what looks like a trend or a season may be theirs, so
        nothing is taken away.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> walk = pd.Series(np.cumsum(np.random.default_rng(0).standard_normal(300)))
    >>> choose_transforms(walk).value.transforms
    Compose(Difference(order=1))
    """
    values, suggested = bridged(values_of(y)), calendar_periods(y.index)
    if driven:
        return _nothing("exogenous inputs may explain trend and season")
    if len(values) < th.FEWEST_VALUES:
        return _nothing(f"fewer than {th.FEWEST_VALUES} values")
    if is_constant(values):
        return _nothing("the series is constant")
    positive = bool(values.min() > 0)  # all of them: the transform will see the oldest too
    values = values[-th.NEWEST_VALUES :] / np.abs(values).max()  # no square overflows or vanishes
    left = unexplained(values)
    if left < th.SMOOTH:
        return _nothing(
            f"smooth; a few lags predict all but {left:.1g} of the variance of its steps"
        )

    season = _season(values, suggested, positive)
    period = None if season is None else season.value
    logarithm = margin_for_logarithm(values, period) if positive else NO_WARP
    root = NO_WARP if logarithm.reason else margin_for_root(values, period)
    if np.isfinite(root.value):
        plain, warp = _without(Trials(np.sqrt(values), suggested), season), BoxCox(th.ROOT)
        plan = replace(plain.value, transforms=Compose(warp, plain.value.transforms))
        return replace(plain, value=plan, reason=f"{warp!r}: {root.reason}\n{plain.reason}")
    plain = _without(Trials(values, suggested), season)
    if not np.isfinite(logarithm.value):
        against = [f"no warp: {d.reason}" for d in (logarithm, root) if d.reason]
        return replace(plain, reason="\n".join([plain.reason, *against]))
    logs = Trials(values, suggested, (Log(),))
    warped = _without(logs, season and (find_season(logs.z, suggested) or season))
    choice = _logarithm_or_not(values, plain.value, warped.value, logarithm)
    if choice.value:
        return replace(warped, reason=f"{choice.reason}\n{warped.reason}")
    return replace(plain, reason=f"{plain.reason}\n{choice.reason}")


def bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])


def _nothing(why: str) -> Decision[Plan]:
    return Decision(Plan(Compose()), f"none: {why}")


def _without(trials: Trials, season: Decision[int] | None) -> Decision[Plan]:
    return without_trend(trials) if season is None else without_season(trials, season)


def _season(values: FloatArray, suggested: tuple[int, ...], positive: bool) -> Decision[int] | None:
    """Return the season, looked for in the logarithm too: there it may repeat itself better."""
    forms = [values, np.log(values)] if positive else [values]
    for familiar in [False] if suggested else [False, True]:
        for y in forms:
            if found := find_season(y, suggested, familiar=familiar):
                return found
    return None


def _logarithm_or_not(
    y: FloatArray, plain: Plan, warped: Plan, margin: Decision[float]
) -> Decision[bool]:
    """Return whether the logarithm is taken.

    Where log-normal forecasts become so wide that their means say little, it must be far better,
    whatever else speaks for it.
    """
    spread = trial(y, warped.transforms, th.LAGS_NEAR, warped.horizon).last_std
    wide = spread > th.LOG_WIDEST
    handicap = max(margin.value, th.LOG_MARGIN_WIDE) if wide else margin.value
    taken = Candidate(True, repr(Log()), warped.crps, handicap)
    left = Candidate(False, "no logarithm", plain.crps)
    if not wide:
        return best_of([taken, left], margin.reason, left.name)
    why = (
        f"{margin.reason}, but its forecasts are so wide (standard deviation {spread:.2g} of the "
        f"logarithm) that their means say little"
    )
    return best_of([left, taken], why)
