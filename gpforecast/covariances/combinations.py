"""Sums and products of covariances, and a sum taken apart."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances.base import COMBINATIONS, Covariance, MatrixSlopes
from gpforecast.numerics import jets


@dataclass(frozen=True, eq=False)
class Combination(Covariance):
    """Several covariances combined entry by entry; their hyperparameters one after the other."""

    _operation: ClassVar[np.ufunc]

    @staticmethod
    @abstractmethod
    def _on_jets(f: FloatArray, g: FloatArray) -> FloatArray:
        """Return the jets of two functions combined."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Covariance, ...]:
        """What is combined."""

    @abstractmethod
    def _units(self, y_var: float) -> Iterable[float]:
        """Return the mean square that each part is started for."""

    @abstractmethod
    def _shared(self, g: FloatArray, values: Sequence[FloatArray]) -> list[FloatArray]:
        """Return slopes in the values of each part, from slopes g in the values combined."""

    def with_parts(self, parts: Iterable[Covariance]) -> Self:
        """Return the same combination of other covariances."""
        return type(self)(tuple(parts))  # type: ignore[call-arg]

    @property
    def is_smooth(self) -> bool:
        return all(part.is_smooth for part in self.parts)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        return self._combined(part(X, Z) for part in self.parts)

    def diag(self, X: FloatArray) -> FloatArray:
        return self._combined(part.diag(X) for part in self.parts)

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        return self._combined(part.pairs(X, Z) for part in self.parts)

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        parts = [part.with_slopes(X, Z) for part in self.parts]
        matrices = [part.K for part in parts]

        def shared(G: FloatArray) -> Iterable[tuple[MatrixSlopes, FloatArray]]:
            return zip(parts, self._shared(G, matrices), strict=True)

        return MatrixSlopes(
            self._combined(matrices),
            lambda G: np.concatenate([part.parameters(H) for part, H in shared(G)]),
            rows=lambda G: reduce(np.add, (part.rows(H) for part, H in shared(G))),
            columns=lambda G: reduce(np.add, (part.columns(H) for part, H in shared(G))),
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        shared = self._shared(g, [part.diag(X) for part in self.parts])
        pairs = zip(self.parts, shared, strict=True)
        return np.concatenate([part.diag_slopes(X, h) for part, h in pairs])

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        return reduce(self._on_jets, (p.jets(u, directions, Z) for p in self.parts))

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        return reduce(self._on_jets, (p.diag_jets(u, directions) for p in self.parts))

    def input_scales(self, n_inputs: int) -> FloatArray:
        return reduce(np.minimum, (part.input_scales(n_inputs) for part in self.parts))

    @property
    def log_parameters(self) -> FloatArray:
        return np.concatenate([part.log_parameters for part in self.parts])

    def with_log_parameters(self, theta: FloatArray) -> Self:
        sizes = [len(part.log_parameters) for part in self.parts]
        blocks = np.split(theta, np.cumsum(sizes)[:-1])
        pairs = zip(self.parts, blocks, strict=True)
        return self.with_parts(part.with_log_parameters(block) for part, block in pairs)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(name for part in self.parts for name in part.parameter_names)

    @property
    def unset(self) -> frozenset[str]:
        return frozenset().union(*(part.unset for part in self.parts))

    def started(self, scale: FloatArray, y_var: float) -> Self:
        pairs = zip(self.parts, self._units(y_var), strict=True)
        return self.with_parts(part.started(scale, unit) for part, unit in pairs)

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        pairs = zip(self.parts, self._units(y_var), strict=True)
        return np.concatenate([part.log_bounds(scale, unit) for part, unit in pairs])

    def _combined(self, arrays: Iterable[FloatArray]) -> FloatArray:
        return reduce(self._operation, arrays)


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

    _operation = np.add
    _on_jets = staticmethod(np.add)  # type: ignore[assignment]

    @property
    def parts(self) -> tuple[Covariance, ...]:
        return self.summands

    @property
    def terms(self) -> tuple[Covariance, ...]:
        return self.summands

    @property
    def polynomial_degree(self) -> int | None:
        degrees = [part.polynomial_degree for part in self.parts]
        known = [degree for degree in degrees if degree is not None]
        return max(known) if len(known) == len(degrees) else None

    def monomials(self, n_inputs: int) -> tuple[IntArray, FloatArray]:
        each = [part.monomials(n_inputs) for part in self.parts]
        return _merged(np.concatenate([p for p, _ in each]), np.concatenate([v for _, v in each]))

    def _units(self, y_var: float) -> list[float]:
        return [y_var] * len(self.parts)

    def _shared(self, g: FloatArray, values: Sequence[FloatArray]) -> list[FloatArray]:
        return [g] * len(values)


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

    _operation = np.multiply
    _on_jets = staticmethod(jets.times)

    @property
    def parts(self) -> tuple[Covariance, ...]:
        return self.factors

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray | None:
        # A product of covariances has the convolution of their spectra.
        drawn = [part.frequencies(rng, n, n_inputs, n_features) for part in self.parts]
        known = [d for d in drawn if d is not None]
        return reduce(np.add, known) if len(known) == len(drawn) else None

    def _units(self, y_var: float) -> list[float]:
        return [y_var] + [1.0] * (len(self.parts) - 1)

    def _shared(self, g: FloatArray, values: Sequence[FloatArray]) -> list[FloatArray]:
        # Without division, which would lose what a factor of zero hides.
        others = ([*values[:i], *values[i + 1 :]] for i in range(len(values)))
        return [reduce(np.multiply, rest, g) for rest in others]


COMBINATIONS.update({"+": Sum, "*": Product})


def _merged(powers: IntArray, variances: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return every monomial once, with the sum of its variances; those of variance 0 are left out.

    A product of covariances of monomials, x^a x'^a x^b x'^b, is that of one monomial again.
    """
    powers, which = np.unique(powers[variances > 0.0], axis=0, return_inverse=True)
    total = np.zeros(len(powers))
    np.add.at(total, which.ravel(), variances[variances > 0.0])
    return powers, total


@dataclass(frozen=True, eq=False)
class Parts:
    """A covariance as kernel + linear functions of prior variances `prior`.

    Linear functions are kept as weights, all else as a matrix.

    Attributes
    ----------
    kernel : Covariance or None
        All summands that are no linear functions of the inputs.
    prior : ndarray (d + 1,)
        Prior variances of the slopes and of the level; zeros without such terms.
    """

    whole: Covariance
    kernel: Covariance | None
    prior: FloatArray

    @staticmethod
    def of(covariance: Covariance, n_inputs: int) -> "Parts":
        """Take a covariance of d inputs apart."""
        linear = [term.weight_variances(n_inputs) for term in covariance.terms]
        pairs = zip(covariance.terms, linear, strict=True)
        rest = tuple(term for term, v in pairs if v is None)
        kernel = Sum(rest) if len(rest) > 1 else next(iter(rest), None)
        prior = sum((v for v in linear if v is not None), np.zeros(n_inputs + 1))
        return Parts(covariance, kernel, prior)

    def gram_slopes(
        self, X: FloatArray, K: FloatArray, U: FloatArray, A: FloatArray, by_prior: FloatArray
    ) -> FloatArray:
        """Return slopes as `assembled` does, those of the kernel as its own `gram_slopes` does."""
        kernel = self.kernel
        by_kernel = np.zeros(0) if kernel is None else kernel.gram_slopes(X, K, U, A)
        return self.assembled(by_kernel, by_prior)

    def assembled(self, by_kernel: FloatArray, by_prior: FloatArray) -> FloatArray:
        """Return slopes in the order of ``log_parameters``, (p,).

        Parameters
        ----------
        by_kernel : ndarray (k,)
            In the logarithms of the kernel's parameters.
        by_prior : ndarray (d + 1,)
            In the logarithms of `prior`.
        """
        n_inputs = len(self.prior) - 1
        share = by_prior / np.where(self.prior > 0.0, self.prior, 1.0)
        slopes: list[float] = []
        left = by_kernel.tolist()
        for term in self.whole.terms:
            own = term.weight_variances(n_inputs)
            size = len(term.log_parameters)
            if own is None:
                slopes += left[:size]
                del left[:size]
                continue
            each = (own * share)[own > 0.0]
            slopes += [float(each.sum())] if size == 1 else each.tolist()
        return np.array(slopes)
