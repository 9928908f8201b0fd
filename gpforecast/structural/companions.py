"""Forecasts of structural models mixed with those of a one-step model."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.warped import distribution_of
from gpforecast.storage import storable
from gpforecast.structural.model import StructuralPosterior
from gpforecast.transforms import Log


@storable
@dataclass(frozen=True, eq=False)
class Companion:
    """A structural model of a series or of its logarithm.

    Attributes
    ----------
    posterior : StructuralPosterior
    warp : Log or None
    spread : float
        A factor of standard deviations: a series may change in ways that its past does not show.
    """

    posterior: StructuralPosterior
    warp: Log | None = None
    spread: float = 1.0

    def joint(self, y: FloatArray, ends: IntArray, horizon: int) -> Distribution:
        """Forecast from some origins, given the values before each.

        Parameters
        ----------
        y : ndarray (n,)
            NaN where missing. What has no logarithm counts as missing, if that is modelled.
        ends : ndarray (b,)
            Positions of the first values that are forecast.
        horizon : int
        """
        z = y if self.warp is None else np.log(np.where(y > 0.0, y, np.nan))
        ahead = self.posterior.ahead(z, ends, horizon)
        return distribution_of(
            ahead.scaled(self.spread, ahead.mean * (1.0 - self.spread)), self.warp
        )

    def __str__(self) -> str:
        """Say in words what it is."""
        period = self.posterior.period
        season = "" if period is None else f" and a season of {period}"
        return f"level and slope{season}" + ("" if self.warp is None else " of the logarithm")


@storable
@dataclass(frozen=True, eq=False)
class Companions:
    """Companions of a one-step model, and how much each counts.

    Attributes
    ----------
    companions : tuple of Companion
    weights : ndarray (k + 1,)
        Probabilities; the first is the one-step model's own.
    """

    companions: tuple[Companion, ...]
    weights: FloatArray

    def joint(self, own: Distribution, y: FloatArray, ends: IntArray, horizon: int) -> Distribution:
        """Return the mixture of the one-step model's forecasts and the companions'.

        Parameters
        ----------
        own : Distribution
            From the same origins.
        y, ends, horizon
            As for `Companion.joint`.
        """
        others = (companion.joint(y, ends, horizon) for companion in self.companions)
        return Mixture(self.weights, (own, *others))
