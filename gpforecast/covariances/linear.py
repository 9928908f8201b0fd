"""Linear and constant covariances: what a Bayesian linear model is made of."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, MatrixSlopes
from gpforecast.covariances.hyperparameters import (
    LEVEL_VARIANCE,
    SLOPE_VARIANCES,
    PerInput,
    hyperparameter,
)


@dataclass(frozen=True, eq=False)
class Linear(Covariance):
    r"""Linear functions through the origin: :math:`\sum_d v_d x_d x'_d`.

    Parameters
    ----------
    variances : float, sequence of float (d,) or None
        Prior variances of the slopes. One number (or ``None``, started from the data) is shared
        by all inputs; a sequence gives each input its own.

    References
    ----------
    Lawrence (2011), the linear covariance; Rasmussen and Williams (2006), section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> gf.covariances.Linear(2.0)(np.array([[1.0], [3.0]]))
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    variances: PerInput = hyperparameter(SLOPE_VARIANCES)

    @property
    def is_smooth(self) -> bool:
        return True

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K: FloatArray = (X * self._values(X)) @ (X if Z is None else Z).T
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        variances: FloatArray = X**2 @ self._values(X)
        return variances

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        v = self._values(X)
        return MatrixSlopes(
            self(X, Z),
            lambda G: self._tied("variances", v * np.einsum("nd,nd->d", X, G @ Z)),
            rows=lambda G: (G @ Z) * v,
            columns=lambda G: (G.T @ X) * v,
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        return self._tied("variances", self._values(X) * (g @ X**2))

    def jets(
        self, u: FloatArray, directions: FloatArray, Z: FloatArray, *, order: int = 2
    ) -> FloatArray:
        jets = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        pulled = (Z * self._values(u)).T  # slopes of k(., z), (d, m)
        jets[:, 0] = u @ pulled
        jets[:, 2:] = np.swapaxes(directions, 1, 2) @ pulled
        return jets

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        jets = super().diag_jets(u, directions)
        scaled = directions * self._values(u)[:, None]
        jets[:, 1, 0] = 2.0 * (directions * scaled).sum(axis=(1, 2))
        jets[:, 2:, 0] = 2.0 * np.einsum("bdr,bd->br", scaled, u)
        return jets

    def weight_variances(self, n_inputs: int) -> FloatArray:
        return np.append(self._for_inputs("variances", n_inputs), 0.0)

    def _values(self, X: FloatArray) -> FloatArray:
        return self._for_inputs("variances", X.shape[1])


@dataclass(frozen=True, eq=False)
class Constant(Covariance):
    r"""An unknown level: :math:`v` for every pair of inputs.

    Parameters
    ----------
    variance : float or None
        Prior variance of the level, in squared units of the target.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> gf.covariances.Constant(2.0)(np.zeros((2, 1)))
    array([[2., 2.],
           [2., 2.]])
    """

    variance: float | None = hyperparameter(LEVEL_VARIANCE)

    @property
    def is_smooth(self) -> bool:
        return True

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        return np.full((len(X), len(X if Z is None else Z)), self._value)

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self._value)

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        return MatrixSlopes(
            self(X, Z),
            lambda G: np.array([self._value * G.sum()]),
            rows=lambda _: np.zeros_like(X),
            columns=lambda _: np.zeros_like(Z),
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        return np.array([self._value * g.sum()])

    def jets(
        self, u: FloatArray, directions: FloatArray, Z: FloatArray, *, order: int = 2
    ) -> FloatArray:
        jets = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        jets[:, 0] = self._value
        return jets

    def weight_variances(self, n_inputs: int) -> FloatArray:
        return np.append(np.zeros(n_inputs), self._value)

    @property
    def _value(self) -> float:
        return float(self._required()["variance"])
