"""The squared-exponential covariance: smooth functions, made of Gaussian bumps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from gpforecast.common.types import FloatArray
from gpforecast.covariances.base import Covariance, Pullback
from gpforecast.covariances.hyperparameters import for_inputs, freeze, one_each, required
from gpforecast.storage import storable


@storable
@dataclass(frozen=True, eq=False)
class SquaredExponential(Covariance):
    r"""Smooth functions: :math:`v \exp(-\frac12 \sum_d (x_d - x'_d)^2 / \ell_d^2)`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        One number is shared by all inputs; a sequence gives each input its own; ``None`` gives
        each input its own and starts it from the data. In the units of the inputs.
    variance : float or None
        v, the variance of f away from any data, in squared units of the target.

    References
    ----------
    Quinonero-Candela (2004), eq. (3.1); Snelson (2007), eq. (1.21).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(lengthscales=2.0, variance=3.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3.  , 1.82],
           [1.82, 3.  ]])
    """

    lengthscales: float | Sequence[float] | FloatArray | None = None
    variance: float | None = None

    def __post_init__(self) -> None:
        freeze(self, "lengthscales")
        freeze(self, "variance", scalar=True)

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        scaled = X / ell
        if Z is None:
            K = squareform(pdist(scaled, "sqeuclidean"))
        else:
            K = cdist(scaled, Z / ell, "sqeuclidean")
        K *= -0.5
        np.exp(K, out=K)
        K *= variance
        return K

    def diag(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self.values(X.shape[1])[0])

    def with_gradient(self, X: FloatArray) -> tuple[FloatArray, Pullback]:
        K = self(X)
        ell = self.values(X.shape[1])[1]
        scaled = (X - X.mean(axis=0)) / ell  # centred, so that the difference below stays small

        def pullback(M: FloatArray) -> FloatArray:
            G = M * K
            row_sums = G.sum(axis=1)
            # sum_ij G_ij (x_id - x_jd)^2 = 2 sum_i x_id^2 (G 1)_i - 2 x_d' G x_d
            by_input = 2.0 * ((scaled**2).T @ row_sums - np.einsum("nd,nd->d", scaled, G @ scaled))
            if not one_each(self.lengthscales):
                by_input = by_input.sum(keepdims=True)
            return np.append(by_input, row_sums.sum())

        return K, pullback

    @property
    def log_parameters(self) -> FloatArray:
        theta: FloatArray = np.log(np.append(*required(self, "lengthscales", "variance")))
        return theta

    def with_log_parameters(self, theta: FloatArray) -> "SquaredExponential":
        values = np.exp(theta)
        ell = values[:-1] if one_each(self.lengthscales) else float(values[0])
        return SquaredExponential(ell, float(values[-1]))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        if not one_each(self.lengthscales):
            return ("lengthscale", "variance")
        return (*(f"lengthscale {d}" for d in range(len(self.lengthscales))), "variance")

    def started(self, scale: FloatArray, y_var: float) -> "SquaredExponential":
        ell = self.lengthscales
        if ell is None:
            ell = scale * np.sqrt(len(scale))
        return SquaredExponential(ell, y_var if self.variance is None else self.variance)

    def log_bounds(self, scale: FloatArray, y_var: float) -> FloatArray:
        if not one_each(self.lengthscales):
            scale = np.array([np.exp(np.log(scale).mean())])
        ell = [(1e-2 * c, 1e3 * c) for c in scale]
        bounds: FloatArray = np.log(np.array([*ell, (1e-3 * y_var, 1e3 * y_var)]))
        return bounds

    def values(self, n_inputs: int) -> tuple[float, FloatArray]:
        """Return the variance and a length-scale for each input, or say which is missing."""
        ell, variance = required(self, "lengthscales", "variance")
        return float(variance), for_inputs(ell, "lengthscales", n_inputs)
