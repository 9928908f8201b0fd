"""Linear and constant covariances: what a Bayesian linear model is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, Pullback
from gpforecast.covariances.hyperparameters import for_inputs, freeze, one_each, required
from gpforecast.storage import storable


@storable
@dataclass(frozen=True, eq=False)
class Linear(Covariance):
    r"""Linear functions through the origin: :math:`\sum_d v_d x_d x'_d`.

    Parameters
    ----------
    variances : float, sequence of float (d,) or None
        Prior variances of the slopes. One number (or ``None``, started from the data) is shared
        by all inputs; a sequence gives each input its own.

    References
    ----------
    Lawrence (2011), the linear covariance; Rasmussen and Williams (2006), section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> gf.covariances.Linear(2.0)(np.array([[1.0], [3.0]]))
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    variances: float | Sequence[float] | FloatArray | None = None

    def __post_init__(self) -> None:
        freeze(self, "variances")

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        K: FloatArray = (X * self._values(X)) @ (X if Z is None else Z).T
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        variances: FloatArray = X**2 @ self._values(X)
        return variances

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        v = self._values(X)

        def pullback(M: FloatArray) -> FloatArray:
            by_input: FloatArray = v * np.einsum("nd,nd->d", X, M @ X)
            return by_input if one_each(self.variances) else by_input.sum(keepdims=True)

        return self(X), pullback

    @property
    def log_parameters(self) -> FloatArray:
        return np.log(np.atleast_1d(*required(self, "variances")))

    def with_log_parameters(self, theta: FloatArray) -> "Linear":
        values = np.exp(theta)
        return Linear(values if one_each(self.variances) else float(values[0]))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        if not one_each(self.variances):
            return ("slope variance",)
        return tuple(f"slope variance {d}" for d in range(len(self.variances)))

    def started(self, scale: FloatArray, y_var: float) -> "Linear":
        if self.variances is not None:
            return self
        return Linear(float(y_var / np.mean(scale**2) / len(scale)))

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        if not one_each(self.variances):
            scale = np.array([np.sqrt(np.mean(scale**2))])
        return np.log([(1e-6 * y_var / c**2, 1e3 * y_var / c**2) for c in scale])

    def _values(self, X: FloatArray) -> FloatArray:
        (variances,) = required(self, "variances")
        return for_inputs(variances, "variances", X.shape[1])


@storable
@dataclass(frozen=True, eq=False)
class Constant(Covariance):
    r"""An unknown level: :math:`v` for every pair of inputs.

    Parameters
    ----------
    variance : float or None
        Prior variance of the level, in squared units of the target.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0) + gf.covariances.Constant(5.0)
    >>> k(np.zeros((1, 2)))
    array([[6.]])
    """

    variance: float | None = None

    def __post_init__(self) -> None:
        freeze(self, "variance", scalar=True)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        return np.full((len(X), len(X if Z is None else Z)), self._value())

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self._value())

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        return self(X), lambda M: np.array([self._value() * M.sum()])

    @property
    def log_parameters(self) -> FloatArray:
        return np.log([self._value()])

    def with_log_parameters(self, theta: FloatArray) -> "Constant":
        return Constant(float(np.exp(theta[0])))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("level variance",)

    def started(self, scale: FloatArray, y_var: float) -> "Constant":  # noqa: ARG002
        return Constant(y_var) if self.variance is None else self

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:  # noqa: ARG002
        return np.log([(1e-6 * y_var, 1e3 * y_var)])

    def _value(self) -> float:
        (variance,) = required(self, "variance")
        return float(variance)
