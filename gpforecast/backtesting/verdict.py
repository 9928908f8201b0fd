"""What a backtest proves, in words, and how sure that is."""

import numpy as np
import scipy

from gpforecast.backtesting.coverage import (
    CLEAR,
    NO_WIDTH,
    RIGHT,
    SLIGHT,
    Coverage,
    coverage,
)
from gpforecast.backtesting.errors import FEWEST, error_of_mean
from gpforecast.backtesting.result import Backtest
from gpforecast.common.types import BoolArray
from gpforecast.common.validation import per_cent
from gpforecast.common.wording import compared, in_digits

_SURE = 3.0  # standard errors, of a part that is looked at because it is the worst
_PERHAPS = "perhaps a little narrow"
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


def verdicts(tested: Backtest) -> list[tuple[str, str]]:
    """Return what a backtest proves, and what to do about each ("" for nothing).

    The coverage of 95 % and of 80 % intervals, whether forecasts were mostly too high or too low,
    and the comparison with the best simple forecast, which needs the series.
    """
    if not np.isfinite(tested.truth).any():
        return []
    wide, narrow = coverage(tested, 95.0), coverage(tested, 80.0)
    outer, inner, advice = wide.sentence, narrow.sentence, narrow.advice
    if wide.held < wide.level and narrow.finding == "narrow":
        outer = outer.replace(RIGHT, _PERHAPS)
    if wide.finding == "narrow" and narrow.unknown and narrow.held < narrow.level:
        inner, advice = f"{narrow.counted}.", ""  # it does not speak against the finding
    if narrow.verdict == wide.verdict or (wide.advice and (wide.finding or not narrow.finding)):
        advice = ""
    exact = wide.factor < NO_WIDTH  # such as those of a constant: nothing to compare
    alone = tested.series is None or exact
    said = [
        (outer, wide.advice),
        _late(tested, wide),
        (inner, advice),
        _one_sided(tested),
        ("", "") if alone else comparison(tested),
        ("", "") if alone else (_missing(tested), ""),
    ]
    return [(sentence, advice) for sentence, advice in said if sentence]


def _late(tested: Backtest, whole: Coverage) -> tuple[str, str]:
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
    spread = float(np.nanmedian(np.sqrt(tested.var[tested.judged])))
    least = max(_errors(_SURE, n_separate) * error, _LEANS * usual, _TRIFLE * spread)
    if n_separate < FEWEST or not abs(bias) > least:
        return "", ""
    said = (
        f"Forecasts were too {'high' if bias > 0 else 'low'} by {in_digits(abs(bias))} on average, "
        f"which chance does not explain; the average error is {in_digits(usual)}."
    )
    return said, _LOOK_FOR


def _errors(of_many: float, n_separate: float) -> float:
    """Return how many standard errors of a few separate forecasts are as much as those of many.

    By Student's t, as the errors are estimated from the forecasts.
    """
    probability = float(scipy.special.ndtr(of_many))
    return float(scipy.special.stdtrit(n_separate - 1.0, probability))


def comparison(tested: Backtest) -> tuple[str, str]:
    """Return how the forecasts did beside the best simple one, and what to do about it.

    Scores are CRPS, which count the error and the width of the intervals. Advice to use the simple
    one says how, if its notes do. Where the expected values alone were the other way round, that is
    said too.
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
    said = f"{_THEIR} were {compared(own, other)} those of {name}"
    if clear:
        said, advice = f"{said}.", "" if better else _SIMPLER
    elif alike:
        said = f"These forecasts did about as well as {name}: the difference can be chance."
        advice = _EITHER
    else:
        said = f"{said}, but there are too few separate tests to be sure."
        advice = _EITHER if better else _UNTIL_MORE
    if advice in (_SIMPLER, _UNTIL_MORE):
        advice = " ".join([advice, *every[best].notes])
    mae = table["mae"]
    off, theirs = float(mae["forecaster"]), float(mae[best])
    more, instead = _expected(tested, off, theirs, shared, better)
    return f"{said} {more}".strip(), instead or advice


def _expected(
    tested: Backtest, own: float, other: float, shared: BoolArray, better: bool
) -> tuple[str, str]:
    """Return that expected values alone were not better where scores are, or the reverse.

    And what to do about it. They were off by `own`, those of the simple forecast by `other`. A
    distribution with a long tail has a good median and an expected value that is not.
    """
    if (own < other) == better or abs(own - other) <= _ALIKE * other:
        return "", ""
    said = (
        f"Their expected values alone were off by {in_digits(own)} on average, those of the simple "
        f"one by {in_digits(other)}."
    )
    if not better:
        return said, ""
    middle = (tested.lower[50.0] + tested.upper[50.0]) / 2.0
    off = float(np.abs(middle - tested.truth)[shared].mean())
    if off < (1.0 - _ALIKE) * own:
        return said, (
            f"What to do: take the medians. Some of these forecasts have a long tail, which moves "
            f"the expected value away; the middle of their 50 % intervals was off by "
            f"{in_digits(off)}."
        )
    return said, (
        "What to do: use the simple forecast where expected values alone count, and these where "
        "intervals do."
    )


def _missing(tested: Backtest) -> str:
    """Return why there is no linear autoregression to compare with; "" if there is."""
    why = tested.baselines.missing.get("linear")
    return f"No linear autoregression is among the simple forecasts: {why}." if why else ""
