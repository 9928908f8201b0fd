"""Steps of a recursion on the joint Gaussian of many nodes."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.compiling import compiled

DETERMINED = 1e-12  # of a variance; what is left of it beyond this is rounding


@compiled()
def append(
    mean: FloatArray,  # (b,), of step k
    var: FloatArray,  # (b,), of f; it becomes that of f given all earlier values of f
    noise_var: float,
    slopes: FloatArray,  # (b, h, d), those of step k included
    e: FloatArray,  # (b, k + 1) or (b, 0)
    Sigma: FloatArray,  # (b, first + h, first + h)
    first: int,
    rows: IntArray,  # (h, d)
    k: int,
) -> bool:
    """Write the row and the column of step k of Sigma, zero so far.

    Without `e` every step has its own f: Sigma[k, :k] is g' Sigma[lags(k), :k]. With it f is
    one function, and e_j the expected covariance of its values at steps k and j given the inputs;
    it becomes q_j = cov(f(x_k) - E[f](x_k), y_j). The variance is held above what e and the slopes
    explain of it, so that Sigma stays semi-definite.

    Returns whether all means and variances are finite.
    """
    new, finite, row = first + k, True, rows[k]
    for b in range(len(Sigma)):
        S_b, e_b, g = Sigma[b], e[b], slopes[b, k]
        cross, v, explained = S_b[new], var[b], 0.0
        for i in range(len(row)):
            if row[i] >= 0:
                g_i, known = g[i], S_b[row[i]]
                for j in range(new):
                    cross[j] += g_i * known[j]
        if len(e_b) > 0:
            for i in range(len(row)):
                if row[i] >= 0:
                    explained += g[i] * cross[row[i]]
            v = max(v, explained + e_b[k])
            for j in range(k):
                row_j, g_j = rows[j], slopes[b, j]
                for i in range(len(row)):
                    if row_j[i] >= first:
                        e_b[j] += g_j[i] * e_b[row_j[i] - first]
                cross[first + j] += e_b[j]
            for i in range(len(row)):
                if row[i] >= first:
                    v += 2.0 * g[i] * e_b[row[i] - first]
        for j in range(new):
            S_b[j, new] = cross[j]
        var[b] = v
        cross[new] = v + noise_var
        finite = finite and np.isfinite(mean[b]) and np.isfinite(v)
    return finite


@compiled()
def extend_root(Sigma: FloatArray, row: int, root: FloatArray) -> None:
    """Write one more row of the lower triangular roots of Sigma (b, n, n).

    A row that earlier rows determine has the root 0, and costs later rows nothing:
    most of the past is known.
    """
    for b in range(len(Sigma)):
        R, given = root[b], Sigma[b, row]
        new, left = R[row], given[row]
        for i in range(row):
            above, product = R[i], given[i]
            if not above[i] > 0.0:
                new[i] = 0.0
                continue
            for j in range(i):
                product -= new[j] * above[j]
            new[i] = product / above[i]
            left -= new[i] * new[i]
        new[row] = np.sqrt(left) if left > DETERMINED * given[row] else 0.0
