"""The parameters of a sparse Gaussian process, checked against one another and the data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array, one_of, positive_integer
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import Evidence
from gpforecast.models.inducing import METHODS
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.models.sparse.parameters import kernel_of

if TYPE_CHECKING:
    from gpforecast.models.sparse_gaussian_process import SparseGaussianProcess

_OPTIMISED = ("fitc", "vfe")
_LEFT_OUT = ("kmeans", "random")  # the default, and what a subset is chosen by


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done.

    Attributes
    ----------
    model : SparseGaussianProcess
    full : Evidence
        That of a full GP: the data, their spread, and starting values taken from it.
    approximation : Approximation
    inducing, blocks : ndarray (m, d) or None
        If they are given; else the model says how they are chosen.
    n_inducing, n_blocks : int
        Not more than there are rows, unless the inducing inputs are given.
    n_projected : int
        Dimensions of the projection; 0 without one.
    projection : ndarray (g, d) or None
        Its start, if one was given.
    free_inducing : bool
        Whether training moves the inducing inputs.
    """

    model: "SparseGaussianProcess"
    full: Evidence
    approximation: Approximation
    inducing: FloatArray | None
    blocks: FloatArray | None
    n_inducing: int
    n_blocks: int
    n_projected: int
    projection: FloatArray | None
    free_inducing: bool


def plan_of(model: "SparseGaussianProcess", X: FloatArray, y: FloatArray) -> Plan:
    """Check the parameters of a model together, and for these data.

    Raises
    ------
    TypeError, ValueError
        If they make no sense.
    """
    n, d = X.shape
    inducing = _given(model.inducing, "inducing", METHODS, d)
    n_inducing = min(int(model.n_inducing), n) if inducing is None else len(inducing)
    n_projected, projection = _projection(model.projection, d)
    moved = model.optimise_inducing
    if moved is None:
        searched = model.optimizer is not None and model.approximation in _OPTIMISED
        moved = n_projected > 0 or (searched and inducing is None)
    plan = Plan(
        model=model,
        full=Evidence.started(X, y, model.covariance, model.noise_var),
        approximation=APPROXIMATIONS[model.approximation],
        inducing=inducing,
        blocks=_given(model.blocks, "blocks", ("random", "kmeans"), d),
        n_inducing=n_inducing,
        n_blocks=int(model.n_blocks or max(1, round(n / n_inducing))),
        n_projected=n_projected,
        projection=projection,
        free_inducing=bool(moved),
    )
    _check_together(plan)
    return plan


def _check_together(plan: Plan) -> None:
    """Refuse what makes no sense together."""
    (n_rows, d), covariance = plan.full.X.shape, plan.full.covariance
    parts = Parts.of(covariance, d)
    kernel_of(parts)
    approximation, name = plan.approximation, plan.approximation.name
    projected, chosen = plan.n_projected > 0, plan.inducing is None
    _refuse_if(
        name == "local" and bool(parts.prior.any()),
        "approximation='local' takes no linear and constant terms: its blocks know nothing of one "
        "another, so that nothing is linear across them; use 'pic'.",
    )
    _refuse_if(
        plan.model.variable_noise and name != "fitc",
        f"variable_noise=True needs approximation='fitc', whose covariance it extends; got "
        f"{name!r}.",
    )
    _refuse_if(
        not approximation.induced and not (chosen and plan.model.inducing in _LEFT_OUT),
        f"inducing must be left at 'kmeans', its default, where there are no inducing inputs, as "
        f"with approximation={name!r}; choose another approximation, such as 'dtc', or leave it "
        f"out.",
    )
    _refuse_if(
        projected and approximation.residual == "blocks",
        f"projection works with approximation 'sr', 'dtc', 'vfe' or 'fitc'; got {name!r}.",
    )
    _refuse_if(
        projected and covariance.in_scaled_inputs() is None,
        f"projection takes one covariance with length-scales, such as SquaredExponential() or "
        f"Matern(), alone: it learns what distance is; got {covariance!r}.",
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


def _given(
    value: ArrayLike, name: str, methods: tuple[str, ...], n_inputs: int
) -> FloatArray | None:
    """Return centres (m, d) that were given; None for the name of a method to choose them."""
    if isinstance(value, str):
        one_of(value, name, methods)
        return None
    array = finite_array(value, name, ndim=2)
    if array.shape[1] != n_inputs or len(array) == 0:
        raise ValueError(
            f"{name} must have a column for each of the {n_inputs} inputs and at least one row; "
            f"got shape {array.shape}."
        )
    return array


def _projection(given: ArrayLike | None, d: int) -> tuple[int, FloatArray | None]:
    """Return the dimensions of a projection, and where it starts."""
    if given is None:
        return 0, None
    P = None if np.ndim(given) == 0 else _given(given, "projection", (), d)
    g = positive_integer(given, "projection") if P is None else len(P)
    if not 1 <= g <= d:
        raise ValueError(
            f"projection must have between 1 and {d} dimensions, those of the inputs; got {g}."
        )
    return g, P
