"""The rows that a one-step model learns from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.series.checked import values_of
from gpforecast.series.embedding import Embedded, LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.chain import Chain


@storable
@dataclass(frozen=True, eq=False)
class TrainingRows:
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

    @staticmethod
    def of(rows: Embedded) -> "TrainingRows":
        """Return all rows of a series, with a note of those that touch missing values."""
        total = rows.n_dropped + len(rows.y)
        left_out = f"left out {rows.n_dropped} of {total} rows, which touch missing values"
        return TrainingRows(rows.X, rows.y, (left_out,) if rows.n_dropped else ())

    def at_most(self, max_rows: int | None, seed: int) -> "TrainingRows":
        """Return `max_rows` of them, chosen at random, in order of time."""
        if max_rows is None or len(self.y) <= max_rows:
            return self
        chosen = random_rows(len(self.y), max_rows, seed)
        note = f"trained on {max_rows} of {len(self.y)} rows, chosen at random (max_rows)"
        return TrainingRows(self.X[chosen], self.y[chosen], (*self.notes, note))

    def followed_by(self, X: FloatArray, y: FloatArray, max_rows: int | None) -> "TrainingRows":
        """Return these rows and newer ones, less the oldest beyond `max_rows`."""
        X, y = np.concatenate([self.X, X]), np.concatenate([self.y, y])
        if max_rows is None or len(y) <= max_rows:
            return TrainingRows(X, y)
        note = f"update dropped the oldest rows beyond {max_rows} (max_rows)"
        return TrainingRows(X[-max_rows:], y[-max_rows:], (note,))


def random_rows(n: int, max_rows: int, seed: int) -> IntArray:
    """Return the positions of `max_rows` of n rows, chosen at random, in order."""
    return np.sort(np.random.default_rng(seed).choice(n, max_rows, replace=False))


def embedded(
    embedding: LagEmbedding, chain: Chain, y: "pd.Series[float]", exog: Exogenous
) -> tuple[Embedded, IntArray]:
    """Return the rows that a series (n,) makes once transformed, and where their targets are."""
    lost, times = chain.n_lost, chain.axis.locate(TimeAxis(y.index))
    z = chain.levels(values_of(y), times)[-1]
    inputs = exog.scaled(exog.past)[lost:]
    rows = embedding.embed(z[lost:], pd.RangeIndex(len(z) - lost), inputs, exog.columns)
    return rows, np.asarray(rows.index, dtype=np.int64) + lost
