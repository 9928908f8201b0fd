"""Gram matrices of squared exponentials and their slopes, with every difference written out.

The arrays of n x n x d that the compiled form does without; to be compared with it.
"""

import numpy as np

from gpforecast.common.types import FloatArray


def gram(Z: FloatArray, variance: float) -> FloatArray:
    """Return v exp(-|z_i - z_j|^2 / 2), (n, n), of scaled inputs Z (d, n)."""
    apart = Z[:, :, None] - Z[:, None, :]
    K: FloatArray = variance * np.exp(-0.5 * np.einsum("dij,dij->ij", apart, apart))
    return K


def gram_slopes(
    Z: FloatArray, K: FloatArray, U: FloatArray, A: FloatArray
) -> tuple[FloatArray, float]:
    """Return half the sums over all pairs of G_ij (z_ic - z_jc)^2, (d,), and of G_ij, i != j.

    G = (U'U - A) * K with symmetric A and K, Rasmussen and Williams eq. (5.9).
    """
    G = (U.T @ U - A) * K
    apart = Z[:, :, None] - Z[:, None, :]
    by_input: FloatArray = 0.5 * np.einsum("ij,dij->d", G, apart**2)
    return by_input, 0.5 * float(G.sum() - np.trace(G))
