"""What a fitted forecaster is, as text a person can read."""

import math
import re
from dataclasses import fields

from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import in_digits, named_lags
from gpforecast.models import SparseGaussianProcess
from gpforecast.models.base import FitReport
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.sections import Section, capital, text_of, times_of, title_of
from gpforecast.propagation import MethodLike
from gpforecast.transforms import Chain, Log
from gpforecast.transforms.words import AS_THEY_ARE, in_words, named, removed_in_words

# Numbers in the call that would make a model, with more digits than a reader wants.
_LONG = re.compile(r"\d+\.\d{4,}(?:e[+-]?\d+)?|\d(?:\.\d*)?e[+-]?\d+")

_CURVE = "a smooth curve through what followed similar values before"
_LINE = "a straight-line rule from the values it looks back at"
_MODELS = {
    "AveragedGP": f"the average of many versions of {_CURVE} (Gaussian processes)",
    "BayesianAR": f"{_LINE}, kept simple because the series is short (a linear autoregression)",
    "GaussianProcess": f"{_CURVE} (a Gaussian process), which knows how sure it is",
    "LinearAR": f"{_LINE} (a linear autoregression)",
    "MinnesotaAR": f"{_LINE} (a linear autoregression of all columns)",
    "NearestNeighbours": "what followed the most similar stretches of the past",
    "ReducedRankGP": f"{_CURVE} (a Gaussian process in a form for many rows)",
    "RelevanceVectorMachine": f"{_CURVE}, built around few of them (a relevance vector machine)",
    "SparseGaussianProcess": f"{_CURVE} (a Gaussian process in a form for long series)",
}


def summary(fitted: Fitted, propagation: MethodLike) -> str:
    """Return what was chosen and why, for a reader who knows no such models; details at the end.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    """
    sections = [
        learned(fitted),
        _remembered(fitted),
        predicted(fitted),
        averaged(fitted),
        certain(fitted),
    ]
    history = fitted.history
    title = title_of(history.name, history.index, int(history.isna().sum()))
    there = [section for section in sections if section is not None]
    return text_of(title, there, fitted.notes, details_of(fitted, str(propagation)))


def head_of(fitted: Fitted) -> tuple[str, str]:
    """Return the series, and the model in words: the two lines that come first."""
    history = fitted.history
    title = title_of(history.name, history.index, int(history.isna().sum()))
    modelled = in_words(fitted.chain.spec.steps) or AS_THEY_ARE
    return title, f"{capital(modelled)}, by {model_in_words(fitted)}."


def learned(fitted: Fitted) -> Section:
    """Return what is modelled after the transforms."""
    chain, automatic = fitted.chain, bool(fitted.chain.reasons)
    modelled = in_words(chain.spec.steps)
    away = removed_in_words(chain.spec.steps)
    sentence = f"{capital(modelled or AS_THEY_ARE)}."
    if away:
        sentence += f" This takes away {away}, which the forecast gets back."
    otherwise = (
        "to decide yourself: transforms=None takes the values as they are, transforms=[...] what "
        "you name"
    )
    label = f"{named(chain.spec.steps)}: "
    why = (reason.removeprefix(label) for reason in chain.reasons)
    points = (*why, otherwise) if automatic else ("as given by transforms",)
    return Section("What the model learns", sentence, points)


def _remembered(fitted: Fitted) -> Section:
    lags = _lags_of_inputs(fitted)
    inputs = ", ".join(
        name if lags.get(name, [0]) == [0] else f"{name} ({named_lags(lags[name])})"
        for name in known_inputs(fitted)
    )
    beside = ""
    if inputs:
        where = "" if fitted.exog.in_model else ", whose effects were taken from the series"
        word = "input" if len(known_inputs(fitted)) == 1 else "inputs"
        beside = f" It also knows the {word} {inputs}{where}."
    label = f"{named_lags(fitted.inputs.lags)}: "
    reasons = [reason.removeprefix(label) for reason in fitted.lags_reason.splitlines()]
    otherwise = "to decide yourself: lags=12 takes the last 12 values, lags=[1, 12] what you name"
    points = (*reasons, otherwise) if reasons else ("as given by lags",)
    sentence = f"{capital(lags_in_words(fitted.inputs.lags))} (lags).{beside}"
    return Section("What it looks back at", sentence, points)


def known_inputs(fitted: Fitted) -> list[str]:
    """Return the names of the exogenous columns that count; not of those that were left out."""
    columns, effects = [*map(str, fitted.exog.columns)], fitted.chain.effects
    if not fitted.exog or fitted.exog.in_model:
        return columns if fitted.exog else []
    if effects is None or effects.spec.terms is None:
        return []
    terms = zip(effects.spec.terms, effects.beta, strict=True)
    kept = {column for (column, _), size in terms if size}
    return [name for i, name in enumerate(columns) if i in kept]


def _lags_of_inputs(fitted: Fitted) -> dict[str, list[int]]:
    """Return the lags at which the model knows each of its exogenous columns."""
    lags: dict[str, list[int]] = {}
    for column, lag in fitted.inputs.exog:
        lags.setdefault(str(fitted.exog.columns[column]), []).append(lag)
    return {name: sorted(of) for name, of in lags.items()}


def lags_in_words(lags: tuple[int, ...]) -> str:
    """Return which values a model looks back at, without a full stop.

    Examples
    --------
    >>> lags_in_words((1, 2, 3)), lags_in_words((1, 12))
    ('the last 3 values', 'the values 1 and 12 steps before')
    """
    if lags == tuple(range(1, len(lags) + 1)):
        return f"the last {counted(lags[-1], 'value') if lags[-1] > 1 else 'value'}"
    if len(lags) == 1:
        return f"the value {lags[0]} steps before"
    return f"the values {', '.join(map(str, lags[:-1]))} and {lags[-1]} steps before"


def model_in_words(fitted: Fitted) -> str:
    """Return how a model predicts the next value."""
    name = type(fitted.model).__name__
    return _MODELS.get(name, f"a {name}")


def predicted(fitted: Fitted) -> Section:
    """Return how the model predicts."""
    n = len(fitted.rows.y)
    sentence = (
        f"By {model_in_words(fitted)}. It learned from {counted(n, 'row')}, each a value with "
        f"those it looks back at."
    )
    otherwise = "to decide yourself: model=gf.models.LinearAR(), or another of gf.models"
    points = (*fitted.model_reasons, otherwise)
    return Section("How it predicts the next value", sentence, points)


def averaged(
    fitted: Fitted, what: str = "The forecast", own_model: str = "the model above"
) -> Section | None:
    """Return what the model is averaged with; None where nothing was considered.

    Parameters
    ----------
    fitted : Fitted
    what, own_model : str
        What both make together, and what the model is called.
    """
    heading, mixed = "What it is averaged with", fitted.ensemble
    if mixed is None:
        if not fitted.ensemble_reasons:
            return None
        return Section(heading, capital("; ".join(fitted.ensemble_reasons)) + ".")
    own, *theirs = (per_cent(weight) for weight in mixed.weights)
    others = [
        f"{each} a structural model of {member}"
        for each, member in zip(theirs, mixed.members, strict=True)
    ]
    points = [*fitted.ensemble_reasons]
    if mixed.surprise:
        points.append(
            f"{per_cent(mixed.surprise)} of the average uses intervals {_times(mixed.widening)} "
            f"as wide, in case of changes that the past does not show"
        )
    points.append("to decide yourself: combine=None leaves structural models out")
    shares = f"{what} is a weighted average: {own} {own_model}, {', '.join(others)}."
    return Section(heading, shares, tuple(points))


def _times(factor: float) -> str:
    return "twice" if factor == 2.0 else f"{factor:g} times"


def certain(fitted: Fitted, *, alone: bool = True) -> Section:
    """Return how wide the intervals are; `alone` is False beside a model of several columns."""
    points = [*fitted.noise_reasons, *_of_leads(fitted)]
    if fitted.support is not None:
        keeps = f"the forecast keeps to {fitted.support.described}"
        why = fitted.support_reason.replace("\n", "; ")
        points.append(f"{keeps}: {why} (support=None lifts this)" if why else f"{keeps}, as given")
    if fitted.calibration is None:
        points.append(
            "the intervals are not corrected by past errors: gf.backtest compares the two, and "
            "calibrate=True corrects them"
        )
    elif fitted.calibration.moves:
        points.append(fitted.calibration.moves)
    return Section("How wide the intervals are", _noise(fitted, alone), tuple(points))


def _noise(fitted: Fitted, alone: bool) -> str:
    """Return how far off a single step is, and the measurement of a value."""
    noise = getattr(fitted.model, "noise_var_", None)
    carried = "What is not known of one step widens the next."
    if noise is None:
        return carried
    chain = fitted.chain
    where = _unit(chain)
    std = chain.unit * noise**0.5
    share = f" or {100 * math.expm1(min(std, 5.0)):.2g} %" if chain.warp == Log() else ""
    step = f"Noise has a standard deviation of {in_digits(std)}{where} a step{share}"
    if fitted.measurement is None:
        if not alone or fitted.ensemble is not None:
            mixed = "in the model above; what it is averaged with has noise of its own"
            return f"{step} {mixed}. {carried}"
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
        f"how errors of steps go together is that of {n} forecasts of its past, times {kept:.2g}",
    ]


def details_of(fitted: Fitted, propagation: str) -> list[tuple[str, str]]:
    """Return calls and numbers for who knows such models."""
    chain, history, model = fitted.chain, fitted.history, fitted.model
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lines = [
        ("series", f"{counted(len(history), 'value')}, {times_of(history.index)}"),
        ("transforms", " -> ".join(steps)),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(
            (f"lags of {name}", ", ".join(map(str, lags)))
            for name, lags in _lags_of_inputs(fitted).items()
        ),
        ("model", rounded(repr(model))),
    ]
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        lines.append(("covariance", rounded(repr(covariance))))
    noise = getattr(model, "noise_var_", None)
    if noise is not None:
        lines.append(("noise", f"variance {noise:.4g} of standardised values"))
    report: FitReport | None = getattr(model, "report_", None)
    if report is not None and math.isfinite(report.log_marginal_likelihood):
        lines.append(("evidence", f"{report.log_marginal_likelihood:.5g} nats"))
    if fitted.support is not None:
        lines.append(("support", str(fitted.support)))
    lines.append(("propagation", propagation))
    return lines


def rounded(call: str) -> str:
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
    if fitted is None:
        return call
    sparse = options.model is None and isinstance(fitted.model, SparseGaussianProcess)
    rows = f": a SparseGaussianProcess on {len(fitted.rows.y)} rows" if sparse else ""
    return f"{call}  # fitted to {counted(len(fitted.history), 'value')}{rows}"
