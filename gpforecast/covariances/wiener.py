"""The Wiener process: functions whose increments are independent."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, MatrixSlopes
from gpforecast.covariances.hyperparameters import INCREMENT_VARIANCES, PerInput, hyperparameter


@dataclass(frozen=True, eq=False)
class Wiener(Covariance):
    r"""Brownian motion along each input, from 0 at the origin: :math:`\sum_d v_d \min(x_d, x'_d)`.

    For negative inputs it goes on to the other side, independently: with
    :math:`(|x_d| + |x'_d| - |x_d - x'_d|)/2` in the place of the minimum, which is the same for
    positive inputs. Along several inputs f is a sum of independent motions. A `Constant` added
    to it frees the value at the origin.

    Its functions are continuous and nowhere smooth: Taylor expansions do not work.

    Parameters
    ----------
    variances : float, sequence of float (d,) or None
        v, the variance of an increment over a unit of the input: squared units of the target over
        those of the input. One number is shared by all inputs; a sequence gives each its own.

    References
    ----------
    Snelson (2007), eq. (1.10).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> gf.covariances.Wiener(2.0)(np.array([[1.0], [3.0], [-1.0]]))
    array([[2., 2., 0.],
           [2., 6., 0.],
           [0., 0., 2.]])
    """

    variances: PerInput = hyperparameter(INCREMENT_VARIANCES)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K = np.zeros((len(X), len(X if Z is None else Z)))
        for v, x, z in zip(self._v(X), X.T, (X if Z is None else Z).T, strict=True):
            K += v * _shared(x[:, None], z)
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return np.asarray(np.abs(X) @ self._v(X))

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        return np.asarray(_shared(X, Z) @ self._v(X))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        v = self._v(X)

        def parameters(G: FloatArray) -> FloatArray:
            each = [np.sum(G * _shared(x[:, None], z)) for x, z in zip(X.T, Z.T, strict=True)]
            return self._tied("variances", v * np.array(each))

        def rows(G: FloatArray) -> FloatArray:
            return _pulled(G, X, Z) * v

        return MatrixSlopes(self(X, Z), parameters, rows, columns=lambda G: _pulled(G.T, Z, X) * v)

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        return self._tied("variances", self._v(X) * (g @ np.abs(X)))

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        jets = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        jets[:, 0] = self(u, Z)
        slopes = self._v(u) * _slope(u[:, None], Z)  # (b, m, d)
        jets[:, 2:] = np.swapaxes(slopes @ directions, 1, 2)
        return jets

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        jets = super().diag_jets(u, directions)
        jets[:, 2:, 0] = np.einsum("bd,bdr->br", self._v(u) * np.sign(u), directions)
        return jets

    def _v(self, X: FloatArray) -> FloatArray:
        return self._for_inputs("variances", X.shape[1])


def _shared(x: FloatArray, z: FloatArray) -> FloatArray:
    """Return the length of the way from the origin that x and z share."""
    same_side = np.sign(x) == np.sign(z)
    return np.where(same_side, np.minimum(np.abs(x), np.abs(z)), 0.0)


def _slope(x: FloatArray, z: FloatArray) -> FloatArray:
    """Return its slope in x; half of it at the kinks."""
    return 0.5 * (np.sign(x) - np.sign(x - z))


def _pulled(G: FloatArray, X: FloatArray, Z: FloatArray) -> FloatArray:
    """Return the sums over j of G_ij times the slopes in x_i, (n, d)."""
    columns = ((G * _slope(x[:, None], z)).sum(axis=1) for x, z in zip(X.T, Z.T, strict=True))
    return np.column_stack(list(columns))
