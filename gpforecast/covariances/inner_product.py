"""Covariances of inner products of the inputs: neural network and polynomial, by their profiles."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.covariances.base import MatrixSlopes, Scaled
from gpforecast.covariances.hyperparameters import hyperparameter, shape
from gpforecast.numerics import jets


@dataclass(frozen=True, eq=False)
class InnerProduct(Scaled):
    r"""A function of the inner product of two inputs, which may be in units of their lengths.

    .. math::

        k(x, x') = v\, \rho(t), \qquad
        t = (b + x^\top \Lambda^{-1} x')\, n(x)\, n(x'), \qquad
        \Lambda = \operatorname{diag}(\ell_d^2)

    with n = 1, or :math:`n(x) = (1 + b + x^\top \Lambda^{-1} x)^{-1/2}` if `is_normalised`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        One number is shared by all inputs; a sequence gives each input its own; ``None`` gives
        each input its own and starts it from the data. In the units of the inputs.
    variance : float or None
        v, in squared units of the target.
    """

    is_smooth = True
    is_normalised: ClassVar[bool] = False

    @abstractmethod
    def profile(self, t: FloatArray) -> FloatArray:
        """Return rho at inner products t, of any shape."""

    @abstractmethod
    def slope(self, t: FloatArray) -> FloatArray:
        """Return d rho / dt."""

    @abstractmethod
    def curvature(self, t: FloatArray) -> FloatArray:
        """Return d^2 rho / dt^2."""

    @property
    def level(self) -> float:
        """The inner product of two inputs at the origin, b."""
        return 1.0

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        x, z = X / ell, (X if Z is None else Z) / ell
        t = (self.level + x @ z.T) * self._norms(x)[:, None] * self._norms(z)
        return np.asarray(variance * self.profile(t))

    def diag(self, X: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        return np.asarray(variance * self.profile(self._own(X / ell)))

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        x, z = X / ell, Z / ell
        t = (self.level + (x * z).sum(axis=1)) * self._norms(x) * self._norms(z)
        return np.asarray(variance * self.profile(t))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        variance, ell = self.values(X.shape[1])
        x, z = X / ell, Z / ell
        n_x, n_z = self._norms(x), self._norms(z)
        t = (self.level + x @ z.T) * n_x[:, None] * n_z
        K = np.asarray(variance * self.profile(t))
        dk = variance * self.slope(t)

        def in_scaled(G: FloatArray) -> tuple[FloatArray, FloatArray, float]:
            """Return slopes in the scaled inputs, (n, d) and (m, d), and in b."""
            H = G * dk
            rows = n_x[:, None] * (H @ (n_z[:, None] * z))
            columns = n_z[:, None] * (H.T @ (n_x[:, None] * x))
            level = float(n_x @ H @ n_z)
            if self.is_normalised:  # dt / d(1 + b + x'x) = -t n^2 / 2
                H *= t
                by_x, by_z = n_x**2 * H.sum(axis=1), n_z**2 * H.sum(axis=0)
                rows -= by_x[:, None] * x
                columns -= by_z[:, None] * z
                level -= 0.5 * float(by_x.sum() + by_z.sum())
            return rows, columns, level

        def parameters(G: FloatArray) -> FloatArray:
            rows, columns, level = in_scaled(G)
            by_input = -(rows * x).sum(axis=0) - (columns * z).sum(axis=0)
            return self._assembled(by_input, float(np.sum(G * K)), level)

        return MatrixSlopes(
            K, parameters, lambda G: in_scaled(G)[0] / ell, lambda G: in_scaled(G)[1] / ell
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        x = X / ell
        t, norm = self._own(x), self._norms(x)
        h = g * variance * self.slope(t) * norm**4  # as t = 1 - n^2 if normalised; else n = 1
        return self._assembled(-2.0 * (h @ x**2), float(g @ self.diag(X)), float(h.sum()))

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        variance, ell = self.values(u.shape[1])
        x, z = u / ell, Z / ell
        steps = directions / ell[:, None]
        t = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        t[:, 0] = self.level + x @ z.T
        t[:, 2:] = np.swapaxes(steps, 1, 2) @ z.T
        t = jets.times(t, self._norm_jets(x, steps)) * self._norms(z)
        return self._of_inner(variance, t)

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        variance, ell = self.values(u.shape[1])
        x, steps = u / ell, directions / ell[:, None]
        norm = self._norm_jets(x, steps)
        t = jets.times(jets.plus(_squares(x, steps), self.level), jets.times(norm, norm))
        return self._of_inner(variance, t)

    def _of_inner(self, variance: float, t: FloatArray) -> FloatArray:
        """Return the jets of k from those of the inner product, (b, r + 2, m)."""
        at = t[:, 0]
        found = jets.composed(t, self.profile(at), self.slope(at), self.curvature(at))
        return np.asarray(variance * found)

    def _assembled(self, by_input: FloatArray, by_variance: float, by_level: float) -> FloatArray:
        """Return slopes in the order of ``log_parameters``; `by_level` is the slope in b."""
        own = [self.level * by_level] if "bias" in self._roles else []
        return np.concatenate([self._tied("lengthscales", by_input), [by_variance], own])

    def _norms(self, x: FloatArray) -> FloatArray:
        """Return n at scaled inputs, (n,)."""
        if not self.is_normalised:
            return np.ones(len(x))
        return np.asarray(1.0 / np.sqrt(1.0 + self.level + (x**2).sum(axis=1)))

    def _norm_jets(self, x: FloatArray, steps: FloatArray) -> FloatArray:
        """Return the jets of n, (b, r + 2, 1)."""
        if not self.is_normalised:
            return jets.plus(np.zeros((len(x), steps.shape[2] + 2, 1)), 1.0)
        size = jets.plus(_squares(x, steps), 1.0 + self.level)
        at = size[:, 0]
        return jets.composed(size, at**-0.5, -0.5 * at**-1.5, 0.75 * at**-2.5)

    def _own(self, x: FloatArray) -> FloatArray:
        """Return the inner products t of scaled inputs with themselves, (n,)."""
        return np.asarray((self.level + (x**2).sum(axis=1)) * self._norms(x) ** 2)


def _squares(x: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the jets of x'x, (b, r + 2, 1)."""
    found = np.zeros((len(x), steps.shape[2] + 2, 1))
    found[:, 0, 0] = (x**2).sum(axis=1)
    found[:, 1, 0] = 2.0 * (steps**2).sum(axis=(1, 2))
    found[:, 2:, 0] = 2.0 * np.einsum("bdr,bd->br", steps, x)
    return found


@dataclass(frozen=True, eq=False)
class NeuralNetwork(InnerProduct):
    r"""Sums of infinitely many sigmoid functions of the inputs.

    .. math::

        k(x, x') = \frac{2 v}{\pi} \arcsin
            \frac{b + x^\top \Lambda^{-1} x'}
            {\sqrt{(1 + b + x^\top \Lambda^{-1} x)(1 + b + x'^\top \Lambda^{-1} x')}},
        \qquad \Lambda = \operatorname{diag}(\ell_d^2)

    Its functions vary around the origin, where the sigmoids turn, and level off far from it.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        How wide a sigmoid is along each input, in its units. As of `SquaredExponential`.
    variance : float or None
        v, the variance of f far from the origin, in squared units of the target.
    bias : float or None
        b, without units: the larger, the farther from the origin the sigmoids turn.

    References
    ----------
    Williams (1998), "Computation with infinite neural networks", eq. (11), and Rasmussen and
    Williams (2006), eq. (4.29), with :math:`2 \Sigma = \operatorname{diag}(b, \Lambda^{-1})`;
    Lawrence (2011), the MLP covariance.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.NeuralNetwork(lengthscales=1.0, variance=3.0, bias=1.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.559],
           [0.559, 1.881]])
    """

    bias: float | None = hyperparameter(shape("bias"))

    is_normalised = True

    @property
    def level(self) -> float:
        return float(self._required()["bias"])

    def profile(self, t: FloatArray) -> FloatArray:
        return np.asarray(np.arcsin(t) / (np.pi / 2.0))

    def slope(self, t: FloatArray) -> FloatArray:
        return np.asarray(1.0 / np.sqrt((1.0 - t) * (1.0 + t)) / (np.pi / 2.0))

    def curvature(self, t: FloatArray) -> FloatArray:
        return np.asarray(t * ((1.0 - t) * (1.0 + t)) ** -1.5 / (np.pi / 2.0))


@dataclass(frozen=True, eq=False)
class Polynomial(InnerProduct):
    r"""Polynomials of the inputs: :math:`v\, (1 + \sum_d x_d x'_d / \ell_d^2)^g`.

    f is a polynomial of degree g with independent Gaussian coefficients of all monomials up to
    that degree, so that f is known everywhere from few rows. It grows without bounds
    away from the data, and with it its variance: iterated over many steps, a noisy polynomial of
    degree 2 or more can run away.

    Up to degree 3 its moments at Gaussian inputs are exact, cov(f, x) too; see
    `gpforecast.propagation.ExactMoments`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        The distance from the origin at which terms of all degrees count alike, in the units of the
        inputs. One number is shared by all inputs; a sequence gives each input its own; ``None``
        gives each input its own and starts it from the data.
    variance : float or None
        v, the variance of f at the origin, in squared units of the target.
    degree : int
        g, at least 1. It is not learned.

    References
    ----------
    Quinonero-Candela (2004), section 4.2.5 and paper E, footnote 3; Rasmussen and Williams (2006),
    section 4.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.Polynomial(lengthscales=1.0, variance=2.0, degree=3)
    >>> k(np.array([[0.0], [1.0]]))
    array([[ 2.,  2.],
           [ 2., 16.]])
    """

    degree: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_integer(self.degree, "degree")

    @property
    def polynomial_degree(self) -> int:
        return self.degree

    def monomials(self, n_inputs: int) -> tuple[IntArray, FloatArray]:
        variance, ell = self.values(n_inputs)
        chosen = combinations_with_replacement(range(n_inputs + 1), self.degree)
        powers = np.array([[row.count(j) for j in range(n_inputs + 1)] for row in chosen])
        ways = scipy.special.factorial(self.degree) / scipy.special.factorial(powers).prod(axis=1)
        return powers[:, 1:], variance * ways * np.prod(ell ** (-2.0 * powers[:, 1:]), axis=1)

    def profile(self, t: FloatArray) -> FloatArray:
        return np.asarray(t**self.degree)

    def slope(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.degree * t ** (self.degree - 1))

    def curvature(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.degree * (self.degree - 1) * t ** max(self.degree - 2, 0))
