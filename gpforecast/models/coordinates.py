"""Coordinates in which a search can switch an input on again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray

_NEVER_LINEAR = np.log(80.0)  # below the upper bound; with most covariances, 12 spreads of an input


@dataclass(frozen=True, eq=False)
class Coordinates:
    r"""Coordinates z of the logarithms theta of hyperparameters, each entry on its own.

    .. math::

        u = u(\text{start}) + \text{unit}\, z, \qquad e^{-2 u} = e^{-2 \theta} + e^{-2 \theta_0}

    A length-scale matters through :math:`w = \ell^{-2} = e^{-2 \theta}`. An input that a long step
    has switched off (w = 0, nearly) stays off in the logarithm, whose slope is
    :math:`-2 w\, dL / dw`, though the evidence L may rise with w by much. Beyond theta_0, u is
    linear in w; well below, it is theta.

    Attributes
    ----------
    start : ndarray (p,)
        A theta; there z is 0.
    unit : ndarray (p,)
        About how far each u should go at first.
    far : ndarray (p,)
        theta_0; infinite for an entry whose u is theta.
    """

    start: FloatArray
    unit: FloatArray
    far: FloatArray

    @classmethod
    def logarithms(cls, start: FloatArray, unit: FloatArray) -> Self:
        """Return those with u = theta."""
        return cls(start, unit, np.full(len(start), np.inf))

    @classmethod
    def around(
        cls,
        start: FloatArray,
        slopes: FloatArray,
        unit: FloatArray,
        names: Sequence[str],
        log_bounds: FloatArray,
    ) -> Self:
        """Return those that make the most of the slopes (p,) at the start.

        As far as they tell, a length-scale that grows from theta_0 on costs or gains one nat. Those
        up to an 80th of the upper one of the bounds (p, 2) are beyond no theta_0.
        """
        ell = np.array([name.startswith("lengthscale") for name in names])
        with np.errstate(divide="ignore"):
            one_nat = start + 0.5 * np.log(0.5 * np.abs(slopes))  # e^(-2 theta_0) dL/dw = 1
        far = np.where(ell, np.maximum(one_nat, log_bounds[:, 1] - _NEVER_LINEAR), np.inf)
        # From theta_0 on there is log(2) / 2 of u.
        return cls(start, np.where(start > far, 0.3, np.clip(unit, 0.03, 1.0)), far)

    def theta(self, z: FloatArray) -> FloatArray:
        """Return theta (p,) of z (p,); infinite where u is theta_0 or more."""
        u = self._first + self.unit * z
        with np.errstate(divide="ignore"):
            bend = np.log1p(-np.exp(np.minimum(2.0 * (u - self.far), 0.0)))
        return np.asarray(u - 0.5 * bend)

    def z(self, theta: FloatArray) -> FloatArray:
        """Return z (p,) of theta (p,)."""
        return np.asarray((self._u(theta) - self._first) / self.unit)

    def stretch(self, theta: FloatArray) -> FloatArray:
        """Return d theta / dz (p,) at theta (p,)."""
        return np.asarray(self.unit * (1.0 + np.exp(2.0 * (theta - self.far))))

    @cached_property
    def _first(self) -> FloatArray:
        return self._u(self.start)

    def _u(self, theta: FloatArray) -> FloatArray:
        return np.asarray(-0.5 * np.logaddexp(-2.0 * theta, -2.0 * self.far))
