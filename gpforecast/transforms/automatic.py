"""Which transforms suit a series, and why.

Four questions, each answered by a test with its number in the reasons:

1. Is it smooth? If a few lags predict it almost wholly (chaotic and other deterministic series),
   nothing is done: unit-root tests and period finders mislead there, and the model needs no help.
2. Does its spread grow with its level? Then its logarithm is taken, or its square root if it
   comes down to zero.
3. Has it a season of constant length? Then it is seasonally differenced, or sines and cosines
   are taken away, whichever lets a plain autoregression forecast better.
4. Does its level wander (KPSS rejects a constant level and ADF does not reject a unit root)? Then
   it is differenced; unless a straight line is enough, which is then taken away.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.indexes import values_of
from gpforecast.transforms.compose import Compose
from gpforecast.transforms.deterministic import Deterministic
from gpforecast.transforms.differences import Difference, SeasonalDifference
from gpforecast.transforms.seasonality import Season, find_season
from gpforecast.transforms.trial import trial_score
from gpforecast.transforms.warps import BoxCox, Log
from gpforecast.typing import FloatArray

_FEWEST = 24  # values below which no test tells anything
_NEWEST = 3000  # values by which a long series is judged
SMOOTH = 1e-2
_NEAR_ZERO = 0.02  # of the largest value, or of the mean
_MOST_ZEROS = 0.2  # of the values; more are better taken for what they are


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
    values, index = _bridged(values_of(y)), y.index
    if driven:
        return Choice(Compose(), ("none: exogenous inputs may explain trend and season",), None)
    if len(values) < _FEWEST:
        return Choice(Compose(), (f"none: fewer than {_FEWEST} values",), None)
    size = float(np.abs(values).max())
    if np.ptp(values) <= 1e-10 * size:
        return Choice(Compose(), ("none: the series is constant",), None)
    values = values[-_NEWEST:] / size  # no square overflows or vanishes
    left = unexplained(values)
    if left < SMOOTH:
        why = f"none: smooth; a few lags leave {left:.1g} of the variance of its steps"
        return Choice(Compose(), (why,), None)

    reasons: list[str] = []
    steps: list[Any] = []
    season = _season(values, index)
    grows = _grows(values, None if season is None else season.period)
    if grows:
        steps.append(Log())
        reasons.append(f"Log: {grows}")
        values = np.log(values)
        season = find_season(values, index, smooth=False) or season
    elif root := _roots(values, None if season is None else season.period):
        steps.append(BoxCox(0.5))
        reasons.append(f"BoxCox(lmbda=0.5): {root}")
        values = np.sqrt(values)
    if season is not None:
        taken, why = _without_season(values, season)
        steps += taken
        reasons.append(why)
    else:
        taken, why = _without_trend(values)
        steps += taken
        reasons.append(why)
    return Choice(Compose(*steps), tuple(reasons), None if season is None else season.period)


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


def _season(values: FloatArray, index: Any) -> Season | None:
    """Return the season, looked for in the logarithm too: there it may repeat itself better."""
    found = find_season(values, index, smooth=False)
    if found is None and values.min() > 0:
        return find_season(np.log(values), index, smooth=False)
    return found


def _grows(y: FloatArray, period: int | None) -> str:
    """Say why the spread grows with the level; empty if it does not."""
    if y.min() <= 0:
        return ""
    if period is not None and len(y) >= 4 * period:
        slope, error, ratio = _spread_by_level(y, period)
        if ratio > 1.5 and slope - 2 * error > 0.3:
            return (
                f"the spread within a season grows as the {slope:.2g} ± {error:.1g}th power of "
                f"its level (Guerrero)"
            )
        if slope + 2 * error < 0.5 or ratio < 1.5:
            return ""
    gain = _gain(y, period, 0.0)
    if gain > max(10.0, 0.1 * len(y)) and y.max() > 4 * y.min():
        return f"an autoregression of the logarithm is more likely by {gain:.0f} nats"
    return ""


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


def _without_season(y: FloatArray, season: Season) -> tuple[list[Any], str]:
    """Return the steps that remove the season, and a wandering level with it."""
    m = season.period
    seasonal: list[Any] = [SeasonalDifference(m)]
    if wanders(SeasonalDifference(m).transform(y)[m:])[0] == "wanders":
        seasonal.append(Difference())
    pairs = min(m // 2, 6)
    fourier: list[Any] = [Deterministic(1, pairs, m)]
    rest = Deterministic(1, pairs, m).fit(y).transform(y)
    if wanders(rest)[0] == "wanders":
        fourier = [Difference(), Deterministic(0, pairs, m)]
    horizon = min(2 * m, len(y) // 6, 120)
    scores = {}
    for steps in (seasonal, fourier):
        scores[repr(Compose(*steps))] = (trial_score(y, steps, m, horizon), steps)
    (_, (best, steps)), (other, (worse, _)) = sorted(scores.items(), key=lambda s: s[1][0])
    return steps, (
        f"{', '.join(map(repr, steps))}: {season.why}; an autoregression forecasts better after "
        f"it (CRPS {best:.3g}) than after {other.removeprefix('Compose')} ({worse:.3g})"
    )


def _without_trend(y: FloatArray) -> tuple[list[Any], str]:
    verdict, why = wanders(y, alone=True)
    if verdict == "wanders":
        return [Difference()], f"Difference: {why}"
    if verdict == "line":
        return [Deterministic(1)], f"Deterministic(trend=1): {why}"
    return [], f"no difference: {why}"


def wanders(y: FloatArray, *, alone: bool = False) -> tuple[str, str]:
    """Tell a wandering level from a line and from a constant one, and say why.

    `alone`: no season has been removed, so that how well steps can be foretold tells something.

    Returns
    -------
    verdict : {"wanders", "line", "level"}
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
            return "level", f"its level is constant ({why})"
        line = float(kpss(y, "ct", nlags="auto")[1])
        root_line = float(adfuller(y, regression="ct")[1])
    if root_line < 0.01 and line > 0.05:
        return (
            "line",
            f"a straight line is enough ({why}; around a line {line:.2g}, {root_line:.2g})",
        )
    return "wanders", f"its level wanders ({why})"


def _bridged(values: FloatArray) -> FloatArray:
    """Return the series from its first known value to its last, straight lines over the gaps."""
    known = np.flatnonzero(~np.isnan(values))
    if len(known) == 0:
        return values[:0]
    return np.interp(np.arange(known[0], known[-1] + 1), known, values[known])
