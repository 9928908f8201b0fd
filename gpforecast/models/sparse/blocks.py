"""Blocks of rows that lie together, for PITC, PIC and local Gaussian processes."""

from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.inducing import kmeans_centers, random_rows
from gpforecast.models.sparse.plan import Places


def block_centers(
    places: Places, X: FloatArray, n_blocks: int, scale: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the centres of blocks, (S, d).

    Parameters
    ----------
    places : Places
        Rows drawn ``"random"`` (Snelson 2007, section 3.2.3), centres of clusters, ``"kmeans"``, or
        the centres.
    X : ndarray (n, d)
    n_blocks : int
    scale : ndarray (d,)
        Units of distance.
    rng : Generator
    """
    if places.given is not None:
        return places.given
    start = X[np.sort(random_rows(X, n_blocks, seed=rng))]
    if places.method == "random" or len(start) == len(X):
        return start
    return kmeans_centers(X, len(start), lengthscales=scale, seed=rng)


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
