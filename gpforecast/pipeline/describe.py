"""What a fitted forecaster is, as text a person can read."""

import math
import re
import textwrap
from dataclasses import dataclass, fields

import pandas as pd

from gpforecast.automatic.decision import in_digits
from gpforecast.automatic.lags.candidates import named as named_lags
from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.models import SparseGaussianProcess
from gpforecast.models.base import FitReport
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.propagation import MethodLike
from gpforecast.series.labels import has_dates, time_at
from gpforecast.transforms import Chain, Log
from gpforecast.transforms.words import AS_THEY_ARE, in_words, named, taken_away

_COLUMNS = 100  # of text
# Numbers in the call that would make a model, with more digits than a reader wants.
_LONG = re.compile(r"\d+\.\d{4,}(?:e[+-]?\d+)?|\d(?:\.\d*)?e[+-]?\d+")

# Steps by the code of their frequency.
_EVERY = {
    "Y": "yearly", "A": "yearly", "Q": "quarterly", "M": "monthly", "W": "weekly", "D": "daily",
    "B": "working-day", "h": "hourly", "H": "hourly",
}  # fmt: skip

_TERMS = {
    "CRPS": "CRPS is the error of a forecast in the units of the series, unless others are named; "
    "it counts the width of the intervals too. Trial forecasts are of parts of the series, by "
    "models that do not know them",
    "AIC": "AIC says how well a model fits for its size: 10 less is clearly better",
}
"""What a reader is told where a term first occurs."""

_CURVE = "a smooth curve through what followed similar values before"
_LINE = "a straight-line rule from the values it looks back at"
_MODELS = {
    "AveragedGP": f"the average of many versions of {_CURVE} (Gaussian processes)",
    "BayesianAR": f"{_LINE}, kept simple because the series is short (a linear autoregression)",
    "GaussianProcess": f"{_CURVE} (a Gaussian process), which knows how sure it is",
    "LinearAR": f"{_LINE} (a linear autoregression)",
    "NearestNeighbours": "what followed the most similar stretches of the past",
    "ReducedRankGP": f"{_CURVE} (a Gaussian process in a form for many rows)",
    "RelevanceVectorMachine": f"{_CURVE}, built around few of them (a relevance vector machine)",
    "SparseGaussianProcess": f"{_CURVE} (a Gaussian process in a form for long series)",
}


@dataclass(frozen=True)
class _Section:
    """A heading, a sentence, and what there is to say of it."""

    heading: str
    sentence: str
    points: tuple[str, ...]


def summary(fitted: Fitted, propagation: MethodLike) -> str:
    """Return what was chosen and why, for a reader who knows no such models; details at the end.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    """
    sections = (_learned(fitted), _remembered(fitted), _model(fitted), _certainty(fitted))
    lines, known = [_title(fitted)], set[str]()
    for section in sections:
        said = " ".join(section.points)
        new = [term for term in _TERMS if term in said and term not in known]
        known.update(new)
        points = (*section.points, *(_TERMS[term] for term in new))
        lines += ["", section.heading, _wrapped(section.sentence, "  "), *map(_point, points)]
    if fitted.notes:
        lines += ["", "Notes", *map(_point, fitted.notes)]
    details = _details(fitted, propagation)
    lines += ["", "Technical details", *(f"  {name:<12} {text}" for name, text in details)]
    return "\n".join(lines)


def _title(fitted: Fitted) -> str:
    """Return how many values of what, from when to when."""
    history = fitted.history
    missing, name = int(history.isna().sum()), "series" if history.name is None else history.name
    gaps = f", {missing} of them missing" if missing else ""
    ends = f"{time_at(history.index, 0)} to {time_at(history.index, -1)}"
    return f"{name}: {_values(len(history), history.index)}, {ends}{gaps}"


def _values(n: int, index: Index) -> str:
    """Return a number of values with how often they come, where the index says it."""
    freq = index.freqstr if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)) else None
    if freq is None:
        return counted(n, "value")
    every = _EVERY.get(re.sub(r"^B?([YAQM])[SE]?$", r"\1", freq.partition("-")[0]))
    return f"{n} {every} values" if every else f"{counted(n, 'value')}, one every {freq}"


def _learned(fitted: Fitted) -> _Section:
    chain, automatic = fitted.chain, bool(fitted.chain.reasons)
    modelled = in_words(chain.spec.steps)
    away = taken_away(chain.spec.steps)
    sentence = f"{_capital(modelled or AS_THEY_ARE)}."
    if away:
        sentence += f" This takes away {away}, which the forecast gets back."
    otherwise = (
        "to decide yourself: transforms=None takes the values as they are, transforms=[...] what "
        "you name"
    )
    label = f"{named(chain.spec.steps)}: "
    why = (reason.removeprefix(label) for reason in chain.reasons)
    points = (*why, otherwise) if automatic else ("as given by transforms",)
    return _Section("What the model learns", sentence, points)


def _remembered(fitted: Fitted) -> _Section:
    inputs = ", ".join(map(str, fitted.exog.columns)) if fitted.exog else ""
    beside = ""
    if inputs:
        where = "" if fitted.exog.in_model else ", whose effects were taken from the series"
        beside = f" It also knows the inputs {inputs}{where}."
    label = f"{named_lags(fitted.inputs.lags)}: "
    reasons = [reason.removeprefix(label) for reason in fitted.lags_reason.splitlines()]
    otherwise = "to decide yourself: lags=12 takes the last 12 values, lags=[1, 12] what you name"
    points = (*reasons, otherwise) if reasons else ("as given by lags",)
    sentence = f"{lags_in_words(fitted.inputs.lags)} (lags).{beside}"
    return _Section("What it looks back at", sentence, points)


def lags_in_words(lags: tuple[int, ...]) -> str:
    """Return which values a model looks back at, without a full stop.

    Examples
    --------
    >>> lags_in_words((1, 2, 3)), lags_in_words((1, 12))
    ('The last 3 values', 'The values 1 and 12 steps before')
    """
    if lags == tuple(range(1, len(lags) + 1)):
        return f"The last {counted(lags[-1], 'value') if lags[-1] > 1 else 'value'}"
    if len(lags) == 1:
        return f"The value {lags[0]} steps before"
    return f"The values {', '.join(map(str, lags[:-1]))} and {lags[-1]} steps before"


def model_in_words(fitted: Fitted) -> str:
    """Return how a model predicts the next value."""
    name = type(fitted.model).__name__
    return _MODELS.get(name, f"a {name}")


def _model(fitted: Fitted) -> _Section:
    n = len(fitted.rows.y)
    sentence = (
        f"By {model_in_words(fitted)}. It learned from {counted(n, 'row')}, each a value with "
        f"those it looks back at."
    )
    otherwise = "to decide yourself: model=gf.models.LinearAR(), or another of gf.models"
    points = (*fitted.model_reasons, otherwise)
    return _Section("How it predicts the next value", sentence, points)


def _certainty(fitted: Fitted) -> _Section:
    points = [*fitted.noise_reasons, *_of_leads(fitted), *fitted.companion_reasons]
    if fitted.companions is not None:
        points.append("to decide yourself: combine=None leaves structural models out")
    if fitted.support is not None:
        keeps = f"the forecast keeps to {fitted.support.described}"
        why = fitted.support_reason.replace("\n", "; ")
        points.append(f"{keeps}: {why} (support=None lifts this)" if why else f"{keeps}, as given")
    if fitted.calibration is None:
        points.append(
            "the intervals were not compared with past errors: gf.backtest does that, and "
            "calibrate=True corrects them by it"
        )
    elif fitted.calibration.moves:
        points.append(fitted.calibration.moves)
    return _Section("How wide the intervals are", _noise(fitted), tuple(points))


def _noise(fitted: Fitted) -> str:
    """Return how far off a single step is, and the measurement of a value."""
    noise = getattr(fitted.model, "noise_var_", None)
    carried = "What is not known of one step widens the next."
    if noise is None:
        return carried
    chain = fitted.chain
    where = _unit(chain)
    std = chain.unit * noise**0.5
    share = f" or {100 * math.expm1(min(std, 5.0)):.2g} %" if isinstance(chain.warp, Log) else ""
    step = f"Noise has a standard deviation of {in_digits(std)}{where} a step{share}"
    if fitted.measurement is None:
        return f"{step}, and forecasts of one step are usually off by about that or more. {carried}"
    measured, known = fitted.measurement.variance**0.5, fitted.measurement.known is not None
    given = ", as given" if known else ""
    return (
        f"{step}, and the error of a measurement one of {in_digits(chain.unit * measured)}{where}"
        f"{given}. {carried}"
    )


def _of_leads(fitted: Fitted) -> list[str]:
    """Return what is to be said of direct forecasts; nothing of iterated ones."""
    leads = fitted.leads
    if leads is None:
        return []
    n, kept = leads.n_origins, 1.0 - leads.shrinkage
    models = counted(leads.max_horizon, "model")
    return [
        f"direct: {models}, one for each step ahead; what is said above is of the first",
        f"errors of steps depend on each other as in {n} forecasts of its past, times {kept:.2g}",
    ]


def _details(fitted: Fitted, propagation: MethodLike) -> list[tuple[str, str]]:
    """Return calls and numbers for who knows such models."""
    chain, history, model = fitted.chain, fitted.history, fitted.model
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lines = [
        ("series", f"{len(history)} values, {_times(history.index)}"),
        ("transforms", " -> ".join(steps)),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        ("model", _rounded(repr(model))),
    ]
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", _rounded(repr(covariance))))
    noise = getattr(model, "noise_var_", None)
    if noise is not None:
        lines.append(("noise", f"variance {noise:.4g} of standardised values"))
    report: FitReport | None = getattr(model, "report_", None)
    if report is not None and math.isfinite(report.log_marginal_likelihood):
        lines.append(("evidence", f"{report.log_marginal_likelihood:.5g} nats"))
    if fitted.support is not None:
        lines.append(("support", str(fitted.support)))
    lines.append(("propagation", str(propagation)))
    return lines


def _point(text: str) -> str:
    """Return an item of a list in lines that are not too long."""
    return _wrapped(text, "  - ", "    ")


def _wrapped(text: str, first: str, rest: str | None = None) -> str:
    return textwrap.fill(
        " ".join(text.split()),
        _COLUMNS,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


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
        return " of the learned function"
    if power == 0.0:
        return " of the logarithm"
    return " of the square root" if power == 0.5 else f" of the power {power:.3g}"


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
