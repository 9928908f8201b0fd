"""What models with one more weight, at the input that is asked for, have in common."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Moments, Prediction, read_only
from gpforecast.posteriors.extended_linear import Posterior

_BLOCK_ELEMENTS = 2_000_000  # doubles of one working array: 16 MB


class Augmented(ABC):
    """A trained model that adds a basis function at any input asked for; its moments by Taylor.

    A subclass is a frozen dataclass that has at least `base`, the model without the further
    weight, and `X` (n, d), its training inputs; it says what becomes of values and jets.
    """

    model: ClassVar[str]  # it belongs to, for messages
    base: Posterior
    X: FloatArray

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    @property
    def kernel(self) -> Covariance:
        """The covariance of which a further basis function is made."""
        return self.base.kernel

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return self.base.n_inputs

    @property
    def noise_var(self) -> float:
        """Variance of an observation around f."""
        return self.base.noise_var

    @property
    def lengthscales(self) -> FloatArray:
        """Widths of the basis functions, (d,)."""
        return self.base.lengthscales

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        parts = []
        for here in self._blocks(max(1, len(X)), 0):
            prior, at = self.kernel.diag(X[here]), X[here]
            on_base, on_rows = self.kernel(at, self.base.centers), self.kernel(at, self.X)
            mean, var = self._augmented(prior[:, None, None], on_base[:, None], on_rows[:, None])
            parts.append(Prediction(mean[:, 0, 0], var[:, 0, 0]))
        return Prediction.joined(parts)

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods its covariance allows beyond those that always work."""
        return frozenset({"taylor"}) if self.base.kernel.is_smooth else frozenset()

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        gradient = np.empty((len(X), self.n_inputs))
        axes = np.eye(self.n_inputs)
        for here in self._blocks(len(X), self.n_inputs):
            directions = np.broadcast_to(axes, (len(X[here]), *axes.shape))
            mean, _ = self._jets(X[here], directions, order=1)
            gradient[here] = mean[:, 2:, 0]
        return gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return moments from the mean to first and the variance to second order around u.

        Arguments and result as those of `Posterior.taylor_moments`.
        """
        s, V = eigenbasis(S, self.lengthscales)
        directions = V * np.sqrt(s)[:, None] * self.lengthscales[:, None]
        expected = np.empty(len(u))
        for here in self._blocks(len(u), directions.shape[2]):
            _, v = self._jets(u[here], directions[here], order=2)
            expected[here] = v[:, 0, 0] + 0.5 * v[:, 1, 0]
        return Moments.linearised(self.predict(u).mean, expected, self.gradient(u), S)

    def _jets(
        self, u: FloatArray, directions: FloatArray, *, order: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the jets of mean and variance, (b, r + 2, 1), as `Covariance.jets` does."""
        on_base, on_rows = (
            self.kernel.jets(u, directions, at, order=order) for at in (self.base.centers, self.X)
        )
        return self._augmented(self.kernel.diag_jets(u, directions), on_base, on_rows)

    @abstractmethod
    def _augmented(
        self, prior: FloatArray, on_base: FloatArray, on_rows: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the jets of mean and variance from those of k(x, x), k(x, x_i) and k(x, X)."""

    def _blocks(self, n: int, n_directions: int) -> list[slice]:
        width = max(1, len(self.X)) * (n_directions + 2 + self.n_inputs * (n_directions > 0))
        step = max(1, _BLOCK_ELEMENTS // width)
        return [slice(i, i + step) for i in range(0, n, step)]
