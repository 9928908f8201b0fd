"""Slopes of a function of the covariances of many rows and inducing inputs, added up."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, MatrixSlopes


class SlopeSums:
    """Slopes of a function F of k(x_n, z_m), k(x_n, x_n) and k(z_m, z_m), added up.

    They are slopes in the covariance's hyperparameters and in the inducing inputs z.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    Z : ndarray (m, d)
        The inducing inputs.
    """

    def __init__(self, covariance: Covariance, Z: FloatArray) -> None:
        self.covariance, self.Z = covariance, Z
        self.parameters = np.zeros(len(covariance.log_parameters))
        self.inputs = np.zeros(Z.shape)

    def add_cross(self, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add G = dF / dk(x_n, z_m), (b, m), of the covariance's `cross_slopes` at rows and Z."""
        self.parameters += matrix.parameters(G)
        self.inputs += matrix.columns(G)

    def add_rows(self, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add a symmetric G = dF / dk(x_i, x_j), (b, b), of its `with_slopes` at rows."""
        self.parameters += matrix.parameters(G)

    def add_variances(self, X: FloatArray, g: FloatArray, over: float = 1.0) -> None:
        """Add g / over = dF / dk(x_n, x_n), (b,)."""
        self.parameters += self.covariance.diag_slopes(X, g) / over

    def add_own(self, G: FloatArray, added: FloatArray) -> None:
        """Add a symmetric G = dF / dK, (m, m), for the matrix K of k among the inducing inputs.

        On its diagonal K has (1 + added_i) k(z_i, z_i).
        """
        k, Z, (m, d) = self.covariance, self.Z, self.Z.shape
        g = np.diag(G) * (1.0 + added)
        apart, own = G - np.diag(np.diag(G)), k.with_slopes(Z, Z)
        along = k.diag_jets(Z, np.broadcast_to(np.eye(d), (m, d, d)))[:, 2:, 0]
        self.parameters += own.parameters(apart) + k.diag_slopes(Z, g)
        self.inputs += 2.0 * own.rows(apart) + g[:, None] * along

    def slopes(self, unit: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of dF / d log theta, (p,), and of dF / d(z_m / unit), (m, d)."""
        return self.parameters, self.inputs * unit
