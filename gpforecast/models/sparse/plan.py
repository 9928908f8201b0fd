"""The parameters of a sparse Gaussian process, checked against one another and the data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array, is_number, one_of, positive_integer
from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.models.base import COVARIANCE
from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.models.sparse.selection import METHODS

_OPTIMISED = ("fitc", "vfe")


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes
    ----------
    approximation : Approximation
    covariance : Covariance
        As given; values may be missing.
    free_hyperparameters, free_inducing : bool
        What training moves.
    n_inducing : int
        Not more than there are rows.
    inducing, blocks : str or ndarray (m, d)
        How to choose them, or they themselves.
    n_blocks : int
    n_projected : int or None
        Dimensions of the projection.
    projection : ndarray (g, d) or None
        Its start, if one was given.
    """

    approximation: Approximation
    covariance: Covariance
    free_hyperparameters: bool
    free_inducing: bool
    n_inducing: int
    inducing: FloatArray | str
    blocks: FloatArray | str
    n_blocks: int
    n_projected: int | None
    projection: FloatArray | None


def plan_of(model: Any, X: FloatArray) -> Plan:
    """Check the parameters of a `SparseGaussianProcess` for inputs X (n, d).

    Raises
    ------
    TypeError, ValueError
        If one of them, or several together, make no sense.
    """
    n, d = X.shape
    approximation = APPROXIMATIONS[
        one_of(model.approximation, "approximation", tuple(APPROXIMATIONS))
    ]
    covariance = SquaredExponential() if model.covariance is None else model.covariance
    _check_covariance(covariance, approximation)
    _check_search(model)
    if model.variable_noise and approximation.name != "fitc":
        raise ValueError(
            f"variable_noise=True needs approximation='fitc', whose covariance it extends; "
            f"got {approximation.name!r}."
        )
    n_inducing = min(positive_integer(model.n_inducing, "n_inducing"), n)
    inducing = _named_or_array(model.inducing, "inducing", METHODS, d)
    given = isinstance(inducing, np.ndarray)
    if given and approximation.induced:
        n_inducing = len(inducing)
    if not approximation.induced and (given or inducing not in ("kmeans", "random")):
        raise ValueError(
            f"inducing must be left at 'kmeans', its default, where there are no inducing inputs, "
            f"as with approximation={approximation.name!r}; choose another approximation, such as "
            f"'dtc', or leave it out."
        )
    n_projected, projection = _projection(model.projection, covariance, approximation, d)
    return Plan(
        approximation=approximation,
        covariance=covariance,
        free_hyperparameters=model.optimizer is not None,
        free_inducing=_moves_inducing(model, approximation, inducing, n_projected),
        n_inducing=n_inducing,
        inducing=inducing if approximation.induced else "random",
        blocks=_named_or_array(model.blocks, "blocks", ("random", "kmeans"), d),
        n_blocks=_n_blocks(model.n_blocks, n, n_inducing),
        n_projected=n_projected,
        projection=projection,
    )


def _check_covariance(covariance: Covariance, approximation: Approximation) -> None:
    COVARIANCE(covariance, "covariance")
    if not any(isinstance(t, SquaredExponential) for t in covariance.terms):
        raise ValueError(
            "a sparse approximation needs a SquaredExponential in its covariance; a model of "
            "linear and constant terms alone is cheap without one: use GaussianProcess."
        )
    linear = any(isinstance(t, (Linear, Constant)) for t in covariance.terms)
    if approximation.name == "local" and linear:
        raise ValueError(
            "approximation='local' takes a SquaredExponential alone: its blocks know nothing "
            "of one another, so that nothing is linear across them; use 'pic'."
        )


def _check_search(model: Any) -> None:
    if model.optimizer not in (None, "L-BFGS-B"):
        raise ValueError(f'optimizer must be "L-BFGS-B" or None; got {model.optimizer!r}.')
    positive_integer(model.max_iter, "max_iter")
    noise_var = model.noise_var
    if noise_var is not None and not (
        is_number(noise_var) and np.isfinite(noise_var) and noise_var > 0
    ):
        raise ValueError(f"noise_var must be a positive number or None; got {noise_var!r}.")
    if not isinstance(model.variable_noise, (bool, np.bool_)):
        raise TypeError(f"variable_noise must be True or False; got {model.variable_noise!r}.")
    moved = model.optimise_inducing
    if moved is not None and not isinstance(moved, (bool, np.bool_)):
        raise TypeError(f"optimise_inducing must be True, False or None; got {moved!r}.")


def _moves_inducing(
    model: Any,
    approximation: Approximation,
    inducing: FloatArray | str,
    n_projected: int | None,
) -> bool:
    moved = model.optimise_inducing
    if moved is None:
        return n_projected is not None or (
            model.optimizer is not None
            and approximation.name in _OPTIMISED
            and isinstance(inducing, str)
        )
    if moved and not approximation.induced:
        raise ValueError(
            f"optimise_inducing=True needs inducing inputs, and "
            f"approximation={approximation.name!r} has none; choose another approximation, such "
            f"as 'vfe'."
        )
    if n_projected is not None and not moved:
        raise ValueError(
            "projection learns the inducing inputs with it; leave optimise_inducing as it is."
        )
    return bool(moved)


def _n_blocks(given: Any, n: int, n_inducing: int) -> int:
    if given is None:
        return max(1, round(n / max(1, n_inducing)))
    n_blocks = positive_integer(given, "n_blocks")
    if n_blocks > n:
        raise ValueError(
            f"n_blocks={n_blocks} is more than the {n} rows, so that a block would be empty; "
            f"give fewer."
        )
    return n_blocks


def _projection(
    given: Any, covariance: Covariance, approximation: Approximation, d: int
) -> tuple[int | None, FloatArray | None]:
    if given is None:
        return None, None
    if approximation.residual == "blocks":
        raise ValueError(
            f"projection works with approximation 'sr', 'dtc', 'vfe' or 'fitc'; got "
            f"{approximation.name!r}."
        )
    if len(covariance.terms) > 1:
        raise ValueError(
            "projection takes a SquaredExponential alone; linear and constant terms live in "
            "the space of all inputs."
        )
    P = None
    if np.ndim(given) == 0:
        g = positive_integer(given, "projection")
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


def _named_or_array(value: Any, name: str, names: tuple[str, ...], d: int) -> FloatArray | str:
    """Return a method's name, or centres (m, d)."""
    if isinstance(value, str):
        return one_of(value, name, names)
    array = finite_array(value, name, ndim=2)
    if array.shape[1] != d or len(array) == 0:
        raise ValueError(
            f"{name} must have a column for each of the {d} inputs and at least one row; got shape "
            f"{array.shape}."
        )
    return array
