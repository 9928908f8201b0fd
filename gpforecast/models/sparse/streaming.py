"""The rows, in parts that are worked on one after the other, and triangular solves along them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

_PART_ELEMENTS = 1 << 18  # doubles of one part's bumps: 2 MB, for the cache
_KEPT_ELEMENTS = 1 << 25  # doubles of all rows' bumps, up to which they are kept: 256 MB


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs and targets, centred, cut into parts.

    Attributes
    ----------
    X : ndarray (n, d)
        Less `middle`.
    y : ndarray (n,)
    middle : ndarray (d,)
    parts : tuple of slice
    """

    X: FloatArray
    y: FloatArray
    middle: FloatArray
    parts: tuple[slice, ...]

    def keeps(self, n_inducing: int) -> bool:
        """Return whether the bumps of all rows are kept between two passes."""
        return len(self.y) * n_inducing <= _KEPT_ELEMENTS

    def linear(self, part: slice, root: FloatArray) -> FloatArray:
        """Return the linear and constant features of a part, times the roots of their prior."""
        X = self.X[part] + self.middle
        return np.column_stack([X, np.ones(len(X))]) * root


def in_parts(X: FloatArray, y: FloatArray, n_inducing: int) -> Rows:
    """Cut rows into parts of a size that suits the cache."""
    step = max(64, _PART_ELEMENTS // max(1, n_inducing))
    parts = tuple(slice(a, min(a + step, len(y))) for a in range(0, len(y), step))
    middle = X.mean(axis=0)
    return Rows(X - middle, y, middle, parts)


def in_blocks(X: FloatArray, y: FloatArray, members: Sequence[IntArray]) -> Rows:
    """Sort rows by the blocks they belong to, and cut them there."""
    order = np.concatenate(list(members))
    ends = np.cumsum([len(m) for m in members])
    parts = tuple(slice(int(b - len(m)), int(b)) for m, b in zip(members, ends, strict=True))
    middle = X.mean(axis=0)
    return Rows(X[order] - middle, y[order], middle, parts)
