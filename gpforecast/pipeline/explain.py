"""What a forecast is made of: its components, and the sources of its variance.

Nothing is computed before it is asked for. The forecast is then followed once more.
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.pipeline.origins import Origins, without_effects
from gpforecast.pipeline.pieces import Named, Piece, of_member, of_own
from gpforecast.propagation import Automatic, Method
from gpforecast.propagation.propagated import Propagated
from gpforecast.propagation.sources import SOURCES
from gpforecast.results.distribution import Distribution
from gpforecast.structural import Ensemble

_UNSEEN = 1e-3  # of a standard deviation; a skew that is smaller is no part of its own


@dataclass(frozen=True, eq=False)
class Explanation:
    """How the forecast from one origin came about.

    Attributes
    ----------
    origins : Origins
        The one.
    method : propagation method
    own : Propagated
        Of the one-step model, in the units of the warp, before calibration.
    distribution : Distribution
        What it became.
    """

    origins: Origins
    method: Method
    own: Propagated
    distribution: Distribution

    def components(self) -> tuple[Named, Named]:
        """Return the components of the mean and their standard deviations, as `Components` has."""
        each = [piece.in_units() for piece in self._pieces]
        names = ["trend", "season", "inputs", "memory"]
        widened = 1.0
        if (ensemble := self._ensemble) is not None:
            widened += ensemble.surprise * (ensemble.widening**2 - 1.0)
        none, weights = np.zeros(self.origins.horizon), self._weights[:, None]
        mean, std = {}, {}
        for name in names:
            if not any(name in means for means, _ in each):
                continue
            at = np.array([means.get(name, none) for means, _ in each])
            var = np.array([stds.get(name, none) ** 2 for _, stds in each])
            mean[name] = (weights * at).sum(axis=0)
            spread = (weights * (at - mean[name]) ** 2).sum(axis=0)
            std[name] = np.sqrt((weights * var).sum(axis=0) * widened + spread)
        skew = self.distribution.mean - sum(mean.values())
        if np.abs(skew).max() > _UNSEEN * np.sqrt(self.distribution.var.max()):
            return mean | {"skew": skew}, std | {"skew": none}
        mean["memory"] = mean["memory"] + skew
        return mean, std

    def variance_parts(self) -> Named:
        """Return the parts of the variance, as `Forecast.variance_parts` has them."""
        names = [*SOURCES, "coefficients"]
        shares = np.array([[piece.shares[name] for name in names] for piece in self._pieces])
        found = dict(zip(names, shares[0], strict=True)) | {"models": np.zeros_like(shares[0, 0])}
        if (ensemble := self._ensemble) is not None:
            warp, origins = self.origins.fitted.chain.warp, self.origins
            values, restored = without_effects(origins)
            at = values, origins.ends, origins.horizon
            mixture = ensemble.joint(self.own, warp, *at, restored=restored).at(0)
            total = np.zeros(shares.shape[1:])
            for i, (weight, part) in enumerate(zip(mixture.weights, mixture.parts, strict=True)):
                total += weight * part.var * shares[i % len(shares)]
            spread = sum(
                weight * (part.mean - mixture.mean) ** 2
                for weight, part in zip(mixture.weights, mixture.parts, strict=True)
            )
            found = dict(zip(names, total, strict=True)) | {"models": np.asarray(spread)}
        whole = sum(found.values())
        factor = self.distribution.var / np.where(whole > 0.0, whole, 1.0)
        return {name: part * factor for name, part in found.items()}

    @property
    def _ensemble(self) -> Ensemble | None:
        return self.origins.fitted.ensemble if isinstance(self.method, Automatic) else None

    @property
    def _weights(self) -> FloatArray:
        ensemble = self._ensemble
        return np.ones(1) if ensemble is None else ensemble.weights

    @cached_property
    def _pieces(self) -> list[Piece]:
        """What each of the models forecasts, the one-step model first."""
        pieces = [of_own(self.origins, self.method, self.own)]
        if (ensemble := self._ensemble) is not None:
            pieces += [of_member(one, self.origins) for one in ensemble.members]
        return pieces
