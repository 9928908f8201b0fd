"""What a recursion returns: the joint distribution of the whole horizon."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Batch


@dataclass(frozen=True)
class Propagated(Batch):
    """The horizon of b origins, as a joint Gaussian or as paths.

    Attributes
    ----------
    mean : ndarray (b, h)
    covariance : ndarray (b, h, h)
        Of observations: the noise is on its diagonal.
    latent_var : ndarray (b, h)
        Variance of f at each step, without that step's own noise.
    paths : ndarray (b, h, n) or None
        Paths of observations; mean and covariance are then their sample moments.
    n_clipped : int
        Variances that came out negative and were set to their floor.
    """

    mean: FloatArray
    covariance: FloatArray
    latent_var: FloatArray
    paths: FloatArray | None = None
    n_clipped: int = 0

    @staticmethod
    def certain(mean: FloatArray) -> "Propagated":
        """Return values (b, h) that are taken for facts."""
        b, h = mean.shape
        return Propagated(mean, np.zeros((b, h, h)), np.zeros((b, h)))

    @staticmethod
    def of_paths(paths: FloatArray, latent_var: FloatArray, n_clipped: int = 0) -> "Propagated":
        """Return paths (b, h, n) with their sample moments."""
        mean: FloatArray = paths.mean(axis=-1)
        off = paths - mean[:, :, None]
        covariance = off @ np.swapaxes(off, 1, 2) / (paths.shape[-1] - 1)
        return Propagated(mean, covariance, latent_var, paths, n_clipped)

    @staticmethod
    def mixed(parts: Sequence["Propagated"], weights: FloatArray) -> "Propagated":
        """Return the mixture of distributions at the same origins: the law of total covariance.

        Paths are taken together: their numbers are the weights.
        """
        mean = np.tensordot(weights, np.array([part.mean for part in parts]), axes=1)
        covariance = np.zeros_like(parts[0].covariance)
        latent_var = np.zeros_like(parts[0].latent_var)
        for weight, part in zip(weights, parts, strict=True):
            off = part.mean - mean  # (b, h)
            covariance += weight * (part.covariance + off[:, :, None] * off[:, None, :])
            latent_var += weight * (part.latent_var + off**2)
        n_clipped = sum(part.n_clipped for part in parts)
        paths = [part.paths for part in parts if part.paths is not None]
        if paths:
            return Propagated.of_paths(np.concatenate(paths, axis=-1), latent_var, n_clipped)
        return Propagated(mean, covariance, latent_var, n_clipped=n_clipped)

    def scaled(self, factor: FloatArray | float, offset: FloatArray | float) -> "Propagated":
        """Return the horizon of y = factor z + offset, step by step: (h,) and (b, h) or numbers."""
        f, b = np.asarray(factor), np.asarray(offset)
        return Propagated(
            self.mean * f + b,
            self.covariance * np.multiply.outer(f, f),
            self.latent_var * f**2,
            None if self.paths is None else self.paths * f[..., None] + b[..., None],
            self.n_clipped,
        )

    def summed(
        self, sums: Callable[[FloatArray, int], FloatArray], offset: FloatArray
    ) -> "Propagated":
        """Return the horizon of y = A z + offset, for a lower-triangular A of ones on the diagonal.

        Parameters
        ----------
        sums : callable
            Takes an array and one of its axes, and returns A times it along that axis.
        offset : ndarray (b, h)
        """
        covariance = sums(sums(self.covariance, 1), 2)
        before, after = (np.einsum("bhh->bh", S) for S in (self.covariance, covariance))
        return Propagated(
            sums(self.mean, 1) + offset,
            covariance,
            after - (before - self.latent_var),  # a step keeps its own noise
            None if self.paths is None else sums(self.paths, 1) + offset[:, :, None],
            self.n_clipped,
        )

    def measured(self, noise_var: float, seed: int) -> "Propagated":
        """Return the horizon as it will be measured: with independent noise at every step.

        The latent variance stays that of f.
        """
        paths = self.paths
        if paths is not None:
            rng = np.random.default_rng([seed, paths.shape[-1]])
            paths = paths + np.sqrt(noise_var) * rng.standard_normal(paths.shape)
        covariance = self.covariance.copy()
        np.einsum("bhh->bh", covariance)[:] += noise_var
        return replace(self, covariance=covariance, paths=paths)

    def plus_noise(self, root: FloatArray, seed: int) -> "Propagated":
        """Return the horizon of z + R e with independent e ~ N(0, I), the same at every step.

        Parameters
        ----------
        root : ndarray (b, h, r)
            R.
        seed : int
            Of the draws for the paths: not the numbers that the paths were made with.
        """
        gain = root @ np.swapaxes(root, 1, 2)
        paths = self.paths
        if paths is not None:
            rng = np.random.default_rng([seed, paths.shape[-1]])
            paths = paths + root @ rng.standard_normal((root.shape[-1], paths.shape[-1]))
        return replace(
            self,
            covariance=self.covariance + gain,
            latent_var=self.latent_var + np.einsum("bhh->bh", gain),
            paths=paths,
        )
