"""What every covariance offers; what a new one must write is little, the rest stands here."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Self

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import finite_array, generator, positive_integer
from gpforecast.covariances.hyperparameters import (
    LENGTHSCALES,
    ROLE,
    VARIANCE,
    Hyperparameter,
    PerInput,
    hyperparameter,
)
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.storage import storable

#: What ``+`` and ``*`` make of covariances: `Sum` and `Product` add themselves.
COMBINATIONS: dict[str, Callable[[tuple["Covariance", ...]], "Covariance"]] = {}

Pullback = Callable[[FloatArray], FloatArray]
_PAIRED = 64  # rows of a block of which only the diagonal is used


@dataclass(frozen=True)
class MatrixSlopes:
    """A matrix K_ij = k(x_i, z_j), and slopes of a function F of it by G = dF / dK, (n, m).

    Attributes
    ----------
    K : ndarray (n, m)
    parameters : callable
        From G to dF / d log theta = sum_ij G_ij dK_ij / d log theta, (p,).
    rows : callable
        From G to dF / dx_i = sum_j G_ij dK_ij / dx_i, (n, d).
    columns : callable
        From G to dF / dz_j = sum_i G_ij dK_ij / dz_j, (m, d).
    """

    K: FloatArray
    parameters: Pullback
    rows: Pullback
    columns: Pullback


class Covariance(ABC):
    """A covariance function k(x, x'): a frozen dataclass; add and multiply with ``+`` and ``*``.

    Hyperparameters are fields declared by `hyperparameters.hyperparameter`. They are positive,
    optimised as logarithms, and ``None`` as long as they are left to the data. Every subclass can
    be saved.

    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        storable(cls)

    @property
    def is_smooth(self) -> bool:
        """Whether it has second derivatives everywhere: `jets`, and Taylor expansions by them."""
        return False

    @property
    def has_expectations(self) -> bool:
        """Whether it is a Gaussian basis function of one input: exact moments at Gaussian inputs.

        Polynomials have them too; see `polynomial_degree`.
        """
        return False

    @abstractmethod
    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        """Return the matrix k(x_i, z_j), (n, m); Z defaults to X."""

    @abstractmethod
    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x_i, x_i), (n,), without forming the matrix."""

    def sample(self, X: ArrayLike, n: int = 1, *, seed: Seed = None) -> FloatArray:
        """Draw functions of a Gaussian process with this covariance and mean 0 at inputs.

        Parameters
        ----------
        X : array-like (q, d)
        n : int
            How many functions.
        seed : int, Generator or None

        Returns
        -------
        ndarray (n, q)
            A function a row. O(q^3) for one eigendecomposition, which needs no jitter.

        Raises
        ------
        TypeError, ValueError
            If X is not an array of finite numbers, or a hyperparameter has no value yet.

        References
        ----------
        Snelson (2007), section 1.4, figs. 1.1 and 1.3.

        Examples
        --------
        >>> import numpy as np
        >>> import gpforecast as gf
        >>> X = np.linspace(0.0, 5.0, 50)[:, None]
        >>> gf.covariances.SquaredExponential(1.0, 2.0).sample(X, 3, seed=0).shape
        (3, 50)
        """
        inputs = finite_array(X, "X", ndim=2)
        z = generator(seed).standard_normal((positive_integer(n, "n"), len(inputs)))
        return np.asarray(z @ square_root(self(inputs)).T)

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return k(x_i, z_i), (n,), in blocks of matrices of 64 rows."""
        blocks = [slice(a, a + _PAIRED) for a in range(0, len(X), _PAIRED)]
        return np.concatenate([self(X[i], Z[i]).diagonal() for i in blocks])

    @abstractmethod
    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        """Return the matrix k(x_i, z_j) and its slopes in hyperparameters and inputs."""

    def cross_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        """Return the same as `with_slopes`, for many rows and few inputs z_j.

        It may be faster, and less exact where two inputs nearly coincide.
        """
        return self.with_slopes(X, Z)

    @abstractmethod
    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        """Return sum_i g_i dk(x_i, x_i) / d log theta, (p,)."""

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        """Return k(x, z_j) at u as a function of x, with slopes and Laplacian along directions.

        Parameters
        ----------
        u : ndarray (b, d)
        directions : ndarray (b, d, r)
            In the units of the inputs.
        Z : ndarray (m, d)

        Returns
        -------
        ndarray (b, r + 2, m)
            The value, the sum of the second derivatives (0 unless `is_smooth`), the r slopes; see
            `numerics.jets`.
        """
        raise TypeError(f"{type(self).__name__} has no slopes along directions")

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        """Return the same of k(x, x) at u: (b, r + 2, 1)."""
        jets = np.zeros((len(u), directions.shape[2] + 2, 1))
        jets[:, 0, 0] = self.diag(u)
        return jets

    def input_scales(self, n_inputs: int) -> FloatArray:
        """Return the distance along each input over which f varies, (d,); inf if it never does."""
        return np.full(n_inputs, np.inf)

    def in_scaled_inputs(self) -> "Covariance | None":
        """Return the same for inputs in units of the length-scales.

        ``None`` for all that are not a function of distance alone.
        """
        return None

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray | None:
        """Draw n sets of frequencies from the spectral density, (n, d, n_features).

        A cosine of such a frequency and of a random phase has the covariance k(x, x') / k(x, x).
        ``None`` where no density can be drawn from; functions are then drawn point by point.
        """
        return None

    def weight_variances(self, n_inputs: int) -> FloatArray | None:
        """Return prior variances of slopes and level, (d + 1,), of a linear function of x alone.

        ``None`` for all others. Linear functions are kept as weights, not as matrices of all rows.
        """
        return None

    @property
    def polynomial_degree(self) -> int | None:
        """The degree of its functions, where all of them are polynomials of the inputs.

        Up to degree 3 there are exact moments at Gaussian inputs.
        """
        return None

    def monomials(self, n_inputs: int) -> tuple[IntArray, FloatArray]:
        """Return exponents (p, d) of monomials and the prior variances of their weights, (p,).

        Only where there is a `polynomial_degree`.
        """
        raise TypeError(f"the functions of {type(self).__name__} are not polynomials")

    def unit(self) -> tuple[float, "Covariance"]:
        """Return c and k_1 with k = c k_1, where a stationary k_1 is 1 on its diagonal."""
        return 1.0, self

    def fill_gram(self, X: FloatArray, added: float, K: FloatArray) -> None:
        """Write k(x_i, x_j) below the diagonal of K, and k(x_i, x_i) + `added` on it."""
        K[:] = self(X)
        K.flat[:: len(K) + 1] += added

    def gram_slopes(self, X: FloatArray, K: FloatArray, U: FloatArray, A: FloatArray) -> FloatArray:
        """Return sum_ij G_ij dK_ij / d log theta, (p,), with G = (U'U - A) / 2.

        Parameters
        ----------
        X : ndarray (n, d)
        K : ndarray (n, n)
            What `fill_gram` wrote; read below the diagonal.
        U : ndarray (k, n)
        A : ndarray (n, n)
            Symmetric; read on the diagonal and below.
        """
        G = U.T @ U
        G -= np.tril(A)
        G -= np.tril(A, -1).T
        return 0.5 * self.with_slopes(X, X).parameters(G)

    # --- hyperparameters ---------------------------------------------------------------------

    def __post_init__(self) -> None:
        for name, role in self._roles.items():
            object.__setattr__(self, name, role.checked(self, name, vars(self)[name]))

    @property
    def log_parameters(self) -> FloatArray:
        """Natural logarithms of the hyperparameters, (p,)."""
        theta: FloatArray = np.log(np.concatenate([[], *map(np.ravel, self._required().values())]))
        return theta

    def with_log_parameters(self, theta: FloatArray) -> Self:
        """Return the same covariance with other hyperparameters."""
        now = self._required()
        blocks = np.split(np.exp(theta), np.cumsum([value.size for value in now.values()])[:-1])
        pairs = zip(now.items(), blocks, strict=False)
        changes = {name: new if old.ndim else float(new[0]) for (name, old), new in pairs}
        return replace(self, **changes)  # type: ignore[type-var]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each entry of `log_parameters`."""
        names: list[str] = []
        for name, role in self._roles.items():
            value = vars(self)[name]
            each = value is not None and np.ndim(value) > 0
            names += [f"{role.label} {d}" for d in range(len(value))] if each else [role.label]
        return tuple(names)

    @property
    def unset(self) -> frozenset[str]:
        """Names of the hyperparameters that are left to the data."""
        return frozenset(name for name in self._roles if vars(self)[name] is None)

    def started(self, scale: FloatArray, y_var: float) -> Self:
        """Return it with every ``None`` replaced by a starting value found from the data.

        Parameters
        ----------
        scale : ndarray (d,)
            Standard deviation of each input.
        y_var : float
            Mean square of the targets.
        """
        unset = {name: self._roles[name].start(scale, y_var) for name in self.unset}
        return replace(self, **unset)  # type: ignore[type-var]

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        """Bounds of `log_parameters` that make sense for data of this spread: (p, 2)."""
        found = [
            role.bounds(scale if value.ndim else role.pooled(scale), y_var)
            for role, value in zip(self._roles.values(), self._required().values(), strict=True)
        ]
        return np.log(np.concatenate(found)) if found else np.zeros((0, 2))

    @property
    def terms(self) -> tuple["Covariance", ...]:
        """The summands; a covariance that is not a sum is its own only one."""
        return (self,)

    def __add__(self, other: "Covariance") -> "Covariance":
        if not isinstance(other, Covariance):
            return NotImplemented
        return COMBINATIONS["+"](self.terms + other.terms)

    def __mul__(self, other: "Covariance") -> "Covariance":
        if not isinstance(other, Covariance):
            return NotImplemented
        return COMBINATIONS["*"]((self, other))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Covariance) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        """Type and values; arrays as tuples, which compare to one truth and can be hashed."""
        values = (vars(self)[f.name] for f in fields(self))  # type: ignore[arg-type]
        return (type(self), *(tuple(v) if np.ndim(v) else v for v in values))

    @property
    def _roles(self) -> dict[str, Hyperparameter]:
        return _declared(type(self))

    def _required(self) -> dict[str, FloatArray]:
        """Return the hyperparameters as arrays, or say which have no value yet."""
        missing = [name for name in self._roles if vars(self)[name] is None]
        if missing:
            raise ValueError(
                f"{type(self).__name__} has no {' and '.join(missing)} yet; give a value, or fit "
                f"it to data with GaussianProcess(covariance=...)."
            )
        return {name: np.asarray(vars(self)[name], np.float64) for name in self._roles}

    def _for_inputs(self, name: str, n_inputs: int) -> FloatArray:
        """Return one value of a hyperparameter for each input, (d,)."""
        value = self._required()[name]
        if value.ndim and len(value) != n_inputs:
            raise ValueError(
                f"{name} has {len(value)} values but the inputs have {n_inputs} columns; "
                f"give one number or one for each column."
            )
        return np.broadcast_to(value, n_inputs)

    def _tied(self, name: str, slopes: FloatArray) -> FloatArray:
        """Return one slope for each input, or their sum where the inputs share one value."""
        return slopes if np.ndim(vars(self)[name]) else slopes.sum(keepdims=True)


@cache
def _declared(covariance: type[Covariance]) -> dict[str, Hyperparameter]:
    """Return what each hyperparameter is, by its field."""
    declared = ((f.name, f.metadata.get(ROLE)) for f in fields(covariance))  # type: ignore[arg-type]
    return {name: role for name, role in declared if role is not None}


@dataclass(frozen=True, eq=False)
class Scaled(Covariance):
    """A covariance with length-scales and a variance."""

    lengthscales: PerInput = hyperparameter(LENGTHSCALES)
    variance: float | None = hyperparameter(VARIANCE)

    def values(self, n_inputs: int) -> tuple[float, FloatArray]:
        """Return the variance and a length-scale for each input, or say which is missing."""
        return float(self._required()["variance"]), self._for_inputs("lengthscales", n_inputs)

    def input_scales(self, n_inputs: int) -> FloatArray:
        return self.values(n_inputs)[1]


def scales_of(covariance: Covariance | None, otherwise: FloatArray) -> FloatArray:
    """Return the scale on which f varies along each input, (d,); `otherwise` where it does not."""
    if covariance is None:
        return otherwise.copy()
    scales = covariance.input_scales(len(otherwise))
    return np.where(np.isinf(scales), otherwise, scales)
