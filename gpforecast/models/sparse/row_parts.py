"""The rows, in parts that are worked on one after the other: of equal size, or blocks."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.sparse.parameters import Parameters

_PART_ELEMENTS = 1 << 18  # doubles of one part's cross matrix: 2 MB, for the cache


@dataclass(frozen=True, eq=False)
class RowParts:
    """Inputs and targets, cut into parts.

    Attributes
    ----------
    X : ndarray (n, d)
        Less the origin.
    y : ndarray (n,)
    origin : ndarray (d,)
        The middle of the rows, where distances lose no digits; 0 where inputs themselves count.
    parts : tuple of slice
    """

    X: FloatArray
    y: FloatArray
    origin: FloatArray
    parts: tuple[slice, ...]

    def linear(self, part: slice, root: FloatArray) -> FloatArray:
        """Return the linear and constant features of a part, times the roots of their prior."""
        X = self.X[part] + self.origin
        return np.column_stack([X, np.ones(len(X))]) * root

    def with_linear(self, V: FloatArray, part: slice, root: FloatArray) -> FloatArray:
        """Return features V of a part and, where there are any, the linear ones beside them."""
        return np.concatenate([V, self.linear(part, root)], axis=1) if len(root) else V


def origin_of(p: Parameters, X: FloatArray) -> FloatArray:
    """Return the point that inputs X (n, d) are measured from."""
    return np.zeros(X.shape[1]) if p.kernel.in_scaled_inputs() is None else X.mean(axis=0)


def in_parts(X: FloatArray, y: FloatArray, origin: FloatArray, n_inducing: int) -> RowParts:
    """Cut rows into parts of a size that suits the cache."""
    step = max(64, _PART_ELEMENTS // max(1, n_inducing))
    parts = tuple(slice(a, min(a + step, len(y))) for a in range(0, len(y), step))
    return RowParts(X - origin, y, origin, parts)


def in_blocks(X: FloatArray, y: FloatArray, origin: FloatArray, labels: IntArray) -> RowParts:
    """Sort rows by the blocks they belong to, (n,), and cut them there."""
    order, ends = np.argsort(labels, kind="stable"), np.cumsum([0, *np.bincount(labels)])
    parts = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
    return RowParts(X[order] - origin, y[order], origin, parts)


def rows_for(X: FloatArray, y: FloatArray, p: Parameters, centers: FloatArray | None) -> RowParts:
    """Return the rows cut into parts, or sorted into the blocks around the centres.

    Raises
    ------
    ValueError
        If a block is empty; it says which and what to do.
    """
    if centers is None:
        return in_parts(X, y, origin_of(p, X), len(p.inducing))
    labels = nearest(X, p, centers)
    empty = np.setdiff1d(np.arange(len(centers)), labels)
    if len(empty):
        raise ValueError(
            f"{len(empty)} of {len(centers)} blocks would hold no row, the first of them block "
            f"{empty[0]}; give fewer blocks (n_blocks), or centres that lie among the rows."
        )
    return in_blocks(X, y, origin_of(p, X), labels)


def nearest(X: FloatArray, p: Parameters, centers: FloatArray) -> IntArray:
    """Return the nearest centre of every row, in units of the length-scales: (n,)."""
    found = scipy.spatial.cKDTree(centers / p.scales).query(X / p.scales)[1]
    return np.asarray(found, dtype=np.int64)
