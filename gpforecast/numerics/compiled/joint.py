"""One step of a recursion on the joint Gaussian of many nodes, for each of b origins, compiled."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.compiling import compiled

_DETERMINED = 1e-12  # of a variance; what is left of it beyond this is rounding


@compiled()
def append(
    mean: FloatArray,  # (b,), of step k
    var: FloatArray,  # (b,), of f; it becomes that of f given all that f has been before
    noise_var: float,
    slopes: FloatArray,  # (b, h, d), those of step k included
    e: FloatArray,  # (b, k + 1) or (b, 0)
    Sigma: FloatArray,  # (b, first + h, first + h)
    first: int,
    rows: IntArray,  # (h, d)
    k: int,
) -> bool:
    """Write the row and the column of step k of Sigma, zero so far.

    Without `e` every step has an f of its own: Sigma[k, :k] is g' Sigma[lags(k), :k]. With it f is
    one function, and e_j the expected covariance of its values at steps k and j given the inputs;
    it becomes q_j = cov(f(x_k) - E[f](x_k), y_j). The variance is held above what e and the slopes
    explain of it, so that Sigma stays semi-definite.

    Returns whether all means and variances are finite.
    """
    new, finite = first + k, True
    for b in range(len(Sigma)):
        cross, v, explained = Sigma[b, new], var[b], 0.0
        for i in range(rows.shape[1]):
            if rows[k, i] >= 0:
                g, known = slopes[b, k, i], Sigma[b, rows[k, i]]
                for j in range(new):
                    cross[j] += g * known[j]
        if e.shape[1] > 0:
            for i in range(rows.shape[1]):
                if rows[k, i] >= 0:
                    explained += slopes[b, k, i] * cross[rows[k, i]]
            v = max(v, explained + e[b, k])
            for j in range(k):
                for i in range(rows.shape[1]):
                    if rows[j, i] >= first:
                        e[b, j] += slopes[b, j, i] * e[b, rows[j, i] - first]
                cross[first + j] += e[b, j]
            for i in range(rows.shape[1]):
                if rows[k, i] >= first:
                    v += 2.0 * slopes[b, k, i] * e[b, rows[k, i] - first]
        for j in range(new):
            Sigma[b, j, new] = cross[j]
        var[b] = v
        cross[new] = v + noise_var
        finite = finite and np.isfinite(mean[b]) and np.isfinite(v)
    return finite


@compiled()
def extend_root(Sigma: FloatArray, row: int, root: FloatArray) -> None:
    """Write one more row of the lower triangular roots of Sigma (b, n, n).

    What the rows before it determine gets no root of its own, but 0, and costs later rows nothing:
    most of the past is known.
    """
    for b in range(len(Sigma)):
        new, left = root[b, row], Sigma[b, row, row]
        for i in range(row):
            above, product = root[b, i], Sigma[b, row, i]
            if not above[i] > 0.0:
                new[i] = 0.0
                continue
            for j in range(i):
                product -= new[j] * above[j]
            new[i] = product / above[i]
            left -= new[i] * new[i]
        new[row] = np.sqrt(left) if left > _DETERMINED * Sigma[b, row, row] else 0.0
