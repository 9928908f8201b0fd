"""What models with one more weight, at the test input, have in common."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.numerics.expectations import eigenbasis
from gpforecast.posteriors.base import Draw, Moments, Prediction, ReadOnly, in_blocks
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.joint import Joint

_BLOCK_ELEMENTS = 2_000_000  # doubles of one working array: 16 MB
_DETERMINED = 1e-12  # of the largest variance of a function; what is less uncertain is known
_TINY = 1e-14  # of the largest precision; it decides 0 / 0 at the support inputs


class Augmented(ReadOnly, ABC):
    """A trained model that adds a basis function at the test input; its moments by Taylor.

    A subclass is a frozen dataclass that has at least `base`, the model without the further
    weight, and `X` (n, d), its training inputs; it says what becomes of values and jets.
    """

    model: ClassVar[str]  # it belongs to, for messages
    base: Posterior
    X: FloatArray

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
        return in_blocks(self._predict, self._step(0), X)

    def _predict(self, X: FloatArray) -> Prediction:
        prior, on_base = self.kernel.diag(X)[:, None, None], self.kernel(X, self.base.centers)
        mean, var = self._augmented(prior, on_base[:, None], self.kernel(X, self.X)[:, None])
        return Prediction(mean[:, 0, 0], var[:, 0, 0])

    def joint(self, X: FloatArray) -> Joint:
        r"""Return mean and covariance of f at known inputs X (n, d), with a weight for each.

        All of them enter the posterior at once (Quinonero-Candela 2004, section 3.3.3), so that
        mean and variance at one input are not quite those of `predict`. With :math:`\Omega` the
        posterior precision of the further weights, E their effect on f at the inputs beyond that
        on all other weights, and q the pull of the targets on them,

        .. math:: m_* = m + E\, \Omega^{-1} q, \qquad V_* = V + E\, \Omega^{-1} E'

        Costs O(n m) for each input and O(b^3) for b of them.
        """
        mean, cov = self.joint_of(self.kernel(X)[None], X[None])
        return Joint.gaussian(mean[0], cov[0])

    def joint_of(self, prior: FloatArray, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means (b, k) and covariances (b, k, k) at b sets of inputs (b, k, d), as `joint`.

        prior (b, k, k) is the kernel at the inputs of each set.
        """
        flat = inputs.reshape(-1, inputs.shape[-1])
        on_base, on_rows = (
            self.kernel(flat, at).reshape(*inputs.shape[:2], -1)
            for at in (self.base.centers, self.X)
        )
        mean, root, precision, effect, pull = self._weights(prior, on_base, on_rows)
        values, vectors = np.linalg.eigh(0.5 * (precision + transposed(precision)))
        # An input among those of the model adds nothing, nor does one that comes twice.
        values = np.maximum(values, _TINY * values[:, -1:])
        half = vectors / np.sqrt(values)[:, None]
        further = effect @ half
        mean += (further @ transposed(half) @ pull[..., None])[..., 0]
        return mean, root @ transposed(root) + further @ transposed(further)

    def draw(self, n: int, rng: np.random.Generator, *, n_features: int = 256) -> Draw:  # noqa: ARG002
        """Draw n functions, each to be evaluated at its own inputs; see `AugmentedDraws`."""
        return AugmentedDraws(self, rng)

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods its covariance allows beyond those that always work."""
        return frozenset({"function", *(["taylor"] if self.base.kernel.is_smooth else [])})

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean at known inputs: (n, d)."""
        gradient, axes, step = np.empty(X.shape), np.eye(X.shape[1]), self._step(X.shape[1])
        for here in (slice(a, a + step) for a in range(0, len(X), step)):
            directions = np.broadcast_to(axes, (len(X[here]), *axes.shape))
            gradient[here] = self._jets(X[here], directions, order=1)[0][:, 2:, 0]
        return gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return moments from the mean to first and the variance to second order around u.

        Arguments and result as those of `Posterior.taylor_moments`.
        """
        return in_blocks(self._taylor, self._step(self.n_inputs), u, S)

    def _taylor(self, u: FloatArray, S: FloatArray) -> Moments:
        s, V = eigenbasis(S, self.lengthscales)
        directions = V * np.sqrt(s)[:, None] * self.lengthscales[:, None]
        _, var = self._jets(u, directions, order=2)
        expected = var[:, 0, 0] + 0.5 * var[:, 1, 0]
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
        """Return the jets of mean and variance from those of k(x, x), k(x, x_i) and k(x, X).

        It may write into the last.
        """

    @abstractmethod
    def _weights(
        self, prior: FloatArray, on_base: FloatArray, on_rows: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return what `joint_of` is made of, from k(x, x') (b, k, k), k(x, x_i) and k(x, X).

        The mean (b, k) and a root (b, k, r) of the covariance without further weights, Omega and
        E (b, k, k), and q (b, k).
        """

    def _step(self, n_directions: int) -> int:
        """Return how many inputs are worked on at a time."""
        width = max(1, len(self.X)) * (n_directions + 2 + self.n_inputs * (n_directions > 0))
        return max(1, _BLOCK_ELEMENTS // width)


class AugmentedDraws:
    r"""Values of f at one input after the other, each given those drawn before.

    Which process they are of depends on the inputs: the k-th value of a function is drawn from
    the process with a weight at each of its first k inputs, conditioned on its first k - 1
    values. An input that comes again has the value that it had.

    The k-th value costs O(k n m + k^3) for each function, with n rows and m basis functions.

    Parameters
    ----------
    process : Augmented
    rng : Generator
    """

    def __init__(self, process: Augmented, rng: np.random.Generator) -> None:
        self.process, self.rng = process, rng
        self.inputs: list[FloatArray] = []  # (n * b, d) each
        self.values: list[FloatArray] = []  # (n * b,) each

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the values at x (n, b, d): (n, b)."""
        self.inputs.append(x.reshape(-1, x.shape[-1]))
        X = np.stack(self.inputs, axis=1)  # (n * b, k, d)
        z = self.rng.standard_normal(len(X))
        before = np.stack(self.values, axis=1) if self.values else np.zeros((len(X), 0))
        step = max(1, _BLOCK_ELEMENTS // (X.shape[1] * max(len(self.process.X), X.shape[1])))
        parts = [slice(a, a + step) for a in range(0, len(X), step)]
        self.values.append(np.concatenate([self._next(X[p], before[p], z[p]) for p in parts]))
        return self.values[-1].reshape(x.shape[:2])

    def _next(self, X: FloatArray, before: FloatArray, z: FloatArray) -> FloatArray:
        b, k, d = X.shape
        first, second = np.repeat(X, k, axis=1), np.tile(X, (1, k, 1))
        prior = self.process.kernel.pairs(first.reshape(-1, d), second.reshape(-1, d))
        mean, cov = self.process.joint_of(prior.reshape(b, k, k), X)
        values, vectors = np.linalg.eigh(cov[:, :-1, :-1])
        along = np.einsum("bji,bj->bi", vectors, cov[:, :-1, -1])
        off = np.einsum("bji,bj->bi", vectors, before - mean[:, :-1])
        known = values > _DETERMINED * np.max(values, axis=1, keepdims=True, initial=0.0)
        weight = np.where(known, along / np.where(known, values, 1.0), 0.0)
        var = cov[:, -1, -1] - (weight * along).sum(axis=1)
        least = _DETERMINED * cov[:, -1, -1]
        return np.asarray(
            mean[:, -1] + (weight * off).sum(axis=1) + np.sqrt(np.where(var > least, var, 0.0)) * z
        )


def transposed(A: FloatArray) -> FloatArray:
    """Transpose the last two axes."""
    return np.swapaxes(A, -1, -2)
