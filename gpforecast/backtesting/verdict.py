"""What a backtest proves, in words, and how sure that is."""

import numpy as np
import scipy

from gpforecast.backtesting.baselines import ComparedForecasts
from gpforecast.backtesting.coverage import (
    CLEAR,
    NO_WIDTH,
    SLIGHT,
    Coverage,
    coverage,
)
from gpforecast.backtesting.errors import FEWEST, error_of_mean
from gpforecast.common.validation import per_cent
from gpforecast.common.wording import compared, in_digits

_SURE = 3.0  # standard errors, of a part that was chosen as the worst
_ALIKE = 0.1  # of the errors of simple forecasts: a smaller difference is none to speak of
_LEANS = 0.3  # of the average error, that forecasts are too high or too low by
_TRIFLE = 0.1  # of the standard deviation, that they may be too high or too low by

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


def verdicts(tested: ComparedForecasts) -> list[tuple[str, str]]:
    """Return what a backtest proves, and what to do about each ("" for nothing).

    The coverage of 95 % and of 80 % intervals, whether forecasts were mostly too high or too low,
    and the comparison with the best simple forecast, which needs the series.
    """
    if not np.isfinite(tested.truth).any():
        return []
    wide, narrow = coverage(tested, 95.0), coverage(tested, 80.0)
    inner, advice = narrow.sentence, narrow.advice
    if wide.finding == "narrow" and narrow.unknown and narrow.held < narrow.level:
        inner, advice = f"{narrow.counted}.", ""  # it does not speak against the finding
    if narrow.verdict == wide.verdict or (wide.advice and (wide.finding or not narrow.finding)):
        advice = ""
    exact = wide.factor < NO_WIDTH  # such as those of a constant: nothing to compare
    alone = tested.series is None or exact
    found = [
        (wide.sentence, wide.advice),
        _late(tested, wide),
        (inner, advice),
        _one_sided(tested),
        ("", "") if alone else comparison(tested),
    ]
    return [(sentence, advice) for sentence, advice in found if sentence]


def _late(tested: ComparedForecasts, whole: Coverage) -> tuple[str, str]:
    """Return that intervals of the last steps are too narrow where those of all look right."""
    h = tested.truth.shape[1]
    n = h // 4
    if not n or whole.finding == "narrow" or not np.isfinite(tested.truth[:, -n:]).any():
        return "", ""
    late = coverage(tested, 100 * whole.level, first=h - n)
    missed = late.level - late.held
    if late.n_separate < FEWEST or missed <= max(_SURE * late.error, SLIGHT):
        return "", ""
    steps = "the last step" if n == 1 else f"the last {n} steps"
    sentence = (
        f"Over {steps} alone, {100 * late.level:g} % intervals held only {per_cent(late.held)}: "
        f"{late.verdict} that far ahead."
    )
    return sentence, late.advice


def _one_sided(tested: ComparedForecasts) -> tuple[str, str]:
    """Return that forecasts were too high or too low on average, if chance does not explain it."""
    over = np.where(tested.judged, tested.mean - tested.truth, np.nan)
    if not np.isfinite(over).any():
        return "", ""
    bias, usual = float(np.nanmean(over)), float(np.nanmean(np.abs(over)))
    error, n_separate = error_of_mean(over, tested.origins)
    spread = float(np.nanmedian(np.sqrt(tested.var[tested.judged])))
    least = max(_errors(_SURE, n_separate) * error, _LEANS * usual, _TRIFLE * spread)
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


def comparison(tested: ComparedForecasts) -> tuple[str, str]:
    """Return how the forecasts did against the best simple one, and what to do about it.

    Scores are CRPS, which count the error and the width of the intervals. Advice to use the simple
    one says how, if its notes do.
    """
    table = tested.beside()
    simple = table["crps"].drop("forecaster").dropna()
    if simple.empty or not simple.min() > 0:
        return "", ""
    best = str(simple.idxmin())
    own, other = float(table["crps"]["forecaster"]), float(simple[best])
    every = tested.baselines
    shared = np.logical_and.reduce([np.isfinite(one.crps) for one in (tested, *every.values())])
    difference = np.where(shared, tested.crps - every[best].crps, np.nan)
    error, n_separate = error_of_mean(difference, tested.origins)
    short = SIMPLE[best] + (" repeated" if best.endswith("naive") else "")
    knows = " (which knows no inputs)" if tested.inputs else ""
    name = f"the best simple forecast, {short}{knows}"
    clear = abs(own - other) > _errors(CLEAR, n_separate) * error
    better, alike = own < other, abs(own - other) <= _ALIKE * other and n_separate >= FEWEST
    sentence = f"{_THEIR} were {compared(own, other)} those of {name}"
    if clear:
        sentence, advice = f"{sentence}.", "" if better else _SIMPLER
    elif alike:
        sentence = f"These forecasts did about as well as {name}: the difference can be chance."
        advice = _EITHER
    else:
        sentence = f"{sentence}, but there are too few separate tests to be sure."
        advice = _EITHER if better else _UNTIL_MORE
    if advice in (_SIMPLER, _UNTIL_MORE):
        advice = " ".join([advice, *every[best].notes])
    return sentence, advice
