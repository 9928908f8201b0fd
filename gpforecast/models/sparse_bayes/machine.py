"""The basis functions that a relevance vector machine may choose from, and what it has chosen."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.sparse_bayes.weights import Weights, infer, infer_from_products

_MAX_PRECISION = 1e9  # over the targets' variance
_MIN_PRECISION = 1e-14  # likewise
_MIN_NOISE = 1e-10  # times the targets' variance


@dataclass(frozen=True, eq=False)
class Basis:
    """The training set, with a basis function at each of its rows, (2.6), and perhaps a constant.

    Basis function j < n stands at row j; number n, if there is a bias, is 1 everywhere.

    Attributes
    ----------
    X : ndarray (n, d)
        Centred, so that squared distances keep their digits.
    y : ndarray (n,)
    bias : bool
    expected : float
        The square of one more residual, that of a row at which all basis functions are 0: a prior
        on the noise. 0 if there is none.
    """

    X: FloatArray
    y: FloatArray
    bias: bool
    expected: float = 0.0

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def size(self) -> int:
        """The number of basis functions."""
        return self.n + self.bias

    @cached_property
    def power(self) -> float:
        """The scale of all variances: the targets' own, about 0 if there is no bias; not 0."""
        about = self.y.mean() if self.bias else 0.0
        return float(np.mean((self.y - about) ** 2)) or float(np.mean(self.y**2)) or 1.0

    @property
    def max_precision(self) -> float:
        """A weight this tight is zero, and its basis function is pruned."""
        return _MAX_PRECISION / self.power

    @property
    def min_precision(self) -> float:
        """A weight this loose is as good as free."""
        return _MIN_PRECISION / self.power

    @property
    def min_noise(self) -> float:
        """Less noise is beyond double precision."""
        return _MIN_NOISE * self.power

    def functions(
        self, which: IntArray, lengthscales: FloatArray, at: FloatArray | None = None
    ) -> FloatArray:
        """Return basis functions `which` at every row, or at other inputs.

        The result, (n, m), is in Fortran order.
        """
        scaled = self.X / lengthscales
        inputs = scaled if at is None else at / lengthscales
        Phi = np.ones((len(inputs), len(which)), order="F")
        at_row = which < self.n
        k = scipy.spatial.distance.cdist(scaled[which[at_row]], inputs, "sqeuclidean")
        Phi[:, at_row] = np.exp(-0.5 * k, out=k).T
        return Phi


@dataclass(frozen=True, eq=False)
class Machine:
    """The state of training: which basis functions are active, with what precisions and widths.

    Its values at the rows are computed when they are needed, and carried along where a part of the
    basis functions leaves or others enter. Memory is then O(n m + m^2) for m of them.

    Attributes
    ----------
    basis : Basis
    active : ndarray of int (m,)
    alpha : ndarray (m,)
        Prior precisions of their weights, (2.16).
    noise_var : float
    lengthscales : ndarray (d,)
    """

    basis: Basis
    active: IntArray
    alpha: FloatArray
    noise_var: float
    lengthscales: FloatArray

    def __len__(self) -> int:
        return len(self.active)

    @cached_property
    def Phi(self) -> FloatArray:  # noqa: N802 - the papers' letter
        """The active basis functions at the rows, (n, m)."""
        return self.basis.functions(self.active, self.lengthscales)

    @cached_property
    def gram(self) -> FloatArray:
        """Phi' Phi, (m, m)."""
        return np.asarray(self.Phi.T @ self.Phi)

    @cached_property
    def across(self) -> FloatArray:
        """Phi' y, (m,)."""
        return np.asarray(self.Phi.T @ self.basis.y)

    @cached_property
    def weights(self) -> Weights:
        """The posterior of the weights, to all digits there are: O(n m^2 + m^3)."""
        found = infer(self.Phi, self.gram, self.basis.y, self.alpha, self.noise_var)
        return found.with_residual(self.basis.expected)

    def quick_weights(self) -> Weights:
        """Return the posterior of the weights: O(m^3), and O(n m) more where the noise is small."""
        y = self.basis.y
        products = self.gram, self.across, float(y @ y), len(y)
        quick = infer_from_products(*products, self.alpha, self.noise_var)
        return quick.with_residual(self.basis.expected) if quick else self.weights

    def updated(self, alpha: FloatArray, noise_var: float) -> Self:
        """Return it with new precisions and noise, within what can be represented, and pruned."""
        alpha = np.maximum(alpha, self.basis.min_precision)
        keep = alpha < self.basis.max_precision
        if not keep.any():
            keep[int(np.argmin(alpha))] = True  # a machine without basis functions has no posterior
            alpha = np.minimum(alpha, self.basis.max_precision)
        machine = replace(
            self,
            active=self.active[keep],
            alpha=alpha[keep],
            noise_var=max(noise_var, self.basis.min_noise),
        )
        if keep.all():
            return machine._carrying(self.Phi, self.gram, self.across)
        return machine._carrying(
            self.Phi[:, keep], self.gram[np.ix_(keep, keep)], self.across[keep]
        )

    def admitting(self, which: IntArray, Phi: FloatArray, alpha: FloatArray) -> Self:
        """Return it with more basis functions, given at the rows (n, k), of precisions (k,)."""
        side = self.Phi.T @ Phi
        machine = replace(
            self, active=np.append(self.active, which), alpha=np.append(self.alpha, alpha)
        )
        return machine._carrying(
            np.concatenate([self.Phi.T, Phi.T]).T,  # in Fortran order
            np.block([[self.gram, side], [side.T, Phi.T @ Phi]]),
            np.append(self.across, Phi.T @ self.basis.y),
        )

    def _carrying(self, Phi: FloatArray, gram: FloatArray, across: FloatArray) -> Self:
        vars(self).update(Phi=Phi, gram=gram, across=across)
        return self


def first_machine(basis: Basis, lengthscales: FloatArray, noise_var: float) -> Machine:
    """Return the least machine: one basis function, the bias or else the most central one."""
    middle = int(np.argmin((basis.X**2 / lengthscales**2).sum(axis=1)))
    active = np.array([basis.n if basis.bias else middle])
    return Machine(basis, active, np.array([1.0 / basis.power]), noise_var, lengthscales)
