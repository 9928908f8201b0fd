"""The parameters of a sparse Gaussian process, checked against one another and the data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array, one_of, positive_integer
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.covariances.weight_space import Parts
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
        ``"given"``, if they are.
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
    covariance : Covariance
        As given, where values may be missing.
    started : Covariance
        The same with values from the spread of the data.
    noise_var : float or None
        As given.
    free_hyperparameters, free_inducing, variable_noise : bool
        What training moves.
    inducing, blocks : Places
    n_inducing, n_blocks : int
        Not more than there are rows, unless the inducing inputs are given.
    n_projected : int
        Dimensions of the projection; 0 without one.
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
    blocks: Places
    n_inducing: int
    n_blocks: int
    n_projected: int
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
    covariance = model.covariance or SquaredExponential()
    started = covariance.started(column_spread(X), float(np.mean(y**2)) or 1.0)
    started.diag(X[:1])  # says so if what was given is for another number of inputs
    inducing = Places.of(model.inducing, "inducing", METHODS, d)
    n_inducing = min(int(model.n_inducing), n) if inducing.given is None else len(inducing.given)
    n_blocks = model.n_blocks or max(1, round(n / n_inducing))
    n_projected, projection = _projection(model.projection, d)
    moved = model.optimise_inducing
    if moved is None:
        searched = model.optimizer is not None and approximation.name in _OPTIMISED
        moved = bool(n_projected) or (searched and inducing.given is None)
    plan = Plan(
        approximation=approximation,
        covariance=covariance,
        started=started,
        noise_var=model.noise_var,
        free_hyperparameters=model.optimizer is not None,
        free_inducing=bool(moved),
        variable_noise=bool(model.variable_noise),
        inducing=inducing,
        blocks=Places.of(model.blocks, "blocks", ("random", "kmeans"), d),
        n_inducing=n_inducing,
        n_blocks=int(n_blocks),
        n_projected=n_projected,
        projection=projection,
        max_iter=int(model.max_iter),
    )
    _check_together(plan, n, Parts.of(started, d))
    return plan


def _check_together(plan: Plan, n_rows: int, parts: Parts) -> None:
    """Refuse what makes no sense together."""
    kernel_of(parts)
    approximation, name = plan.approximation, plan.approximation.name
    projected = plan.n_projected > 0
    _refuse_if(
        name == "local" and bool(parts.prior.any()),
        "approximation='local' takes no linear and constant terms: its blocks know nothing of one "
        "another, so that nothing is linear across them; use 'pic'.",
    )
    _refuse_if(
        plan.variable_noise and name != "fitc",
        f"variable_noise=True needs approximation='fitc', whose covariance it extends; got "
        f"{name!r}.",
    )
    _refuse_if(
        not approximation.induced and plan.inducing.method not in _LEFT_OUT,
        f"inducing must be left at 'kmeans', its default, where there are no inducing inputs, as "
        f"with approximation={name!r}; choose another approximation, such as 'dtc', or leave it "
        f"out.",
    )
    _refuse_if(
        projected and approximation.residual == "blocks",
        f"projection works with approximation 'sr', 'dtc', 'vfe' or 'fitc'; got {name!r}.",
    )
    _refuse_if(
        projected and plan.covariance.in_scaled_inputs() is None,
        f"projection takes one covariance with length-scales, such as SquaredExponential() or "
        f"Matern(), alone: it learns what distance is; got {plan.covariance!r}.",
    )
    _refuse_if(
        projected and not plan.free_inducing,
        "projection learns the inducing inputs with it; leave optimise_inducing as it is.",
    )
    _refuse_if(
        plan.free_inducing and not approximation.induced,
        f"optimise_inducing=True needs inducing inputs, and approximation={name!r} has none; "
        f"choose another approximation, such as 'vfe'.",
    )
    _refuse_if(
        plan.n_blocks > n_rows,
        f"n_blocks={plan.n_blocks} is more than the {n_rows} rows, so that a block would be "
        f"empty; give fewer.",
    )


def _refuse_if(broken: bool, message: str) -> None:
    if broken:
        raise ValueError(message)


def _projection(given: ArrayLike | None, d: int) -> tuple[int, FloatArray | None]:
    """Return the dimensions of a projection, and where it starts."""
    if given is None:
        return 0, None
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
