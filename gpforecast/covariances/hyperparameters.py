"""Hyperparameters: what each kind is called, where its search starts, and between which bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array

ROLE = "hyperparameter"  # in the metadata of a dataclass field
PerInput: TypeAlias = float | Sequence[float] | FloatArray | None


@dataclass(frozen=True)
class Hyperparameter:
    """A kind of hyperparameter.

    Attributes
    ----------
    label : str
        Its name in messages and reports.
    per_input : bool
        Whether it may have a value for each input.
    start : callable
        From the spread of the inputs (d,) and the mean square of the targets to a first value.
    unit : callable
        From the same to what its values are measured by, for each given spread.
    limits : tuple of float
        Lower and upper bound, in that unit.
    pooled : callable
        From the spreads of all inputs to the one that a shared value is measured by.
    """

    label: str
    per_input: bool
    start: Callable[[FloatArray, float], float | FloatArray]
    unit: Callable[[FloatArray, float], float | FloatArray]
    limits: tuple[float, float]
    pooled: Callable[[FloatArray], FloatArray] = lambda scale: np.exp(
        np.log(scale).mean(keepdims=True)
    )

    def bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        """Return bounds of the value, (k, 2); (1, 2) if it does not depend on the inputs."""
        return np.outer(self.unit(scale, y_var), self.limits)

    def checked(self, owner: object, name: str, value: PerInput) -> float | FloatArray | None:
        """Return a given value as a float or a read-only array, or say what is wrong with it."""
        if value is None:
            return None
        array = finite_array(value, name)
        if array.ndim > int(self.per_input) or not (array > 0).all():
            expected = (
                "positive: one number or one for each input"
                if self.per_input
                else "a positive number"
            )
            raise ValueError(f"{name} of {type(owner).__name__} must be {expected}; got {value!r}.")
        if not array.ndim:
            return float(array)
        array = array.copy()
        array.flags.writeable = False
        return array


def hyperparameter(kind: Hyperparameter) -> Any:
    """Declare a dataclass field as a hyperparameter of a kind, left to the data by default."""
    return field(default=None, metadata={ROLE: kind})


def shape(label: str, *, per_input: bool = False) -> Hyperparameter:
    """Return the kind of a number without units, such as an exponent, which starts at 1."""
    return Hyperparameter(label, per_input, lambda *_: 1.0, lambda s, _y: s**0, (1e-2, 1e2))


LENGTHSCALES = Hyperparameter(  # in the units of the inputs
    "lengthscale", True, lambda s, _y: s * np.sqrt(len(s)), lambda s, _y: s, (1e-2, 1e3)
)
VARIANCE = Hyperparameter(  # of f, in squared units of the target
    "variance", False, lambda _s, y: y, lambda _s, y: y, (1e-3, 1e3)
)
LEVEL_VARIANCE = Hyperparameter(  # the prior variance of a level, in the same
    "level variance", False, lambda _s, y: y, lambda _s, y: y, (1e-6, 1e3)
)
SLOPE_VARIANCES = Hyperparameter(  # in squared units of the target over those of the inputs
    "slope variance",
    True,
    lambda s, y: float(y / np.mean(s**2) / len(s)),
    lambda s, y: y / s**2,
    (1e-6, 1e3),
    lambda s: np.sqrt(np.mean(s**2, keepdims=True)),
)
INCREMENT_VARIANCES = Hyperparameter(  # in squared units of the target over units of the inputs
    "increment variance",
    True,
    lambda s, y: float(y / np.mean(s) / len(s)),
    lambda s, y: y / s,
    (1e-6, 1e3),
)
PERIOD = Hyperparameter(  # the length of a cycle, in the units of the inputs
    "period", False, lambda s, _y: float(np.exp(np.log(s).mean())), lambda s, _y: s, (0.1, 10.0)
)
