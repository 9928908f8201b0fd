"""The models of a series, or of several that are interleaved to one: one for each column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import getitem

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import Predictive
from gpforecast.propagation.layout import Inputs

_NONE = 1e-9  # of the weight: a part that is due to rounding


@dataclass(frozen=True, eq=False)
class Columns:
    """The one-step models of a series, or of several whose values are interleaved.

    Attributes
    ----------
    predictives : tuple of Predictive
        One for each column.
    inputs : tuple of Inputs
        Of each, with lags in the interleaved series (`interleaved_inputs`).
    """

    predictives: tuple[Predictive, ...]
    inputs: tuple[Inputs, ...]

    @property
    def n_times(self) -> int:
        """How many times of the past the inputs need."""
        return -(-max(one.n_past for one in self.inputs) // len(self.inputs))

    @property
    def parts(self) -> "list[tuple[float, Columns]]":
        """The single models that averaged ones are a mixture of, with their weights.

        Each column has the shares of its own parts. Of several columns, parts that stand at the
        same shares go together.
        """
        parts, weights = zip(*map(parts_of, self.predictives), strict=True)
        return [
            (weight, replace(self, predictives=tuple(map(getitem, parts, places))))
            for weight, places in shared_parts(weights)
        ]


def shared_parts(weights: Sequence[Sequence[float] | FloatArray]) -> list[tuple[float, list[int]]]:
    """Return the parts of several mixtures that stand at the same shares of them, with weights.

    Parameters
    ----------
    weights : sequence of (k,)
        Those of each mixture, with the sum 1.

    Examples
    --------
    >>> shared_parts([[0.5, 0.5], [0.25, 0.75]])
    [(0.25, [0, 0]), (0.25, [0, 1]), (0.5, [1, 1])]
    """
    shares = [np.cumsum(own) for own in weights]
    edges = np.unique(np.concatenate([[0.0], *shares]).round(12))
    edges = edges[edges <= 1.0]
    edges[-1] = 1.0
    return [
        (high - low, [int(np.searchsorted(s[:-1], 0.5 * (low + high))) for s in shares])
        for low, high in pairwise(edges.tolist())
        if high - low > _NONE
    ]


def interleaved_inputs(column: int, sources: Sequence[tuple[int, int]], n_columns: int) -> Inputs:
    """Return the inputs of a column's model as lags in the interleaved series.

    Parameters
    ----------
    column : int
    sources : sequence of (int, int)
        Column and lag of each input; lag 0 only of earlier columns.
    n_columns : int

    Examples
    --------
    >>> interleaved_inputs(1, [(1, 1), (0, 2), (0, 0)], 2).lags
    (2, 5, 1)
    """
    return Inputs(tuple(lag * n_columns + column - other for other, lag in sources))
