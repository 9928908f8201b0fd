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
    g: FloatArray,  # (b, d)
    q: FloatArray,  # (b, new - first) or more, or (b, 0)
    expected: FloatArray,  # (b,) or (0,)
    Sigma: FloatArray,  # (b, n, n)
    first: int,
    row: IntArray,  # (d,)
    new: int,
    own: FloatArray,  # (b,)
) -> bool:
    """Write the row and the column `new` of Sigma, zero so far, of a step after `first` rows.

    Sigma[new, :new] is g' Sigma[row, :new], and q where f is one function: the covariances of
    f(x_k) - E[f](x_k) with the earlier steps; `expected` is its variance at the inputs. The
    variance is held above what these and g explain of it, so that Sigma stays semi-definite; `own`
    becomes the rest, which the noise is part of.

    Returns whether all means and variances are finite.
    """
    finite = True
    for b in range(len(Sigma)):
        S_b, g_b, q_b = Sigma[b], g[b], q[b]
        cross, v, explained = S_b[new], var[b], 0.0
        for i in range(len(row)):
            if row[i] >= 0:
                g_i, known = g_b[i], S_b[row[i]]
                for j in range(new):
                    cross[j] += g_i * known[j]
        for i in range(len(row)):
            if row[i] >= 0:
                explained += g_b[i] * cross[row[i]]
        if len(expected) > 0:
            explained += expected[b]
            v = max(v, explained)
        own[b] = v - explained + noise_var
        if len(q_b) > 0:
            for j in range(new - first):
                cross[first + j] += q_b[j]
            for i in range(len(row)):
                if row[i] >= first and len(expected) > 0:
                    v += 2.0 * g_b[i] * q_b[row[i] - first]
        for j in range(new):
            S_b[j, new] = cross[j]
        var[b] = v
        cross[new] = v + noise_var
        finite = finite and np.isfinite(mean[b]) and np.isfinite(v)
    return finite


@compiled()
def respond(
    F: FloatArray,  # (b, first + h, c)
    slopes: FloatArray,  # (b, h, d)
    first: int,
    rows: IntArray,  # (h, d)
    begin: int,
) -> None:
    """Add to each row of a step, from one step on, the rows of its inputs times its slopes."""
    for b in range(len(F)):
        for k in range(begin, len(rows)):
            here = F[b, first + k]
            for i in range(rows.shape[1]):
                if rows[k, i] >= 0:
                    g, known = slopes[b, k, i], F[b, rows[k, i]]
                    for j in range(len(here)):
                        here[j] += g * known[j]


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
