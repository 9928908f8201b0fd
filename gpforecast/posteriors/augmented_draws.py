"""Functions drawn from models that add a weight at each input: one value after the other."""

from typing import Protocol

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance

_BLOCK_ELEMENTS = 2_000_000  # doubles of one working array: 16 MB
_DETERMINED = 1e-12  # of the largest variance of a function; what is less uncertain is known


class AugmentedProcess(Protocol):
    """What is drawn from."""

    X: FloatArray

    @property
    def kernel(self) -> Covariance:
        """The covariance of which a further basis function is made."""
        ...

    def joint_of(self, prior: FloatArray, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means (b, k) and covariances (b, k, k) at b sets of inputs (b, k, d)."""
        ...


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

    def __init__(self, process: AugmentedProcess, rng: np.random.Generator) -> None:
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
