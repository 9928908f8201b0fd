"""What a backtest proves, in words, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from gpforecast.backtesting.scored import (
    FEWEST,
    ScoredForecasts,
    error_if_right,
    error_of_mean,
    side_by_side,
)
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import compared, in_digits

_CLEAR = 2.0  # standard errors: what lies within them can be chance
_SURE = 3.0  # standard errors, of a bias that was found among other faults
_LEANS = 0.3  # of the average error, that forecasts are too high or too low by
_FAR = 4.0  # standard deviations: errors beyond count as this, so that no single one decides
_NO_WIDTH = 0.005  # a factor that is no advice: nothing varied, as in a constant series
_ALIKE = 0.5  # separate forecasts that hold all or nothing, added where intervals held too much
_CORRECT = (
    'Forecaster(calibrate="conformal") corrects them by past errors, without the structural '
    "models; test it in the same way first."
)

_VERDICTS = {
    "narrow": "too narrow",
    "wide": "wider than needed",
    "unknown": "too few separate tests to judge",
    "": "not shown to be too narrow or too wide",
}
_EXPECT = {
    "narrow": "expect values outside the interval more often than it says",
    "wide": "nothing, if it is better to be safe",
}
_MORE = "What to do: test from more origins, shorter forecasts, or a longer series."
_LOOK_FOR = (
    "What to do: look for what the forecasts do not know, such as a trend, a change of level or an "
    "input that drives the series."
)
_TOTALS = "these also know how steps depend on each other, as totals need."
_EITHER = f"What to do: use either. The simple one is easier to explain; {_TOTALS}"
_SIMPLE_FIRST = (
    f"What to do: use the simple one until a longer test shows that these are better; {_TOTALS}"
)
_SIMPLER = (
    "What to do: use the simple forecast, or look for what these do not know, such as inputs that "
    "drive the series, holidays or a change of level."
)

SIMPLE = {
    "naive": "the last value",
    "seasonal naive": "the last season",
    "linear": "a linear autoregression",
}
"""What the simple forecasts are called."""


@dataclass(frozen=True)
class Coverage:
    """How often intervals held the truth.

    Attributes
    ----------
    level, held : float
        What they should have held, and what they did, as fractions.
    n_values : int
        How many values that was counted on; one that several forecasts share counts for each.
    error : float
        Standard error of `held`, for forecasts that overlap.
    n_separate : float
        To how many forecasts that do not overlap they are equivalent.
    factor : float
        Intervals so many times as wide would have held the share of the level.
    excess : float
        By how many standard errors the mean square of the standardised errors, which judges all
        levels together, is above 1.
    correction : str
        How they can be corrected; "" if they are.
    """

    level: float
    held: float
    n_values: int
    error: float
    n_separate: float
    factor: float
    excess: float
    correction: str = ""

    @property
    def chance(self) -> float:
        """How far chance alone can move the share, to the side on which it lies.

        Where it is too large, hardly any forecast failed, and those that did not fail do not show
        how alike values of a forecast are. Half a separate forecast is added that holds all or
        nothing, so that right intervals are seldom called too wide.
        """
        if self.held <= self.level:
            return _CLEAR * self.error
        n, most = self.n_separate, self.level * (1.0 - self.level) / self.n_separate
        return _CLEAR * float(np.sqrt((n * self.error**2 + _ALIKE * most) / (n + _ALIKE)))

    @property
    def finding(self) -> Literal["narrow", "wide", "unknown", ""]:
        """Which fault there is that chance does not explain.

        Intervals are not too wide where narrower ones would hold too little, as many values are
        equal, nor where there are no errors to judge them by.
        """
        gap = self.held - self.level
        if gap < -self.chance or (gap < 0.0 and self.excess > _CLEAR):
            return "narrow"
        if gap > self.chance:
            return "wide" if _NO_WIDTH <= self.factor < 1.0 else ""
        return "unknown" if self.n_separate < FEWEST else ""

    @property
    def sentence(self) -> str:
        """What was counted, the verdict, and how sure it is."""
        chance = counted(max(round(100 * self.chance), 1), "point")
        together = self.finding == "narrow" and self.level - self.held <= self.chance
        return (
            f"{100 * self.level:g} % intervals held {per_cent(self.held)} of {self.n_values} "
            f"values: {_VERDICTS[self.finding]}{', as all levels together show' * together}. "
            f"Chance alone can move this figure by about {chance}."
        )

    @property
    def advice(self) -> str:
        """What to do about it; "" where nothing is wrong."""
        if self.finding in {"", "unknown"}:
            return _MORE if self.finding else ""
        return (
            f"What to do: {_EXPECT[self.finding]}. Intervals {self.factor:.2g} times as wide would "
            f"have held {100 * self.level:g} %. {self.correction}".strip()
        )


def coverage(tested: ScoredForecasts, level: float = 95.0) -> Coverage:
    """Return how often the intervals of a level (in per cent) held the truth.

    The error is that of intervals that are right, by `error_if_right`.
    """
    lower, upper, p = tested.lower[level], tested.upper[level], level / 100
    known = tested.judged
    held = np.where(known, (tested.truth >= lower) & (tested.truth <= upper), np.nan)
    error, n_separate = error_if_right(held, tested.origins, p * (1 - p))
    z = np.clip(scipy.special.ndtri(tested.pit), -_FAR, _FAR)
    squares = np.where(known, z**2, np.nan)  # of variance 2 for a normal z
    excess = (np.nanmean(squares) - 1.0) / error_if_right(squares, tested.origins, 2.0)[0]
    off = np.abs(2 * tested.pit[known] - 1)  # the level at whose edge the truth was
    reached = min(float(np.quantile(off, p)), 1 - 1e-12) if known.any() else 0.0
    factor = scipy.special.ndtri(0.5 + 0.5 * reached) / scipy.special.ndtri(0.5 + 0.5 * p)
    n_values, share = int(known.sum()), float(np.nanmean(held))
    correction = "" if tested.corrected or tested.trained is None else _CORRECT
    return Coverage(p, share, n_values, error, n_separate, float(factor), float(excess), correction)


def verdicts(
    tested: ScoredForecasts, simple: Mapping[str, ScoredForecasts]
) -> list[tuple[str, str]]:
    """Return what a backtest proves, and what to do about each ("" for nothing).

    The coverage of 95 % and of 80 % intervals, whether forecasts were mostly too high or too low,
    and the comparison with the best of the simple forecasts.
    """
    if not np.isfinite(tested.truth).any():
        return []
    wide, narrow = coverage(tested, 95.0), coverage(tested, 80.0)
    found = [
        (wide.sentence, wide.advice),
        (narrow.sentence, "" if narrow.finding == wide.finding else narrow.advice),
        _one_sided(tested),
        ("", "") if wide.factor < _NO_WIDTH else comparison(tested, simple),
    ]
    return [(sentence, advice) for sentence, advice in found if sentence]


def _one_sided(tested: ScoredForecasts) -> tuple[str, str]:
    """Return that forecasts were too high or too low on average, if chance does not explain it."""
    over = np.where(tested.judged, tested.mean - tested.truth, np.nan)
    bias, usual = float(np.nanmean(over)), float(np.nanmean(np.abs(over)))
    error, n_separate = error_of_mean(over, tested.origins)
    least = max(_errors(_SURE, n_separate) * error, _LEANS * usual)
    if n_separate < FEWEST or not abs(bias) > least:
        return "", ""
    sentence = (
        f"Forecasts were too {'high' if bias > 0 else 'low'} by {in_digits(abs(bias))} on average, "
        f"which chance does not explain; the average error is {in_digits(usual)}."
    )
    return sentence, _LOOK_FOR


def _errors(of_many: float, n_separate: float) -> float:
    """Return how many standard errors of a few separate forecasts are as much as those of many.

    By Student's t, as the errors are estimated from the forecasts.
    """
    probability = float(scipy.special.ndtr(of_many))
    return float(scipy.special.stdtrit(n_separate - 1.0, probability))


def comparison(tested: ScoredForecasts, simple: Mapping[str, ScoredForecasts]) -> tuple[str, str]:
    """Return how the forecasts did against the best simple one, and what to do about it.

    Scores are CRPS, which count the error and the width of the intervals. Advice to use the simple
    one says how, if its notes do.
    """
    scores = side_by_side({"forecaster": tested, **simple})["crps"]
    others = scores.drop("forecaster").dropna()
    if others.empty or not others.min() > 0:
        return "", ""
    best = str(others.idxmin())
    own, other = float(scores["forecaster"]), float(others[best])
    shared = np.logical_and.reduce([np.isfinite(one.crps) for one in (tested, *simple.values())])
    difference = np.where(shared & tested.judged, tested.crps - simple[best].crps, np.nan)
    error, n_separate = error_of_mean(difference, tested.origins)
    repeated = " repeated" if best.endswith("naive") else ""
    sentence = (
        f"The errors of these forecasts, with the width of their intervals counted (CRPS), were "
        f"{compared(own, other)} those of the best simple forecast, {SIMPLE[best]}{repeated}"
    )
    if abs(own - other) <= _errors(_CLEAR, n_separate) * error:
        return f"{sentence}, a difference that can be chance.", (
            _EITHER if own <= other else _SIMPLE_FIRST
        )
    if own < other:
        return f"{sentence}.", ""
    return f"{sentence}.", " ".join([_SIMPLER, *simple[best].notes])
