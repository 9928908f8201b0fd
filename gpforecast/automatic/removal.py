"""What to take away from a series before it is learned: its season, or a wandering level.

Trials settle it (`gpforecast.automatic.judge`). Tests have little power on short and on trending
series, so they only say which transform is preferred: another must forecast better by a margin.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.judge import trial_crps
from gpforecast.automatic.lags.seasonal import lags_around, related
from gpforecast.automatic.seasonality import calendar_periods, offered_season
from gpforecast.automatic.stationarity import level_of
from gpforecast.common.types import FloatArray
from gpforecast.transforms import Deterministic, Difference, Log, SeasonalDifference, Transform

Steps = tuple[Transform, ...]


@dataclass(frozen=True, eq=False)
class Tried:
    """A series to try transforms on, and the logarithm that comes before them, if one does.

    Attributes
    ----------
    y : ndarray (n,)
        The series itself, which trials forecast.
    index : Index
    warp : tuple of Log
    """

    y: FloatArray
    index: pd.Index
    warp: tuple[Log, ...] = ()

    @property
    def z(self) -> FloatArray:
        """What tests look at: the series or its logarithm, (n,)."""
        return np.log(self.y) if self.warp else self.y

    def crps(self, steps: Steps, sets: Sequence[Sequence[int]], horizon: int) -> float:
        """Return the CRPS of a trial of these steps, with the best of some sets of lags."""
        return min(trial_crps(self.y, (*self.warp, *steps), lags, horizon) for lags in sets)


@dataclass(frozen=True)
class Removal:
    """What is taken away, and what is known of it.

    Attributes
    ----------
    steps : tuple of transforms
    period : int or None
        Of the season that was found, be it taken away or left to the lags.
    horizon : int
        Steps of the forecasts of a trial.
    crps : float
        Of a trial, in the units of the series.
    """

    steps: Steps
    period: int | None
    horizon: int
    crps: float


def without_season(tried: Tried, season: Decision[int]) -> Decision[Removal]:
    """Return the steps that remove a season, and a wandering level with it.

    What is less likely has a handicap: its CRPS is multiplied by a factor.
    """
    n, period = len(tried.y), season.value
    m, *longer = related(period, n // th.LONG_SEASON_CYCLES)[:2] or [period]
    pairs = min(m // 2, th.MOST_PAIRS)
    rough = th.HANDICAP_FEW_PAIRS if pairs < m // 2 else 1.0
    shorter = th.HANDICAP_SHORTER_SEASON if m != period and longer else 1.0
    candidates: list[tuple[Steps, float]] = [
        ((SeasonalDifference(m),), shorter),
        ((SeasonalDifference(m), Difference()), th.HANDICAP_TWO_DIFFERENCES),
        ((Deterministic(1, pairs, m),), rough),
        ((Difference(), Deterministic(0, pairs, m)), th.HANDICAP_DIFFERENCE_AND_SINES * rough),
    ]
    for p in longer:
        handicap = 1.0 if p == period else th.HANDICAP_LONGER_SEASON
        candidates.append(((SeasonalDifference(p),), handicap))
    candidates.append(((), th.HANDICAP_NOTHING_REMOVED))
    horizon = min(2 * m, n // th.HORIZON_PARTS, th.TRIAL_STEPS_SEASONAL)
    sets = [[1], lags_around(m, n // 4)]
    scores = [tried.crps(steps, sets, horizon) for steps, _ in candidates]
    return _settled(candidates, scores, season.reason, period, horizon)


def without_trend(tried: Tried) -> Decision[Removal]:
    """Return the steps that remove a wandering level or a line.

    A season that is too weak to be removed may still be worth lags; then it is the period. One that
    the index suggests is given up only where a trial without its lags is clearly better.
    """
    n, level = len(tried.y), level_of(tried.z)
    horizon = min(n // th.HORIZON_PARTS, th.TRIAL_STEPS)
    margin = {
        "wanders": 1.0 / th.MARGIN_WANDERS,
        "undecided": 1.0 / th.MARGIN_UNDECIDED,
        "constant": th.MARGIN_CONSTANT,
        "line": 1.0,
    }[level.value]
    candidates: list[tuple[Steps, float]] = [((Difference(),), margin), ((), 1.0)]

    def scores_with(sets: Sequence[Sequence[int]]) -> list[float]:
        return [tried.crps(steps, sets, horizon) for steps, _ in candidates]

    period, scores = None, scores_with([th.LAGS_NEAR, th.LAGS_FURTHER])
    offered = offered_season(tried.y, tried.index)
    if offered is not None:
        seasonal = scores_with([lags_around(offered, n // 4, recent=len(th.LAGS_NEAR))])
        enough = th.OFFERED_MARGIN_LEVEL
        if seasonal[0] < seasonal[1]:
            enough = th.OFFERED_MARGIN_INDEX if calendar_periods(tried.index) else 1.0
        if min(seasonal) < enough * min(scores):
            period, scores = offered, seasonal
    if level.value == "line":
        line = Deterministic(1)
        return Decision(Removal((line,), period, horizon, scores[1]), f"{line!r}: {level.reason}")
    if level.value != "wanders":  # of two that cannot be tried, the first is taken
        candidates, scores = candidates[::-1], scores[::-1]
    unlikely = {"wanders": (), "constant": (Difference(),)}.get(level.value)
    return _settled(candidates, scores, level.reason, period, horizon, unlikely)


def _settled(
    candidates: list[tuple[Steps, float]],
    scores: list[float],
    why: str,
    period: int | None,
    horizon: int,
    unlikely: Steps | None = None,
) -> Decision[Removal]:
    """Decide for the candidate of the smallest CRPS, each multiplied by its handicap.

    `why` speaks for the candidates but one that is `unlikely`.
    """
    weighted = [score * handicap for score, (_, handicap) in zip(scores, candidates, strict=True)]
    best = int(np.argmin(weighted))
    if candidates[best][0] == unlikely:
        why = f"forecasts decide, although {why}"
    names = [", ".join(map(repr, steps)) or "nothing taken away" for steps, _ in candidates]
    others = [
        f"{names[i]} {scores[i]:.3g} ({weighted[best] / handicap:.3g})"
        for i, (_, handicap) in enumerate(candidates)
        if i != best
    ]
    reason = (
        f"{names[best]}: {why}; mean CRPS of trial forecasts {scores[best]:.3g}\n"
        f"alternatives, and in brackets the CRPS below which each would be chosen: "
        f"{'; '.join(others)}"
    )
    removal = Removal(candidates[best][0], period, horizon, scores[best])
    return Decision(removal, reason, dict(zip(names, scores, strict=True)))
