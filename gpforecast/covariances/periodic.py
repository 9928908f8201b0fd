"""The periodic covariance: functions that repeat themselves exactly."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, MatrixSlopes
from gpforecast.covariances.hyperparameters import PERIOD, VARIANCE, PerInput, hyperparameter, shape
from gpforecast.covariances.stationary import SquaredExponential


@dataclass(frozen=True, eq=False)
class Periodic(Covariance):
    r"""Periodic functions: :math:`v \exp(-2 \sum_d \sin^2(\pi (x_d - x'_d) / p) / \ell_d^2)`.

    A squared exponential of :math:`(\cos 2\pi x_d/p, \sin 2\pi x_d/p)`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        Without units: a short one lets f vary much within a cycle.
    variance : float or None
        v, in squared units of the target.
    period : float or None
        p, in the units of the inputs.

    References
    ----------
    MacKay (1998), "Introduction to Gaussian processes"; Rasmussen and Williams (2006), eq. (4.31).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.Periodic(lengthscales=1.0, variance=3.0, period=12.0)
    >>> k(np.array([[0.0], [6.0], [12.0]])).round(3)[0]
    array([3.   , 0.406, 3.   ])
    """

    lengthscales: PerInput = hyperparameter(shape("lengthscale", per_input=True))
    variance: float | None = hyperparameter(VARIANCE)
    period: float | None = hyperparameter(PERIOD)

    is_smooth = True

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        at = self._circle(X)[0]
        return self._inner(X.shape[1])(at, at if Z is None else self._circle(Z)[0])

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self._inner(X.shape[1]).variance)

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        return self._inner(X.shape[1]).pairs(self._circle(X)[0], self._circle(Z)[0])

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        d, (at_x, by_x), (at_z, by_z) = X.shape[1], self._circle(X), self._circle(Z)
        inner = self._inner(d).with_slopes(at_x, at_z)

        def back(slopes: FloatArray) -> FloatArray:
            return self._rate * (slopes[:, :d] + slopes[:, d:])

        def rows(G: FloatArray) -> FloatArray:
            return back(inner.rows(G) * by_x)

        def columns(G: FloatArray) -> FloatArray:
            return back(inner.columns(G) * by_z)

        def parameters(G: FloatArray) -> FloatArray:
            by_input, total = np.split(inner.parameters(G), [2 * d])
            # An angle is in proportion to 1 / p.
            by_period = -np.sum(rows(G) * X, keepdims=True) - np.sum(columns(G) * Z)
            by_ell = self._tied("lengthscales", by_input[:d] + by_input[d:])
            return np.concatenate([by_ell, total, by_period.ravel()])

        return MatrixSlopes(inner.K, parameters, rows, columns)

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        slopes = np.zeros(len(self.log_parameters))
        slopes[-2] = float(self._required()["variance"]) * g.sum()
        return slopes

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        inner, rate = self._inner(u.shape[1]), self._rate
        at, turned = self._circle(u)
        moved = np.concatenate([directions, directions], axis=1) * (rate * turned)[:, :, None]
        # The circle bends inwards: d2 (cos, sin) = -(cos, sin), times the squares of the steps.
        squares = (directions**2).sum(axis=2) * rate**2
        bend = -at * np.concatenate([squares, squares], axis=1)
        found = inner.jets(at, moved, self._circle(Z)[0])
        found[:, 1] += inner.jets(at, bend[:, :, None], self._circle(Z)[0])[:, 2]
        return found

    def input_scales(self, n_inputs: int) -> FloatArray:
        return np.minimum(self._for_inputs("lengthscales", n_inputs), 1.0) / self._rate

    @property
    def _rate(self) -> float:
        """Angle for each unit of the inputs."""
        return 2.0 * np.pi / float(self._required()["period"])

    def _inner(self, n_inputs: int) -> SquaredExponential:
        ell = self._for_inputs("lengthscales", n_inputs)
        return SquaredExponential(np.concatenate([ell, ell]), float(self._required()["variance"]))

    def _circle(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (cos, sin) of the angles of X, (n, 2 d), and their derivatives in the angles."""
        angle = self._rate * X
        c, s = np.cos(angle), np.sin(angle)
        return np.concatenate([c, s], axis=1), np.concatenate([-s, c], axis=1)
