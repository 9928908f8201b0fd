"""What a fitted forecaster is, as text a person can read."""

import math
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from gpforecast.common.validation import counted, per_cent
from gpforecast.common.wording import in_digits, named_lags
from gpforecast.models import BayesianAR
from gpforecast.models.base import report_of
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.sections import Section, capital, text_of, times_of, title_of
from gpforecast.propagation import MethodLike
from gpforecast.transforms.words import AS_THEY_ARE, in_words, named

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
    alone = shared is None
    what = () if alone else ("The rest", "the model of this column")
    there = [shared, transforms(fitted), lags or _lags(fitted), model(fitted)]
    there += [ensemble(fitted, *what), intervals(fitted, alone=alone)]
    details = details_of(fitted, str(propagation), inputs)
    return text_of(_title(fitted), [one for one in there if one], fitted.notes, details)


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
    return _title(fitted), f"{capital(modelled)}, by {model_in_words(fitted)}."


def _title(fitted: Fitted) -> str:
    history = fitted.observations
    return title_of(history.name, history.index, int(history.isna().sum()))


def transforms(fitted: Fitted) -> Section:
    """Return what is modelled after the transforms."""
    steps = fitted.chain.spec.steps
    otherwise = "transforms=None takes the values as they are, transforms=[...] what you name"
    sentence = f"{in_words(steps) or AS_THEY_ARE}."
    return _decided("Transforms", sentence, fitted.chain.reasons, named(steps), otherwise)


def _lags(fitted: Fitted) -> Section:
    lags, names, inputs = _lags_of_inputs(fitted), known_inputs(fitted), ""
    if names:
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


def known_inputs(fitted: Fitted) -> list[str]:
    """Return the names of the exogenous columns that count; not of those that were left out."""
    columns, effects = [*map(str, fitted.exog.columns)], fitted.chain.effects
    if fitted.exog.in_model or not fitted.exog:
        return columns
    terms = () if effects is None else zip(effects.terms, effects.beta, strict=True)
    kept = {column for (column, _), size in terms if size}
    return [name for i, name in enumerate(columns) if i in kept]


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


def model(fitted: Fitted) -> Section:
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


def _table(fitted: Fitted) -> tuple[str, ...]:
    """Return a line for each candidate that counts: weight, CRPS in trial forecasts, words."""
    rows = candidates_of(fitted).itertuples(index=False)
    return tuple(
        f"{per_cent(weight)}, CRPS {in_digits(crps)}: {words}"
        for words, weight, crps in rows
        if weight >= _LEAST_SHOWN and np.isfinite(crps)
    )


def ensemble(
    fitted: Fitted, what: str = "The forecast", own_model: str = "the model above"
) -> Section | None:
    """Return the members of the ensemble and their weights; None where none was considered.

    Parameters
    ----------
    fitted : Fitted
    what, own_model : str
        What the members make together, and what the one-step model is called.
    """
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
    points = (
        *reasons,
        *([width] if {first, last} != {"1.00"} else []),
        each,
        *_table(fitted),
        *(["to decide yourself: combine=None leaves all others out"] if others else []),
    )
    return Section("Ensemble", f"{what} is {average}.", points)


def intervals(fitted: Fitted, *, alone: bool = True) -> Section:
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
            "the intervals are not corrected by past errors; calibrate=True corrects them, and "
            "gf.backtest counts how often intervals hold"
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


def details_of(fitted: Fitted, propagation: str, inputs: str = "") -> list[tuple[str, str]]:
    """Return calls and numbers for who knows such models."""
    chain, history = fitted.chain, fitted.observations
    steps = [repr(step) for step in chain.spec.steps]
    if chain.linear[-1] not in chain.spec.steps:
        steps.append("Standardise")  # which is always done last
    lines = [
        ("series", f"{counted(len(history), 'value')}, {times_of(history.index)}"),
        ("transforms", " -> ".join(steps)),
        ("inputs", inputs) if inputs else ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(
            (f"lags of {name}", ", ".join(map(str, lags)))
            for name, lags in _lags_of_inputs(fitted).items()
        ),
        *model_details(fitted.model),
    ]
    if fitted.support is not None:
        lines.append(("support", str(fitted.support)))
    return [*lines, ("propagation", propagation)]


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
