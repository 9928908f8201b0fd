"""Which transforms suit a series, and why.

1. Is it smooth? If a few lags predict it almost wholly (chaotic and other deterministic series),
   nothing is done: unit-root tests and period finders mislead there, and the model needs no help.
2. Has it a season of constant length? The index suggests some, the series itself others.
3. What is then best taken away is settled by a trial (`trial`): forecasts of many steps, from
   origins in the series' own past, by a plain autoregression. Tests have little power on short and
   on trending series, so they only say which transform is to be preferred unless another
   forecasts clearly better: of seasonal series the seasonal difference, which estimates nothing; of
   others a difference, where ADF does not reject a unit root; and no logarithm, unless the spread
   grows with the level. A series that comes down to zero and spreads as it rises has its square
   root taken, by likelihood.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.indexes import values_of
from gpforecast.lags.seasonal import lags_around, related
from gpforecast.transforms.compose import Compose
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.differences import Difference, SeasonalDifference
from gpforecast.transforms.seasonality import (
    Season,
    calendar_periods,
    find_season,
    offered_season,
)
from gpforecast.transforms.trial import trial
from gpforecast.transforms.warps import BoxCox, Log
from gpforecast.typing import FloatArray

_FEWEST = 24  # values below which no test tells anything
_NEWEST = 3000  # values by which a long series is judged
SMOOTH = 1e-2
_WEEKS = 5  # so many long seasons before they are removed instead of the short ones in them
_NEAR_ZERO = 0.02  # of the largest value, or of the mean
_MOST_ZEROS = 0.2  # of the values; more are better taken for what they are
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
    grows, gain = _grows(values, known) if positive else ("", 1.0)
    root = "" if grows else _roots(values, known)
    if root:  # the trial knows the logarithm alone: what follows is tried on the roots
        values = np.sqrt(values)
    if season is None:
        offered, suggested = offered_season(values, index), bool(calendar_periods(index))
        steps, score, why, period = _without_trend(values, offered, suggested)
    else:
        steps, score, why = _without_season(values, season)
        period = season.period
    if root:
        warp = BoxCox(0.5)
        return Choice(Compose(warp, *steps), (f"{warp!r}: {root}", why), period)
    if grows:
        logs = np.log(values)
        if season is None:
            after, log_score, log_why, log_period = _without_trend(
                logs, offered, suggested, (Log(),)
            )
        else:
            season = find_season(logs, index, smooth=False) or season
            after, log_score, log_why = _without_season(logs, season, (Log(),))
            log_period = season.period
        if log_score * gain < score or not np.isfinite(score):
            reason = f"Log: {grows}; CRPS of a trial {log_score:.3g}, {score:.3g} without"
            return Choice(Compose(Log(), *after), (reason, log_why), log_period)
    return Choice(Compose(*steps), (why,), period)


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


def _grows(y: FloatArray, period: int | None) -> tuple[str, float]:
    """Say why the spread grows with the level, empty if it does not; and what a trial must gain.

    What is seen clearly, season by season, is trusted, unless forecasts are worse by half: the
    parts of a trial have little of the growth. Otherwise they must be better by a tenth or, where
    only the likelihood speaks, which a few large values may have decided, by a quarter.
    """
    if y.min() <= 0:
        return "", 1.0
    if period is not None and len(y) >= 4 * period:
        slope, error, ratio = _spread_by_level(y, period)
        if ratio > 1.5 and slope - 2 * error > 0.3:
            sure = ratio > 2.0 and slope - 4 * error > 0.3
            why = (
                f"the spread within a season grows as the {slope:.2g} ± {error:.1g}th power of "
                f"its level (Guerrero)"
            )
            return why, (1 / 1.5 if sure else 1.1)
        if slope + 2 * error < 0.5 or ratio < 1.5:
            return "", 1.0
    gain = _gain(y, period, 0.0)
    sure = gain > 0.5 * len(y)
    if gain > max(10.0, 0.1 * len(y)) and y.max() > 4 * y.min():
        why = f"an autoregression of the logarithm is more likely by {gain:.0f} nats"
        return why, (1 / 1.2 if sure else 1.25)
    return "", 1.0


def _roots(y: FloatArray, period: int | None) -> str:
    """Say why the square root suits a series that comes down to zero; empty if it does not."""
    if y.min() < 0 or y.min() > _NEAR_ZERO * y.max() or np.mean(y == 0) > _MOST_ZEROS:
        return ""
    gain = _gain(y + _NEAR_ZERO * y.mean(), period, 0.5)
    if gain > max(10.0, 0.1 * len(y)):
        return (
            f"it comes down to zero, and an autoregression of the square root is more likely by "
            f"{gain:.0f} nats"
        )
    return ""


def _spread_by_level(y: FloatArray, period: int) -> tuple[float, float, float]:
    """Regress log spread on log level, season by season: slope, its error, range of levels."""
    blocks = y[len(y) % period :].reshape(-1, period)
    level = blocks.mean(axis=1)
    spread = np.diff(blocks, axis=1).std(axis=1)
    ok = spread > 0
    ratio = float(level.max() / level.min())
    if ok.sum() < 4 or ratio < 1.01:
        return 0.0, 0.0, ratio
    x, z = np.log(level[ok]), np.log(spread[ok])
    x = x - x.mean()
    slope = float(x @ z / (x @ x))
    residual = z - z.mean() - slope * x
    error = float(np.sqrt(residual @ residual / (len(x) - 2) / (x @ x)))
    return slope, error, ratio


def _gain(y: FloatArray, period: int | None, power: float) -> float:
    """Return how much more likely an autoregression of a power of y makes y than one of y itself.

    In nats; the power 0 stands for the logarithm.
    """
    n = len(y)
    lags = list(range(1, min(8, n // 8) + 1))
    if period is not None and period + 1 < n // 3:
        lags = sorted({*lags, period - 1, period, period + 1} - {0})

    def log_likelihood(z: FloatArray) -> float:
        p = max(lags)
        X = np.column_stack([np.ones(n - p), *(z[p - j : n - j] for j in lags)])
        residual = z[p:] - X @ np.linalg.lstsq(X, z[p:], rcond=None)[0]
        return -0.5 * (n - p) * float(np.log(max(residual.var(), 1e-300)))

    z = np.log(y) if power == 0.0 else y**power / power
    slope = (power - 1.0) * np.log(y[max(lags) :])  # log dz/dy
    return log_likelihood(z) + float(slope.sum()) - log_likelihood(y)


def _without_season(
    y: FloatArray, season: Season, warp: tuple[Any, ...] = ()
) -> tuple[list[Any], float, str]:
    """Return the steps that remove the season, and a wandering level with it; their score."""
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
    others = ", ".join(
        f"{_named(c[0])} {s:.3g}"
        for i, (c, s) in enumerate(zip(candidates, scores, strict=True))
        if i != best
    )
    return steps, score, f"{_named(steps)}: {season.why}; CRPS of a trial {score:.3g}; {others}"


def _without_trend(
    y: FloatArray, offered: int | None, suggested: bool, warp: tuple[Any, ...] = ()
) -> tuple[list[Any], float, str, int | None]:
    """Return the steps that remove a wandering level or a line, their score, why, the period.

    A season that is too weak to be removed may still be worth lags; then it is the period. One that
    the index suggests (`suggested`) is given up only where a trial without its lags is clearly
    better.
    """
    verdict, why = wanders(y, alone=True)
    original = np.exp(y) if warp else y
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
        return [Deterministic(1)], level, f"Deterministic(trend=1): {why}", period
    favour = {"wanders": 1 / 1.2, "undecided": 1 / 1.1, "level": 1.25}[verdict]
    untried = not np.isfinite(level) and verdict == "wanders"
    if difference * favour < level or untried:
        return [Difference()], difference, f"Difference: {why}; {said}", period
    return [], level, f"no difference: {why}; {said}", period


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
