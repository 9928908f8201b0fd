"""What a fitted forecaster of classes is, as text a person can read."""

import numpy as np

from gpforecast.common.validation import counted, per_cent
from gpforecast.events.fitted import FittedEvents
from gpforecast.pipeline import describe
from gpforecast.pipeline.describe import Section, capital, lags_in_words

_LAGS = (
    "to decide yourself: lags=12 takes the last 12 values, lags=[1, 12] what you name",
    "to decide yourself: season_length=12 is a season of 12 steps, season_length=1 is none",
)
_KINDS = {
    "OrdinalGP": "a Gaussian process for ordered classes",
    "RelevanceVectorClassifier": "a relevance vector machine",
}
_MODEL = "to decide yourself: model=gf.models.RelevanceVectorClassifier(), or an OrdinalGP"
_AHEAD = (
    "Predicted classes, each with its probability, are the lags of later steps. The uncertainty of "
    "one step makes the next less certain."
)
_UNTESTED = (
    "to compare the probabilities with observed classes: forecaster.backtest(series, horizon)"
)


def summary(fitted: FittedEvents, propagation: object) -> str:
    """Return what was learned and why, for a reader who knows no such models; details at the end.

    Parameters
    ----------
    fitted : FittedEvents
    propagation : str or propagation method
        The forecaster's own.
    """
    index, missing, model = fitted.axis.labels, np.isnan(fitted.codes), fitted.model
    learned = (
        f"By a smooth curve through what followed similar classes before "
        f"({_KINDS[type(model).__name__]}). It learned from "
        f"{counted(fitted.n_rows, 'row')}, each a value with its lags."
    )
    counts = np.bincount(fitted.codes[~missing].astype(np.int64), minlength=len(fitted.classes))
    shares = ", ".join(
        f"{one} in {per_cent(n / counts.sum())}"
        for one, n in zip(fitted.classes, counts, strict=True)
    )
    known = [*map(str, fitted.exog.columns)]
    if fitted.season is not None:
        known.append(f"the time in a season of {fitted.season:g} steps")
    also = f" It also knows {', '.join(known)}." if known else ""
    sections = [
        Section(
            "Classes",
            f"The probability of each class, in their order: {shares} of the known values.",
        ),
        Section("Lags", f"{capital(lags_in_words(fitted.inputs.lags))} (lags).{also}", _LAGS),
        Section("Model", learned, (_MODEL,)),
        Section("Propagation", _AHEAD, (_UNTESTED,)),
    ]
    details = [
        ("series", f"{counted(len(index), 'value')}, {describe.times_of(index)}"),
        ("lags", ", ".join(map(str, fitted.inputs.lags))),
        *(line for line in describe.model_details(model) if line[0] != "noise"),  # 1, of f
        ("propagation", str(propagation)),
    ]
    title = describe.title_of(fitted.name, index, int(missing.sum()))
    return describe.text_of(title, sections, fitted.notes, details)
