"""Everything that training may move."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.weight_space import Parts

# Every inducing variable carries this much noise, as a fraction of its variance. It is a part of
# the model, differentiated like the rest, so that the evidence is smooth; it moves Q by less than
# itself. More is taken, and recorded, only where rounding requires it.
NUGGET = 1e-8


@dataclass(frozen=True, eq=False)
class Parameters:
    """A sparse Gaussian process, trained or to be trained.

    Attributes
    ----------
    parts : Parts
        Its covariance: a kernel, which passes through the inducing variables, and linear functions
        beside it. With a projection, of the projected inputs.
    noise_var : float
    inducing : ndarray (M, g)
        As inputs, or in the projected space.
    projection : ndarray (g, d) or None
    uncertainty : ndarray (M,) or None
        h / k(z, z), Snelson (4.5).
    nugget : float
        Noise of every inducing variable, as a fraction of its variance.
    """

    parts: Parts
    noise_var: float
    inducing: FloatArray
    projection: FloatArray | None = None
    uncertainty: FloatArray | None = None
    nugget: float = NUGGET

    @property
    def kernel(self) -> Covariance:
        """The covariance that passes through the inducing variables."""
        return kernel_of(self.parts)

    @cached_property
    def root(self) -> FloatArray:
        """Roots of the prior variances of slopes and level; empty without them."""
        prior = self.parts.prior
        return np.sqrt(prior) if prior.any() else np.zeros(0)

    @property
    def noise_on_inducing(self) -> FloatArray:
        """Nugget and uncertainty of each inducing variable, as fractions of its variance: (M,)."""
        h = np.zeros(len(self.inducing)) if self.uncertainty is None else self.uncertainty
        return self.nugget + h

    def at(self, X: FloatArray) -> FloatArray:
        """Return rows X (n, d) where the kernel takes them: (n, g)."""
        return X if self.projection is None else X @ self.projection.T

    def with_covariance(self, covariance: Covariance) -> "Parameters":
        """Return the same with another covariance."""
        return replace(self, parts=Parts.of(covariance, len(self.parts.prior) - 1))


def kernel_of(parts: Parts) -> Covariance:
    """Return all of a covariance that is not linear, or say that there must be something."""
    if parts.kernel is None:
        raise ValueError(
            f"inducing inputs need a covariance such as SquaredExponential beside linear and "
            f"constant terms; got {parts.whole!r}. GaussianProcess takes those alone, at any "
            f"number of rows."
        )
    return parts.kernel
