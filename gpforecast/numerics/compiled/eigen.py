"""The eigenbasis of scaled input covariances: LAPACK's, called from compiled code."""

import numpy as np

from gpforecast.numerics.compiled.caching import compiled
from gpforecast.typing import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@compiled
def scaled_eigenbases(
    S: FloatArray,  # (b, d, d)
    lengthscales: FloatArray,  # (d,)
    n_columns: int,
) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and vectors of Lambda^-1/2 S Lambda^-1/2, but for those that are zero.

    Returns
    -------
    s : ndarray (b, rank)
        The eigenvalues, with the largest rank in the batch; zeros at the end where it is smaller.
    V : ndarray (b, rank4, n_columns)
        The eigenvectors as rows, filled up with zeros to a multiple of four rows and to
        `n_columns`.
    """
    n_batch, d, _ = S.shape
    values = np.zeros((n_batch, d))
    vectors = np.zeros((n_batch, d, d))
    live = np.empty(d, dtype=np.int64)
    narrowness = np.empty(d)
    most = 0
    for b in range(n_batch):
        n = 0
        largest = 0.0
        for i in range(d):
            size = S[b, i, i] / (lengthscales[i] * lengthscales[i])
            if size > 0.0:
                live[n] = i
                narrowness[n] = 1.0 / lengthscales[i]
                n += 1
                largest = max(largest, size)
        A = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                scaled = S[b, live[i], live[j]] * (narrowness[i] * narrowness[j])
                A[i, j] = scaled / largest
        if n == 0:
            continue
        s, Q = np.linalg.eigh(A)  # ascending; the vectors are columns
        top = max(s[n - 1], 0.0)
        rank = 0
        for i in range(n):
            if s[i] > top * _EPS * n:
                values[b, rank] = s[i] * largest
                for j in range(n):
                    vectors[b, rank, live[j]] = Q[j, i]
                rank += 1
        most = max(most, rank)
    s_out = np.empty((n_batch, most))
    V = np.zeros((n_batch, -(-most // 4) * 4, n_columns))
    for b in range(n_batch):
        for r in range(most):
            s_out[b, r] = values[b, r]
            for c in range(d):
                V[b, r, c] = vectors[b, r, c]
    return s_out, V
