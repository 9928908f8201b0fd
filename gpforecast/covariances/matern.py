"""Matern covariances: functions that are rough, once or twice differentiable."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances.stationary import Stationary

_ROUGHNESS = (0.5, 1.5, 2.5)


@dataclass(frozen=True, eq=False)
class Matern(Stationary):
    r"""Rough functions, differentiable as often as nu says.

    With :math:`r = \sqrt{2 \nu s}`, s the squared distance in units of the length-scales:
    :math:`v\, e^{-r}` for nu = 1/2, :math:`v (1 + r) e^{-r}` for 3/2 and
    :math:`v (1 + r + r^2/3) e^{-r}` for 5/2.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
    variance : float or None
        As of `SquaredExponential`.
    nu : {0.5, 1.5, 2.5}
        Smoothness: functions have derivatives up to order nu - 1/2. It is not learned.

    References
    ----------
    Rasmussen and Williams (2006), eqs. (4.14), (4.15) and (4.17).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.Matern(lengthscales=2.0, variance=3.0, nu=1.5)
    >>> k(np.array([[0.0], [2.0]])).round(3)
    array([[3.  , 1.45],
           [1.45, 3.  ]])
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in _ROUGHNESS:
            raise ValueError(f"nu must be one of {_ROUGHNESS}; got {self.nu!r}.")

    def profile(self, s: FloatArray) -> FloatArray:
        r = np.sqrt(2.0 * self.nu * s)
        polynomial = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}[self.nu]
        return np.asarray(np.polynomial.polynomial.polyval(r, polynomial) * np.exp(-r), np.float64)

    def slope(self, s: FloatArray) -> FloatArray:
        r = np.sqrt(2.0 * self.nu * s)
        if self.nu == 0.5:
            return -0.5 * np.exp(-r) / r
        return -np.exp(-r) * (1.5 if self.nu == 1.5 else 5.0 / 6.0 * (1.0 + r))

    def curvature(self, s: FloatArray) -> FloatArray:
        if self.nu < 2.0:
            return super().curvature(s)
        return 25.0 / 12.0 * np.exp(-np.sqrt(5.0 * s))

    @property
    def is_smooth(self) -> bool:
        return self.nu > 2.0

    def frequencies(
        self, rng: np.random.Generator, n: int, n_inputs: int, n_features: int
    ) -> FloatArray:
        _, ell = self.values(n_inputs)
        # Student's t with 2 nu degrees of freedom, eq. (4.15): a normal over a root of gamma.
        precision = rng.gamma(self.nu, 1.0 / self.nu, (n, 1, n_features))
        normal = rng.standard_normal((n, n_inputs, n_features))
        return normal / np.sqrt(precision) / ell[:, None]
