"""What a trained model answers: predictions at known inputs, moments at Gaussian ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

Draw = Callable[[FloatArray], FloatArray]  # functions at their own inputs, (n, b, d) to (n, b)

_ROUNDING = 1e-9  # a variance this little below its floor is not counted as clipped


@dataclass(frozen=True)
class Batch:
    """Arrays with a row for each input, one field each, and how many variances were clipped."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all parts, one part after the other."""
        columns = {f.name: [vars(part)[f.name] for part in parts] for f in fields(cls)}
        n_clipped = sum(columns.pop("n_clipped"))
        joined = {n: np.concatenate(c) for n, c in columns.items()}
        return cls(**joined | {"n_clipped": n_clipped})

    def rows(self, which: IntArray) -> Self:
        """Return some of the rows, or all of them in another order."""
        arrays = {n: v[which] for n, v in vars(self).items() if n != "n_clipped"}
        return replace(self, **arrays)


_B = TypeVar("_B", bound=Batch)


def in_blocks(f: Callable[..., _B], step: int, *arrays: FloatArray | IntArray) -> _B:
    """Return what f makes of arrays with a row for each input, so many rows at a time."""
    n = len(arrays[0])
    if n <= step:
        return f(*arrays)
    parts = [f(*(array[a : a + step] for array in arrays)) for a in range(0, n, step)]
    return parts[0].joined(parts)


@dataclass(frozen=True)
class Prediction(Batch):
    """Mean and latent variance of f at known inputs.

    Attributes
    ----------
    mean : ndarray (n,)
    var : ndarray (n,)
        Of f, without observation noise.
    n_clipped : int
        How many variances came out negative and were set to zero.
    """

    mean: FloatArray
    var: FloatArray
    n_clipped: int = 0

    @classmethod
    def clipped(cls, mean: FloatArray, var: FloatArray) -> Self:
        """Return a prediction with negative variances set to zero, and counted."""
        return cls(mean, np.maximum(var, 0.0), int((var < 0.0).sum()))


@dataclass(frozen=True)
class Moments(Batch):
    r"""Moments of f at Gaussian inputs, one row an input.

    Attributes
    ----------
    mean : ndarray (b,)
    var : ndarray (b,)
        Latent: of f, without observation noise.
    gradient : ndarray (b, d)
        E[d mean(x) / dx]. By Stein's lemma cov(f, z) = gradient' cov(x, z) for every z that is
        jointly Gaussian with x; with z = x it is the papers' cov(y, x).
    n_clipped : int
        How many variances came out below their floor, by more than rounding, and were set to it:
        g'Sg for exact moments, and the same with :math:`E[\sigma^2] = 0` for Taylor.
    """

    mean: FloatArray
    var: FloatArray
    gradient: FloatArray
    n_clipped: int = 0

    @classmethod
    def linearised(
        cls, mean: FloatArray, expected_var: FloatArray, gradient: FloatArray, S: FloatArray
    ) -> Self:
        """Return moments of a linearised mean: variance E[sigma^2] + g'Sg.

        A negative `expected_var` is set to zero and counted.
        """
        linear = np.einsum("bd,bde,be->b", gradient, S, gradient)
        var = np.maximum(expected_var, 0.0) + linear
        return cls(mean, var, gradient, int((expected_var < 0.0).sum()))

    @classmethod
    def above(
        cls, floor: FloatArray, mean: FloatArray, var: FloatArray, gradient: FloatArray
    ) -> Self:
        """Return moments whose variance is held above a floor (b,), g'Sg.

        The recursion needs that bound to keep the joint covariance semi-definite. A variance that
        is below it by more than rounding is counted.
        """
        n_clipped = int(np.count_nonzero(var < floor * (1.0 - _ROUNDING)))
        return cls(mean, np.maximum(var, floor), gradient, n_clipped)


@runtime_checkable
class Predictive(Protocol):
    """What a propagation method needs of a trained model: f at known inputs, and its slope there.

    It may offer more, and names it in ``supports``, a set of: ``"exact"`` for ``moments(u, S)``,
    ``"taylor"`` for ``taylor_moments(u, S)``, ``"function"`` for ``draw(n, rng, n_features=)``, and
    ``"straight"`` where the gradient is the same everywhere.
    """

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""

    @property
    def noise_var(self) -> float:
        """Variance of an observation around f, squared units of the target."""

    @property
    def lengthscales(self) -> FloatArray:
        """The scale on which f varies along each input, in its units: (d,)."""

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""


class ClosedForms(Predictive, Protocol):
    """A predictive with everything that it may offer; `offered` checks that it does."""

    def moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the exact moments at inputs u (b, d), S (b, d, d)."""

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments from the mean to first, the variance to second order around u."""

    def draw(self, n: int, rng: np.random.Generator, *, n_features: int) -> Draw:
        """Draw n functions."""


class HasCovariance(Predictive, Protocol):
    r"""A predictive that knows the covariance of f at two inputs, and names ``"joint"``.

    It is :math:`c(x, x') = c\, k(x, x') + \sum_r s_r \phi_r(x) \phi_r(x')`.
    """

    @property
    def prior_var(self) -> float:
        """The factor of k; 0 where there is no such part."""

    @property
    def signs(self) -> FloatArray:
        """The sign s of each factor: (r,)."""

    def factors(self, X: FloatArray) -> FloatArray:
        """Return phi at inputs X (n, d): (n, r)."""

    def prior_pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return c k(x_i, z_i), (n,)."""


_REFUSALS = {
    "exact": "propagation='exact' has no closed form for",
    "taylor": "propagation='taylor' needs second derivatives of the variance, unknown for",
    "function": "MonteCarlo(kind='function') cannot draw whole functions from",
}


def supported(predictive: Predictive) -> frozenset[str]:
    """Return what a predictive offers more than moments at known inputs: names as in `offered`."""
    found: frozenset[str] = getattr(predictive, "supports", frozenset())
    return found


def offered(predictive: Predictive, what: str) -> ClosedForms:
    """Return a predictive that supports ``"exact"``, ``"taylor"`` or ``"function"``.

    Raises
    ------
    TypeError
        If it does not; it names the propagation methods that work.
    """
    supports = supported(predictive)
    if what in supports:
        return cast(ClosedForms, predictive)
    owner = getattr(predictive, "model", type(predictive).__name__)
    works = [repr(name) for name in ("exact", "taylor") if name in supports]
    listed = ", ".join([*works, "'cubature'", "'monte_carlo'"])
    step = "MonteCarlo(kind='step') or " if what == "function" else ""
    raise TypeError(f"{_REFUSALS[what]} {owner}; use {step}propagation={listed} or 'naive'.")


class ReadOnly:
    """What a frozen dataclass derives from whose arrays are not to be written to either."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                view = value.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)
