r"""The joint covariance of a recursion that kept only the last steps, from what it noted of each.

With G the slopes at the inputs of each step, T the rows :math:`t_j` of
`gpforecast.propagation.one_function`, s the signs of its columns, and D on a diagonal what neither
the inputs nor f explain of each variance, it is

.. math:: \Sigma = T s T' + (I - G)^{-1} D (I - G)^{-T}.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.joint import append, respond
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.propagation.joint_covariance import BLOCK, Columns, JointCovariance


@dataclass(frozen=True, eq=False)
class Recursed(JointCovariance):
    """The covariance of all nodes, n = first + h of them.

    Attributes
    ----------
    start : ndarray (b, first, first)
        Of the nodes before the first step.
    slopes : ndarray (b, h, d)
    rows : ndarray (h, d)
        Of the inputs of each step; -1 where they are known.
    own : ndarray (b, h)
        D.
    t : ndarray (b, n, r)
        T, 0 before the first step.
    w : ndarray (b, h, r)
        Weights of t for each step: its q are T w.
    signs : ndarray (r,)
        s.
    """

    start: FloatArray
    slopes: FloatArray
    rows: IntArray
    own: FloatArray
    t: FloatArray
    w: FloatArray
    signs: FloatArray

    def compute(self) -> FloatArray:
        """Return S, row by row as the recursion would have."""
        (b, first, _), (h, _) = self.start.shape, self.rows.shape
        Sigma = np.pad(self.start, ((0, 0), (0, h), (0, h)))
        zero, none = np.zeros(b), np.zeros(0)
        for begin, end in _blocks(h):
            q = self.w[:, begin:end] @ np.swapaxes(self.t[:, first : first + end], 1, 2)
            for k in range(begin, end):
                new, g = first + k, np.ascontiguousarray(self.slopes[:, k])
                of_f, var = np.ascontiguousarray(q[:, k - begin, :k]), self.var[:, new].copy()
                at = Sigma, first, self.rows[k], new, zero.copy()
                append(zero, var, 0.0, g, of_f, none, *at)
        return Sigma

    def variances(self, A: Columns) -> FloatArray:
        """Return the diagonal of A S A'."""
        first, (h, _) = self.start.shape[1], self.rows.shape
        total = A(self.t) ** 2 @ self.signs
        if first:
            F = np.pad(square_root(self.start), ((0, 0), (0, h), (0, 0)))
            respond(F, self.slopes, first, self.rows, 0)
            total += (A(F) ** 2).sum(axis=-1)
        for begin, end in _blocks(h):
            F, k = np.zeros((len(total), first + h, end - begin)), np.arange(end - begin)
            F[:, first + begin + k, k] = 1.0
            respond(F, self.slopes, first, self.rows, begin)
            total += (A(F) ** 2 @ self.own[:, begin:end, None])[..., 0]
        return np.asarray(total)


def _blocks(h: int) -> Iterator[tuple[int, int]]:
    return ((begin, min(begin + BLOCK, h)) for begin in range(0, h, BLOCK))
