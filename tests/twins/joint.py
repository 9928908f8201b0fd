"""One step of the recursion on a joint Gaussian, with index arrays."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray


def select(
    values: FloatArray, Sigma: FloatArray, place: IntArray, row: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (b, d) and covariance (b, d, d) of some nodes, row -1 where one is known."""
    random = np.flatnonzero(row >= 0)
    S = np.zeros((len(values), len(row), len(row)))
    S[:, random[:, None], random] = Sigma[:, row[random, None], row[random]]
    return values[:, place], S


def append(
    Sigma: FloatArray, new: int, row: IntArray, gradient: FloatArray, var: FloatArray
) -> FloatArray:
    """Return Sigma with row and column `new`: Quinonero-Candela et al. (2003), eq. (53)."""
    random = np.flatnonzero(row >= 0)
    cross = np.einsum("bd,bdn->bn", gradient[:, random], Sigma[:, row[random], :new])
    Sigma = Sigma.copy()
    Sigma[:, new, :new] = Sigma[:, :new, new] = cross
    Sigma[:, new, new] = var
    return Sigma
