"""Where distances are measured: inputs over their length-scales, or a learned projection."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from gpforecast.common.types import FloatArray


@dataclass(frozen=True, eq=False)
class Scaled:
    """One length-scale for each input; inducing inputs are in the units of the inputs."""

    lengthscales: FloatArray  # (d,)

    def rows(self, X: FloatArray) -> FloatArray:
        """Return the rows where distances are measured: (n, d)."""
        return X / self.lengthscales

    def inducing(self, Z: FloatArray) -> FloatArray:
        """Return the inducing inputs where distances are measured: (M, d)."""
        return Z / self.lengthscales

    def pull(self, g: FloatArray, at: FloatArray, X: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return sum_n g_n x_n / ell, (d,), for slopes g (n, d) at the scaled rows."""
        pulled: FloatArray = np.einsum("nd,nd->d", g, at)
        return pulled


@dataclass(frozen=True, eq=False)
class Projected:
    """A projection to fewer dimensions, in which the inducing inputs live; Snelson (4.2)."""

    matrix: FloatArray  # (g, d)

    def rows(self, X: FloatArray) -> FloatArray:
        """Return the projected rows: (n, g)."""
        return X @ self.matrix.T

    def inducing(self, Z: FloatArray) -> FloatArray:
        """Return the inducing inputs, which are there already: (M, g)."""
        return Z

    def pull(self, g: FloatArray, at: FloatArray, X: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the slopes in the projection, sum_n g_n x_n': (g, d)."""
        return g.T @ X


Space: TypeAlias = Scaled | Projected


def bumps(at: FloatArray, centers: FloatArray, variance: float) -> FloatArray:
    """Return variance * exp(-1/2 |x_n - z_m|^2), (n, M), by one matrix product.

    Distances lose digits where two points nearly coincide far from the origin: centre them.
    """
    K = at @ centers.T
    K -= 0.5 * np.einsum("nd,nd->n", at, at)[:, None]
    K -= 0.5 * np.einsum("nd,nd->n", centers, centers)
    np.minimum(K, 0.0, out=K)
    np.exp(K, out=K)
    K *= variance
    return K


def own_bumps(at: FloatArray, variance: float) -> FloatArray:
    """Return variance * exp(-1/2 |x_i - x_j|^2), (n, n), to the last digit."""
    K = cdist(at, at, "sqeuclidean")
    K *= -0.5
    np.exp(K, out=K)
    K *= variance
    return K
