"""From a series to the rows a one-step model learns from."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import array_without_infinities, one_of, positive_integer
from gpforecast.models.base import OneStepModel
from gpforecast.propagation import method_named
from gpforecast.series.embedding import Embedded, LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.indexes import (
    begins_with,
    check_continues,
    counts_rows_of,
    future_index,
    joined,
    one_column,
    values_of,
)
from gpforecast.transforms.compose import Chain, Compose


@dataclass(frozen=True, eq=False)
class Rows:
    """What a model is fitted to.

    Attributes
    ----------
    X : ndarray (n, d)
    y : ndarray (n,)
        In transformed units.
    notes : tuple of str
        What was left out, and why.
    """

    X: FloatArray
    y: FloatArray
    notes: tuple[str, ...] = ()

    def followed_by(self, X: FloatArray, y: FloatArray, max_rows: int | None) -> "Rows":
        """Return these rows and newer ones, less the oldest beyond `max_rows`."""
        X, y = np.concatenate([self.X, X]), np.concatenate([self.y, y])
        if max_rows is None or len(y) <= max_rows:
            return Rows(X, y)
        note = f"update dropped the oldest rows beyond {max_rows} (max_rows)"
        return Rows(X[-max_rows:], y[-max_rows:], (note,))

    def at_most(self, max_rows: int | None, seed: int) -> "Rows":
        """Return `max_rows` of them, chosen at random, in order of time."""
        if max_rows is None or len(self.y) <= max_rows:
            return self
        rng = np.random.default_rng(seed)
        chosen = np.sort(rng.choice(len(self.y), max_rows, replace=False))
        note = f"trained on {max_rows} of {len(self.y)} rows, chosen at random (max_rows)"
        return Rows(self.X[chosen], self.y[chosen], (*self.notes, note))


def check_settings(
    lags: Any, exog_lags: Any, transforms: Any, propagation: Any, max_rows: Any, calibrate: Any
) -> None:
    """Refuse settings that make no sense, before there is a series."""
    if isinstance(lags, str) and lags != "auto":
        raise ValueError(f'lags must be an int, a list of ints or "auto"; got {lags!r}.')
    LagEmbedding(1 if isinstance(lags, str) else lags, exog_lags=exog_lags)
    named = isinstance(transforms, str)
    if named and transforms != "auto":
        raise ValueError(
            f'transforms must be "auto", None, a transform such as gf.transforms.Log(), or a list '
            f"of them; got {transforms!r}."
        )
    if not named:
        Compose.of(transforms)
    method_named(propagation)
    if isinstance(max_rows, str):
        one_of(max_rows, "max_rows", ("auto",))
    elif max_rows is not None:
        positive_integer(max_rows, "max_rows")
    if calibrate is not None:
        one_of(calibrate, "calibrate", ("variance", "conformal"))


def transformed(chain: Chain, y: "pd.Series[float]") -> FloatArray:
    """Return the transformed values (n,) of a series that has been checked."""
    return chain.levels(values_of(y), chain.clock.times(y.index))[-1]


def embedded(
    embedding: LagEmbedding, chain: Chain, z: FloatArray, inputs: Exogenous
) -> tuple[Embedded, IntArray]:
    """Return the rows that a transformed series (n,) makes, and the positions of their targets."""
    lost = chain.n_lost
    exog = inputs.labelled()
    if exog is not None:
        exog = exog.iloc[lost:].reset_index(drop=True)
    rows = embedding.transform(z[lost:], exog)
    return rows, np.asarray(rows.index, dtype=np.int64) + lost


def training_rows(rows: Embedded, max_rows: int | None, seed: int) -> Rows:
    """Return the rows to train on, with a note of those that were left out."""
    notes: tuple[str, ...] = ()
    if rows.n_dropped:
        total = rows.n_dropped + len(rows.y)
        notes = (f"left out {rows.n_dropped} of {total} rows, which touch missing values",)
    return Rows(rows.X, rows.y, notes).at_most(max_rows, seed)


def lag_note(inputs: Exogenous, exog_lags: Any) -> tuple[str, ...]:
    """Say that inputs act at once only, if nobody has said when they do."""
    if not inputs or exog_lags is not None:
        return ()
    note = (
        "inputs enter with lag 0 alone, as exog_lags was not given; if the series answers later or "
        "for longer, exog_lags=[0, 1, 2, 3] lets earlier inputs in"
    )
    return (note,)


def fresh_model(model: OneStepModel) -> OneStepModel:
    """Return a copy of a model to be fitted."""
    fresh = copy.deepcopy(model)
    if isinstance(fresh, type) or not (hasattr(fresh, "fit") and hasattr(fresh, "predict")):
        raise TypeError(
            f"model must be a one-step model such as gf.models.GaussianProcess(); got {fresh!r}."
        )
    return fresh


def continued(history: "pd.Series[float]", new_values: Any) -> "pd.Series[float]":
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
