"""Matrices cut into panels of a fixed width, and the one product that all the work is made of.

A matrix of n columns is kept as ceil(n / WIDTH) panels, one after the other; a panel holds WIDTH
columns of all rows, row by row, and is filled up with zeros. A loop over the columns of a panel
then has a fixed number of turns at fixed distances in memory, which is what LLVM needs to make
vector instructions of it; and a panel stays in the cache.
"""

from typing import cast

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.compiling import SUMS, compiled

# numba compiles a function anew for every plain integer written in a call of it, but once for all
# that have a NumPy type.
ZERO = cast(int, np.int64(0))
ONE = cast(int, np.int64(1))
TWO = cast(int, np.int64(2))
THREE = cast(int, np.int64(3))
FOUR = cast(int, np.int64(4))
WIDTH = cast(int, np.int64(32))


@compiled(helper=True)
def add_product(
    a: FloatArray, at: int, by_row: int, by_term: int, n_rows: int, n_terms: int,
    b: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    """Add a product of matrices to a panel: out[p, k] += sum_j a[p, j] b[j, k].

    Parameters
    ----------
    a : ndarray
        Element (p, j) of the left matrix is a[at + p * by_row + j * by_term].
    at, by_row, by_term : int
    n_rows, n_terms : int
        How many p and j; both are taken four at a time, so their number is a multiple of four.
    b : ndarray (n_terms * WIDTH,)
        A panel, or whole rows of one.
    out : ndarray (n_rows * WIDTH,)
        Another one.
    """
    for j in range(0, n_terms, 4):
        b_rows = b[j * WIDTH : (j + 4) * WIDTH]
        for p in range(0, n_rows, 4):
            o = at + p * by_row + j * by_term
            a00, a01, a02, a03 = a[o], a[o + by_term], a[o + 2 * by_term], a[o + 3 * by_term]
            o += by_row
            a10, a11, a12, a13 = a[o], a[o + by_term], a[o + 2 * by_term], a[o + 3 * by_term]
            o += by_row
            a20, a21, a22, a23 = a[o], a[o + by_term], a[o + 2 * by_term], a[o + 3 * by_term]
            o += by_row
            a30, a31, a32, a33 = a[o], a[o + by_term], a[o + 2 * by_term], a[o + 3 * by_term]
            rows = out[p * WIDTH : (p + 4) * WIDTH]
            for k in range(WIDTH):
                b0 = b_rows[k]
                b1 = b_rows[WIDTH + k]
                b2 = b_rows[2 * WIDTH + k]
                b3 = b_rows[3 * WIDTH + k]
                # left to right, so that every product and its sum are one operation, rounded once
                rows[k] = rows[k] + a00 * b0 + a01 * b1 + a02 * b2 + a03 * b3
                row_1 = rows[WIDTH + k]
                rows[WIDTH + k] = row_1 + a10 * b0 + a11 * b1 + a12 * b2 + a13 * b3
                row_2 = rows[2 * WIDTH + k]
                rows[2 * WIDTH + k] = row_2 + a20 * b0 + a21 * b1 + a22 * b2 + a23 * b3
                row_3 = rows[3 * WIDTH + k]
                rows[3 * WIDTH + k] = row_3 + a30 * b0 + a31 * b1 + a32 * b2 + a33 * b3


@compiled(helper=True, flags=SUMS)
def inner(v: FloatArray, x: FloatArray) -> float:
    """Return the inner product of two vectors, as long as the second."""
    product = 0.0
    for c in range(len(x)):
        product += v[c] * x[c]
    return product
