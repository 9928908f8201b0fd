"""Slopes of a function of a covariance matrix, in hyperparameters and in inputs."""

from collections.abc import Callable
from dataclasses import dataclass

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
