"""One step of a recursion on the joint Gaussian of many nodes, for each of b origins, compiled."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.caching import compiled


@compiled()
def select(
    values: FloatArray,  # (b, n_nodes)
    Sigma: FloatArray,  # (b, n, n)
    place: IntArray,  # (d,)
    row: IntArray,  # (d,)
    u: FloatArray,  # (b, d)
    S: FloatArray,  # (b, d, d)
) -> None:
    """Write mean and covariance of the nodes at `place`; their rows of Sigma, -1 where known."""
    for b in range(len(values)):
        for i in range(len(place)):
            u[b, i] = values[b, place[i]]
            for j in range(len(place)):
                random = row[i] >= 0 and row[j] >= 0
                S[b, i, j] = Sigma[b, row[i], row[j]] if random else 0.0


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
