"""Sums and products of covariances."""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, MatrixSlopes, minimum_scales
from gpforecast.numerics import jets


@dataclass(frozen=True, eq=False)
class Combination(Covariance):
    """Several covariances under one roof: their hyperparameters one after the other."""

    @property
    def parts(self) -> tuple[Covariance, ...]:
        """What is combined."""
        raise NotImplementedError

    def _with(self, parts: tuple[Covariance, ...]) -> Self:
        raise NotImplementedError

    @property
    def is_smooth(self) -> bool:
        return all(part.is_smooth for part in self.parts)

    @property
    def log_parameters(self) -> FloatArray:
        return np.concatenate([part.log_parameters for part in self.parts])

    def with_log_parameters(self, theta: FloatArray) -> Self:
        sizes = [len(part.log_parameters) for part in self.parts]
        pieces = np.split(theta, np.cumsum(sizes)[:-1])
        pairs = zip(self.parts, pieces, strict=True)
        return self._with(tuple(part.with_log_parameters(piece) for part, piece in pairs))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(name for part in self.parts for name in part.parameter_names)

    @property
    def unset(self) -> frozenset[str]:
        return frozenset().union(*(part.unset for part in self.parts))

    def input_scales(self, n_inputs: int) -> FloatArray:
        return minimum_scales(self.parts, n_inputs)


@dataclass(frozen=True, eq=False)
class Sum(Combination):
    """A sum of covariances, made with ``+``: the sum of independent functions.

    Parameters
    ----------
    summands : tuple of Covariance

    Examples
    --------
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(1.0, 2.0) + gf.covariances.Constant(3.0)
    >>> k.parameter_names
    ('lengthscale', 'variance', 'level variance')
    """

    summands: tuple[Covariance, ...]

    @property
    def parts(self) -> tuple[Covariance, ...]:
        return self.summands

    @property
    def terms(self) -> tuple[Covariance, ...]:
        return self.summands

    def _with(self, parts: tuple[Covariance, ...]) -> "Sum":
        return Sum(parts)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K = self.summands[0](X, Z)
        for term in self.summands[1:]:
            K += term(X, Z)
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return reduce(np.add, (term.diag(X) for term in self.summands))

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        return reduce(np.add, (term.pairs(X, Z) for term in self.summands))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        parts = [term.with_slopes(X, Z) for term in self.summands]
        return CombinedSlopes(np.sum([part.K for part in parts], axis=0), parts)

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        return np.concatenate([term.diag_slopes(X, g) for term in self.summands])

    def jets(
        self, u: FloatArray, directions: FloatArray, Z: FloatArray, *, order: int = 2
    ) -> FloatArray:
        parts = (term.jets(u, directions, Z, order=order) for term in self.summands)
        return reduce(np.add, parts)

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        return reduce(np.add, (term.diag_jets(u, directions) for term in self.summands))

    def started(self, scale: FloatArray, y_var: float) -> "Sum":
        return replace(self, summands=tuple(t.started(scale, y_var) for t in self.summands))

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        return np.concatenate([term.log_bounds(scale, y_var) for term in self.summands])


@dataclass(frozen=True, eq=False)
class Product(Combination):
    """A product of covariances, made with ``*``.

    The first factor has the units of the target; the variances of the others are started at 1.

    Parameters
    ----------
    factors : tuple of Covariance

    Examples
    --------
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(50.0, 2.0) * gf.covariances.Periodic(1.0, 1.0, 12.0)
    >>> k.parameter_names
    ('lengthscale', 'variance', 'lengthscale', 'variance', 'period')
    """

    factors: tuple[Covariance, ...]

    @property
    def parts(self) -> tuple[Covariance, ...]:
        return self.factors

    def _with(self, parts: tuple[Covariance, ...]) -> "Product":
        return Product(parts)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K = self.factors[0](X, Z)
        for factor in self.factors[1:]:
            K *= factor(X, Z)
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return reduce(np.multiply, (factor.diag(X) for factor in self.factors))

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        return reduce(np.multiply, (factor.pairs(X, Z) for factor in self.factors))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        parts = [factor.with_slopes(X, Z) for factor in self.factors]
        others = _products_of_others([part.K for part in parts])
        return CombinedSlopes(parts[0].K * others[0], parts, others)

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        others = _products_of_others([factor.diag(X) for factor in self.factors])
        pairs = zip(self.factors, others, strict=True)
        return np.concatenate([factor.diag_slopes(X, g * other) for factor, other in pairs])

    def jets(
        self, u: FloatArray, directions: FloatArray, Z: FloatArray, *, order: int = 2
    ) -> FloatArray:
        return reduce(jets.times, (f.jets(u, directions, Z, order=order) for f in self.factors))

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        return reduce(jets.times, (factor.diag_jets(u, directions) for factor in self.factors))

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray | None:
        # A product of covariances has the convolution of their spectra.
        drawn = [f.frequencies(rng, n, n_inputs, n_features) for f in self.factors]
        known = [d for d in drawn if d is not None]
        return reduce(np.add, known) if len(known) == len(drawn) else None

    def started(self, scale: FloatArray, y_var: float) -> "Product":
        first, *others = self.factors
        return Product((first.started(scale, y_var), *(f.started(scale, 1.0) for f in others)))

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        first, *others = self.factors
        bounds = [first.log_bounds(scale, y_var), *(f.log_bounds(scale, 1.0) for f in others)]
        return np.concatenate(bounds)


class CombinedSlopes(MatrixSlopes):
    """The matrix of a sum, or of a product: then with what multiplies each factor."""

    def __init__(
        self, K: FloatArray, parts: list[MatrixSlopes], others: list[FloatArray] | None = None
    ) -> None:
        self.K, self.parts, self.others = K, parts, others

    def parameters(self, G: FloatArray) -> FloatArray:
        """Return sum_ij G_ij dK_ij / d log theta, (p,)."""
        return np.concatenate([part.parameters(H) for part, H in self._pulled(G)])

    def rows(self, G: FloatArray) -> FloatArray:
        """Return sum_j G_ij dK_ij / dx_i, (n, d)."""
        return reduce(np.add, (part.rows(H) for part, H in self._pulled(G)))

    def columns(self, G: FloatArray) -> FloatArray:
        """Return sum_i G_ij dK_ij / dz_j, (m, d)."""
        return reduce(np.add, (part.columns(H) for part, H in self._pulled(G)))

    def _pulled(self, G: FloatArray) -> list[tuple[MatrixSlopes, FloatArray]]:
        if self.others is None:
            return [(part, G) for part in self.parts]
        return [(part, G * other) for part, other in zip(self.parts, self.others, strict=True)]


def _products_of_others(arrays: list[FloatArray]) -> list[FloatArray]:
    """Return for each array the product of all others, without division."""
    n = len(arrays)
    return [reduce(np.multiply, arrays[:i] + arrays[i + 1 :]) for i in range(n)]
