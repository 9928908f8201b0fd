"""Which transforms suit a series, and why.

1. Is it smooth? If a few lags predict it almost wholly (chaotic and other deterministic series),
   nothing is done: unit-root tests and period finders mislead there, and the model needs no help.
2. Has it a season of constant length? The index suggests some, the series itself others.
3. What is then best taken away is settled by a trial (`trial`): forecasts of many steps, from
   origins in the series' own past, by a plain autoregression. Tests have little power on short and
   on trending series, so they only say which transform is to be preferred unless another
   forecasts clearly better: of seasonal series the seasonal difference, which estimates nothing; of
   others a difference, where ADF does not reject a unit root; and no logarithm, unless the spread
   grows with the level (`growth`). A series that comes down to zero and spreads as it rises has
   its square root taken, by likelihood.

The reasons give the numbers that decided, and how much better what was not taken should have been.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.automatic.growth import Growth, grows, roots
from gpforecast.automatic.lags.seasonal import lags_around, related
from gpforecast.automatic.seasonality import (
    Season,
    calendar_periods,
    find_season,
    offered_season,
)
from gpforecast.automatic.trial import log_spread, trial
from gpforecast.common.types import FloatArray
from gpforecast.series.checked import values_of
from gpforecast.transforms.compose import Compose
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.differences import Difference, SeasonalDifference
from gpforecast.transforms.warps import BoxCox, Log

_FEWEST = 24  # values below which no test tells anything
_NEWEST = 3000  # values by which a long series is judged
SMOOTH = 1e-2
_WIDEST = 2.0  # of the logarithm of a forecast, whose mean is 7 times its median then
_FAR_BETTER = 2.0
_WEEKS = 5  # so many long seasons before they are removed instead of the short ones in them
_WEAK = 150  # values below which unit-root tests miss every other wandering level


@dataclass(frozen=True)
class Choice:
    """Transforms, the reasons for each decision, and the season found.

    Attributes
    ----------
    spec : Compose
    reasons : tuple of str
    period : int or None
    """

    spec: Compose
    reasons: tuple[str, ...]
    period: int | None


def choose(y: Any, *, driven: bool = False) -> Choice:
    """Return the transforms that suit a series.

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
    >>> choose(walk).spec
    Compose(Difference(order=1))
    """
    values, index = bridged(values_of(y)), y.index
    if driven:
        return Choice(Compose(), ("none: exogenous inputs may explain trend and season",), None)
    if len(values) < _FEWEST:
        return Choice(Compose(), (f"none: fewer than {_FEWEST} values",), None)
    size = float(np.abs(values).max())
    if np.ptp(values) <= 1e-10 * size:
        return Choice(Compose(), ("none: the series is constant",), None)
    positive = bool(values.min() > 0)  # all of them: the transform will see the oldest too
    values = values[-_NEWEST:] / size  # no square overflows or vanishes
    left = unexplained(values)
    if left < SMOOTH:
        why = f"none: smooth; a few lags leave {left:.1g} of the variance of its steps"
        return Choice(Compose(), (why,), None)

    season = _season(values, index, positive)
    known = None if season is None else season.period
    growth = grows(values, known) if positive else Growth()
    root = Growth() if growth.why or growth.against else roots(values, known)
    if root.why:  # the trial knows the logarithm alone: what follows is tried on the roots
        values = np.sqrt(values)
    plain = _without(values, index, season)
    if root.why:
        warp = BoxCox(0.5)
        reasons = (f"{warp!r}: {root.why}", plain.why)
        return Choice(Compose(warp, *plain.steps), reasons, plain.period)
    if growth.why:
        logs = np.log(values)
        season = season and (find_season(logs, index, smooth=False) or season)
        warped = _without(logs, index, season, (Log(),))
        doubt = _against_logarithm(values, plain, warped, growth)
        said = f"{growth.why}; CRPS of a trial {warped.score:.3g}, {plain.score:.3g} without"
        if not doubt:
            reason = f"Log: {said}{_trusted(warped.score, plain.score, 1 / growth.gain)}"
            spec = Compose(Log(), *warped.steps)
            return Choice(spec, (reason, warped.why), warped.period)
        growth = Growth(against=f"{said}; {doubt}")
    against = [f"no warp: {g.against}" for g in (growth, root) if g.against]
    return Choice(Compose(*plain.steps), (plain.why, *against), plain.period)


def _against_logarithm(y: FloatArray, plain: "_Best", warped: "_Best", growth: Growth) -> str:
    """Say what keeps the logarithm from being taken; empty if nothing does.

    Where log-normal forecasts become so wide that their means say little, it must be far better,
    whatever else speaks for it.
    """
    spread = log_spread(y, [Log(), *warped.steps], [1, 2, 3, 4], warped.horizon)
    wide = spread > _WIDEST
    gain = max(growth.gain, _FAR_BETTER) if wide else growth.gain
    if warped.score * gain < plain.score or not (wide or np.isfinite(plain.score)):
        return ""
    if gain < 1.0:
        return f"without is more than {1 / gain:.3g} times better"
    why = (
        f", as its forecasts have a standard deviation of {spread:.2g}, with which means say little"
    )
    return f"with it would have to be {gain:.3g} times better{why if wide else ''}"


def _trusted(chosen: float, other: float, margin: float) -> str:
    """Say why what a trial finds worse is chosen, if it does: other is not `margin` times better.

    Nothing is said where it finds it better, or where one of the two could not be tried.
    """
    if chosen <= other or not np.isfinite(chosen):
        return ""
    return f", which would have to be {margin:.3g} times better"


@dataclass(frozen=True)
class _Best:
    """Linear steps that suit a series, what a trial of them scored, and over which horizon."""

    steps: list[Any]
    score: float
    why: str
    period: int | None
    horizon: int


def _without(y: FloatArray, index: Any, season: Season | None, warp: tuple[Any, ...] = ()) -> _Best:
    """Return what to take away: the season if there is one, or else a wandering level."""
    if season is not None:
        return _without_season(y, season, warp)
    return _without_trend(y, index, warp)


def unexplained(y: FloatArray, lags: int = 16) -> float:
    """Return the residual variance of an autoregression over the variance of the differences.

    About 1/2 for noise, 1 for a random walk, 1e-5 for a chaotic flow sampled finely.
    """
    p = min(lags, len(y) // 4)
    X = np.column_stack([np.ones(len(y) - p), *(y[p - j : len(y) - j] for j in range(1, p + 1))])
    X[:, 1:] -= y.mean()
    residual = y[p:] - y.mean()
    residual = residual - X @ np.linalg.lstsq(X, residual, rcond=None)[0]
    freedom = max(len(residual) - p - 1, 1)
    steps = float(np.diff(y).var())
    return float(residual @ residual) / freedom / steps if steps > 0 else 0.0


def _season(values: FloatArray, index: Any, positive: bool) -> Season | None:
    """Return the season, looked for in the logarithm too: there it may repeat itself better."""
    logs = [np.log(values)] if positive else []
    for familiar in (False, True):
        for y in (values, *logs):
            found = find_season(y, index, smooth=False, familiar=familiar)
            if found is not None:
                return found
    return None


def _without_season(y: FloatArray, season: Season, warp: tuple[Any, ...] = ()) -> _Best:
    """Return the steps that remove the season, and a wandering level with it.

    What is less likely has a handicap: a factor of its score in the trial.
    """
    m, *longer = related(season.period, len(y) // _WEEKS)[:2] or [season.period]
    pairs = min(m // 2, 6)
    rough = 1.25 if pairs < m // 2 else 1.0  # six pairs of sines blur a season of many steps
    candidates: list[tuple[list[Any], float]] = [
        ([SeasonalDifference(m)], 1.0 if m == season.period or not longer else 1.1),
        ([SeasonalDifference(m), Difference()], 1.2),
        ([Deterministic(1, pairs, m)], rough),
        ([Difference(), Deterministic(0, pairs, m)], 1.05 * rough),
        *(([SeasonalDifference(p)], 1.0 if p == season.period else 1.25) for p in longer),
        ([], 1.5),
    ]
    original = np.exp(y) if warp else y
    horizon = max(min(2 * m, len(y) // 6, 60), 1)
    sets = [[1], lags_around(m, len(y) // 4)]
    scores = [
        min(trial(original, [*warp, *steps], lags, horizon) for lags in sets)
        for steps, _ in candidates
    ]
    least = np.array([s * c[1] for s, c in zip(scores, candidates, strict=True)])
    best = int(np.argmin(least))
    steps, score = candidates[best][0], scores[best]
    said = [
        f"{s:.3g}" + (f" x {handicap:.3g}" if handicap != 1.0 else "")
        for s, (_, handicap) in zip(scores, candidates, strict=True)
    ]
    others = ", ".join(f"{_named(c[0])} {said[i]}" for i, c in enumerate(candidates) if i != best)
    why = (
        f"{_named(steps)}: {season.why}; CRPS of a trial {said[best]}, the least, each times its "
        f"handicap: {others}"
    )
    return _Best(steps, score, why, season.period, horizon)


def _without_trend(y: FloatArray, index: Any, warp: tuple[Any, ...] = ()) -> _Best:
    """Return the steps that remove a wandering level or a line.

    A season that is too weak to be removed may still be worth lags; then it is the period. One that
    the index suggests is given up only where a trial without its lags is clearly better.
    """
    verdict, why = wanders(y, alone=True)
    original = np.exp(y) if warp else y
    offered, suggested = offered_season(original, index), bool(calendar_periods(index))
    horizon = max(min(len(y) // 6, 16), 1)
    near = [1, 2, 3, 4]
    further = list(range(1, 9))

    def tried(steps: list[Any], p: int | None) -> float:
        sets = [near, further] if p is None else [lags_around(p, len(y) // 4, recent=4)]
        return min(trial(original, [*warp, *steps], lags, horizon) for lags in sets)

    found = {
        (bool(steps), p): tried(steps, p) for steps in ([Difference()], []) for p in {None, offered}
    }
    period = None
    margin = 1.25 if suggested else 1.0
    if offered is not None:
        with_season, without = (min(found[True, p], found[False, p]) for p in (offered, None))
        wandered = found[True, offered] < found[False, offered]
        if with_season < (margin if wandered else 0.95) * without:
            period = offered
    difference, level = found[True, period], found[False, period]
    said = f"CRPS of a trial {difference:.3g} with a difference, {level:.3g} without"
    if verdict == "line":
        return _Best([Deterministic(1)], level, f"Deterministic(trend=1): {why}", period, horizon)
    favour = {"wanders": 1 / 1.2, "undecided": 1 / 1.1, "level": 1.25}[verdict]
    untried = not np.isfinite(level) and verdict == "wanders"
    if difference * favour < level or untried:
        said += _trusted(difference, level, 1 / favour)
        return _Best([Difference()], difference, f"Difference: {why}; {said}", period, horizon)
    said += _trusted(level, difference, favour)
    return _Best([], level, f"no difference: {why}; {said}", period, horizon)


def _named(steps: list[Any]) -> str:
    return ", ".join(map(repr, steps)) if steps else "nothing"


def wanders(y: FloatArray, *, alone: bool = False) -> tuple[str, str]:
    """Tell a wandering level from a line and from a constant one, and say why.

    `alone`: no season has been removed, so that how well steps can be foretold tells something.

    Returns
    -------
    verdict : {"wanders", "line", "level", "undecided"}
    why : str
    """
    from statsmodels.tsa.stattools import adfuller, kpss

    if np.ptp(y) <= 1e-10 * max(float(np.abs(y).max()), 1e-300):
        return "level", "constant"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        level = float(kpss(y, "c", nlags="auto")[1])
        root = float(adfuller(y, regression="c")[1])
        turns = int((np.diff(np.sign(y - y.mean())) != 0).sum())
        why = f"KPSS p {level:.2g}, ADF p {root:.2g}, its mean crossed {turns} times"
        # A wandering level crosses its mean about 0.8 sqrt(n) times, a cycle twice a period.
        least = 0.05 if turns <= np.sqrt(len(y)) else 0.1
        # KPSS misses every seventh random walk of 300 values. Steps that cannot be foretold make
        # up for its consent: those of cycles and chaotic series can.
        blind = alone and len(y) >= 100 and root >= 0.1 and unexplained(y) >= 0.75
        consents = level <= 0.05 or blind
        if not consents or root < least:
            weak = alone and len(y) < _WEAK and root >= 0.05 and unexplained(y) >= 0.6
            verdict = "undecided" if weak else "level"
            return verdict, f"a constant level is not rejected ({why})"
        line = float(kpss(y, "ct", nlags="auto")[1])
        root_line = float(adfuller(y, regression="ct")[1])
    if root_line < 0.01 and line > 0.05:
        return (
            "line",
            f"a straight line is enough ({why}; around a line {line:.2g}, {root_line:.2g})",
        )
    return "wanders", f"its level wanders ({why})"


def bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])
