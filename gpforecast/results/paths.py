"""A horizon that is known by sample paths."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gpforecast import scores
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.results.distribution import Distribution, OfMoments
from gpforecast.results.gaussian import Gaussian

if TYPE_CHECKING:
    from gpforecast.results.warped import Warped


@dataclass(frozen=True, eq=False)
class Paths(OfMoments):
    """Sample paths: quantiles, probabilities, CRPS and samples are theirs.

    A density they do not have. `nlpd` and `logpdf` are those of the Gaussian with the paths'
    moments, in the units of the warp if there is one.

    Attributes
    ----------
    paths : ndarray (..., h, n)
        Of observations.
    moments : Gaussian
        With the mean, covariance and latent variance that count as theirs.
    density : Gaussian or Warped
        What `nlpd` and `logpdf` are of.
    """

    paths: FloatArray
    moments: Gaussian
    density: "Gaussian | Warped"

    @staticmethod
    def of(paths: FloatArray, latent_var: FloatArray, density: "Warped | None" = None) -> "Paths":
        """Return paths that count by their sample moments.

        Parameters
        ----------
        paths : ndarray (..., h, n)
            At least two.
        latent_var : ndarray (..., h)
            Variance of each value without its own noise.
        density : Warped, optional
            What `nlpd` and `logpdf` are of, if not of a Gaussian with these moments.
        """
        mean = paths.mean(axis=-1)
        off = paths - mean[..., None]
        covariance = off @ np.swapaxes(off, -1, -2) / (paths.shape[-1] - 1)
        moments = Gaussian(mean, covariance, latent_var, density.n_clipped if density else 0)
        return Paths(paths, moments, density or moments)

    @property
    def gaussian(self) -> Gaussian:
        """The Gaussian with the paths' moments, in the units of the warp if there is one."""
        return self.density.gaussian

    def quantile(self, levels: npt.ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        values = np.quantile(self.paths, np.asarray(levels, dtype=np.float64), axis=-1)
        return np.moveaxis(values, 0, -1)

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the fraction of paths at no more than y at each step, (..., h)."""
        fraction = (self.paths <= np.asarray(y)[..., None]).mean(axis=-1)
        return np.where(np.isnan(y), np.nan, fraction)

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n of the paths, without repetition while they last, (..., h, n)."""
        have = self.paths.shape[-1]
        return self.paths[..., rng.choice(have, size=n, replace=n > have)]

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        return np.asarray(scores.crps_samples(truth, self.paths, axis=()))

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step by a Gaussian, in nats, (..., h)."""
        return self.density.nlpd(truth)

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps by a Gaussian, in nats, (...)."""
        h, n = self.paths.shape[-2:]
        if n <= h:
            raise ValueError(
                f"the covariance of {n} paths has no density over {h} steps; take more paths than "
                f"steps, MonteCarlo(n_paths=...)."
            )
        return self.density.logpdf(truth)

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over the density's standard deviations, (..., h)."""
        return self.density.standardised(truth)

    def at(self, origin: int) -> "Paths":
        """Return one of a batch."""
        return Paths(self.paths[origin], self.moments.at(origin), self.density.at(origin))

    def over(self, steps: IntArray) -> "Paths":
        """Return the marginal distribution of some of the steps."""
        paths = self.paths[..., steps, :]
        return Paths(paths, self.moments.over(steps), self.density.over(steps))

    def linear(self, A: npt.ArrayLike) -> "Paths":
        """Return the paths of A y, for A (k, h), with exact moments of those they have here."""
        moments = self.moments.linear(A)
        return Paths(np.asarray(A) @ self.paths, moments, moments)

    def heavy_tail_of(self, shown: Distribution) -> str:
        """Say what the tail of the density's warp does to the mean that is shown."""
        return self.density.heavy_tail_of(shown)

    def remarks_on(self, shown: Distribution) -> tuple[str, ...]:
        """Say what the density's warp does to the numbers that are shown."""
        return self.density.remarks_on(shown)
