"""Linear functions of the nearest training rows, one for each test input."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.posteriors.base import Moments, Prediction, ReadOnly, in_blocks
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import storable

_BLOCK_ELEMENTS = 1_000_000  # doubles of one working array: 8 MB
_LIMIT = 2.0  # in many dimensions, inputs amid the rows are that far from their neighbours' mean


@storable
@dataclass(frozen=True, eq=False)
class LocalLinear(ReadOnly):
    r"""A ridge regression on the k nearest training rows of each input.

    With the rows and the input in units of `lengthscales`, :math:`\bar x, \bar y` the means over
    the k neighbours and :math:`Z` (k, d) their offsets from :math:`\bar x`,

    .. math::

        f(x) = \bar y + b'(x - \bar x) = h(x)' y, \qquad
        h(x) = \tfrac1k 1 + (Z Z' + \lambda I)^{-1} Z (x - \bar x)

    and :math:`\operatorname{var} f(x) = \sigma^2 |h(x)|^2`; :math:`\lambda` is `ridge` times the
    mean squared distance of the neighbours from their mean. The solve is k x k, so there may be
    fewer neighbours than inputs.

    A plane is followed no farther than twice as far as its neighbours lie: an x farther from
    :math:`\bar x` than that, R, counts as the point at R on the way to it. So no forecast runs
    away along the slope of a few inputs that are nearly equal: as a singular value s of Z enters as
    :math:`s / (s^2 + \lambda) \le 1 / (2 \sqrt\lambda)` and
    :math:`R^2 \le 4 k \lambda / \text{ridge}`,

    .. math::

        |f(x) - \bar y| \le \sqrt{k / \text{ridge}} \; |y - \bar y 1|

    Attributes
    ----------
    X : ndarray (n, d)
    y : ndarray (n,)
    lengthscales : ndarray (d,)
        Units in which distances are measured.
    n_neighbors : int
    ridge : float
    noise_var : float
        Squared units of the target.

    Notes
    -----
    A prediction costs O(log n) for the search, where d is small, and O(k^2 (k + d)).
    """

    model: ClassVar[str] = "NearestNeighbours"
    supports: ClassVar[frozenset[str]] = frozenset({"taylor"})
    X: FloatArray = field(repr=False)
    y: FloatArray = field(repr=False)
    lengthscales: FloatArray
    n_neighbors: int
    ridge: float
    noise_var: float

    def __post_init__(self) -> None:
        super().__post_init__()
        n, d = check_matrix(self, "X")
        check_shapes(self, y=(n,), lengthscales=(d,))

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return int(self.X.shape[1])

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        return in_blocks(self._predict, self._step, X)

    def _predict(self, X: FloatArray) -> Prediction:
        mean, h, *_ = self._local(X, self._nearest(X, self.n_neighbors))
        return Prediction(mean, self.noise_var * (h**2).sum(axis=1))

    def joint(self, X: FloatArray) -> Joint:
        r"""Return mean and covariance of f at known inputs X (n, d) jointly.

        Predictions are made of the same targets: :math:`\sigma^2 h(x)' h(x')`, with a weight for
        each training row.
        """
        near = self._nearest(X, self.n_neighbors)
        blocks = [slice(a, a + self._step) for a in range(0, len(X), self._step)]
        h = np.concatenate([self._local(X[i], near[i])[1] for i in blocks])
        starts = np.arange(0, h.size + 1, self.n_neighbors)
        H = scipy.sparse.csr_array((h.ravel(), near.ravel(), starts), shape=(len(X), len(self.X)))
        return Joint.gaussian(H @ self.y, self.noise_var * (H @ H.T).toarray())

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the slopes b of the local planes: (n, d)."""
        known = np.zeros((*X.shape, X.shape[1]))
        return self.taylor_moments(X, known).gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        r"""Return moments as if the neighbours of u were those of every x ~ N(u, S).

        The mean is then linear and the variance quadratic, so an expansion to second order is
        exact: :math:`E|h(x)|^2 = |h(u)|^2 + \operatorname{tr}(B S B')`, with
        :math:`B = (Z Z' + \lambda I)^{-1} Z`.

        Parameters
        ----------
        u : ndarray (b, d)
        S : ndarray (b, d, d)

        Returns
        -------
        Moments
        """
        return in_blocks(self._taylor, self._step, u, S)

    def _taylor(self, u: FloatArray, S: FloatArray) -> Moments:
        mean, h, gradient, B = self._local(u, self._nearest(u, self.n_neighbors))
        spread = (h**2).sum(axis=1) + np.einsum("bkd,bde,bke->b", B, S, B)
        return Moments.linearised(mean, self.noise_var * spread, gradient, S)

    def left_out(self) -> tuple[FloatArray, FloatArray]:
        """Return the residual of each row from its neighbours without itself, and h'h: (n,)."""

        def without_itself(X: FloatArray, rows: IntArray) -> Prediction:
            k = self.n_neighbors
            near = self._nearest(X, k + 1)
            own = near == rows[:, None]
            own[:, k] |= ~own.any(axis=1)  # among more than k duplicates it may not be found
            mean, h, *_ = self._local(X, near[~own].reshape(len(near), k))
            return Prediction(mean, (h**2).sum(axis=1))

        found = in_blocks(without_itself, self._step, self.X, np.arange(len(self.X)))
        return self.y - found.mean, found.var

    def _local(
        self, X: FloatArray, near: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the mean (b,), h (b, k), the slopes b (b, d) and B (b, k, d).

        Of inputs X (b, d) whose neighbours are the rows `near` (b, k).
        """
        rows, y = self._scaled[near], self.y[near]
        center, level = rows.mean(axis=1), y.mean(axis=1)
        Z = rows - center[:, None]
        M = Z @ np.swapaxes(Z, 1, 2)
        k = M.shape[1]
        spread = np.einsum("bkk->b", M) / k
        # Neighbours that coincide have no slope: any positive number gives B = 0.
        M[:, range(k), range(k)] += np.where(spread > 0.0, self.ridge * spread, 1.0)[:, None]
        B = np.linalg.solve(M, Z)
        off, B = _within_reach(X / self.lengthscales - center, Z, B)
        h = 1.0 / k + off
        slope = np.einsum("bkd,bk->bd", B, y - level[:, None])
        mean = level + np.einsum("bk,bk->b", off, y - level[:, None])
        return mean, h, slope / self.lengthscales, B / self.lengthscales

    def _nearest(self, X: FloatArray, k: int) -> IntArray:
        _, near = self._tree.query(X / self.lengthscales, range(1, k + 1))  # keeps the axis of one
        return np.asarray(near, dtype=np.int64)

    @property
    def _step(self) -> int:
        """How many inputs are worked on at a time."""
        return max(1, _BLOCK_ELEMENTS // (self.n_neighbors * (self.n_neighbors + self.n_inputs)))

    @cached_property
    def _scaled(self) -> FloatArray:
        return np.asarray(self.X / self.lengthscales)

    @cached_property
    def _tree(self) -> "scipy.spatial.cKDTree":
        return scipy.spatial.cKDTree(self._scaled)


def _within_reach(
    off: FloatArray,  # (b, d), of the inputs from the mean of their neighbours
    Z: FloatArray,  # (b, k, d), of the neighbours
    B: FloatArray,  # (b, k, d)
) -> tuple[FloatArray, FloatArray]:
    """Return what B adds to the weights, (b, k), no input being farther than it may.

    The second result is its slope along the input, (b, k, d): B itself, but for inputs that are
    farther, where it changes across the way to them alone.
    """
    limit = _LIMIT * np.sqrt(np.einsum("bkd,bkd->bk", Z, Z).max(axis=1))
    length = np.sqrt(np.einsum("bd,bd->b", off, off))
    gain = np.einsum("bkd,bd->bk", B, off)
    beyond = length > limit
    if beyond.any():
        part = limit[beyond] / length[beyond]
        way = off[beyond] / length[beyond, None]
        along = np.einsum("bkd,bd->bk", B[beyond], way)
        B = B.copy()
        B[beyond] = part[:, None, None] * (B[beyond] - along[:, :, None] * way[:, None])
        gain[beyond] *= part[:, None]
    return gain, B
