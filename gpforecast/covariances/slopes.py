"""Slopes of functions of covariance matrices, in hyperparameters and in inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gpforecast.common.types import FloatArray

Pullback = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class MatrixSlopes:
    """A matrix K_ij = k(x_i, z_j), and slopes of a function F of it by G = dF / dK, (n, m).

    Attributes
    ----------
    K : ndarray (n, m)
    parameters : callable
        From G to dF / d log theta = sum_ij G_ij dK_ij / d log theta, (p,).
    rows : callable
        From G to dF / dx_i = sum_j G_ij dK_ij / dx_i, (n, d).
    columns : callable
        From G to dF / dz_j = sum_i G_ij dK_ij / dz_j, (m, d).
    """

    K: FloatArray
    parameters: Pullback
    rows: Pullback
    columns: Pullback


class HasSlopes(Protocol):
    """What sums of slopes need of a covariance."""

    @property
    def log_parameters(self) -> FloatArray:
        """Natural logarithms of the hyperparameters, (p,)."""
        ...

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        """Return the matrix k(x_i, z_j) and its slopes in hyperparameters and inputs."""
        ...

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        """Return sum_i g_i dk(x_i, x_i) / d log theta, (p,)."""
        ...

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        """Return the jets of k(x, x) at u: (b, r + 2, 1)."""
        ...


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

    def __init__(self, covariance: HasSlopes, Z: FloatArray) -> None:
        self.covariance, self.Z = covariance, Z
        self.parameters = np.zeros(len(covariance.log_parameters))
        self.inputs = np.zeros(Z.shape)

    def add_cross(self, X: FloatArray, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add G = dF / dk(x_n, z_m), (b, m), of the covariance's `cross_slopes` at X, Z.

        G may be overwritten.
        """
        self.parameters += matrix.parameters(G)
        self.inputs += matrix.columns(G)

    def add_rows(self, X: FloatArray, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add a symmetric G = dF / dk(x_i, x_j), (b, b), of its `with_slopes` at X, X."""
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
