"""What a search climbs: a negative log posterior of one flat vector, with its gradient."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

FAILED = 1e25  # stands for the evidence where the covariance cannot be factored
NOT_FACTORED = (
    "the covariance matrix of the values cannot be factored, whatever the hyperparameters: the "
    "values may hardly differ compared with the largest of them. Check the largest values of the "
    "series; mark as missing (NaN) what is a mistake, or take logarithms."
)


class Objective(ABC):
    """A negative log posterior of theta, mostly logarithms of hyperparameters, within bounds.

    A subclass evaluates it in `_negative`, and in `_value` if the value alone is cheaper. Both may
    raise `numpy.linalg.LinAlgError`, which stands for the value `FAILED`.
    """

    @property
    @abstractmethod
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p, 2); what was given lies within."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""

    def value(self, theta: FloatArray) -> float:
        """Return the negative log posterior of theta."""
        try:
            return self._value(theta)
        except np.linalg.LinAlgError:
            return FAILED

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient."""
        try:
            return self._negative(theta)
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)

    @abstractmethod
    def _negative(self, theta: FloatArray) -> tuple[float, FloatArray]: ...

    def _value(self, theta: FloatArray) -> float:
        return self._negative(theta)[0]


def including(bounds: FloatArray, start: FloatArray) -> FloatArray:
    """Return bounds (p, 2), widened where a start (p,) lies outside."""
    return np.column_stack([np.minimum(bounds[:, 0], start), np.maximum(bounds[:, 1], start)])


def lbfgs(
    negative: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    bounds: FloatArray,
    *,
    maxiter: int = 15_000,
    maxfun: int = 15_000,
    maxcor: int = 10,
    maxls: int = 20,
    on_iteration: Callable[[float], None] = lambda _: None,
) -> "scipy.optimize.OptimizeResult":
    """Return SciPy's result of L-BFGS-B on a function with its gradient, within bounds (p, 2).

    `on_iteration` takes the value after each iteration; StopIteration from it ends the search.
    """

    def callback(intermediate_result: "scipy.optimize.OptimizeResult") -> None:
        on_iteration(float(intermediate_result.fun))

    options: Any = {"maxiter": maxiter, "maxfun": maxfun, "maxcor": maxcor, "maxls": maxls}
    return scipy.optimize.minimize(
        negative,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(*bounds.T),
        callback=callback,
        options=options,
    )
