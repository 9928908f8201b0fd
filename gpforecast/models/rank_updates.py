"""A Cholesky factor that follows its matrix when rows leave at the top or arrive at the bottom."""

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_BLOCK = 32  # columns of a blocked QR step


def overlap(old: FloatArray, new: FloatArray) -> int | None:
    """Return how many of the first old rows are gone if the new ones continue the rest.

    Parameters
    ----------
    old : ndarray (n, d)
    new : ndarray (m, d)

    Returns
    -------
    int or None
        The k for which ``old[k:]`` is the beginning of `new`; None if there is none, or nothing
        of `old` is left.
    """
    if not len(old) or not len(new):
        return None
    for k in np.flatnonzero((old == new[0]).all(axis=1)):
        rest = old[k:]
        if len(rest) <= len(new) and np.array_equal(rest, new[: len(rest)]):
            return int(k)
    return None


def without_first(L: FloatArray, k: int) -> FloatArray:
    """Return the lower Cholesky factor of A without its first k rows and columns.

    With L = [[L11, 0], [L21, L22]], the rest of A is L22 L22' + L21 L21'; its factor is the R' of
    a QR of [L22'; L21'], of which the upper part is triangular already.

    Parameters
    ----------
    L : ndarray (n, n)
        Lower Cholesky factor of A; above the diagonal it may hold anything.
    k : int

    Returns
    -------
    ndarray (n - k, n - k)
        L itself for k = 0; zero above the diagonal otherwise. Costs 2 k (n - k)^2 flops.
    """
    if k == 0:
        return L
    upper = np.asfortranarray(np.tril(L[k:, k:]).T)
    block = min(_BLOCK, len(upper))
    below = np.asfortranarray(L[k:, :k].T)
    R = scipy.linalg.lapack.dtpqrt(0, block, upper, below, overwrite_a=1)[0]
    return np.asarray(np.tril(R.T * np.sign(np.diag(R))))


def with_rows(L: FloatArray, B: FloatArray, C: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor of [[A, B], [B', C]].

    Parameters
    ----------
    L : ndarray (n, n)
        Lower Cholesky factor of A; above the diagonal it may hold anything.
    B : ndarray (n, k)
    C : ndarray (k, k)

    Returns
    -------
    ndarray (n + k, n + k)
        A new array; above the diagonal it may hold anything. Costs k n^2 flops and the copy.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the larger matrix is not positive definite to working precision.
    """
    n, k = B.shape
    # The lower triangle in C order is BLAS's upper one.
    across = scipy.linalg.blas.dtrsm(1.0, L.T, B, lower=0, trans_a=1)  # (n, k)
    larger = np.empty((n + k, n + k))
    larger[:n, :n] = L
    larger[n:, :n] = across.T
    larger[:n, n:] = 0.0
    larger[n:, n:] = np.linalg.cholesky(C - across.T @ across)
    return larger
