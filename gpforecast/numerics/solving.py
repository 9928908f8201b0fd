"""Triangular solves along the rows of a matrix, in its own place, and a root of a covariance."""

import numpy as np
import scipy

from gpforecast.common.types import FloatArray


def solve_rows(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L^-1 b for every row b of B, in the place of B (C order)."""
    if B.size == 0:
        return B
    solved: FloatArray = scipy.linalg.blas.dtrsm(1.0, L.T, B.T, lower=0, trans_a=1, overwrite_b=1).T
    return solved


def solve_rows_transposed(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L'^-1 b for every row b of B, in the place of B (C order)."""
    if B.size == 0:
        return B
    solved: FloatArray = scipy.linalg.blas.dtrsm(1.0, L.T, B.T, lower=0, overwrite_b=1).T
    return solved


def square_root(S: FloatArray) -> FloatArray:
    """Return R (..., n, n) with R R' = S for positive semi-definite S (..., n, n)."""
    values, vectors = np.linalg.eigh(S)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return root
