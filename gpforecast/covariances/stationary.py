"""Stationary covariances: functions of the distance of two inputs, each a profile and its slope.

The squared exponential is made of Gaussian basis functions; the Matern class is rougher, and the
rational quadratic varies on many scales.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import MatrixSlopes, Scaled
from gpforecast.covariances.hyperparameters import hyperparameter, shape
from gpforecast.numerics.compiled.gram import fill_gram, gram_slopes

_STEP = 1e-20  # of a complex step: nothing is subtracted, so no digits are lost


@dataclass(frozen=True, eq=False)
class Stationary(Scaled):
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
            return np.asarray((H @ b - H.sum(axis=1)[:, None] * a) / ell)

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


@dataclass(frozen=True, eq=False)
class SquaredExponential(Stationary):
    r"""Smooth functions: :math:`v \exp(-\frac12 \sum_d (x_d - x'_d)^2 / \ell_d^2)`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        One number is shared by all inputs; a sequence gives each input its own; ``None`` gives
        each input its own and starts it from the data. In the units of the inputs.
    variance : float or None
        v, the variance of f away from any data, in squared units of the target.

    References
    ----------
    Quinonero-Candela (2004), eq. (3.1); Snelson (2007), eq. (1.21).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(lengthscales=2.0, variance=3.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3.  , 1.82],
           [1.82, 3.  ]])
    """

    has_expectations = True

    def profile(self, s: FloatArray) -> FloatArray:
        return np.exp(-0.5 * s)

    def slope(self, s: FloatArray) -> FloatArray:
        return -0.5 * np.exp(-0.5 * s)

    def curvature(self, s: FloatArray) -> FloatArray:
        return 0.25 * np.exp(-0.5 * s)

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray:
        _, ell = self.values(n_inputs)
        return rng.standard_normal((n, n_inputs, n_features)) / ell[:, None]

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        K = self(X, Z)
        return self._with_pull(*self._centred(X, Z), K, K, ())  # -2 dk/ds is k itself

    def cross_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        x, z = self._centred(X, Z)
        K = x @ z.T  # one matrix product: three times as fast as by differences
        K -= 0.5 * (x**2).sum(axis=1)[:, None]
        K -= 0.5 * (z**2).sum(axis=1)
        np.minimum(K, 0.0, out=K)
        np.exp(K, out=K)
        K *= self.values(X.shape[1])[0]
        return self._with_pull(x, z, K, K, ())

    # The compiled forms of the same: half the pairs, no matrix but K.

    def fill_gram(self, X: FloatArray, added: float, K: FloatArray) -> None:
        variance, ell = self.values(X.shape[1])
        fill_gram(np.ascontiguousarray((X / ell).T), variance, variance + added, K)

    def gram_slopes(self, X: FloatArray, K: FloatArray, U: FloatArray, A: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        by_input, pairs = gram_slopes(np.ascontiguousarray((X / ell).T), K, U, A)
        trace = float(np.sum(U * U) - A.diagonal().sum())
        by_lengthscale = self._tied("lengthscales", by_input[: len(ell)])
        return np.append(by_lengthscale, pairs + 0.5 * variance * trace)


_ROUGHNESS = (0.5, 1.5, 2.5)


@dataclass(frozen=True, eq=False)
class Matern(Stationary):
    r"""Rough functions, differentiable as often as nu says.

    With :math:`r = \sqrt{2 \nu s}`, s the squared distance in units of the length-scales:
    :math:`v\, e^{-r}` for nu = 1/2, :math:`v (1 + r) e^{-r}` for 3/2 and
    :math:`v (1 + r + r^2/3) e^{-r}` for 5/2.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
    variance : float or None
        As of `SquaredExponential`.
    nu : {0.5, 1.5, 2.5}
        Smoothness: functions have derivatives up to order nu - 1/2. It is not learned.

    References
    ----------
    Rasmussen and Williams (2006), eqs. (4.14), (4.15) and (4.17).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.Matern(lengthscales=2.0, variance=3.0, nu=1.5)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3.  , 1.45],
           [1.45, 3.  ]])
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in _ROUGHNESS:
            raise ValueError(f"nu must be one of {_ROUGHNESS}; got {self.nu!r}.")

    def profile(self, s: FloatArray) -> FloatArray:
        r = np.sqrt(2.0 * self.nu * s)
        polynomial = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}[self.nu]
        return np.asarray(np.polynomial.polynomial.polyval(r, polynomial) * np.exp(-r), np.float64)

    def slope(self, s: FloatArray) -> FloatArray:
        r = np.sqrt(2.0 * self.nu * s)
        if self.nu == 0.5:
            return -0.5 * np.exp(-r) / r
        return -np.exp(-r) * (1.5 if self.nu == 1.5 else 5.0 / 6.0 * (1.0 + r))

    def curvature(self, s: FloatArray) -> FloatArray:
        if self.nu < 2.0:
            return super().curvature(s)
        return 25.0 / 12.0 * np.exp(-np.sqrt(5.0 * s))

    @property
    def is_smooth(self) -> bool:
        return self.nu > 2.0

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray:
        _, ell = self.values(n_inputs)
        # Student's t with 2 nu degrees of freedom, eq. (4.15): a normal over a root of gamma.
        precision = rng.gamma(self.nu, 1.0 / self.nu, (n, 1, n_features))
        normal = rng.standard_normal((n, n_inputs, n_features))
        return normal / np.sqrt(precision) / ell[:, None]


@dataclass(frozen=True, eq=False)
class RationalQuadratic(Stationary):
    r"""A mixture of squared exponentials: :math:`v\, (1 + s / (2 \alpha))^{-\alpha}`.

    s is the squared distance in units of the length-scales. As alpha grows it becomes the squared
    exponential.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
    variance : float or None
        As of `SquaredExponential`.
    alpha : float or None
        How much one scale prevails.

    References
    ----------
    Rasmussen and Williams (2006), eq. (4.19).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.RationalQuadratic(lengthscales=2.0, variance=3.0, alpha=1.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3., 2.],
           [2., 3.]])
    """

    alpha: float | None = hyperparameter(shape("alpha"))

    def profile(self, s: FloatArray) -> FloatArray:
        return self._power(s, 0)

    def slope(self, s: FloatArray) -> FloatArray:
        return -0.5 * self._power(s, 1)

    def curvature(self, s: FloatArray) -> FloatArray:
        return 0.25 * (1.0 + 1.0 / self._alpha) * self._power(s, 2)

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray:
        _, ell = self.values(n_inputs)
        # A mixture over gamma-distributed precisions, eq. (4.20).
        precision = rng.gamma(self._alpha, 1.0 / self._alpha, (n, 1, n_features))
        normal = rng.standard_normal((n, n_inputs, n_features))
        return normal * np.sqrt(precision) / ell[:, None]

    @property
    def _alpha(self) -> float:
        return self.alpha if self.alpha is not None else float(self._required()["alpha"])

    def _power(self, s: FloatArray, more: int) -> FloatArray:
        a = self._alpha
        return np.asarray((1.0 + 0.5 * s / a) ** (-a - more))
