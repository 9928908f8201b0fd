"""What models with one more weight, at the input that is asked for, have in common."""

from abc import ABC, abstractmethod

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.extended_linear import Moments, Posterior, Prediction

_BLOCK_ELEMENTS = 2_000_000  # doubles of one working array: 16 MB


class Augmented(ABC):
    """A trained model that adds a bump wherever it is asked; its moments by Taylor expansion.

    A subclass is a frozen dataclass that has at least `base`, the model without the further
    weight, and `X` (n, d), its training inputs; it gives predictions and their jets.
    """

    base: Posterior
    X: FloatArray

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                view = value.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    @property
    @abstractmethod
    def model(self) -> str:
        """The model it belongs to, for messages."""

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
        """Widths of the bumps, (d,)."""
        return self.base.lengthscales

    @abstractmethod
    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        gradient = np.empty((len(X), self.n_inputs))
        axes = np.eye(self.n_inputs)
        for here in self._blocks(len(X), self.n_inputs):
            directions = np.broadcast_to(axes, (len(X[here]), *axes.shape))
            mean, _ = self._jets(X[here], directions)
            gradient[here] = mean[:, 2:, 0] / self.lengthscales
        return gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return moments from the mean to first and the variance to second order around u.

        The formula is that of `Posterior.taylor_moments`.

        Parameters
        ----------
        u : ndarray (b, d)
        S : ndarray (b, d, d)

        Returns
        -------
        Moments
        """
        roots, V = eigenbasis(S, self.lengthscales)
        directions = V * np.sqrt(roots)[:, None]
        expected = np.empty(len(u))
        for here in self._blocks(len(u), directions.shape[2]):
            _, v = self._jets(u[here], directions[here])
            expected[here] = v[:, 0, 0] + 0.5 * v[:, 1, 0]
        mean, g = self.predict(u).mean, self.gradient(u)
        var = np.maximum(expected, 0.0) + np.einsum("bd,bde,be->b", g, S, g)
        return Moments(mean, var, g, int((expected < 0.0).sum()))

    @abstractmethod
    def _jets(self, u: FloatArray, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the jets of mean and variance, (b, r + 2, 1); directions in length-scales."""

    def _blocks(self, n: int, n_directions: int) -> list[slice]:
        width = max(1, len(self.X)) * (n_directions + 2 + self.n_inputs * (n_directions > 0))
        step = max(1, _BLOCK_ELEMENTS // width)
        return [slice(i, i + step) for i in range(0, n, step)]
