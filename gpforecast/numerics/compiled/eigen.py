"""Eigenvalues and eigenvectors of one small symmetric matrix, compiled.

For a matrix of a dozen rows a call of LAPACK costs more than its arithmetic. This is the classical
pair, Householder's reduction to a tridiagonal matrix and the QL algorithm with implicit shifts
(Golub & Van Loan 2013, sections 8.3.1 and 8.3.5), with the eigenvectors kept as rows so that the
inner loops run along memory.
"""

import numpy as np

from gpforecast.numerics.compiled.caching import compiled
from gpforecast.typing import FloatArray

_EPS = float(np.finfo(np.float64).eps)
_NOTHING = 1e-60  # beside a matrix of order one
_MAX_SWEEPS = 60  # two or three an eigenvalue are usual


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
        s, Q = symmetric_eigen(A)
        top = 0.0
        for i in range(n):
            top = max(top, s[i])
        rank = 0
        for i in range(n):
            if s[i] > top * _EPS * n:
                values[b, rank] = s[i] * largest
                for j in range(n):
                    vectors[b, rank, live[j]] = Q[i, j]
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


@compiled
def symmetric_eigen(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues (n,) of a symmetric matrix, unordered, and its eigenvectors as rows.

    A (n, n) is overwritten. Its elements should be of order one or less: their squares are summed
    unscaled, and what is below 1e-60 counts as nothing.
    """
    n = A.shape[0]
    Q = np.zeros(A.shape)
    for i in range(n):
        Q[i, i] = 1.0
    diagonal = np.empty(n)
    beside = np.zeros(n)
    if n > 0:
        _reduce(A, Q, diagonal, beside)
        _ql(diagonal, beside, Q)
    return diagonal, Q


@compiled
def _reduce(A: FloatArray, Q: FloatArray, diagonal: FloatArray, beside: FloatArray) -> None:
    """Reflect A into a tridiagonal matrix, the rows of Q along with it.

    The columns before the k-th are left to rubbish once row k is done; nobody reads them.
    """
    n = A.shape[0]
    v = np.zeros(n)
    w = np.empty(n)
    for k in range(n - 1):
        diagonal[k] = A[k, k]
        size = 0.0
        for i in range(k + 2, n):
            size += A[k, i] * A[k, i]
        head = A[k, k + 1]
        beside[k] = head
        if size < _NOTHING * _NOTHING:  # no reflection needed
            continue
        norm = np.sqrt(size + head * head)
        if head > 0.0:
            beside[k] = -norm
        else:
            beside[k] = norm
        for i in range(n):
            v[i] = A[k, i] if i > k else 0.0
            w[i] = 0.0
        v[k + 1] = head - beside[k]
        beta = 1.0 / (norm * (norm + abs(head)))  # 2 / |v|^2
        for j in range(k + 1, n):
            _add_multiple(w, v[j], A[j])
        half = 0.0
        for i in range(k + 1, n):
            half += w[i] * v[i]
        half *= 0.5 * beta * beta
        for i in range(n):
            w[i] = beta * w[i] - half * v[i]
        for j in range(k + 1, n):
            _add_two_multiples(A[j], -v[j], w, -w[j], v)
        for i in range(n):
            w[i] = 0.0
        for j in range(k + 1, n):
            _add_multiple(w, v[j], Q[j])
        for j in range(k + 1, n):
            _add_multiple(Q[j], -beta * v[j], w)
    diagonal[n - 1] = A[n - 1, n - 1]


@compiled
def _add_multiple(y: FloatArray, a: float, x: FloatArray) -> None:
    for i in range(y.shape[0]):
        y[i] += a * x[i]


@compiled
def _add_two_multiples(y: FloatArray, a: float, x: FloatArray, b: float, z: FloatArray) -> None:
    for i in range(y.shape[0]):
        y[i] += a * x[i] + b * z[i]


@compiled
def _ql(diagonal: FloatArray, beside: FloatArray, Q: FloatArray) -> None:
    """Rotate a tridiagonal matrix into a diagonal one, the rows of Q along with it."""
    n = diagonal.shape[0]
    for first in range(n):
        for _ in range(_MAX_SWEEPS):
            last = first
            while last < n - 1:
                size = abs(diagonal[last]) + abs(diagonal[last + 1])
                if abs(beside[last]) <= _EPS * size + _NOTHING:
                    break
                last += 1
            if last == first:
                break
            # Wilkinson's shift, from the leading two by two block
            g = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first])
            r = np.hypot(g, 1.0)
            g = diagonal[last] - diagonal[first] + beside[first] / (g + (r if g >= 0.0 else -r))
            s = 1.0
            c = 1.0
            p = 0.0
            done = True
            for i in range(last - 1, first - 1, -1):
                f = s * beside[i]
                b = c * beside[i]
                r = np.sqrt(f * f + g * g)
                beside[i + 1] = r
                if r == 0.0:  # the matrix has split; start again with the smaller one
                    diagonal[i + 1] -= p
                    beside[last] = 0.0
                    done = False
                    break
                s = f / r
                c = g / r
                g = diagonal[i + 1] - p
                r = (diagonal[i] - g) * s + 2.0 * c * b
                p = s * r
                diagonal[i + 1] = g + p
                g = c * r - b
                _rotate(Q[i], Q[i + 1], c, s)
            if done:
                diagonal[first] -= p
                beside[first] = g
                beside[last] = 0.0


@compiled
def _rotate(x: FloatArray, y: FloatArray, c: float, s: float) -> None:
    for k in range(x.shape[0]):
        f = y[k]
        y[k] = s * x[k] + c * f
        x[k] = c * x[k] - s * f
