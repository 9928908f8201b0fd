"""Covariance functions k(x, x'), their sums, and the pull-back of a gradient through them.

A covariance is a frozen value. Its hyperparameters are positive and optimised as logarithms:
``log_parameters`` lists them, ``with_log_parameters`` makes a covariance with others. Values that
are left ``None`` are found from the data by `GaussianProcess`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeGuard

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from gpforecast.typing import FloatArray
from gpforecast.validation import finite_array

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


@dataclass(frozen=True, eq=False)
class SquaredExponential(Covariance):
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
    Quinonero-Candela (2004), eq. (3.1); Snelson (2007), eq. (1.4).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(lengthscales=2.0, variance=3.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3.  , 1.82],
           [1.82, 3.  ]])
    """

    lengthscales: float | Sequence[float] | FloatArray | None = None
    variance: float | None = None

    def __post_init__(self) -> None:
        _freeze(self, "lengthscales")
        _freeze(self, "variance", scalar=True)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        scaled = X / ell
        if Z is None:
            K = squareform(pdist(scaled, "sqeuclidean"))
        else:
            K = cdist(scaled, Z / ell, "sqeuclidean")
        K *= -0.5
        np.exp(K, out=K)
        K *= variance
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self.values(X.shape[1])[0])

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        K = self(X)
        ell = self.values(X.shape[1])[1]
        scaled = (X - X.mean(axis=0)) / ell  # centred, so that the difference below stays small

        def pullback(M: FloatArray) -> FloatArray:
            G = M * K
            row_sums = G.sum(axis=1)
            # sum_ij G_ij (x_id - x_jd)^2 = 2 sum_i x_id^2 (G 1)_i - 2 x_d' G x_d
            by_input = 2.0 * ((scaled**2).T @ row_sums - np.einsum("nd,nd->d", scaled, G @ scaled))
            if not _one_each(self.lengthscales):
                by_input = by_input.sum(keepdims=True)
            return np.append(by_input, row_sums.sum())

        return K, pullback

    @property
    def log_parameters(self) -> FloatArray:
        theta: FloatArray = np.log(np.append(*_required(self, "lengthscales", "variance")))
        return theta

    def with_log_parameters(self, theta: FloatArray) -> "SquaredExponential":
        values = np.exp(theta)
        ell = values[:-1] if _one_each(self.lengthscales) else float(values[0])
        return SquaredExponential(ell, float(values[-1]))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        if not _one_each(self.lengthscales):
            return ("lengthscale", "variance")
        return (*(f"lengthscale {d}" for d in range(len(self.lengthscales))), "variance")

    def started(self, scale: FloatArray, y_var: float) -> "SquaredExponential":
        ell = self.lengthscales
        if ell is None:
            ell = scale * np.sqrt(len(scale))
        return SquaredExponential(ell, y_var if self.variance is None else self.variance)

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        if not _one_each(self.lengthscales):
            scale = np.array([np.exp(np.log(scale).mean())])
        ell = [(1e-2 * c, 1e3 * c) for c in scale]
        bounds: FloatArray = np.log(np.array([*ell, (1e-3 * y_var, 1e3 * y_var)]))
        return bounds

    def values(self, n_inputs: int) -> tuple[float, FloatArray]:
        """Return the variance and a length-scale for each input, or say which is missing."""
        ell, variance = _required(self, "lengthscales", "variance")
        return float(variance), _for_inputs(ell, "lengthscales", n_inputs)


@dataclass(frozen=True, eq=False)
class Linear(Covariance):
    r"""Linear functions through the origin: :math:`\sum_d v_d x_d x'_d`.

    Parameters
    ----------
    variances : float, sequence of float (d,) or None
        Prior variances of the slopes. One number (or ``None``, started from the data) is shared
        by all inputs; a sequence gives each input its own.

    References
    ----------
    Lawrence (2011), the linear covariance; Rasmussen and Williams (2006), section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> gf.covariances.Linear(2.0)(np.array([[1.0], [3.0]]))
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    variances: float | Sequence[float] | FloatArray | None = None

    def __post_init__(self) -> None:
        _freeze(self, "variances")

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K: FloatArray = (X * self._values(X)) @ (X if Z is None else Z).T
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        variances: FloatArray = X**2 @ self._values(X)
        return variances

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        v = self._values(X)

        def pullback(M: FloatArray) -> FloatArray:
            by_input: FloatArray = v * np.einsum("nd,nd->d", X, M @ X)
            return by_input if _one_each(self.variances) else by_input.sum(keepdims=True)

        return self(X), pullback

    @property
    def log_parameters(self) -> FloatArray:
        return np.log(np.atleast_1d(*_required(self, "variances")))

    def with_log_parameters(self, theta: FloatArray) -> "Linear":
        values = np.exp(theta)
        return Linear(values if _one_each(self.variances) else float(values[0]))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        if not _one_each(self.variances):
            return ("slope variance",)
        return tuple(f"slope variance {d}" for d in range(len(self.variances)))

    def started(self, scale: FloatArray, y_var: float) -> "Linear":
        if self.variances is not None:
            return self
        return Linear(float(y_var / np.mean(scale**2) / len(scale)))

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        if not _one_each(self.variances):
            scale = np.array([np.sqrt(np.mean(scale**2))])
        return np.log([(1e-6 * y_var / c**2, 1e3 * y_var / c**2) for c in scale])

    def _values(self, X: FloatArray) -> FloatArray:
        (variances,) = _required(self, "variances")
        return _for_inputs(variances, "variances", X.shape[1])


@dataclass(frozen=True, eq=False)
class Constant(Covariance):
    r"""An unknown level: :math:`v` for every pair of inputs.

    Parameters
    ----------
    variance : float or None
        Prior variance of the level, in squared units of the target.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0) + gf.covariances.Constant(5.0)
    >>> k(np.zeros((1, 2)))
    array([[6.]])
    """

    variance: float | None = None

    def __post_init__(self) -> None:
        _freeze(self, "variance", scalar=True)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        return np.full((len(X), len(X if Z is None else Z)), self._value())

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self._value())

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        return self(X), lambda M: np.array([self._value() * M.sum()])

    @property
    def log_parameters(self) -> FloatArray:
        return np.log([self._value()])

    def with_log_parameters(self, theta: FloatArray) -> "Constant":
        return Constant(float(np.exp(theta[0])))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("level variance",)

    def started(self, scale: FloatArray, y_var: float) -> "Constant":  # noqa: ARG002
        return Constant(y_var) if self.variance is None else self

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:  # noqa: ARG002
        return np.log([(1e-6 * y_var, 1e3 * y_var)])

    def _value(self) -> float:
        (variance,) = _required(self, "variance")
        return float(variance)


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


def _freeze(covariance: Covariance, name: str, *, scalar: bool = False) -> None:
    """Check one hyperparameter and keep it as a float or a read-only array."""
    value = getattr(covariance, name)
    if value is None:
        return
    array = finite_array(value, name)
    if array.ndim > (0 if scalar else 1) or not (array > 0).all():
        wanted = "a positive number" if scalar else "positive: one number or one for each input"
        raise ValueError(f"{name} of {type(covariance).__name__} must be {wanted}; got {value!r}.")
    if array.ndim:
        array = array.copy()
        array.flags.writeable = False
        object.__setattr__(covariance, name, array)
    else:
        object.__setattr__(covariance, name, float(array))


def _required(covariance: Covariance, *names: str) -> tuple[FloatArray, ...]:
    """Return hyperparameters as arrays, or say which have no value yet."""
    values = {name: getattr(covariance, name) for name in names}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueError(
            f"{type(covariance).__name__} has no {' and '.join(missing)} yet; give a value, or fit "
            f"it to data with GaussianProcess(covariance=...)."
        )
    return tuple(np.asarray(value, dtype=np.float64) for value in values.values())


def _one_each(
    value: float | Sequence[float] | FloatArray | None,
) -> TypeGuard[Sequence[float] | FloatArray]:
    """Return whether a hyperparameter has a value for each input, not one for all."""
    return value is not None and np.ndim(value) > 0


def _for_inputs(values: FloatArray, name: str, n_inputs: int) -> FloatArray:
    """Return one value for each input, or say that there are too many or too few."""
    if values.ndim and len(values) != n_inputs:
        raise ValueError(
            f"{name} has {len(values)} values but the inputs have {n_inputs} columns; "
            f"give one number or one for each column."
        )
    return np.broadcast_to(values, n_inputs)
