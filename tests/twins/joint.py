"""One step of the recursion on a joint Gaussian, with index arrays."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray


def append(
    var: FloatArray,
    noise_var: float,
    slopes: FloatArray,
    e: FloatArray,
    Sigma: FloatArray,
    first: int,
    rows: IntArray,
    k: int,
) -> tuple[FloatArray, FloatArray]:
    """Return Sigma with the row of step k, and the variance of f there.

    Quinonero-Candela et al. (2003), eq. (53), and with e what one function adds, by solving
    (I - G) q = e for the matrix G of the slopes among predictions.
    """
    Sigma, var = Sigma.copy(), var.copy()
    new = first + k
    for b, known in enumerate(Sigma):
        G = np.zeros((k + 1, new))
        for j in range(k + 1):
            for i, row in enumerate(rows[j]):
                if row >= 0:
                    G[j, row] += slopes[b, j, i]
        cross = G[k] @ known[:new, :new]
        if e.shape[1]:
            q = np.linalg.solve(np.eye(k) - G[:k, first:], e[b, :k])
            var[b] = max(var[b], cross @ G[k] + e[b, k]) + 2.0 * G[k, first:] @ q
            cross[first:] += q
        known[new, :new] = known[:new, new] = cross
        known[new, new] = var[b] + noise_var
    return Sigma, var
