"""Linear and constant covariances: what a Bayesian linear model is made of."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances.base import Covariance, MatrixSlopes
from gpforecast.covariances.hyperparameters import (
    LEVEL_VARIANCE,
    SLOPE_VARIANCES,
    PerInput,
    hyperparameter,
)


class OfWeights(Covariance):
    r"""Linear functions of x with a level: :math:`\sum_p v_p \phi_p(x) \phi_p(x')`.

    The features are :math:`\phi(x) = [x; 1]`. A subclass gives the prior variances v of their
    weights, in `weight_variances`, zero for those that it does not have.
    """

    is_smooth = True

    polynomial_degree = 1

    def monomials(self, n_inputs: int) -> tuple[IntArray, FloatArray]:
        return np.eye(n_inputs + 1, n_inputs, dtype=np.int64), self.weight_variances(n_inputs)

    @abstractmethod
    def weight_variances(self, n_inputs: int) -> FloatArray: ...

    @abstractmethod
    def _own(self, slopes: FloatArray) -> FloatArray:
        """Return slopes in log hyperparameters, (p,), from those in log v, (d + 1,)."""

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        return np.asarray((_features(X) * self._v(X)) @ _features(X if Z is None else Z).T)

    def diag(self, X: FloatArray) -> FloatArray:
        return np.asarray(_features(X) ** 2 @ self._v(X))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        v, at_x, at_z = self._v(X), _features(X), _features(Z)
        return MatrixSlopes(
            self(X, Z),
            lambda G: self._own(v * np.einsum("np,np->p", at_x, G @ at_z)),
            rows=lambda G: (G @ Z) * v[:-1],
            columns=lambda G: (G.T @ X) * v[:-1],
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        return self._own(self._v(X) * (g @ _features(X) ** 2))

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        jets = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        pulled = (Z * self._v(u)[:-1]).T  # slopes of k(., z), (d, m)
        jets[:, 0] = self(u, Z)
        jets[:, 2:] = np.swapaxes(directions, 1, 2) @ pulled
        return jets

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        jets = super().diag_jets(u, directions)
        scaled = directions * self._v(u)[:-1, None]
        jets[:, 1, 0] = 2.0 * (directions * scaled).sum(axis=(1, 2))
        jets[:, 2:, 0] = 2.0 * np.einsum("bdr,bd->br", scaled, u)
        return jets

    def _v(self, X: FloatArray) -> FloatArray:
        return self.weight_variances(X.shape[1])


@dataclass(frozen=True, eq=False)
class Linear(OfWeights):
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

    def weight_variances(self, n_inputs: int) -> FloatArray:
        return np.append(self._for_inputs("variances", n_inputs), 0.0)

    def _own(self, slopes: FloatArray) -> FloatArray:
        return self._tied("variances", slopes[:-1])


@dataclass(frozen=True, eq=False)
class Constant(OfWeights):
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

    def weight_variances(self, n_inputs: int) -> FloatArray:
        return np.append(np.zeros(n_inputs), float(self._required()["variance"]))

    def _own(self, slopes: FloatArray) -> FloatArray:
        return slopes[-1:]


def _features(X: FloatArray) -> FloatArray:
    """Return [x; 1] for every row, (n, d + 1)."""
    return np.column_stack([X, np.ones(len(X))])
