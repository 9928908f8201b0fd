"""Linear algebra along rows: triangular solves in place, roots of covariances, many rows."""

from collections.abc import Callable

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_BLOCK = 50_000  # rows that are there at once


def solve_rows(L: FloatArray, B: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Return L^-1 b, or L'^-1 b, for every row b of B (..., n), in the place of B (C order)."""
    if B.size == 0:
        return B
    of_L = 0 if transposed else 1  # L.T is what BLAS is given
    rows = B.reshape(-1, B.shape[-1])
    solved: FloatArray = scipy.linalg.blas.dtrsm(1.0, L.T, rows.T, 0, 0, of_L, overwrite_b=1).T
    return solved.reshape(B.shape)


def square_root(S: FloatArray) -> FloatArray:
    """Return R (..., n, n) with R R' = S for positive semi-definite S (..., n, n)."""
    values, vectors = np.linalg.eigh(S)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return root


def blocks(n: int) -> list[tuple[int, int]]:
    """Return where n rows are cut into blocks, as (begin, end)."""
    return [(begin, min(begin + _BLOCK, n)) for begin in range(0, max(n, 1), _BLOCK)]


def condensed(n: int, rows: Callable[[int, int], FloatArray]) -> FloatArray:
    """Return few rows A with the A'A of n rows, of which one block is made at a time.

    They are the rows themselves if these are no more than a block; otherwise the last block below R
    of the QR decomposition of the earlier ones, which is found in the same way. Least squares by an
    orthogonal decomposition of A lose no digits by it.

    Parameters
    ----------
    n : int
    rows : callable
        Returns the rows from one position to before another, or to the end, (m, p).

    Returns
    -------
    ndarray (at most 50,000 + p, p)
    """
    first, *others = blocks(n)
    found = rows(*first)
    for begin, end in others:
        R = np.linalg.qr(found, mode="r")
        del found  # frees memory for the next rows
        found = np.concatenate([R, rows(begin, end)])
    return found
