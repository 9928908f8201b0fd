"""What a backtest proves, in words, and how sure that is."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.backtesting.errors import error_of_mean, error_of_share
from gpforecast.backtesting.result import Backtest
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import in_digits

CLEAR = 2.0  # standard errors: what lies within them can be chance
_SURE = 3.0  # the same, of a part that is looked at because it is the worst
_FEWEST = 3.0  # forecasts that do not overlap, below which nothing is judged
_WEAK = 0.15  # of two standard errors: a test that would miss large faults
_RIGHT = "as wide as they should be, as far as this test can tell"
_PERHAPS = "perhaps a little narrow"
_TOO_FEW = "too few separate tests to judge"
_EQUAL = "they cannot be narrower, as many values are equal"
_EXACT = "wider than needed, as the forecasts were all but exact"
_NO_WIDTH = 0.005  # a factor that is no advice: nothing varied, as in a constant series
_ALIKE = 0.1  # of the errors of simple forecasts: a smaller difference is none to speak of
_LEANS = 0.3  # of the average error, that forecasts are too high or too low by
_SLIGHT, _FAR = 0.07, 0.2  # of the level, that intervals miss

_CORRECT = (
    'Forecaster(calibrate="conformal") corrects them by past errors; as it forecasts without the '
    "structural models, test it in the same way first."
)
_LOOK_FOR = (
    "What to do: look for what the forecasts do not know, such as a trend, a change of level or an "
    "input that drives the series."
)
_THEIR = "The errors of these forecasts, with the width of their intervals counted (CRPS),"
_EITHER = (
    "What to do: use either. The simple one is easier to explain; these also know how steps depend "
    "on each other, as totals need."
)
_UNTIL_MORE = (
    "What to do: use the simple forecast until a longer series can tell; it is easier to explain."
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
    corrected : bool
        Whether they were corrected by past errors already.
    """

    level: float
    held: float
    n_values: int
    error: float
    n_separate: float
    factor: float
    corrected: bool = False

    @property
    def verdict(self) -> str:
        """The verdict in a few words, with what chance can do taken into account."""
        gap = self.held - self.level
        if self.n_separate < _FEWEST:
            return _TOO_FEW
        if abs(gap) <= CLEAR * self.error:
            sure = CLEAR * self.error <= _WEAK
            return _RIGHT if sure else "nothing speaks against them, but the test is weak"
        if gap > 0:
            if self.factor < _NO_WIDTH:
                return _EXACT
            return "wider than needed" if self.factor < 1.0 else _EQUAL
        if -gap < _SLIGHT:
            return "slightly narrow"
        return "too narrow" if -gap < _FAR else "far too narrow"

    @property
    def sentence(self) -> str:
        """What was counted, the verdict, and how sure it is."""
        chance = max(round(100 * CLEAR * self.error), 1)
        said = (
            f"{100 * self.level:g} % intervals held {per_cent(self.held)} of "
            f"{self.n_values} values: {self.verdict}."
        )
        if chance >= 100 * self.level / 2:  # so few that no figure means anything
            return said
        return f"{said} Chance alone can move this figure by about {counted(chance, 'point')}."

    @property
    def advice(self) -> str:
        """What to do about it; "" where nothing is wrong."""
        if self.verdict == _EXACT:
            return "What to do: nothing; there are hardly any errors to correct the intervals by."
        if self.verdict == _TOO_FEW:
            return "What to do: test shorter forecasts, or a longer series."
        if not self.verdict.endswith(("narrow", "needed")):
            return ""
        narrow = self.verdict.endswith("narrow")
        expect = (
            "expect values outside the interval more often than it says"
            if narrow
            else "nothing, if it is better to be safe"
        )
        said = (
            f"What to do: {expect}. Intervals {self.factor:.2g} times as wide would have held "
            f"{100 * self.level:g} %."
        )
        return said if self.corrected else f"{said} {_CORRECT}"


def verdicts(tested: Backtest) -> list[tuple[str, str]]:
    """Return what a backtest proves, and what to do about each ("" for nothing).

    The coverage of 95 % and of 80 % intervals, whether forecasts were mostly too high or too low,
    and the comparison with the best simple forecast, which needs the series.
    """
    if not np.isfinite(tested.truth).any():
        return []
    wide, narrow = coverage(tested, 95.0), coverage(tested, 80.0)
    same = narrow.verdict == wide.verdict
    exact = wide.factor < _NO_WIDTH  # such as those of a constant: nothing to compare
    sentence = wide.sentence
    if wide.held < wide.level and narrow.verdict.endswith("narrow"):
        sentence = sentence.replace(_RIGHT, _PERHAPS)
    beside = ("", "") if tested.series is None or exact else comparison(tested)
    said = [
        (sentence, wide.advice),
        _late(tested, wide),
        (narrow.sentence, "" if same or wide.advice else narrow.advice),
        _one_sided(tested),
        beside,
    ]
    return [(sentence, advice) for sentence, advice in said if sentence]


def _late(tested: Backtest, whole: Coverage) -> tuple[str, str]:
    """Return that intervals of the last steps are too narrow where those of all look right."""
    h = tested.truth.shape[1]
    n = h // 4
    if not n or whole.verdict.endswith("narrow") or not np.isfinite(tested.truth[:, -n:]).any():
        return "", ""
    late = coverage(tested, 100 * whole.level, first=h - n)
    missed = late.level - late.held
    if late.n_separate < _FEWEST or missed <= max(_SURE * late.error, _SLIGHT):
        return "", ""
    steps = "the last step" if n == 1 else f"the last {n} steps"
    said = (
        f"Over {steps} alone, {100 * late.level:g} % intervals held only {per_cent(late.held)}: "
        f"{late.verdict} that far ahead."
    )
    return said, late.advice


def _one_sided(tested: Backtest) -> tuple[str, str]:
    """Return that forecasts were too high or too low on average, if chance does not explain it."""
    over = np.where(tested.judged, tested.mean - tested.truth, np.nan)
    if not np.isfinite(over).any():
        return "", ""
    bias, usual = float(np.nanmean(over)), float(np.nanmean(np.abs(over)))
    error, n_separate = error_of_mean(over, tested.origins)
    if n_separate < _FEWEST or not abs(bias) > max(_SURE * error, _LEANS * usual):
        return "", ""
    said = (
        f"Forecasts were too {'high' if bias > 0 else 'low'} by {in_digits(abs(bias))} on average, "
        f"which chance does not explain; the average error is {in_digits(usual)}."
    )
    return said, _LOOK_FOR


def coverage(tested: Backtest, level: float = 95.0, first: int = 0) -> Coverage:
    """Return how often the intervals of a level (in per cent) held the truth, from a step on.

    The error is that of intervals that are right, by `error_of_share`.
    """
    lower, upper, p = tested.lower[level][:, first:], tested.upper[level][:, first:], level / 100
    truth, pit = tested.truth[:, first:], tested.pit[:, first:]
    known = tested.judged[:, first:]
    held = np.where(known, (truth >= lower) & (truth <= upper), np.nan)
    error, n_separate = error_of_share(held, tested.origins, p, ahead=tested.truth.shape[1])
    off = np.abs(2 * pit[known] - 1)  # the level at whose edge the truth was
    needed = (
        scipy.special.ndtri(0.5 + 0.5 * np.minimum(np.quantile(off, p), 1 - 1e-12))
        if known.any()
        else 0.0
    )
    return Coverage(
        level=p,
        held=float(np.nanmean(held)),
        n_values=int(known.sum()),
        error=error,
        n_separate=n_separate,
        factor=float(needed / scipy.special.ndtri(0.5 + 0.5 * p)),
        corrected=tested.corrected,
    )


def comparison(tested: Backtest) -> tuple[str, str]:
    """Return how the forecasts did beside the best simple one, and what to do about it.

    Scores are CRPS, which count the error and the width of the intervals. Advice to use the simple
    one says how, if its notes do.
    """
    table = tested.beside()["crps"]
    simple = table.drop("forecaster").dropna()
    if simple.empty or not simple.min() > 0:
        return "", ""
    best = str(simple.idxmin())
    gain = 1.0 - table["forecaster"] / simple[best]
    difference = tested.crps - tested.baselines[best].crps
    error, n_separate = error_of_mean(difference, tested.origins)
    name = f"the best simple forecast, {SIMPLE[best]}" + (
        " repeated" if best.endswith("naive") else ""
    )
    if n_separate < _FEWEST:
        return f"There are too few separate tests to compare these forecasts with {name}.", ""
    size = f"{per_cent(abs(gain))} {'smaller' if gain > 0 else 'larger'} than"
    size = size if gain > -1 else f"{in_digits(1 - gain, 2)} times"
    said = f"{_THEIR} were {size} those of {name}"
    if abs(float(np.nanmean(difference))) > CLEAR * error:
        return f"{said}.", "" if gain > 0 else " ".join([_SIMPLER, *tested.baselines[best].notes])
    if abs(gain) <= _ALIKE:
        alike = f"These forecasts did about as well as {name}"
        return f"{alike}: the difference can be chance.", _EITHER
    unsure = f"{said}, but so few forecasts do not show which is better."
    until_more = " ".join([_UNTIL_MORE, *tested.baselines[best].notes])
    return unsure, _EITHER if gain > 0 else until_more
