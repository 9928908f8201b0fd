"""What a fitted forecaster is, as text a person can read."""

import re
from collections.abc import Sequence
from dataclasses import fields

from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.models import SparseGaussianProcess
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.propagation import MethodLike
from gpforecast.series.labels import has_dates
from gpforecast.transforms import (
    BoxCox,
    Chain,
    DampedMean,
    Deterministic,
    Difference,
    LearnedWarp,
    LevelShifts,
    Log,
    SeasonalDifference,
)

# Numbers in the call that would make a model, with more digits than a reader wants.
_LONG = re.compile(r"\d+\.\d{4,}(?:e[+-]?\d+)?|\d(?:\.\d*)?e[+-]?\d+")


def summary(fitted: Fitted, propagation: MethodLike) -> str:
    """Return transforms with their reasons, lags, model, rows, noise and notes, line by line.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    """
    chain, history, model = fitted.chain, fitted.history, fitted.model
    missing = int(history.isna().sum())
    gaps = f", {missing} missing" if missing else ""
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lines = [
        ("series", f"{len(history)} values{gaps}, {_times(history.index)}"),
        ("transforms", " -> ".join(steps)),
        *(("", f"in words: {words}") for words in [in_words(chain.spec.steps)] if words),
        *(("", reason) for reason in chain.reasons),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(("", reason) for reason in fitted.lags_reason.splitlines()),
        ("model", _rounded(repr(model))),
        *(("", reason) for reason in fitted.model_reasons),
        ("rows", str(len(fitted.rows.y))),
    ]
    noise = getattr(model, "noise_var_", None)
    if noise is not None:
        where = _unit(chain)
        of_process = f"standard deviation {chain.unit * noise**0.5:.4g}{where} a step"
        if fitted.measurement is None:
            lines.append(("noise", of_process))
        else:
            s, known = fitted.measurement.variance, fitted.measurement.known is not None
            given = ", as given" if known else ""
            lines.append(
                (
                    "noise",
                    f"measurement: standard deviation {chain.unit * s**0.5:.4g}{where}{given}",
                )
            )
            lines.append(("", f"process: {of_process}"))
    lines += [("", reason) for reason in fitted.noise_reasons]
    if fitted.support is not None:
        lines.append(("support", str(fitted.support)))
        lines += [("", reason) for reason in fitted.support_reason.splitlines()]
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", _rounded(repr(covariance))))
    lines.append(("propagation", str(propagation)))
    lines += zip(["strategy", ""], _of_leads(fitted), strict=False)
    names = ["combination", *[""] * len(fitted.companion_reasons)]
    lines += zip(names, fitted.companion_reasons, strict=False)
    if fitted.calibration is not None and fitted.calibration.moves:
        lines.append(("calibration", fitted.calibration.moves))
    lines += [("note", note) for note in fitted.notes]
    return "\n".join(f"{name:<12} {text}".rstrip() for name, text in lines)


def _of_leads(fitted: Fitted) -> list[str]:
    """Return what is to be said of direct forecasts; nothing of iterated ones."""
    leads = fitted.leads
    if leads is None:
        return []
    n, kept = leads.n_origins, 1.0 - leads.shrinkage
    models = counted(leads.max_horizon, "model")
    return [
        f"direct: {models}, one for each lead; the lines above are of lead 1",
        f"errors of leads correlated as those of {n} held-out origins, times {kept:.2g}",
    ]


def in_words(steps: Sequence[object]) -> str:
    """Return what is modelled after some transforms, in words; "" where it is the series itself.

    Examples
    --------
    >>> in_words([Log(), Difference(), DampedMean(0.9)])  # doctest: +NORMALIZE_WHITESPACE
    'the logarithm; its changes from step to step; less the mean, which fades in a forecast, to 0.9
    of itself with each step'
    """
    return "; ".join(filter(None, map(_step_in_words, steps))).removeprefix("its ")


def _step_in_words(step: object) -> str:
    match step:
        case Log():
            return "the logarithm"
        case BoxCox():
            return "the square root" if step.lmbda == 0.5 else "a power"
        case LearnedWarp():
            return "a function of its values that was learned"
        case Difference():
            return "its changes from step to step" + (", twice" if step.order > 1 else "")
        case SeasonalDifference():
            return f"its changes over {step.period} steps"
        case LevelShifts():
            return f"less {len(step.at)} shift{'' if len(step.at) == 1 else 's'} of the level"
        case Deterministic():
            season = f"a cycle of {step.period:g} steps" if step.fourier and step.period else ""
            line = "a straight line" if step.trend else ""
            calendar = "effects of the calendar" if step.calendar else ""
            return "less " + (" and ".join(filter(None, (line, season, calendar))) or "its mean")
        case DampedMean():
            one_each = f", one for each of the {step.period} steps of a season"
            each = "" if step.period is None else one_each
            fades = f", which fades in a forecast, to {step.damping:.3g} of itself with each step"
            return f"less the mean{each}" + (fades if step.damping < 1 else "")
    return ""


def _times(index: Index) -> str:
    """Return the first and the last time, and the frequency, which says what a step is."""
    first, last = (str(time) for time in (index[0], index[-1]))
    midnight = " 00:00:00"
    if first.endswith(midnight) and last.endswith(midnight):
        first, last = first.removesuffix(midnight), last.removesuffix(midnight)
    step = ""
    if has_dates(index) and index.freqstr is not None:
        step = f", frequency {index.freqstr}"
    return f"{first} to {last}{step}"


def _rounded(call: str) -> str:
    """Return the call that would make a model in one line, its numbers to four digits."""
    short = _LONG.sub(lambda number: f"{float(number[0]):.4g}", " ".join(call.split()))
    return re.sub(r"array\(\[ ?([^]]*)\]\)", r"[\1]", short).replace(" ,", ",")


def _unit(chain: Chain) -> str:
    """Return what the noise is measured in, if it is not the series itself."""
    warp = chain.warp
    if warp is None:
        return ""
    power: float | None = getattr(warp, "lmbda", None)
    if power is None:
        return " after the warp"
    return f" after BoxCox({power:.3g})" if power else " of the logarithm"


def described(options: Options, fitted: Fitted | None) -> str:
    """Return the call that would make a forecaster, with what differs from the defaults."""
    shown = [
        f"{field.name}={value!r}"
        for field in fields(options)
        for value in [vars(options)[field.name]]
        if field.name == "lags" or repr(value) != repr(field.default)
    ]
    call = f"Forecaster({', '.join(shown)})"
    if options.model is None and fitted and isinstance(fitted.model, SparseGaussianProcess):
        call += f"  # fitted: a SparseGaussianProcess on {len(fitted.rows.y)} rows"
    return call
