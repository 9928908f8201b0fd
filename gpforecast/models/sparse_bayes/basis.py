"""The basis functions that a relevance vector machine may choose from, and what it has chosen."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from gpforecast.common.types import BoolArray, FloatArray, IntArray

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
    """

    X: FloatArray
    y: FloatArray
    bias: bool

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
        k = cdist(scaled[which[at_row]], inputs, "sqeuclidean")
        Phi[:, at_row] = np.exp(-0.5 * k, out=k).T
        return Phi


@dataclass(frozen=True, eq=False)
class Machine:
    """What training moves: the active basis functions, their precisions, the noise, the widths.

    Attributes
    ----------
    active : ndarray of int (m,)
    alpha : ndarray (m,)
        Prior precisions of their weights, (2.16).
    noise_var : float
    lengthscales : ndarray (d,)
    """

    active: IntArray
    alpha: FloatArray
    noise_var: float
    lengthscales: FloatArray

    def with_functions(self, which: IntArray, alpha: FloatArray) -> Self:
        """Return the machine with more basis functions."""
        return replace(
            self, active=np.append(self.active, which), alpha=np.append(self.alpha, alpha)
        )

    def only(self, keep: BoolArray) -> Self:
        """Return the machine with a part of its basis functions."""
        return replace(self, active=self.active[keep], alpha=self.alpha[keep])


def first_machine(basis: Basis, lengthscales: FloatArray, noise_var: float) -> Machine:
    """Return the least machine: one basis function, the bias or else the most central one."""
    middle = int(np.argmin((basis.X**2 / lengthscales**2).sum(axis=1)))
    active = np.array([basis.n if basis.bias else middle])
    return Machine(active, np.array([1.0 / basis.power]), noise_var, lengthscales)
