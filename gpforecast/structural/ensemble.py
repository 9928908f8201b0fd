"""Forecasts of structural models mixed with those of a one-step model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.results.warped import Warped, distribution_of
from gpforecast.storage import storable
from gpforecast.structural.model import StructuralPosterior
from gpforecast.structural.parts import StructuralParts, structural_parts
from gpforecast.transforms import Log
from gpforecast.transforms.base import Warp


@storable
@dataclass(frozen=True, eq=False)
class Member:
    """A structural model of a series or of its logarithm.

    Attributes
    ----------
    posterior : StructuralPosterior
    warp : Log or None
    """

    posterior: StructuralPosterior
    warp: Log | None = None

    def ahead(self, y: FloatArray, ends: IntArray, horizon: int) -> Propagated:
        """Forecast from some origins, in the units of the warp, given the values before each.

        Parameters
        ----------
        y : ndarray (n,)
            NaN where missing. What has no logarithm counts as missing, if that is modelled.
        ends : ndarray (b,)
            Positions of the first values that are forecast.
        horizon : int
        """
        return self.posterior.ahead(self._warped(y), ends, horizon)

    def parts(self, y: FloatArray, end: int, horizon: int) -> StructuralParts:
        """Return the parts of the forecast from one origin, in the units of the warp."""
        return structural_parts(self.posterior, self._warped(y), end, horizon)

    def _warped(self, y: FloatArray) -> FloatArray:
        return y if self.warp is None else np.log(np.where(y > 0.0, y, np.nan))

    def __str__(self) -> str:
        """Say in words what it is."""
        period = self.posterior.period
        parts = "level and slope" if period is None else f"level, slope and a season of {period}"
        return parts if self.warp is None else f"{parts}, in logarithms"


@storable
@dataclass(frozen=True, eq=False)
class Ensemble:
    """The structural members of an ensemble with a one-step model, and the weights.

    Attributes
    ----------
    members : tuple of Member
    weights : ndarray (k + 1,)
        Probabilities; the first is the one-step model's own.
    surprise : float
        Probability that the series changes in ways that its past does not show.
    widening : float
        Factor of all standard deviations if it does.
    """

    members: tuple[Member, ...]
    weights: FloatArray
    surprise: float = 0.0
    widening: float = 1.0

    def __post_init__(self) -> None:
        check_shapes(self, weights=(len(self.members) + 1,))

    @property
    def without_surprise(self) -> "Ensemble":
        """The same for a series that goes on as its past shows."""
        return replace(self, surprise=0.0)

    def joint(self, parts: Sequence[tuple[Propagated, Warp | None]]) -> Mixture:
        """Return the mixture of the one-step model's forecasts and the members'.

        Parameters
        ----------
        parts : sequence of (Propagated, Warp or None)
            In this order, from the same origins, each in the units of its warp.
        """
        weights, usual = self.weights, [distribution_of(*part) for part in parts]
        if not self.surprise:
            return _of_finite(weights, tuple(usual))
        wide = [distribution_of(z.widened(self.widening), warp) for z, warp in parts]
        weights = np.concatenate([(1.0 - self.surprise) * weights, self.surprise * weights])
        return _of_finite(weights, (*usual, *wide))


def _of_finite(weights: FloatArray, parts: tuple[Distribution, ...]) -> Mixture:
    """Return the mixture of the parts that have a finite mean and variance at every step.

    A mixture with one that has none, such as the exponential of a wide forecast, has none either.
    Where no part of an origin has, all are kept.
    """
    finite = np.stack([_is_finite(part) for part in parts], axis=-1)  # (b, k)
    finite |= ~finite.any(axis=-1, keepdims=True)
    if finite.all():
        return Mixture(weights, parts)
    kept = weights * finite
    return Mixture(kept / kept.sum(axis=-1, keepdims=True), parts)


def _is_finite(part: Distribution) -> BoolArray:
    """Return where the variances of all steps are finite, (b,)."""
    if isinstance(part, Warped):  # without the covariance, for which nobody may ask
        var = warped_mean_var(part.warp, part.gaussian.mean, part.gaussian.var)[1]
    else:
        var = part.var
    return np.asarray(np.isfinite(var).all(axis=-1))
