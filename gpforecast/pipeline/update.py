"""New observations, without a search for hyperparameters."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import ExogLike, SeriesLike
from gpforecast.common.validation import array_without_infinities
from gpforecast.models.base import fit_notes
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.rows import embedded
from gpforecast.series.indexes import (
    begins_with,
    check_continues,
    counts_rows_of,
    future_index,
    joined,
    one_column,
    values_of,
)


def update(
    fitted: Fitted, new_values: SeriesLike, exog: ExogLike, *, max_rows: int | None
) -> Fitted:
    """Return it conditioned on new values as well, as `Forecaster.update` says.

    Parameters
    ----------
    fitted : Fitted
    new_values, exog
        As for `gpforecast.Forecaster.update`.
    max_rows : int or None
        The oldest rows beyond so many are dropped.
    """
    condition = getattr(fitted.model, "condition", None)
    if condition is None:
        raise TypeError(f"{type(fitted.model).__name__} cannot be updated; fit again.")
    n, chain = len(fitted.history), fitted.chain
    y = continued(fitted.history, new_values)
    chain.check(values_of(y)[n:], "new_values")
    inputs = fitted.exog.extended(
        fitted.exog.over(exog, y.index[n:], "the new times", missing=True)
    )
    every, targets = embedded(fitted.embedding, chain, y, inputs)
    new = targets >= n
    rows = fitted.rows.followed_by(every.X[new], every.y[new], max_rows)
    model = condition(rows.X, rows.y)
    notes = [note for note in (*rows.notes, *fit_notes(model)) if note not in fitted.notes]
    return replace(
        fitted,
        history=y,
        exog=inputs,
        rows=rows,
        model=model,
        notes=(*fitted.notes, *notes),
    )


def continued(history: "pd.Series[float]", new_values: SeriesLike) -> "pd.Series[float]":
    """Return a series with new values after its last, refused if their labels do not follow.

    Parameters
    ----------
    history : Series
    new_values : Series, one-column DataFrame, or 1-D array-like
        NaN where missing. Labels must continue the index, but 0, 1, 2, ... are the new values in
        order, unless they begin with the whole history on those labels.
    """
    new_values = one_column(new_values, "new_values")
    given = array_without_infinities(new_values, "new_values", ndim=1)
    if len(given) == 0:
        raise ValueError("new_values must hold at least one value; got none.")
    index = future_index(history.index, len(given))
    if isinstance(new_values, pd.Series) and (
        not counts_rows_of(new_values.index, index) or begins_with(new_values, history)
    ):
        check_continues(new_values.index, index)
    return pd.Series(
        np.concatenate([history.to_numpy(), given]),
        index=joined(history.index, index),
        name=history.name,
    )
