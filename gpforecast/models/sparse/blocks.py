"""Blocks of rows that lie together, for PITC, PIC and local Gaussian processes."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.sparse.selection import clustered, random_rows


def block_centers(
    method: Any, X: FloatArray, n_blocks: int, scale: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the centres of blocks, (S, d).

    Parameters
    ----------
    method : {"random", "kmeans"} or ndarray (S, d)
        Rows drawn at random (Snelson 2007, section 3.2.3), centres of clusters, or the centres.
    X : ndarray (n, d)
    n_blocks : int
    scale : ndarray (d,)
        Units of distance.
    rng : Generator
    """
    if isinstance(method, np.ndarray):
        return method
    start = X[random_rows(X, n_blocks, rng)]
    return start if method == "random" or len(start) == len(X) else clustered(X, start, scale, rng)


def assign(X: FloatArray, centers: FloatArray, scale: FloatArray) -> IntArray:
    """Return the nearest centre of every row: (n,)."""
    return np.asarray(cKDTree(centers / scale).query(X / scale)[1], dtype=np.int64)


def members_of(labels: IntArray, n_blocks: int) -> list[IntArray]:
    """Return the rows of every block.

    Raises
    ------
    ValueError
        If a block is empty; it says which and what to do.
    """
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(n_blocks + 1))
    members = [order[a:b] for a, b in pairwise(ends)]
    empty = [i for i, m in enumerate(members) if len(m) == 0]
    if empty:
        raise ValueError(
            f"{len(empty)} of {n_blocks} blocks would hold no row, the first of them block "
            f"{empty[0]}; give fewer blocks (n_blocks), or centres that lie among the rows."
        )
    return members
