"""f at several inputs at once: its mean, its covariance, and draws."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.gaussian_sums import merged
from gpforecast.numerics.linear_algebra import square_root


@dataclass(frozen=True)
class Joint:
    """The joint distribution of f at known inputs.

    Attributes
    ----------
    mean : ndarray (n,)
    cov : ndarray (n, n)
        Of f, without observation noise.
    n_clipped : int
        How many variances came out negative and were set to zero.
    parts : tuple of Joint
        What it is a mixture of; a Gaussian has none.
    weights : tuple of float
        Theirs.
    """

    mean: FloatArray
    cov: FloatArray
    n_clipped: int = 0
    parts: tuple["Joint", ...] = ()
    weights: tuple[float, ...] = ()

    @classmethod
    def gaussian(cls, mean: FloatArray, cov: FloatArray) -> "Joint":
        """Return a Gaussian with its covariance made symmetric, negative variances set to zero."""
        cov = 0.5 * (cov + cov.T)
        negative = cov.diagonal() < 0.0
        cov[negative, negative] = 0.0
        return cls(mean, cov, int(negative.sum()))

    @classmethod
    def mixture(cls, parts: "tuple[Joint, ...]", weights: FloatArray) -> "Joint":
        """Return a mixture, by the law of total covariance."""
        means = np.array([part.mean for part in parts])
        mean, cov = merged(means, np.array([part.cov for part in parts]), weights)
        n_clipped = sum(part.n_clipped for part in parts)
        return cls(mean, cov, n_clipped, parts, tuple(weights.tolist()))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n functions at the inputs, (n, len(mean))."""
        if not self.parts:
            z = rng.standard_normal((n, len(self.mean)))
            return np.asarray(self.mean + z @ square_root(self.cov).T)
        weights = np.array(self.weights)
        which = rng.choice(len(self.parts), size=n, p=weights / weights.sum())
        found = np.empty((n, len(self.mean)))
        for i, part in enumerate(self.parts):
            found[which == i] = part.sample(int((which == i).sum()), rng)
        return found


@runtime_checkable
class HasJoint(Protocol):
    """A predictive that knows f at several inputs jointly."""

    def joint(self, X: FloatArray) -> Joint:
        """Return the joint distribution of f at known inputs X (n, d)."""
