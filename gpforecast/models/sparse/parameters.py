"""Everything that training may move."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.evidence import kernel_of


@dataclass(frozen=True, eq=False)
class Parameters:
    """A sparse Gaussian process, trained or to be trained.

    Attributes
    ----------
    covariance : Covariance
        With all its values. With a projection, of the projected inputs.
    noise_var : float
    inducing : ndarray (M, g)
        Relative to the origin of the rows; with a projection, in the projected space.
    projection : ndarray (g, d) or None
    uncertainty : ndarray (M,) or None
        h / k(z, z), Snelson (4.5).
    """

    covariance: Covariance
    noise_var: float
    inducing: FloatArray
    projection: FloatArray | None = None
    uncertainty: FloatArray | None = None

    @cached_property
    def parts(self) -> Parts:
        """The covariance as a kernel, and linear functions beside it."""
        inputs = self.inducing if self.projection is None else self.projection
        return Parts.of(self.covariance, inputs.shape[1])

    @cached_property
    def kernel(self) -> Covariance:
        """The covariance that passes through the inducing variables."""
        return kernel_of(self.parts, "a sparse approximation")

    @cached_property
    def root(self) -> FloatArray:
        """Roots of the prior variances of slopes and level; empty without them."""
        prior = self.parts.prior
        return np.sqrt(prior) if prior.any() else np.zeros(0)

    @property
    def h(self) -> FloatArray:
        """The uncertainty of each inducing variable, as a fraction of its variance: (M,)."""
        return np.zeros(len(self.inducing)) if self.uncertainty is None else self.uncertainty

    @property
    def scales(self) -> FloatArray:
        """Units of distance along each dimension of the inducing inputs: (g,)."""
        return scales_of(self.kernel, np.ones(self.inducing.shape[1]))

    def at(self, X: FloatArray) -> FloatArray:
        """Return rows X (n, d) where the kernel takes them: (n, g)."""
        return X if self.projection is None else X @ self.projection.T
