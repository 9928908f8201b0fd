"""The parameters of a sparse Gaussian process, checked against one another and the data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array, one_of, positive_integer
from gpforecast.covariances import Covariance, SquaredExponential, Stationary
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.conditioning import check_covariance
from gpforecast.models.evidence import column_spread
from gpforecast.models.inducing import METHODS
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.models.sparse.parameters import kernel_of

if TYPE_CHECKING:
    from gpforecast.models.sparse_gaussian_process import SparseGaussianProcess

_OPTIMISED = ("fitc", "vfe")
_LEFT_OUT = ("kmeans", "random")  # the default, and what a subset is chosen by


@dataclass(frozen=True, eq=False)
class Places:
    """Inducing inputs, or centres of blocks: given, or how to choose them.

    Attributes
    ----------
    method : str
    given : ndarray (m, d) or None
    """

    method: str
    given: FloatArray | None = None

    @staticmethod
    def of(value: ArrayLike, name: str, methods: tuple[str, ...], n_inputs: int) -> "Places":
        """Check what was given for a parameter."""
        if isinstance(value, str):
            return Places(one_of(value, name, methods))
        array = finite_array(value, name, ndim=2)
        if array.shape[1] != n_inputs or len(array) == 0:
            raise ValueError(
                f"{name} must have a column for each of the {n_inputs} inputs and at least one "
                f"row; got shape {array.shape}."
            )
        return Places("given", array)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done.

    Attributes
    ----------
    approximation : Approximation
    covariance, started : Covariance
        As given, where values may be missing, and with values from the spread of the data.
    noise_var : float or None
        As given.
    free_hyperparameters, free_inducing : bool
        What training moves.
    variable_noise : bool
        Whether uncertainties of the inducing variables are learned.
    inducing, blocks : Places
    n_inducing, n_blocks : int
        Not more than there are rows, unless the inducing inputs are given.
    n_projected : int or None
        Dimensions of the projection.
    projection : ndarray (g, d) or None
        Its start, if one was given.
    max_iter : int
    """

    approximation: Approximation
    covariance: Covariance
    started: Covariance
    noise_var: float | None
    free_hyperparameters: bool
    free_inducing: bool
    variable_noise: bool
    inducing: Places
    n_inducing: int
    blocks: Places
    n_blocks: int
    n_projected: int | None
    projection: FloatArray | None
    max_iter: int


def plan_of(model: "SparseGaussianProcess", X: FloatArray, y: FloatArray) -> Plan:
    """Check the parameters of a model together, and for these data.

    Raises
    ------
    TypeError, ValueError
        If they make no sense.
    """
    n, d = X.shape
    approximation = APPROXIMATIONS[model.approximation]
    covariance = check_covariance(model.covariance or SquaredExponential())
    started = covariance.started(column_spread(X), float(np.mean(y**2)) or 1.0)
    started.diag(X[:1])  # says so if what was given is for another number of inputs
    parts = Parts.of(started, d)
    kernel_of(parts)
    inducing = Places.of(model.inducing, "inducing", METHODS, d)
    n_projected, projection = _projection(model.projection, d)
    name, moved = approximation.name, model.optimise_inducing
    rules = {
        "approximation='local' takes no linear and constant terms: its blocks know nothing of one "
        "another, so that nothing is linear across them; use 'pic'.": (
            name == "local" and bool(parts.prior.any())
        ),
        f"variable_noise=True needs approximation='fitc', whose covariance it extends; got "
        f"{name!r}.": model.variable_noise and name != "fitc",
        f"inducing must be left at 'kmeans', its default, where there are no inducing inputs, as "
        f"with approximation={name!r}; choose another approximation, such as 'dtc', or leave it "
        f"out.": not approximation.induced and inducing.method not in _LEFT_OUT,
        f"projection works with approximation 'sr', 'dtc', 'vfe' or 'fitc'; got {name!r}.": (
            n_projected is not None and approximation.residual == "blocks"
        ),
        f"projection takes one stationary covariance alone, such as SquaredExponential() or "
        f"Matern(), as it learns what distance is; got {covariance!r}.": (
            n_projected is not None and not isinstance(covariance, Stationary)
        ),
        f"optimise_inducing=True needs inducing inputs, and approximation={name!r} has none; "
        f"choose another approximation, such as 'vfe'.": moved and not approximation.induced,
        "projection learns the inducing inputs with it; leave optimise_inducing as it is.": (
            n_projected is not None and moved is not None and not moved
        ),
    }
    for message, broken in rules.items():
        if broken:
            raise ValueError(message)
    if moved is None:
        searched = model.optimizer is not None and name in _OPTIMISED and inducing.given is None
        moved = n_projected is not None or searched
    n_inducing = min(int(model.n_inducing), n)
    if inducing.given is not None:
        n_inducing = len(inducing.given)
    return Plan(
        approximation=approximation,
        covariance=covariance,
        started=started,
        noise_var=None if model.noise_var is None else float(model.noise_var),
        free_hyperparameters=model.optimizer is not None,
        free_inducing=bool(moved),
        variable_noise=bool(model.variable_noise),
        inducing=inducing,
        n_inducing=n_inducing,
        blocks=Places.of(model.blocks, "blocks", ("random", "kmeans"), d),
        n_blocks=_n_blocks(model.n_blocks, n, n_inducing),
        n_projected=n_projected,
        projection=projection,
        max_iter=int(model.max_iter),
    )


def _n_blocks(given: int | None, n: int, n_inducing: int) -> int:
    if given is None:
        return max(1, round(n / max(1, n_inducing)))
    if given > n:
        raise ValueError(
            f"n_blocks={given} is more than the {n} rows, so that a block would be empty; "
            f"give fewer."
        )
    return int(given)


def _projection(given: ArrayLike | None, d: int) -> tuple[int | None, FloatArray | None]:
    """Return the dimensions of a projection, and where it starts."""
    if given is None:
        return None, None
    if np.ndim(given) == 0:
        g, P = positive_integer(given, "projection"), None
    else:
        P = finite_array(given, "projection", ndim=2)
        g = len(P)
        if P.shape[1] != d:
            raise ValueError(
                f"projection has {P.shape[1]} columns but X has {d}; give one for each input."
            )
    if not 1 <= g <= d:
        raise ValueError(
            f"projection must have between 1 and {d} dimensions, those of the inputs; got {g}."
        )
    return g, P
