"""A jointly Gaussian horizon."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from gpforecast import scores
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import finite_array
from gpforecast.results.distribution import Distribution


@dataclass(frozen=True, eq=False)
class Gaussian:
    """The normal distribution N(mean, covariance).

    Attributes
    ----------
    mean : ndarray (..., h)
    covariance : ndarray (..., h, h)
        Of observations, noise included.
    latent_var : ndarray (..., h)
        Variance of each value without its own noise.
    n_clipped : int
        Variances that came out negative on the way here and were set to their floor.

    Examples
    --------
    >>> total = Gaussian(np.zeros(2), np.eye(2), np.ones(2)).linear([[1.0, 1.0]])
    >>> total.var
    array([2.])
    """

    mean: FloatArray
    covariance: FloatArray
    latent_var: FloatArray
    n_clipped: int = 0

    paths: ClassVar[None] = None

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (..., h)."""
        return np.asarray(np.einsum("...hh->...h", self.covariance))

    @property
    def std(self) -> FloatArray:
        """Standard deviation of each observation, (..., h)."""
        return np.asarray(np.sqrt(self.var))

    @property
    def moments(self) -> Self:
        """Itself."""
        return self

    gaussian = moments

    def quantile(self, levels: npt.ArrayLike) -> FloatArray:
        """Return the quantiles of each step at q probabilities, (..., h, q)."""
        x = ndtri(np.asarray(levels, dtype=np.float64))
        return np.asarray(self.mean[..., None] + self.std[..., None] * x)

    def cdf(self, y: FloatArray) -> FloatArray:
        """Return the probability of no more than y at each step, (..., h)."""
        return np.asarray(ndtr(self.standardised(y)))

    pit = cdf

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n futures, jointly over the steps, (..., h, n)."""
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
        return np.asarray(self.mean[..., None] + root @ rng.standard_normal((*self.mean.shape, n)))

    def crps(self, truth: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of each step, (..., h)."""
        return np.asarray(scores.crps(truth, self.mean, self.var, axis=()))

    def nlpd(self, truth: FloatArray) -> FloatArray:
        """Return the negative log density of each step, in nats, (..., h)."""
        return np.asarray(scores.nlpd(truth, self.mean, self.var, axis=()))

    def logpdf(self, truth: FloatArray) -> FloatArray:
        """Return the joint log density of all steps, in nats, (...)."""
        try:
            chol = np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the joint covariance is singular to working precision, so it has no density; a "
                "larger noise_var of the model fixes it."
            ) from None
        z = np.linalg.solve(chol, (truth - self.mean)[..., None])[..., 0]
        roots = np.einsum("...hh->...h", chol)
        each = 0.5 * z**2 + np.log(roots) + 0.5 * np.log(2.0 * np.pi)
        return -np.asarray(each.sum(axis=-1))

    def standardised(self, truth: FloatArray) -> FloatArray:
        """Return errors over standard deviations, (..., h)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((truth - self.mean) / self.std)

    def at(self, origin: int) -> "Gaussian":
        """Return one of a batch."""
        mean, covariance = self.mean[origin], self.covariance[origin]
        return replace(self, mean=mean, covariance=covariance, latent_var=self.latent_var[origin])

    def over(self, steps: IntArray) -> "Gaussian":
        """Return the marginal distribution of some of the steps."""
        covariance = self.covariance[..., np.asarray(steps)[:, None], steps]
        mean, latent_var = self.mean[..., steps], self.latent_var[..., steps]
        return replace(self, mean=mean, covariance=covariance, latent_var=latent_var)

    def linear(self, A: npt.ArrayLike) -> "Gaussian":
        """Return N(A m, A S A'), for A (k, h).

        The latent variance is the variance less the noise of the values that are added up, or 0
        where they undo each other's noise.
        """
        matrix, h = finite_array(A, "A", ndim=2), self.mean.shape[-1]
        if matrix.shape[1] != h:
            raise ValueError(f"A must have one column a step, {h}; got shape {matrix.shape}.")
        with np.errstate(invalid="ignore"):  # of moments that a warp has made infinite
            covariance = matrix @ self.covariance @ matrix.T
            noise = (self.var - self.latent_var) @ (matrix**2).T
            latent_var = np.maximum(np.einsum("...hh->...h", covariance) - noise, 0.0)
        mean = self.mean @ matrix.T
        return replace(self, mean=mean, covariance=covariance, latent_var=latent_var)

    heavy_tail = Distribution.heavy_tail
    remarks = Distribution.remarks
