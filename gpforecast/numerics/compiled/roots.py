r"""Roots of scaled input covariances, and the small matrices the exact moments are made with.

The moments are functions of :math:`\Lambda^{-1/2} S \Lambda^{-1/2}`, which its eigenvectors would
give; but any root R of it will do, and one of triangles comes at a fifth of their price. With
:math:`\Lambda^{-1/2} S \Lambda^{-1/2} = R R'`, :math:`I + R'R = C C'` and
:math:`X = C^{-1} R'`,

.. math::

    (I + R R')^{-1} = I - X'X, \qquad (I + 2 R'R) = C (I + X X') C'.

The eigenvalues of :math:`I + X X' = (I + D)(I + D)'` lie between 1 and 2 whatever S may be. All
that is near the identity is kept without it, or its digits would be lost against the one.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import matrix, stack, vector
from gpforecast.numerics.compiled.compiling import compiled
from gpforecast.numerics.compiled.panels import TWO, ZERO, inner

_EPS = float(np.finfo(np.float64).eps)

# Below it the first term of the series of a logarithm is right to more digits than a difference.
_SMALL = 1.5e-10


@compiled(helper=True, inlined=True)
def scaled_roots(
    S: FloatArray,  # (b, d, d)
    lengthscales: FloatArray,  # (d,)
    n_columns: int,
) -> tuple[int, FloatArray, FloatArray, FloatArray]:
    r"""Return the small matrices of the scaled covariances, without directions that are rounding.

    A direction is dropped when what is left of the variances is below the rounding of the largest.

    Returns
    -------
    rank : int
        The largest rank in the batch. Where it is smaller, what follows is filled up with zeros.
    of_points : ndarray (b, 2 * rank4 * n_columns)
        X and (I + D)^-1 D X, row by row. The number of rows of each is filled up with zeros to a
        multiple of four, their columns to `n_columns`.
    of_slopes : ndarray (b, rank4 * (n_columns + rank4))
        R', filled up as X is, and D', an upper triangle.
    logs : ndarray (b, 2)
        :math:`-\frac12 \log |I + R'R|` and :math:`\frac14 \log |I - (X X')^2|`.
    """
    n_batch, d, _ = S.shape
    roots = stack(n_batch, d, n_columns)
    rank = ZERO
    for b in range(n_batch):
        found = _pivoted(S[b], lengthscales, roots[b])
        rank = found if found > rank else rank
    full = -(-rank // 4) * 4
    size = full * n_columns
    of_points, of_slopes = matrix(n_batch, 2 * size), matrix(n_batch, size + full * full)
    logs = matrix(n_batch, TWO)
    upper, above = matrix(rank, rank), matrix(rank, rank)
    X, E = matrix(rank, n_columns), matrix(rank, n_columns)
    for b in range(n_batch):
        R = roots[b]
        _shifted_cholesky(R, rank, upper)
        _substitute(upper, R, X)
        squared = _shifted_cholesky(X, rank, above)
        for i in range(rank):
            logs[b, 0] -= np.log1p(upper[i, i])
            logs[b, 1] += 0.5 * (np.log1p(above[i, i]) - np.log1p(upper[i, i]))
        if squared < _SMALL:
            logs[b, 1] = -0.25 * squared
        points, slopes = of_points[b], of_slopes[b]
        for i in range(rank):
            at, E_i = i * n_columns, E[i]
            for c in range(n_columns):
                E_i[c] = 0.0
                points[at + c], slopes[at + c] = X[i, c], R[i, c]
            for j in range(i, rank):
                slopes[size + i * full + j] = above[i, j]
            for j in range(i + 1):  # of the triangle D
                by_D, X_j = above[j, i], X[j]
                for c in range(n_columns):
                    E_i[c] += by_D * X_j[c]
        _substitute(above, E, E)
        for i in range(rank):
            E_i = E[i]
            for c in range(n_columns):
                points[size + i * n_columns + c] = E_i[c]
    return rank, of_points, of_slopes, logs


@compiled(helper=True, inlined=True)
def _pivoted(S: FloatArray, lengthscales: FloatArray, R: FloatArray) -> int:
    """Write the rows of R' of one input, and return how many: Cholesky, the largest first."""
    d = len(S)
    left, free, narrowness = vector(d), vector(d), vector(d)
    largest = 0.0
    n = 0
    for i in range(d):
        free[i] = 1.0  # not yet a pivot
        narrowness[i] = 1.0 / lengthscales[i]
        left[i] = S[i, i] * (narrowness[i] * narrowness[i])
        if left[i] > 0.0:
            largest = left[i] if left[i] > largest else largest
            n += 1
    for rank in range(n):
        best = 0
        for i in range(d):
            if left[i] > left[best]:
                best = i
        if left[best] <= _EPS * n * largest:
            return rank
        row = R[rank]
        for i in range(d):
            row[i] = S[best, i] * (narrowness[best] * narrowness[i])
        for k in range(rank):
            a = R[k, best]
            for i in range(d):
                row[i] -= a * R[k, i]
        scale = 1.0 / np.sqrt(left[best])
        for i in range(d):
            row[i] *= scale * free[i]
            left[i] -= row[i] * row[i]
        free[best] = left[best] = 0.0
    return n


@compiled(helper=True)
def _shifted_cholesky(R: FloatArray, n: int, U: FloatArray) -> float:
    """Write the upper triangle U of I + R R' = (I + U)'(I + U), with all digits of a small R.

    R has n rows. Returns the sum of the squares of R R'.
    """
    size = 0.0
    for i in range(n):
        row = U[i]
        for j in range(i, n):
            row[j] = inner(R[i], R[j])
            size += (1.0 if i == j else 2.0) * row[j] * row[j]
        for k in range(i):
            a = U[k, i]
            for j in range(i, n):
                row[j] -= a * U[k, j]
        root = np.sqrt(1.0 + row[i])
        row[i] /= 1.0 + root
        scale = 1.0 / root
        for j in range(i + 1, n):
            row[j] *= scale
    return size


@compiled(helper=True)
def _substitute(U: FloatArray, B: FloatArray, X: FloatArray) -> None:
    """Write X, (I + U)' X = B; X may be B itself."""
    for i in range(len(X)):
        row = X[i]
        for c in range(X.shape[1]):
            row[c] = B[i, c]
        for k in range(i):
            a = U[k, i]
            for c in range(X.shape[1]):
                row[c] -= a * X[k, c]
        scale = 1.0 / (1.0 + U[i, i])
        for c in range(X.shape[1]):
            row[c] *= scale
