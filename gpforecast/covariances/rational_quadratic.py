"""The rational-quadratic covariance: smooth functions that vary on many scales at once."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.hyperparameters import hyperparameter, shape
from gpforecast.covariances.stationary import Stationary


@dataclass(frozen=True, eq=False)
class RationalQuadratic(Stationary):
    r"""A mixture of squared exponentials: :math:`v\, (1 + s / (2 \alpha))^{-\alpha}`.

    s is the squared distance in units of the length-scales. As alpha grows it becomes the squared
    exponential.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
    variance : float or None
        As of `SquaredExponential`.
    alpha : float or None
        How much one scale prevails.

    References
    ----------
    Rasmussen and Williams (2006), eq. (4.19).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.RationalQuadratic(lengthscales=2.0, variance=3.0, alpha=1.0)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3., 2.],
           [2., 3.]])
    """

    alpha: float | None = hyperparameter(shape("alpha"))

    def profile(self, s: FloatArray) -> FloatArray:
        return self._power(s, 0)

    def slope(self, s: FloatArray) -> FloatArray:
        return -0.5 * self._power(s, 1)

    def curvature(self, s: FloatArray) -> FloatArray:
        return 0.25 * (1.0 + 1.0 / self._alpha) * self._power(s, 2)

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray:
        _, ell = self.values(n_inputs)
        # A mixture over gamma-distributed precisions, eq. (4.20).
        precision = rng.gamma(self._alpha, 1.0 / self._alpha, (n, 1, n_features))
        normal = rng.standard_normal((n, n_inputs, n_features))
        return normal * np.sqrt(precision) / ell[:, None]

    @property
    def _alpha(self) -> float:
        return self.alpha if self.alpha is not None else float(self._required()["alpha"])

    def _power(self, s: FloatArray, more: int) -> FloatArray:
        a = self._alpha
        power: FloatArray = (1.0 + 0.5 * s / a) ** (-a - more)
        return power
