"""The joint distribution of a horizon: Gaussian, warped Gaussian, or sample paths.

Everything that depends on which of the three it is stands here, once: quantiles, samples, scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import ndtr, ndtri

from gpforecast import scores
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.remapped import Remapped
from gpforecast.results.warped import (
    clipped_fraction,
    warped_covariance,
    warped_crps,
    warped_mean_var,
    warped_nlpd,
)
from gpforecast.transforms.base import Warp


@dataclass(frozen=True, eq=False)
class Warped:
    """A Gaussian in the units of a warp, of which a forecast is the image.

    Attributes
    ----------
    warp : Warp
    mean : ndarray (..., h)
    covariance : ndarray (..., h, h)
    """

    warp: Warp
    mean: FloatArray
    covariance: FloatArray

    @property
    def var(self) -> FloatArray:
        """Marginal variances, (..., h)."""
        variances: FloatArray = np.einsum("...hh->...h", self.covariance)
        return variances

    def at(self, origin: int) -> "Warped":
        """Return one of a batch."""
        warp = self.warp.at(origin) if isinstance(self.warp, Remapped) else self.warp
        return Warped(warp, self.mean[origin], self.covariance[origin])

    def over(self, steps: IntArray) -> "Warped":
        """Return the marginal of some steps of a distribution that is not a batch."""
        warp = self.warp.over(steps) if isinstance(self.warp, Remapped) else self.warp
        return Warped(warp, self.mean[steps], self.covariance[np.ix_(steps, steps)])


@dataclass(frozen=True, eq=False)
class Joint:
    """What is believed of the next h values from one origin, or from a batch of them.

    Attributes
    ----------
    mean : ndarray (..., h)
        Expected observations, in the units of the series.
    covariance : ndarray (..., h, h)
        Of observations, noise included.
    latent_var : ndarray (..., h)
        Variance of each without its own noise.
    paths : ndarray (..., h, n) or None
        Sample paths of observations, if a Monte Carlo method made it.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    warped : Warped or None
        The Gaussian behind it, if the series was warped (a logarithm, a power) or the marginals
        have been given another shape (`gpforecast.results.remapped`).
    """

    mean: FloatArray
    covariance: FloatArray
    latent_var: FloatArray
    paths: FloatArray | None = None
    n_clipped: int = 0
    warped: Warped | None = None

    @staticmethod
    def of(p: Propagated, warp: Warp | None) -> "Joint":
        """Return the distribution of w^-1(z) from that of z."""
        if warp is None:
            return Joint(p.mean, p.covariance, p.latent_var, p.paths, p.n_clipped)
        warped = Warped(warp, p.mean, p.covariance)
        _, latent_var = warped_mean_var(warp, p.mean, p.latent_var)
        if p.paths is None:
            mean, covariance = warped_covariance(warp, p.mean, p.covariance)
            return Joint(mean, covariance, latent_var, None, p.n_clipped, warped)
        paths = warp.backward(p.paths)
        mean = paths.mean(axis=-1)
        off = paths - mean[..., None]
        covariance = off @ np.swapaxes(off, -1, -2) / (paths.shape[-1] - 1)
        return Joint(mean, covariance, latent_var, paths, p.n_clipped, warped)

    @property
    def var(self) -> FloatArray:
        """Marginal variances, (..., h)."""
        variances: FloatArray = np.einsum("...hh->...h", self.covariance)
        return variances

    def at(self, origin: int) -> "Joint":
        """Return one of a batch."""
        paths = None if self.paths is None else self.paths[origin]
        return Joint(
            self.mean[origin],
            self.covariance[origin],
            self.latent_var[origin],
            paths,
            self.n_clipped,
            None if self.warped is None else self.warped.at(origin),
        )

    def over(self, steps: IntArray) -> "Joint":
        """Return the marginal of some steps of a distribution that is not a batch."""
        both = np.ix_(steps, steps)
        return Joint(
            self.mean[steps],
            self.covariance[both],
            self.latent_var[steps],
            None if self.paths is None else self.paths[steps],
            self.n_clipped,
            None if self.warped is None else self.warped.over(steps),
        )

    def quantile(self, levels: Sequence[float] | FloatArray) -> FloatArray:
        """Return the quantiles of each step, (..., h, q)."""
        q = np.asarray(levels, dtype=np.float64)
        if self.paths is not None:
            return np.moveaxis(np.quantile(self.paths, q, axis=-1), 0, -1)
        if self.warped is None:
            return self.mean[..., None] + np.sqrt(self.var)[..., None] * ndtri(q)
        w = self.warped
        return w.warp.backward(w.mean[..., None] + np.sqrt(w.var)[..., None] * ndtri(q))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw whole futures, (..., h, n)."""
        if self.paths is not None:
            have = self.paths.shape[-1]
            return self.paths[..., rng.choice(have, size=n, replace=n > have)]
        source = self if self.warped is None else self.warped
        values, vectors = np.linalg.eigh(source.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
        drawn = source.mean[..., None] + root @ rng.standard_normal((*source.mean.shape, n))
        return drawn if self.warped is None else self.warped.warp.backward(drawn)

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        if self.paths is not None:
            value: Any = scores.crps_samples(truth, self.paths, axis=())
        elif self.warped is None:
            value = scores.crps(truth, self.mean, self.var, axis=())
        else:
            value = warped_crps(self.warped.warp, truth, self.warped.mean, self.warped.var)
        return np.asarray(value, dtype=np.float64)

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, (..., h); of paths, a Gaussian's."""
        if self.warped is None:
            value: Any = scores.nlpd(truth, self.mean, self.var, axis=())
        else:
            value = warped_nlpd(self.warped.warp, truth, self.warped.mean, self.warped.var)
        return np.asarray(value, dtype=np.float64)

    def pit(self, truth: FloatArray) -> FloatArray:
        """Return the probability of less than the truth at each step, of paths a Gaussian's."""
        w = self.warped
        if w is None:
            return np.asarray(scores.pit(truth, self.mean, self.var), dtype=np.float64)
        return np.asarray(ndtr((w.warp.forward(truth) - w.mean) / np.sqrt(w.var)))

    def logpdf(self, truth: FloatArray, steps: Any) -> float:
        """Return the joint log density of the truths at some of the steps, (k,) each."""
        part = self.over(steps)
        source = part if part.warped is None else part.warped
        jacobian = 0.0
        if part.warped is not None:
            jacobian = float(part.warped.warp.log_gradient(truth).sum())
            if jacobian == -np.inf:
                return -np.inf
            truth = part.warped.warp.forward(truth)
        chol = np.linalg.cholesky(source.covariance)
        z = solve_triangular(chol, truth - source.mean, lower=True)
        log_det = 2.0 * np.log(np.diag(chol)).sum()
        return float(-0.5 * (z @ z + log_det + len(z) * np.log(2.0 * np.pi))) + jacobian

    def heavy_tail(self) -> str:
        """Say where the mean is carried off by the tail of a warp; empty if nowhere.

        That is above the central 95 % interval. Of a log-normal distribution it is from a standard
        deviation of the logarithm of 3.9 on, where the mean is 2000 times the median.
        """
        if self.warped is None:
            return ""
        upper = self.quantile([0.975])[..., 0]
        # Of a distribution that is almost all at the edge of the warp, any mean lies above.
        heavy = (self.mean > upper) & (upper > self.warped.warp.lowest)
        if not heavy.any():
            return ""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            median = self.quantile([0.5])[..., 0][heavy]
            most = float(np.max(self.mean[heavy] / median))
        return (
            f"the mean lies above the 95 % interval at {int(heavy.sum())} of {heavy.size} steps, "
            f"up to {most:.2g} times the median: the transform makes so heavy a tail"
        )

    def remarks(self) -> tuple[str, ...]:
        """Say what a user should know of the numbers."""
        if self.warped is None:
            return ()
        w = self.warped
        said = []
        beyond = clipped_fraction(w.warp, w.mean, w.var)
        if beyond > 1e-3:
            said.append(
                f"up to {100 * beyond:.2g} % of the probability of a step lies below "
                f"{w.warp.lowest:g}, the lowest value the transform can give, and counts as that"
            )
        if not np.isfinite(self.covariance).all():
            said.append(
                "the transform makes the mean or variance of some step infinite; medians and "
                "quantiles are finite"
            )
        return tuple(said)
