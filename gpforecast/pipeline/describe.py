"""What a fitted forecaster is, as text a person can read.

A title, sections of a sentence and a list, notes, and details at the end.
"""

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, has_dates
from gpforecast.common.types import Index
from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import in_digits, named_lags, point, wrapped
from gpforecast.models import BayesianAR
from gpforecast.models.base import report_of
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation import MethodLike
from gpforecast.series.labels import span_of
from gpforecast.series.retail import is_retail
from gpforecast.series.spacing import in_steps
from gpforecast.transforms.words import AS_THEY_ARE, in_words, named

# Steps by the code of their frequency.
_STEPS = {
    "Y": "year", "A": "year", "Q": "quarter", "M": "month", "W": "week", "D": "day",
    "B": "working day", "C": "open day", "h": "hour", "H": "hour",
}  # fmt: skip

_TERMS = {
    "CRPS": "CRPS is the error of a forecast in the units of the series, unless others are named; "
    "it counts the width of the intervals too. Trial forecasts are of parts of the series, by "
    "models that do not know them",
    "AIC": "AIC says how well a model fits for its size: 10 less is clearly better",
}
"""What a reader is told where a term first occurs."""
# Numbers in the call that would make a model, with more digits than a reader wants.
_LONG = re.compile(r"\d+\.\d{4,}(?:e[+-]?\d+)?|\d(?:\.\d*)?e[+-]?\d+")

_WIDTH_AT = 12  # steps ahead
_LEAST_SHOWN = 0.02  # weight of a candidate in a summary

_CURVE = "a smooth curve through what followed similar values before"
_LINE = "a straight-line rule from the lags"
_MODELS = {
    "AveragedGP": f"the average of many versions of {_CURVE} (Gaussian processes)",
    "BayesianAR": f"{_LINE}, kept simple (a linear autoregression)",
    "GaussianProcess": f"{_CURVE} (a Gaussian process), which knows how sure it is",
    "LinearAR": f"{_LINE} (a linear autoregression)",
    "MinnesotaAR": f"{_LINE} (a linear autoregression of all columns)",
    "NearestNeighbours": "what followed the most similar stretches of the past",
    "ReducedRankGP": f"{_CURVE} (a Gaussian process in a form for many rows)",
    "RelevanceVectorMachine": f"{_CURVE}, built around few of them (a relevance vector machine)",
    "SparseGaussianProcess": f"{_CURVE} (a Gaussian process in a form for long series)",
}


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, and what there is to say of it."""

    heading: str
    sentence: str
    points: tuple[str, ...] = ()


def text_of(
    title: str,
    sections: Sequence[Section],
    notes: Sequence[str],
    details: Sequence[tuple[str, str]],
) -> str:
    """Return a summary; terms are explained where they first occur, and points in notes left out.

    Parameters
    ----------
    title : str
    sections : sequence of Section
    notes : sequence of str
    details : sequence of (str, str)
        Names with their descriptions, for readers who know such models.
    """
    lines, unknown = [title], dict(_TERMS)
    for section in sections:
        own = [one for one in section.points if not any(n.startswith(one) for n in notes)]
        text = " ".join(own)
        own += [unknown.pop(term) for term in _TERMS if term in text and term in unknown]
        lines += ["", section.heading, wrapped(section.sentence, "  "), *map(point, own)]
    if notes:
        lines += ["", "Notes", *map(point, notes)]
    lines += ["", "Technical details", *(f"  {name:<12} {text}" for name, text in details)]
    return "\n".join(lines)


def title_of(name: Hashable, index: Index, n_missing: int) -> str:
    """Return how many values of what, from when to when."""
    gaps = f", {n_missing} of them missing" if n_missing else ""
    return f"{'series' if name is None else name}: {_values(index)}, {span_of(index)}{gaps}"


def times_of(index: Index) -> str:
    """Return the first and the last time, and the frequency, which says what a step is."""
    freq = _freq_of(index)
    return f"{span_of(index)}, frequency {freq}" if freq else span_of(index)


def step_of(index: Index) -> str:
    """Return what a step of an index is called: "month", or "step" where the index does not say it.

    Examples
    --------
    >>> import pandas as pd
    >>> step_of(pd.period_range("2024-01", periods=3, freq="M")), step_of(pd.RangeIndex(3))
    ('month', 'step')
    """
    if are_dates(index) and is_retail(index.freq):
        return "retail month"
    code = re.sub(r"^B?([YAQM])[SE]?$", r"\1", _freq_of(index).partition("-")[0])
    return _STEPS.get(code, "step")


def _values(index: Index) -> str:
    """Return the number of values with how often they come, where the index says it."""
    n, step = len(index), step_of(index)
    if step != "step":
        often = step.replace(" ", "-") if " " in step else f"{step}ly".replace("dayly", "daily")
        return counted(n, f"{often} value")
    freq = _freq_of(index)
    return f"{counted(n, 'value')}, one every {freq}" if freq else counted(n, "value")


def _freq_of(index: Index) -> str:
    """Return the frequency of dates or periods; empty where there is none."""
    return (in_steps(index).freqstr or "") if has_dates(index) else ""


def capital(text: str) -> str:
    """Return a sentence that begins with a capital."""
    return text[:1].upper() + text[1:]


def summary(
    fitted: Fitted,
    propagation: MethodLike,
    *,
    lags: Section | None = None,
    inputs: str = "",
    shared: Section | None = None,
) -> str:
    """Return what was selected and why, in plain words; details at the end.

    Parameters
    ----------
    fitted : Fitted
    propagation : propagation method
        The forecaster's own.
    lags : Section, optional
    inputs : str
        Of a column of several: its lags, and those of others.
    shared : Section, optional
        On the linear vector that a column is mixed with.
    """
    there = [*sections(fitted, lags, shared), _intervals(fitted, alone=shared is None)]
    details = _details(fitted, str(propagation), inputs)
    return text_of(title(fitted), there, fitted.notes, details)


def sections(
    fitted: Fitted, lags: Section | None = None, shared: Section | None = None
) -> list[Section]:
    """Return what was selected and why, as `summary` has it."""
    there = [shared, _transforms(fitted), lags or _lags(fitted), _model(fitted)]
    return [one for one in (*there, _ensemble(fitted, alone=shared is None)) if one]


def _decided(
    heading: str, sentence: str, reasons: Sequence[str], label: str, otherwise: str
) -> Section:
    """Return a section on what was selected, with its reasons and how to decide it, or given.

    Reasons may begin with a label that the sentence has.
    """
    why = [reason.removeprefix(f"{label}: ") for reason in reasons]
    points = (*why, f"to decide yourself: {otherwise}") if why else ("as given",)
    return Section(heading, capital(sentence), points)


def head_of(fitted: Fitted) -> tuple[str, str]:
    """Return the series, and the model in words: the two lines that come first."""
    modelled = in_words(fitted.chain.spec.steps) or AS_THEY_ARE
    return title(fitted), f"{capital(modelled)}, by {model_in_words(fitted)}."


def title(fitted: Fitted) -> str:
    """Return the name of a series, how many values it has, and from when to when."""
    history = fitted.observations
    return title_of(history.name, history.index, int(history.isna().sum()))


def _transforms(fitted: Fitted) -> Section:
    """Return what is modelled after the transforms."""
    steps = fitted.chain.spec.steps
    otherwise = "transforms=None takes the values as they are, transforms=[...] what you name"
    sentence = f"{in_words(steps) or AS_THEY_ARE}."
    return _decided("Transforms", sentence, fitted.chain.reasons, named(steps), otherwise)


def _lags(fitted: Fitted) -> Section:
    lags, inputs = _lags_of_inputs(fitted), ""
    if names := _known_inputs(fitted):
        each = (
            name if lags.get(name, [0]) == [0] else f"{name} ({named_lags(lags[name])})"
            for name in names
        )
        where = "" if fitted.exog.in_model else ", whose effects were subtracted from the series"
        inputs = f" Inputs: {', '.join(each)}{where}."
    own = fitted.inputs.lags
    otherwise = "lags=12 takes the last 12 values, lags=[1, 12] what you name"
    reasons = fitted.lags_reason.splitlines()
    return _decided("Lags", f"{lags_in_words(own)}.{inputs}", reasons, named_lags(own), otherwise)


def _known_inputs(fitted: Fitted) -> list[str]:
    """Return the names of the exogenous columns that count; not of those that were left out."""
    columns, effects = [*map(str, fitted.exog.columns)], fitted.chain.effects
    if fitted.exog.in_model:
        return columns
    terms = () if effects is None else zip(effects.terms, effects.beta, strict=True)
    kept = {column for (column, _), size in terms if size}
    return [columns[i] for i in sorted(kept)]


def _lags_of_inputs(fitted: Fitted) -> dict[str, list[int]]:
    """Return the lags at which the model knows each of its exogenous columns."""
    lags: dict[str, list[int]] = {}
    for column, lag in fitted.inputs.exog:
        lags.setdefault(str(fitted.exog.columns[column]), []).append(lag)
    return {name: sorted(of) for name, of in lags.items()}


def lags_in_words(lags: tuple[int, ...]) -> str:
    """Return which values are the inputs of a model, without a full stop.

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


def _model(fitted: Fitted) -> Section:
    """Return how the one-step model predicts."""
    rows = counted(len(fitted.rows.y), "row")
    sentence = (
        f"The next value is predicted by {model_in_words(fitted)}. It learned from {rows}, each a "
        f"value with its lags."
    )
    otherwise = "to decide yourself: model=gf.models.LinearAR(), or another of gf.models"
    return Section("Model", sentence, (*fitted.model_reasons, otherwise))


def candidates_of(fitted: Fitted) -> pd.DataFrame:
    """Return the candidates of the automatic choice with weight and CRPS, the heaviest first."""
    table = pd.DataFrame(list(fitted.candidates), columns=["candidate", "weight", "crps"])
    return table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


def _ensemble(fitted: Fitted, *, alone: bool) -> Section | None:
    """Return the members of the ensemble and their weights; None where none was considered.

    With a linear vector, `alone` is False: the ensemble is then the rest of the forecast.
    """
    what, own_model = "The forecast", "the model above"
    if not alone:
        what, own_model = "The rest", "the model of this column"
    mixed, reasons = fitted.ensemble, fitted.ensemble_reasons
    if mixed is None:
        return Section("Ensemble", capital("; ".join(reasons)) + ".") if reasons else None
    own, *theirs = (per_cent(weight) for weight in mixed.weights)
    words = [f"a structural model of {member}" for member in mixed.members]
    for one in fitted.others:
        kind = "an autoregression" if isinstance(one.model, BayesianAR) else "a Gaussian process"
        words.append(f"{kind} of {named(one.chain.spec.steps)}")
    others = "".join(f", {w} {each}" for w, each in zip(theirs, words, strict=True))
    average = f"a weighted average: {own} {own_model}{others}" if others else f"that of {own_model}"
    first, last = (f"{factor:.2f}" for factor in mixed.factors(_WIDTH_AT)[[0, -1]])
    width = (
        f"its standard deviations are multiplied by {first} at the first step and by {last} at "
        f"step {_WIDTH_AT}, as forecasts of similar series were found to need"
    )
    each = (
        f"below, the weights of {counted(len(fitted.candidates), 'candidate')}: a prior, learned "
        f"from similar series, times how well each forecast the past of this one, so that the "
        f"least CRPS need not have the largest weight; the largest make the ensemble, where they "
        f"are scaled to add up to 100 %"
    )
    points = [*reasons, *([width] if {first, last} != {"1.00"} else []), each]
    points += (
        f"{per_cent(weight)}, CRPS {in_digits(crps)}: {words}"
        for words, weight, crps in candidates_of(fitted).itertuples(index=False)
        if weight >= _LEAST_SHOWN and np.isfinite(crps)
    )
    points += ["to decide yourself: combine=None leaves all others out"] if others else []
    return Section("Ensemble", f"{what} is {average}.", tuple(points))


def _intervals(fitted: Fitted, *, alone: bool) -> Section:
    """Return the noise, and what else makes the width; `alone` is False with a linear vector."""
    points, leads = [*fitted.noise_reasons], fitted.leads
    if leads is not None:
        models = counted(leads.max_horizon, "model")
        points.append(f"direct: {models}, one for each step ahead; the one above is of the first")
    if fitted.support is not None:
        keeps = f"the forecast keeps to {fitted.support.described}"
        why = fitted.support_reason.replace("\n", "; ")
        points.append(f"{keeps}: {why} (support=None lifts this)" if why else f"{keeps}, as given")
    if fitted.calibration is None:
        points.append(
            "the intervals are not corrected by past errors; "
            'calibrate="conformal" corrects them, and gf.backtest counts how often intervals hold'
        )
    return Section("Noise and intervals", _noise(fitted, alone), tuple(points))


def _noise(fitted: Fitted, alone: bool) -> str:
    """Return how far off a single step is, and the measurement of a value."""
    noise = getattr(fitted.model, "noise_var_", None)
    carried = "The uncertainty of one step widens the next."
    if noise is None:
        return carried
    chain, spec = fitted.chain, fitted.chain.spec
    warp, std = in_words(spec.steps[: spec.n_warps]), chain.unit * noise**0.5
    unit = f" of {warp}" if warp else ""
    share = f" or {100 * math.expm1(min(std, 5.0)):.2g} %" if warp == "the logarithm" else ""
    step = f"Noise has a standard deviation of {in_digits(std)}{unit} a step{share}"
    if (measured := fitted.measurement) is not None:
        given = ", as given" if measured.known is not None else ""
        error = f"{in_digits(chain.unit * measured.variance**0.5)}{unit}{given}"
        return f"{step}, and the error of a measurement one of {error}. {carried}"
    if not alone or fitted.ensemble is not None:
        return f"{step} in the model above; other members have their own. {carried}"
    return f"{step}: errors of forecasts of one step are usually about that or more. {carried}"


def _details(fitted: Fitted, propagation: str, inputs: str) -> list[tuple[str, str]]:
    """Return calls and numbers for who knows such models."""
    chain, history = fitted.chain, fitted.observations
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lags = _lags_of_inputs(fitted).items()
    return [
        ("series", f"{counted(len(history), 'value')}, {times_of(history.index)}"),
        ("transforms", " -> ".join(steps)),
        ("inputs", inputs) if inputs else ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *((f"lags of {name}", ", ".join(map(str, each))) for name, each in lags),
        *model_details(fitted.model),
        *([] if fitted.support is None else [("support", str(fitted.support))]),
        ("propagation", propagation),
    ]


def model_details(model: object) -> list[tuple[str, str]]:
    """Return the call that would make a fitted model, and its numbers."""
    lines = [("model", rounded(repr(model)))]
    if (covariance := getattr(model, "covariance_", None)) is not None:
        lines.append(("covariance", rounded(repr(covariance))))
    if (noise := getattr(model, "noise_var_", None)) is not None:
        lines.append(("noise", f"variance {noise:.4g} of standardised values"))
    report = report_of(model)
    if report is not None and math.isfinite(report.log_marginal_likelihood):
        lines.append(("evidence", f"{report.log_marginal_likelihood:.5g} nats"))
    return lines


def rounded(call: str) -> str:
    """Return the call that would make a model in one line, its numbers to four digits."""
    short = _LONG.sub(lambda number: f"{float(number[0]):.4g}", " ".join(call.split()))
    return re.sub(r"array\(\[ ?([^]]*)\]\)", r"[\1]", short).replace(" ,", ",")
