"""New observations, without a search for hyperparameters."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import ExogLike, SeriesLike
from gpforecast.models.base import fit_notes
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.rows import embedded
from gpforecast.series.checked import new_values_after


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
    n, chain, history = len(fitted.history), fitted.chain, fitted.history
    given = new_values_after(new_values, history, fitted.axis)
    chain.check(given, "new_values")
    index = fitted.axis.extended(len(given)).index
    y = pd.Series(np.concatenate([history, given]), index=index, name=history.name)
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
