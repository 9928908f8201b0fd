"""What to take away from a series before it is learned: its season, or a wandering level.

Trials settle it (`gpforecast.automatic.judge`). Tests have little power on short and on trending
series, so they only say which transform is preferred: another must forecast better by a margin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Candidate, Decision, best_of
from gpforecast.automatic.judge import trial
from gpforecast.automatic.lags.seasonal import lags_around, related
from gpforecast.automatic.seasonality import offered_season
from gpforecast.automatic.stationarity import level_of
from gpforecast.common.types import FloatArray
from gpforecast.transforms import Compose, Deterministic, Difference, Log, SeasonalDifference
from gpforecast.transforms.base import Transform

Steps = tuple[Transform, ...]


@dataclass(frozen=True)
class Plan:
    """Transforms, and what is known of a series with them.

    Attributes
    ----------
    transforms : Compose
    period : int or None
        Of the season that was found, in steps, be it taken away or left to the lags.
    horizon : int
        Steps of the forecasts of a trial; 0 where nothing was tried.
    crps : float
        Of a trial, in the units of the series; NaN where nothing was tried.
    """

    transforms: Compose
    period: int | None = None
    horizon: int = 0
    crps: float = np.nan


@dataclass(frozen=True, eq=False)
class Trials:
    """A series to try transforms on, and the logarithm that comes before them, if one does.

    Attributes
    ----------
    y : ndarray (n,)
        The series itself, which trials forecast.
    suggested : tuple of int
        Seasons that the index suggests, in steps.
    warp : tuple of Log
    """

    y: FloatArray
    suggested: tuple[int, ...]
    warp: tuple[Log, ...] = ()

    @property
    def z(self) -> FloatArray:
        """What tests look at: the series or its logarithm, (n,)."""
        return np.log(self.y) if self.warp else self.y

    def of(
        self,
        handicaps: Mapping[Steps, float],
        period: int | None,
        horizon: int,
        sets: Sequence[Sequence[int]],
    ) -> list[Candidate[Plan]]:
        """Try all steps that have a handicap, each with the best of some sets of lags."""
        tried = []
        for steps, handicap in handicaps.items():
            transforms = Compose(*self.warp, *steps)
            score = min(trial(self.y, transforms, lags, horizon).crps for lags in sets)
            plan = Plan(transforms, period, horizon, score)
            tried.append(Candidate(plan, named(steps), score, handicap))
        return tried


def named(steps: Steps) -> str:
    """Return transforms in words."""
    return " and ".join(map(repr, steps)) or "nothing taken away"


def without_season(trials: Trials, season: Decision[int]) -> Decision[Plan]:
    """Return the steps that remove a season, and a wandering level with it.

    What is less likely has a handicap.
    """
    n, period = len(trials.y), season.value
    m, *longer = related(period, n // th.LONG_SEASON_CYCLES)[:2] or [period]
    pairs = min(m // 2, th.MOST_PAIRS)
    rough = th.HANDICAP_FEW_PAIRS if pairs < m // 2 else 1.0
    handicaps: dict[Steps, float] = {
        (SeasonalDifference(m),): th.HANDICAP_SHORTER_SEASON if m != period and longer else 1.0,
        (SeasonalDifference(m), Difference()): th.HANDICAP_TWO_DIFFERENCES,
        (Deterministic(1, pairs, m),): rough,
        (Difference(), Deterministic(0, pairs, m)): th.HANDICAP_DIFFERENCE_AND_SINES * rough,
    }
    for p in longer:
        handicaps[(SeasonalDifference(p),)] = 1.0 if p == period else th.HANDICAP_LONGER_SEASON
    handicaps[()] = th.HANDICAP_NOTHING_REMOVED
    horizon = min(2 * m, n // th.HORIZON_PARTS, th.TRIAL_STEPS_SEASONAL)
    sets = [[1], lags_around(m, n // 4)]
    return best_of(trials.of(handicaps, period, horizon, sets), season.reason)


def without_trend(trials: Trials) -> Decision[Plan]:
    """Return the steps that remove a wandering level or a line.

    A season that is too weak to be removed may still be worth lags; then it is the period. One that
    the index suggests is given up only where a trial without its lags is clearly better.
    """
    n, level = len(trials.y), level_of(trials.z)
    horizon = min(n // th.HORIZON_PARTS, th.TRIAL_STEPS)
    handicaps: dict[Steps, float] = {(Difference(),): 1.0 / th.MARGIN_WANDERS, (): 1.0}
    if level.value != "wanders":  # of two that cannot be tried, the first is taken
        doubt = th.MARGIN_CONSTANT if level.value == "constant" else 1.0 / th.MARGIN_UNDECIDED
        handicaps = {(): 1.0, (Difference(),): doubt}

    tried = trials.of(handicaps, None, horizon, [th.LAGS_NEAR, th.LAGS_FURTHER])
    offered = offered_season(trials.y, trials.suggested)
    if offered is not None:
        around = [lags_around(offered, n // 4, recent=len(th.LAGS_NEAR))]
        seasonal = trials.of(handicaps, offered, horizon, around)
        best = min(seasonal, key=lambda c: c.score)
        margin = th.OFFERED_MARGIN_LEVEL
        if best.name != named(()):
            margin = th.OFFERED_MARGIN_INDEX if trials.suggested else 1.0
        if best.score < margin * min(c.score for c in tried):
            tried = seasonal
    if level.value == "line":
        line = Deterministic(1)
        plan = replace(tried[0].value, transforms=Compose(*trials.warp, line))
        return Decision(plan, f"{line!r}: {level.reason}")
    unlikely = {"wanders": named(()), "constant": named((Difference(),))}
    return best_of(tried, level.reason, unlikely.get(level.value, ""))
