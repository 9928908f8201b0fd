"""The arrays of an extended linear model."""

from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.posteriors.base import ReadOnly


@dataclass(frozen=True, eq=False)
class Coefficients(ReadOnly):
    """The arrays of `gpforecast.posteriors.extended_linear.Posterior`, where they are described."""

    centers: FloatArray
    lengthscales: FloatArray
    weights: FloatArray
    linear: FloatArray
    constant: float = 0.0
    noise_var: float = 0.0
    prior_var: float = 0.0
    chol: FloatArray | None = field(default=None, repr=False)
    nugget: float | FloatArray = 0.0
    added: FloatArray | None = field(default=None, repr=False)
    covariance: Covariance | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        m, d = check_matrix(self, "centers")
        check_shapes(self, lengthscales=(d,), weights=(m,), linear=(d,), chol=(m, m))
        if np.ndim(self.nugget):
            check_shapes(self, nugget=(m,) if np.ndim(self.nugget) == 1 else (m, m))
        if self.added is not None:
            check_shapes(self, added=(m + d + 1, check_matrix(self, "added")[1]))
        if self.covariance is not None:
            self.covariance(np.zeros((1, d)))  # which refuses inputs of another number

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return int(self.centers.shape[1])

    @property
    def n_basis(self) -> int:
        """The number of basis functions, m."""
        return int(self.centers.shape[0])

    @cached_property
    def kernel(self) -> Covariance:
        """The covariance k of the basis functions."""
        return self.covariance or SquaredExponential(self.lengthscales, 1.0)

    @cached_property
    def A(self) -> FloatArray:  # noqa: N802
        """What is `added`, (m + d + 1, p): without columns if nothing is."""
        m, d = self.centers.shape
        return np.zeros((m + d + 1, 0)) if self.added is None else self.added

    def features(self, X: FloatArray) -> FloatArray:
        """Return k_i(x) for every row of X: (n, m)."""
        return self.kernel(X, self.centers) if self.n_basis else np.zeros((len(X), 0))
