"""The table of approximations: what each takes the covariance of the targets to be.

With :math:`Q_{ab} = K_{aM} K_{MM}^{-1} K_{Mb}` the covariance that passes through the inducing
variables, all of them are

    training covariance:   Q + residual + noise        residual: a part of K - Q, or nothing
    covariance with f*:    Q, or K within a block
    variance of f*:        k**, or q**

(Quinonero-Candela and Rasmussen 2005, table 1; Snelson 2007, sections 2.3 and 3.2.)
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import MatrixSlopes, scales_of
from gpforecast.covariances.combinations import Parts
from gpforecast.models.evidence import kernel_of

Residual = Literal["none", "diagonal", "blocks"]


@dataclass(frozen=True)
class Approximation:
    """Which covariance stands for the full one, in training and in prediction.

    Attributes
    ----------
    name : str
    residual : {"none", "diagonal", "blocks"}
        The part of K - Q that the training covariance keeps.
    penalised : bool
        Whether tr(K - Q) / (2 noise_var) is taken off the evidence, which makes it a lower bound
        of the full one (Titsias 2009, eq. 9).
    degenerate : bool
        Whether the variance of f* is q** instead of k** before the data.
    piecewise : bool
        Whether f* has its exact covariance with the rows of its block.
    induced : bool
        Whether there are inducing inputs at all.
    """

    name: str
    residual: Residual
    penalised: bool = False
    degenerate: bool = False
    piecewise: bool = False
    induced: bool = True


APPROXIMATIONS = {
    a.name: a
    for a in (
        Approximation("sr", "none", degenerate=True),
        Approximation("dtc", "none"),
        Approximation("vfe", "none", penalised=True),
        Approximation("fitc", "diagonal"),
        Approximation("pitc", "blocks"),
        Approximation("pic", "blocks", piecewise=True),
        Approximation("local", "blocks", piecewise=True, induced=False),
        # One block of a part of the rows: a full GP on them.
        Approximation("sd", "blocks", induced=False),
    )
}


_PART_ELEMENTS = 1 << 18  # doubles of one part's cross matrix: 2 MB, for the cache


@dataclass(frozen=True, eq=False)
class RowParts:
    """Inputs and targets, cut into parts.

    Attributes
    ----------
    X : ndarray (n, d)
        Less the origin.
    y : ndarray (n,)
    origin : ndarray (d,)
        The middle of the rows, where distances lose no digits; 0 where inputs themselves count.
    parts : tuple of slice
    """

    X: FloatArray
    y: FloatArray
    origin: FloatArray
    parts: tuple[slice, ...]

    def linear(self, part: slice, root: FloatArray) -> FloatArray:
        """Return the linear and constant features of a part, times the roots of their prior."""
        X = self.X[part] + self.origin
        return np.column_stack([X, np.ones(len(X))]) * root

    def with_linear(self, V: FloatArray, part: slice, root: FloatArray) -> FloatArray:
        """Return features V of a part and, where there are any, the linear ones."""
        return np.concatenate([V, self.linear(part, root)], axis=1) if len(root) else V


def in_blocks(X: FloatArray, y: FloatArray, origin: FloatArray, labels: IntArray) -> RowParts:
    """Sort rows by the blocks they belong to, (n,), and cut them there."""
    order, ends = np.argsort(labels, kind="stable"), np.cumsum([0, *np.bincount(labels)])
    parts = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
    return RowParts(X[order] - origin, y[order], origin, parts)


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

    # Every inducing variable carries this much noise, as a fraction of its variance. It is a part
    # of the model, differentiated like the rest, so that the evidence is smooth; it moves Q by less
    # than itself. More is taken, and recorded, only where rounding requires it: the first that
    # makes K_MM definite.
    nugget: ClassVar[float] = 1e-8
    jitters: ClassVar[tuple[float, ...]] = (0.0, 1e-7, 1e-6, 1e-5, 1e-4)
    precise: ClassVar[bool] = False  # whether a small nugget asks for slower, more exact products
    model: ClassVar[str] = "a sparse approximation"  # for messages

    @cached_property
    def parts(self) -> Parts:
        """The covariance as a kernel and linear functions."""
        inputs = self.inducing if self.projection is None else self.projection
        return Parts.of(self.covariance, inputs.shape[1])

    @cached_property
    def nonlinear(self) -> Covariance:
        """All of the covariance that is not linear."""
        return kernel_of(self.parts, self.model)

    @property
    def kernel(self) -> Covariance:
        """The covariance that passes through the inducing variables."""
        return self.nonlinear

    @cached_property
    def root(self) -> FloatArray:
        """Roots of the prior variances of slopes and level; empty without them."""
        prior = self.parts.prior
        return np.sqrt(prior) if prior.any() else np.zeros(0)

    @property
    def within(self) -> FloatArray:
        """Prior variances of slopes and level that pass through the inducing variables too."""
        return np.zeros(self.inducing.shape[1] + 1)

    @property
    def h(self) -> FloatArray:
        """The uncertainty of each inducing variable, as a fraction of its variance: (M,)."""
        return np.zeros(len(self.inducing)) if self.uncertainty is None else self.uncertainty

    @property
    def scales(self) -> FloatArray:
        """Units of distance along each dimension of the inducing inputs: (g,)."""
        return scales_of(self.nonlinear, np.ones(self.inducing.shape[1]))

    def assembled(self, by_kernel: FloatArray, by_prior: FloatArray) -> FloatArray:
        """Return slopes in the order of the covariance's logarithms, as `Parts.assembled` does."""
        return self.parts.assembled(by_kernel, by_prior)

    def cross(self, at: FloatArray) -> MatrixSlopes:
        """Return the kernel's matrix of rows, where it takes them, and inducing inputs."""
        matrix = self.kernel.with_slopes if self.precise else self.kernel.cross_slopes
        return matrix(at, self.inducing)

    def at(self, X: FloatArray) -> FloatArray:
        """Return rows X (n, d) where the kernel takes them: (n, g)."""
        return X if self.projection is None else X @ self.projection.T

    def origin(self, X: FloatArray) -> FloatArray:
        """Return the point that inputs X (n, d) are measured from."""
        moves = self.kernel.in_scaled_inputs() is not None
        return X.mean(axis=0) if moves else np.zeros(X.shape[1])

    def rows(self, X: FloatArray, y: FloatArray, centers: FloatArray | None = None) -> RowParts:
        """Return rows cut into parts that suit the cache, or sorted into blocks around centres.

        Raises
        ------
        ValueError
            If a block is empty; it says which and what to do.
        """
        origin, n = self.origin(X), len(y)
        if centers is None:
            step = max(64, _PART_ELEMENTS // max(1, len(self.inducing)))
            parts = tuple(slice(a, min(a + step, n)) for a in range(0, n, step))
            return RowParts(X - origin, y, origin, parts)
        labels = self.nearest(X, centers)
        empty = np.setdiff1d(np.arange(len(centers)), labels)
        if len(empty):
            raise ValueError(
                f"{len(empty)} of {len(centers)} blocks would hold no row, the first of them block "
                f"{empty[0]}; give fewer blocks (n_blocks), or centres that lie among the rows."
            )
        return in_blocks(X, y, origin, labels)

    def nearest(self, X: FloatArray, centers: FloatArray) -> IntArray:
        """Return the nearest centre of every row, in units of the length-scales: (n,)."""
        found = scipy.spatial.cKDTree(centers / self.scales).query(X / self.scales)[1]
        return np.asarray(found, dtype=np.int64)
