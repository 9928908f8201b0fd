"""What every covariance offers, and the sum of several."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.storage import storable

Pullback = Callable[[FloatArray], FloatArray]


class Covariance(ABC):
    """What every covariance offers; add two of them with ``+``."""

    @abstractmethod
    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        """Return the matrix k(x_i, z_j), (n, m); Z defaults to X."""

    @abstractmethod
    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x_i, x_i), (n,), without forming the matrix."""

    @abstractmethod
    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        """Return K and a function that carries M to sum_ij M_ij dK_ij / d log theta.

        M is symmetric, (n, n); the result is (p,), in the order of `log_parameters`. No array
        larger than n x n is made, whatever the number of inputs.
        """

    @property
    @abstractmethod
    def log_parameters(self) -> FloatArray:
        """Natural logarithms of the hyperparameters, (p,)."""

    @abstractmethod
    def with_log_parameters(self, theta: FloatArray) -> "Covariance":
        """Return the same covariance with other hyperparameters."""

    @property
    @abstractmethod
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each entry of `log_parameters`."""

    @abstractmethod
    def started(self, scale: FloatArray, y_var: float) -> "Covariance":
        """Return it with every ``None`` replaced by a starting value that suits the data.

        Parameters
        ----------
        scale : ndarray (d,)
            Typical spread of each input.
        y_var : float
            Typical squared size of the targets.
        """

    @abstractmethod
    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        """Bounds of `log_parameters` that make sense for data of this spread: (p, 2)."""

    @property
    def terms(self) -> tuple["Covariance", ...]:
        """The summands; a covariance that is not a sum is its own only one."""
        return (self,)

    def __add__(self, other: "Covariance") -> "Sum":
        if not isinstance(other, Covariance):
            return NotImplemented
        return Sum(self.terms + other.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Covariance) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        """Type and values; arrays as tuples, which compare to one truth and can be hashed."""
        values = (getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]
        return (type(self), *(tuple(v) if isinstance(v, np.ndarray) else v for v in values))


@storable
@dataclass(frozen=True, eq=False)
class Sum(Covariance):
    """A sum of covariances, made with ``+``: the sum of independent functions.

    Parameters
    ----------
    summands : tuple of Covariance

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.covariances.Linear(1.0) + gf.covariances.Constant(2.0)
    Sum(summands=(Linear(variances=1.0), Constant(variance=2.0)))
    """

    summands: tuple[Covariance, ...]

    @property
    def terms(self) -> tuple[Covariance, ...]:
        return self.summands

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K = self.summands[0](X, Z)
        for term in self.summands[1:]:
            K += term(X, Z)
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        total: FloatArray = np.sum([term.diag(X) for term in self.summands], axis=0)
        return total

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        matrices, pullbacks = zip(*(term.with_gradient(X) for term in self.summands), strict=True)
        return np.sum(matrices, axis=0), lambda M: np.concatenate([back(M) for back in pullbacks])

    @property
    def log_parameters(self) -> FloatArray:
        return np.concatenate([term.log_parameters for term in self.summands])

    def with_log_parameters(self, theta: FloatArray) -> "Sum":
        sizes = [len(term.log_parameters) for term in self.summands]
        pieces = np.split(theta, np.cumsum(sizes)[:-1])
        return Sum(
            tuple(t.with_log_parameters(p) for t, p in zip(self.summands, pieces, strict=True))
        )

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(name for term in self.summands for name in term.parameter_names)

    def started(self, scale: FloatArray, y_var: float) -> "Sum":
        return replace(self, summands=tuple(t.started(scale, y_var) for t in self.summands))

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        return np.concatenate([term.log_bounds(scale, y_var) for term in self.summands])
