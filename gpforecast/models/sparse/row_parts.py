"""The rows, in parts that are worked on one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

_PART_ELEMENTS = 1 << 18  # doubles of one part's cross matrix: 2 MB, for the cache
_KEPT_ELEMENTS = 1 << 25  # doubles of all rows' cross matrices, up to which they are kept: 256 MB


@dataclass(frozen=True, eq=False)
class RowParts:
    """Inputs and targets, cut into parts.

    Attributes
    ----------
    X : ndarray (n, d)
        For a projection, less the point that it leaves at the origin.
    y : ndarray (n,)
    parts : tuple of slice
    """

    X: FloatArray
    y: FloatArray
    parts: tuple[slice, ...]

    def keeps(self, elements: int) -> bool:
        """Return whether so many doubles for each row are kept between two passes."""
        return len(self.y) * elements <= _KEPT_ELEMENTS

    def with_linear(self, V: FloatArray, part: slice, root: FloatArray) -> FloatArray:
        """Return features V of a part, and linear and constant ones times the roots of P."""
        if not len(root):
            return V
        X = self.X[part]
        return np.concatenate([V, np.column_stack([X, np.ones(len(X))]) * root], axis=1)


def in_parts(X: FloatArray, y: FloatArray, n_inducing: int) -> RowParts:
    """Cut rows into parts of a size that suits the cache."""
    step = max(64, _PART_ELEMENTS // max(1, n_inducing))
    parts = tuple(slice(a, min(a + step, len(y))) for a in range(0, len(y), step))
    return RowParts(X, y, parts)


def in_blocks(X: FloatArray, y: FloatArray, members: Sequence[IntArray]) -> RowParts:
    """Sort rows by the blocks they belong to, and cut them there."""
    order = np.concatenate(list(members))
    ends = np.cumsum([len(m) for m in members])
    parts = tuple(slice(int(b - len(m)), int(b)) for m, b in zip(members, ends, strict=True))
    return RowParts(X[order], y[order], parts)
