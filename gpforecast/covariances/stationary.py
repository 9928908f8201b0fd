"""Stationary covariances: functions of the distance of two inputs, each a profile and its slope."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance
from gpforecast.covariances.hyperparameters import LENGTHSCALES, VARIANCE, PerInput, hyperparameter
from gpforecast.covariances.slopes import MatrixSlopes

_STEP = 1e-20  # of a complex step: nothing is subtracted, so no digits are lost


@dataclass(frozen=True, eq=False)
class Stationary(Covariance):
    r"""A function of distance alone.

    .. math::

        k(x, x') = v\, \rho(s), \qquad s = \sum_d (x_d - x'_d)^2 / \ell_d^2

    A subclass gives `profile`, with :math:`\rho(0) = 1`, and `slope`; `curvature` as well if it has
    second derivatives everywhere, and `frequencies` if its spectral density can be drawn from.
    Further hyperparameters are fields; their slopes are found by complex steps of `profile`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        One number is shared by all inputs; a sequence gives each input its own; ``None`` gives
        each input its own and starts it from the data. In the units of the inputs.
    variance : float or None
        v, the variance of f away from any data, in squared units of the target.
    """

    lengthscales: PerInput = hyperparameter(LENGTHSCALES)
    variance: float | None = hyperparameter(VARIANCE)

    @abstractmethod
    def profile(self, s: FloatArray) -> FloatArray:
        """Return rho at squared distances s, of any shape."""

    @abstractmethod
    def slope(self, s: FloatArray) -> FloatArray:
        """Return d rho / ds at squared distances s > 0."""

    def curvature(self, s: FloatArray) -> FloatArray:
        """Return d^2 rho / ds^2."""
        raise TypeError(f"{type(self).__name__} has no second derivatives")

    @property
    def is_smooth(self) -> bool:
        return type(self).curvature is not Stationary.curvature

    def values(self, n_inputs: int) -> tuple[float, FloatArray]:
        """Return the variance and a length-scale for each input, or say which is missing."""
        return float(self._required()["variance"]), self._for_inputs("lengthscales", n_inputs)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        variance, s = self._distances(X, X if Z is None else Z)
        K = self.profile(s)
        K *= variance
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self.values(X.shape[1])[0])

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        return variance * self.profile((((X - Z) / ell) ** 2).sum(axis=1))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        variance, s = self._distances(X, Z)
        K = variance * self.profile(s)
        shapes = [variance * slope for slope in self.shape_slopes(s)]
        return self._with_pull(*self._centred(X, Z), K, variance * self._pull(s), shapes)

    def _centred(self, X: FloatArray, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return inputs in units of the length-scales around 0, where differences are exact."""
        ell = self.values(X.shape[1])[1]
        middle = X.sum(axis=0) / max(len(X), 1)
        return (X - middle) / ell, (Z - middle) / ell

    def _with_pull(
        self,
        x: FloatArray,
        z: FloatArray,
        K: FloatArray,
        pull: FloatArray,
        shapes: Sequence[FloatArray],
    ) -> MatrixSlopes:
        """Return slopes of K at scaled inputs, from -2 dk/ds and those in further parameters."""
        ell = self.values(x.shape[1])[1]

        def parameters(G: FloatArray) -> FloatArray:
            H = G * pull
            by_input = H.sum(axis=1) @ x**2 + H.sum(axis=0) @ z**2
            by_input -= 2.0 * np.einsum("nd,nd->d", x, H @ z)
            rest = [float(np.sum(G * slope)) for slope in (K, *shapes)]
            return np.concatenate([self._tied("lengthscales", by_input), rest])

        def towards(H: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
            slopes: FloatArray = (H @ b - H.sum(axis=1)[:, None] * a) / ell
            return slopes

        return MatrixSlopes(
            K,
            parameters,
            rows=lambda G: towards(G * pull, x, z),
            columns=lambda G: towards((G * pull).T, z, x),
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        slopes = np.zeros(len(self.log_parameters))
        at_variance = np.size(self.lengthscales)  # type: ignore[arg-type]
        slopes[at_variance] = self.values(X.shape[1])[0] * g.sum()
        return slopes

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        variance, ell = self.values(u.shape[1])
        z = (Z[None] - u[:, None]) / ell  # (b, m, d)
        steps = directions / ell[:, None]
        s = np.einsum("bmd,bmd->bm", z, z)[:, None]
        along = np.swapaxes(z @ steps, 1, 2)  # (b, r, m)
        pull, curve = self._pull(s), np.zeros_like(s)
        if self.is_smooth:
            curve = 4.0 * self.curvature(s) * (along**2).sum(axis=1, keepdims=True)
            pull = -2.0 * self.slope(s)  # finite at distance zero too, as there is a curvature
            curve -= pull * (steps**2).sum(axis=(1, 2))[:, None, None]
        return variance * np.concatenate([self.profile(s), curve, along * pull], axis=1)

    def input_scales(self, n_inputs: int) -> FloatArray:
        return self.values(n_inputs)[1]

    def in_scaled_inputs(self) -> Self:
        return replace(self, lengthscales=1.0)

    def unit(self) -> tuple[float, Self]:
        return float(self._required()["variance"]), replace(self, variance=1.0)

    def shape_slopes(self, s: FloatArray) -> list[FloatArray]:
        """Return d rho / d log a for each hyperparameter a beyond length-scales and variance."""
        found = []
        shapes = [name for name in self._roles if name not in ("lengthscales", "variance")]
        for name in shapes:
            value = vars(self)[name]
            moved = object.__new__(type(self))
            vars(moved).update(vars(self) | {name: value * (1.0 + 1j * _STEP)})
            found.append(np.imag(moved.profile(s)) / _STEP)
        return found

    def _pull(self, s: FloatArray) -> FloatArray:
        """Return -2 d rho / ds, taken as 0 at distance zero, where it may be infinite."""
        apart = np.maximum(s, np.finfo(float).tiny)
        return np.where(s > 0.0, -2.0 * self.slope(apart), 0.0)

    def _distances(self, X: FloatArray, Z: FloatArray) -> tuple[float, FloatArray]:
        """Return the variance, and squared distances in units of the length-scales, (n, m)."""
        variance, ell = self.values(X.shape[1])
        return variance, scipy.spatial.distance.cdist(X / ell, Z / ell, "sqeuclidean")
