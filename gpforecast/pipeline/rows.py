"""The rows that a model learns from: lagged values, and the value that follows them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.common.shapes import check_finite, check_matrix, check_shapes
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.models.base import CanBeConditioned, OneStepModel, seeded_copy
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.compose import Chain


@storable
@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What a model is fitted to.

    Attributes
    ----------
    X : ndarray (n, d)
    y : ndarray (n,)
        In transformed units.
    places : ndarray (n,)
        The position of each target in its series.
    notes : tuple of str
        What was left out, and why.
    """

    X: FloatArray
    y: FloatArray
    places: IntArray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.y)
        check_shapes(self, X=(n, check_matrix(self, "X")[1]), y=(n,), places=(n,))
        check_finite(self, "X", "y")

    def at_most(self, max_rows: int | None, seed: int) -> "TrainingRows":
        """Return `max_rows` of them, chosen at random, in order of time."""
        if max_rows is None or len(self.y) <= max_rows:
            return self
        chosen = random_rows(len(self.y), max_rows, seed)
        note = (
            f"the model learned from {max_rows} of {len(self.y)} rows, chosen at random, for "
            f"speed; max_rows=None takes all"
        )
        return replace(self.part(chosen), notes=(*self.notes, note))

    def with_newer(self, every: "TrainingRows", first: int, max_rows: int | None) -> "TrainingRows":
        """Return these and newer rows: of targets from a position on that are not among these.

        Of more than `max_rows`, the oldest are forgotten.
        """
        newer = (every.places >= first) & ~np.isin(every.places, self.places)
        rows = joined([self, every.part(np.flatnonzero(newer))])
        n = len(rows.y)
        if max_rows is None or n <= max_rows:
            return rows
        note = (
            f"update forgot the oldest rows, as there were more than {max_rows}; max_rows=None "
            f"keeps all"
        )
        return replace(rows.part(np.arange(n - max_rows, n)), notes=(note,))

    def before(self, end: int) -> "TrainingRows":
        """Return those of targets before a position."""
        return self.part(np.flatnonzero(self.places < end))

    def taught(self, model: OneStepModel, seed: int) -> OneStepModel:
        """Return a copy of a model that has learned from them."""
        return seeded_copy(model, seed).fit(self.X, self.y)

    def conditioned(self, model: OneStepModel) -> OneStepModel:
        """Return a model conditioned on them, its hyperparameters kept; refused if it cannot be."""
        if not isinstance(model, CanBeConditioned):
            raise TypeError(f"{type(model).__name__} cannot be updated; fit again.")
        return model.condition(self.X, self.y)

    def part(self, which: IntArray) -> "TrainingRows":
        """Return some of the rows."""
        return replace(self, X=self.X[which], y=self.y[which], places=self.places[which])


def rows_of(
    embedding: LagEmbedding, chain: Chain, y: "pd.Series[float]", exog: Exogenous
) -> TrainingRows:
    """Return the rows that a series (n,) makes once transformed."""
    lost, times = chain.n_lost, chain.axis.locate(TimeAxis(y.index))
    z = chain.levels(values_of(y), times)[-1]
    inputs = exog.scaled(exog.past)[lost:]
    rows = embedding.embed(z[lost:], pd.RangeIndex(len(z) - lost), inputs, exog.model_columns, lost)
    places, closed = np.asarray(rows.index, dtype=np.int64) + lost, chain.uninformative(times)
    learned = ~closed[places]
    first = len(z) - len(rows.y) - rows.n_dropped
    n_all = int((~closed[first:]).sum())
    n_dropped = n_all - int(learned.sum())
    has_inputs = exog.n_given and inputs.size
    what = "the value, a lag or an input" if has_inputs else "the value or one of its lags"
    left_out = f"not learned from: {n_dropped} of {counted(n_all, 'row')}, where {what} is missing"
    notes = (left_out,) if n_dropped else ()
    return TrainingRows(rows.X[learned], rows.y[learned], places[learned], notes)


def joined(parts: Sequence[TrainingRows]) -> TrainingRows:
    """Return the rows of several, without notes."""
    X, y = np.concatenate([one.X for one in parts]), np.concatenate([one.y for one in parts])
    return TrainingRows(X, y, np.concatenate([one.places for one in parts]))


def random_rows(n: int, max_rows: int, seed: int) -> IntArray:
    """Return the positions of `max_rows` of n rows, chosen at random, in order."""
    return np.sort(np.random.default_rng(seed).choice(n, max_rows, replace=False))
