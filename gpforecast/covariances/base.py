"""What every covariance offers; what a new one must write is little, the rest stands here."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.hyperparameters import ROLE, Hyperparameter
from gpforecast.storage import storable

if TYPE_CHECKING:
    from gpforecast.covariances.combinations import Product, Sum

_PAIRED = 64  # rows of a block of which only the diagonal is used

Pullback = Callable[[FloatArray], FloatArray]


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
        """Whether expectations under a Gaussian input have a closed form here: exact moments."""
        return False

    @abstractmethod
    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        """Return the matrix k(x_i, z_j), (n, m); Z defaults to X."""

    @abstractmethod
    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x_i, x_i), (n,), without forming the matrix."""

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return k(x_i, z_i), (n,), in blocks of matrices of 64 rows."""
        blocks = [slice(a, a + _PAIRED) for a in range(0, len(X), _PAIRED)]
        return np.concatenate([self(X[i], Z[i]).diagonal() for i in blocks])

    @abstractmethod
    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        """Return the matrix k(x_i, z_j) and its slopes in hyperparameters and inputs."""

    def cross_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        """Return the same as `with_slopes`, for many rows and few inputs z_j around the origin.

        It may be faster, and less exact where two inputs nearly coincide.
        """
        return self.with_slopes(X, Z)

    def slope_sums(self, Z: FloatArray) -> "SlopeSums":
        """Return sums of slopes at many rows and at inducing inputs Z, (m, d), still empty."""
        return SlopeSums(self, Z)

    @abstractmethod
    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        """Return sum_i g_i dk(x_i, x_i) / d log theta, (p,)."""

    def jets(
        self, u: FloatArray, directions: FloatArray, Z: FloatArray, *, order: int = 2
    ) -> FloatArray:
        """Return k(x, z_j) at u as a function of x, with slopes and Laplacian along directions.

        Parameters
        ----------
        u : ndarray (b, d)
        directions : ndarray (b, d, r)
            In the units of the inputs.
        Z : ndarray (m, d)
        order : {1, 2}
            With 1 there is 0 in the place of the second derivatives.

        Returns
        -------
        ndarray (b, r + 2, m)
            The value, the sum of the second derivatives, the r slopes; see `numerics.jets`.
        """
        raise TypeError(f"{type(self).__name__} has no second derivatives")

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

    def unit(self) -> tuple[float, "Covariance"]:
        """Return c and k_1 with k = c k_1, where a stationary k_1 is 1 on its diagonal."""
        return 1.0, self

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        """Return K and a function that carries M to sum_ij M_ij dK_ij / d log theta.

        M is (n, n) and symmetric.
        """
        matrix = self.with_slopes(X, X)
        return matrix.K, matrix.parameters

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
        pieces = np.split(np.exp(theta), np.cumsum([value.size for value in now.values()])[:-1])
        pairs = zip(now.items(), pieces, strict=False)
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

    def __add__(self, other: "Covariance") -> "Sum":
        if not isinstance(other, Covariance):
            return NotImplemented
        from gpforecast.covariances.combinations import Sum

        return Sum(self.terms + other.terms)

    def __mul__(self, other: "Covariance") -> "Product":
        if not isinstance(other, Covariance):
            return NotImplemented
        from gpforecast.covariances.combinations import Product

        return Product((self, other))

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


class SlopeSums:
    """Slopes of a function F of k(x_n, z_m), k(x_n, x_n) and k(z_m, z_m), added up.

    They are slopes in the covariance's hyperparameters and in the inducing inputs z.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    Z : ndarray (m, d)
        The inducing inputs.
    """

    def __init__(self, covariance: Covariance, Z: FloatArray) -> None:
        self.covariance, self.Z = covariance, Z
        self.parameters = np.zeros(len(covariance.log_parameters))
        self.inputs = np.zeros(Z.shape)

    def add_cross(self, X: FloatArray, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add G = dF / dk(x_n, z_m), (b, m), of the covariance's `cross_slopes` at X, Z.

        G may be overwritten.
        """
        self.parameters += matrix.parameters(G)
        self.inputs += matrix.columns(G)

    def add_rows(self, X: FloatArray, matrix: MatrixSlopes, G: FloatArray) -> None:
        """Add a symmetric G = dF / dk(x_i, x_j), (b, b), of its `with_slopes` at X, X."""
        self.parameters += matrix.parameters(G)

    def add_variances(self, X: FloatArray, g: FloatArray, over: float = 1.0) -> None:
        """Add g / over = dF / dk(x_n, x_n), (b,)."""
        self.parameters += self.covariance.diag_slopes(X, g) / over

    def add_own(self, G: FloatArray, added: FloatArray) -> None:
        """Add a symmetric G = dF / dK, (m, m), for the matrix K of k among the inducing inputs.

        On its diagonal K has (1 + added_i) k(z_i, z_i).
        """
        k, Z, (m, d) = self.covariance, self.Z, self.Z.shape
        g = np.diag(G) * (1.0 + added)
        apart, own = G - np.diag(np.diag(G)), k.with_slopes(Z, Z)
        along = k.diag_jets(Z, np.broadcast_to(np.eye(d), (m, d, d)))[:, 2:, 0]
        self.parameters += own.parameters(apart) + k.diag_slopes(Z, g)
        self.inputs += 2.0 * own.rows(apart) + g[:, None] * along

    def slopes(self, unit: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums of dF / d log theta, (p,), and of dF / d(z_m / unit), (m, d)."""
        return self.parameters, self.inputs * unit


@cache
def _declared(covariance: type[Covariance]) -> dict[str, Hyperparameter]:
    """Return what each hyperparameter is, by its field."""
    declared = ((f.name, f.metadata.get(ROLE)) for f in fields(covariance))  # type: ignore[arg-type]
    return {name: role for name, role in declared if role is not None}


def scales_of(covariance: Covariance | None, otherwise: FloatArray) -> FloatArray:
    """Return the scale on which f varies along each input, (d,); `otherwise` where it does not."""
    if covariance is None:
        return otherwise.copy()
    scales = covariance.input_scales(len(otherwise))
    return np.where(np.isinf(scales), otherwise, scales)
