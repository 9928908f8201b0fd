"""One step of a recursion on the joint Gaussian of many nodes, for each of b origins, compiled."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.caching import compiled


@compiled()
def selected(
    values: FloatArray, Sigma: FloatArray, place: IntArray, row: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (b, d) and covariance (b, d, d) of some nodes.

    Parameters
    ----------
    values : ndarray (b, n_nodes)
    Sigma : ndarray (b, n, n)
        Covariance of those that are not known.
    place : ndarray (d,)
        Which nodes.
    row : ndarray (d,)
        Their rows of Sigma; -1 where a node is known.
    """
    n, d = len(values), len(place)
    u, S = np.zeros((n, d)), np.zeros((n, d, d))
    for b in range(n):
        for i in range(d):
            u[b, i] = values[b, place[i]]
            for j in range(d):
                if row[i] >= 0 and row[j] >= 0:
                    S[b, i, j] = Sigma[b, row[i], row[j]]
    return u, S


@compiled()
def append(
    values: FloatArray,  # (b, n_nodes)
    node: int,
    Sigma: FloatArray,  # (b, n, n)
    new: int,
    row: IntArray,  # (d,)
    gradient: FloatArray,  # (b, d)
    var: FloatArray,  # (b,)
) -> bool:
    """Write row and column `new` of Sigma, zero so far: g' Sigma[row, :new], and the variance.

    Returns whether the values of `node` and their variances are finite.
    """
    finite = True
    for b in range(len(Sigma)):
        cross = Sigma[b, new]
        for i in range(len(row)):
            if row[i] >= 0:
                g, known = gradient[b, i], Sigma[b, row[i]]
                for j in range(new):
                    cross[j] += g * known[j]
        for j in range(new):
            Sigma[b, j, new] = cross[j]
        cross[new] = var[b]
        finite = finite and np.isfinite(values[b, node]) and np.isfinite(var[b])
    return finite
