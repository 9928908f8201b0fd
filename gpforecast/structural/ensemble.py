"""Forecasts of structural models mixed with those of a one-step model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.mixture import Mixture
from gpforecast.results.warped import distribution_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.structural.model import StructuralParts, StructuralPosterior
from gpforecast.transforms import Log
from gpforecast.transforms.base import Warp
from gpforecast.transforms.deterministic import FittedDeterministic
from gpforecast.transforms.split import Split


@storable
@dataclass(frozen=True, eq=False)
class Member:
    """A structural model of a series or of its logarithm.

    Attributes
    ----------
    posterior : StructuralPosterior
    warp : Log or None
    cycles : tuple of FittedDeterministic
        What is subtracted after the warp: cycles, and shifts of the level.
    """

    posterior: StructuralPosterior
    warp: Log | None = None
    cycles: tuple[FittedDeterministic, ...] = ()

    def ahead(
        self, y: FloatArray, ends: IntArray, horizon: int, times: TimeAxis | None = None
    ) -> Propagated:
        """Forecast from some origins, in the units of the warp, given the values before each.

        Parameters
        ----------
        y : ndarray (n,)
            NaN where missing. What has no logarithm counts as missing, if that is modelled.
        ends : ndarray (b,)
            Positions of the first values that are forecast.
        horizon : int
        times : TimeAxis, optional
            Of the values and the steps ahead, for cycles.
        """
        z = self.posterior.ahead(self._rest(y, times), ends, horizon)
        for cycle in self.cycles:
            assert times is not None
            z = cycle.undo(z, np.empty((len(ends), 0)), ends, times)
        return z

    def parts(
        self, y: FloatArray, end: int, horizon: int, times: TimeAxis | None = None
    ) -> StructuralParts:
        """Return the parts of the forecast from one origin, in the units of the warp."""
        found = self.posterior.parts(self._rest(y, times), end, horizon)
        apart = Split.none(horizon)
        for cycle in self.cycles:
            assert times is not None
            apart = cycle.split(apart, end, times)
        mean, std = dict(found.mean), dict(found.std)
        for name in ("trend", "season"):
            mean[name] = mean[name] + getattr(apart, name)
            std[name] = np.hypot(std[name], np.linalg.norm(getattr(apart, f"{name}_root"), axis=1))
        return replace(found, mean=mean, std=std)

    def _rest(self, y: FloatArray, times: TimeAxis | None) -> FloatArray:
        """Return what cycles leave of the values (n,), in the units of the warp."""
        z = y if self.warp is None else np.log(np.where(y > 0.0, y, np.nan))
        for cycle in self.cycles:
            assert times is not None
            z = cycle.apply(z, times)
        return z

    def __str__(self) -> str:
        """Say in words what it is."""
        period = self.posterior.period
        parts = "level and slope" if period is None else f"level, slope and a season of {period}"
        return parts if self.warp is None else f"{parts}, in logarithms"


@storable
@dataclass(frozen=True, eq=False)
class Ensemble:
    """The structural members of an ensemble with one-step models, and the weights.

    Attributes
    ----------
    members : tuple of Member
    weights : ndarray (1 + k + o,)
        Probabilities: of the one-step model, of the k members, and of o further one-step models.
    width : tuple of float
        Logarithm of the factor of all standard deviations at the first step, and the power of the
        step by which it grows.
    """

    members: tuple[Member, ...]
    weights: FloatArray
    width: tuple[float, float] = (0.0, 0.0)

    @property
    def structural(self) -> "Ensemble":
        """The same with one one-step model, which counts for all."""
        k = len(self.members)
        own = 1.0 - self.weights[1 : k + 1].sum()
        return replace(self, weights=np.append(own, self.weights[1 : k + 1]))

    @property
    def without_width(self) -> "Ensemble":
        """The same, with the standard deviations of its members."""
        return replace(self, width=(0.0, 0.0))

    def factors(self, horizon: int) -> FloatArray:
        """Return the factor of the standard deviations at each step, (h,)."""
        log, power = self.width
        return np.asarray(np.exp(log) * np.arange(1, horizon + 1) ** power)

    def joint(self, parts: Sequence[tuple[Propagated, Warp | None]]) -> Mixture:
        """Return the mixture of the forecasts.

        Parameters
        ----------
        parts : sequence of (Propagated, Warp or None)
            In the order of the weights, from the same origins, each in the units of its warp.
        """
        wide = ((z.widened(self.factors(z.mean.shape[-1])), warp) for z, warp in parts)
        return _of_finite(self.weights, tuple(distribution_of(*part) for part in wide))


def _of_finite(weights: FloatArray, parts: tuple[Distribution, ...]) -> Mixture:
    """Return the mixture of the parts that have a finite mean and variance at every step.

    A mixture with one that has none, such as the exponential of a wide forecast, has none either.
    Where no part of an origin has, all are kept.
    """
    finite = np.stack([np.isfinite(part.var).all(axis=-1) for part in parts], axis=-1)  # (b, k)
    finite |= ~finite.any(axis=-1, keepdims=True)
    if finite.all():
        return Mixture(weights, parts)
    kept = weights * finite
    return Mixture(kept / kept.sum(axis=-1, keepdims=True), parts)
