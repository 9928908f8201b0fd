"""What a fitted forecaster of classes is, as text a person can read."""

import numpy as np

from gpforecast.common.validation import counted, per_cent
from gpforecast.events.fitted import FittedEvents
from gpforecast.models import OrdinalGP
from gpforecast.pipeline.describe import lags_in_words, rounded
from gpforecast.pipeline.sections import Section, capital, text_of, times_of, title_of

_CURVE = "a smooth curve through what followed similar classes before"
_UNTESTED = (
    "the probabilities were not compared with observed classes: "
    "forecaster.backtest(series, horizon) does that, and gf.scores.reliability sorts its result"
)
_AHEAD = Section(
    "Propagation",
    "Predicted classes, each with its probability, are the lags of later steps. The uncertainty of "
    "one step makes the next less certain.",
    (_UNTESTED,),
)


def summary(fitted: FittedEvents, propagation: object) -> str:
    """Return what was learned and why, for a reader who knows no such models; details at the end.

    Parameters
    ----------
    fitted : FittedEvents
    propagation : str or propagation method
        The forecaster's own.
    """
    index, known = fitted.axis.index, ~np.isnan(fitted.codes)
    sections = [_classes(fitted), _lags(fitted), _model(fitted), _AHEAD]
    model = fitted.model
    details = [
        ("series", f"{counted(len(index), 'value')}, {times_of(index)}"),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        ("model", rounded(repr(model))),
        ("evidence", f"{model.log_marginal_likelihood_:.5g} nats"),
        ("propagation", str(propagation)),
    ]
    covariance = getattr(model, "covariance_", None)
    if covariance is not None:
        details.insert(3, ("covariance", rounded(repr(covariance))))
    title = title_of(fitted.name, index, int((~known).sum()))
    return text_of(title, sections, fitted.notes, details)


def _classes(fitted: FittedEvents) -> Section:
    codes = fitted.codes[~np.isnan(fitted.codes)]
    n = len(fitted.classes)
    shares = np.bincount(codes.astype(np.int64), minlength=n) / len(codes)
    each = ", ".join(
        f"{label} in {per_cent(share)}" for label, share in zip(fitted.classes, shares, strict=True)
    )
    order = "" if n == 2 else ", in this order"
    sentence = (
        f"The probability of each of {n} classes{order}: {', '.join(map(str, fitted.classes))}."
    )
    return Section("Classes", sentence, (f"of the known values: {each}",))


def _lags(fitted: FittedEvents) -> Section:
    known = []
    if len(fitted.exog):
        known.append(f"the inputs {', '.join(map(str, fitted.exog.columns))}")
    if fitted.season is not None:
        known.append(f"the time in a season of {fitted.season:g} steps")
    also = f" It also knows {' and '.join(known)}." if known else ""
    points = (
        "to decide yourself: lags=12 takes the last 12 values, lags=[1, 12] what you name",
        "to decide yourself: season_length=12 is a season of 12 steps, season_length=1 is none",
    )
    sentence = f"{capital(lags_in_words(fitted.inputs.lags))} (lags).{also}"
    return Section("Lags", sentence, points)


def _model(fitted: FittedEvents) -> Section:
    own = isinstance(fitted.model, OrdinalGP)
    kind = "a Gaussian process for ordered classes" if own else "a relevance vector machine"
    sentence = (
        f"By {_CURVE} ({kind}). It learned from {counted(fitted.n_rows, 'row')}, each a value with "
        f"its lags."
    )
    otherwise = "to decide yourself: model=gf.models.RelevanceVectorClassifier(), or an OrdinalGP"
    return Section("Model", sentence, (otherwise,))
