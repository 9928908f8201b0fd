"""Checks of hyperparameters: positive, frozen, one for all inputs or one for each."""

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.covariances.base import Covariance


def freeze(covariance: Covariance, name: str, *, scalar: bool = False) -> None:
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


def required(covariance: Covariance, *names: str) -> tuple[FloatArray, ...]:
    """Return hyperparameters as arrays, or say which have no value yet."""
    values = {name: getattr(covariance, name) for name in names}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueError(
            f"{type(covariance).__name__} has no {' and '.join(missing)} yet; give a value, or fit "
            f"it to data with GaussianProcess(covariance=...)."
        )
    return tuple(np.asarray(value, dtype=np.float64) for value in values.values())


def one_each(
    value: float | Sequence[float] | FloatArray | None,
) -> TypeGuard[Sequence[float] | FloatArray]:
    """Return whether a hyperparameter has a value for each input, not one for all."""
    return value is not None and np.ndim(value) > 0


def for_inputs(values: FloatArray, name: str, n_inputs: int) -> FloatArray:
    """Return one value for each input, or say that there are too many or too few."""
    if values.ndim and len(values) != n_inputs:
        raise ValueError(
            f"{name} has {len(values)} values but the inputs have {n_inputs} columns; "
            f"give one number or one for each column."
        )
    return np.broadcast_to(values, n_inputs)
