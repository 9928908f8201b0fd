"""What a fitted forecaster of several columns is, as text a person can read."""

from collections.abc import Hashable

from gpforecast.common.validation import counted, per_cent, shown
from gpforecast.common.wording import point, wrapped
from gpforecast.pipeline import describe
from gpforecast.pipeline.describe import Section, lags_in_words, model_in_words
from gpforecast.propagation import MethodLike
from gpforecast.transforms.words import AS_THEY_ARE, in_words
from gpforecast.vector.choice import Sources
from gpforecast.vector.fitted import FittedVector


def summary(fitted: FittedVector, propagation: MethodLike, column: Hashable | None = None) -> str:
    """Return what forecasts each column, in a few sentences; of a column that is named, all."""
    if column is not None and column not in fitted.names:
        raise ValueError(f"column must be one of {[*fitted.names]}, or None; got {shown(column)}.")
    found = []
    for i, (own, sources) in enumerate(zip(fitted.columns, fitted.sources, strict=True)):
        share = 0.0 if fitted.linear is None else float(fitted.shares[i])
        shared = _shared(fitted, i, share) if share else None
        lags = Section("Lags", f"{inputs_in_words(sources, fitted.names)}.")
        if column == fitted.names[i]:
            inputs = ", ".join(f"{fitted.names[j]} {lag}" for j, lag in sources)
            return describe.summary(own, propagation, lags=lags, inputs=inputs, shared=shared)
        sentences = " ".join(one.sentence for one in describe.sections(own, lags, shared))
        found += [f"== {describe.title(own)}", wrapped(sentences, "  "), *map(point, own.notes)]
    first = f"print(forecaster.summary({fitted.names[0]!r}))"
    return "\n".join([*found, f"All of it for a column, with reasons: {first}"])


def _shared(fitted: FittedVector, i: int, share: float) -> Section:
    """Return how much of a column's forecast is the linear vector's, and what that is."""
    assert fitted.linear is not None
    one, sources = fitted.linear.columns[i], fitted.linear.sources[i]
    modelled = in_words(one.chain.spec.steps) or AS_THEY_ARE
    sentence = (
        f"{per_cent(share)} of the forecast is one linear model of all columns (a vector "
        f"autoregression), {per_cent(1.0 - share)} is the model of this column, "
        f"described below."
    )
    shared = (
        f"it learned from {counted(len(one.rows.y), 'row')}; the share is by how well both "
        f"forecast the newest quarter of them one step ahead"
    )
    points = (
        f"the linear model learns {modelled}, by {model_in_words(one)}",
        f"its lags, by column: {inputs_in_words(sources, fitted.names)}",
        shared,
        "to decide yourself: combine=None leaves the linear model out",
    )
    return Section("Linear vector autoregression", sentence, points)


def inputs_in_words(sources: Sources, names: tuple[Hashable, ...]) -> str:
    """Return which lags of which columns a model has, without a full stop.

    Parameters
    ----------
    sources : tuple of (int, int)
        Column and lag of each.
    names : tuple of hashable (M,)

    Examples
    --------
    >>> inputs_in_words(((0, 1), (0, 2), (1, 0), (1, 3)), ("a", "b"))
    'a: the last 2 values; b: the value 3 steps before, and that of the same time'
    """
    found = []
    for j in dict.fromkeys(other for other, _ in sources):
        lags = tuple(sorted(lag for other, lag in sources if other == j and lag > 0))
        words = [lags_in_words(lags)] if lags else []
        if (j, 0) in sources:
            words.append("that of the same time")
        found.append(f"{names[j]}: {', and '.join(words)}")
    return "; ".join(found)
