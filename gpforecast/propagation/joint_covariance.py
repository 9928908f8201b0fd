"""The joint covariance of a horizon, computed when it is needed; its variances are known.

Over thousands of steps it is large, and most of what a forecast is asked for needs variances alone.
Those of sums of steps follow from a root of it, of which a few columns are there at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import EllipsisType
from typing import TypeAlias

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.joint import append, respond
from gpforecast.numerics.linear_algebra import square_root

Columns: TypeAlias = Callable[[FloatArray], FloatArray]  # (..., h, c) to (..., k, c)
Along: TypeAlias = Callable[[FloatArray, int], FloatArray]
Origin: TypeAlias = int | IntArray | slice | EllipsisType

BLOCK = 256  # columns that are there at a time


@dataclass(frozen=True, eq=False)
class JointCovariance(ABC):
    """The covariance S of h steps.

    Attributes
    ----------
    var : ndarray (..., h)
        Its diagonal.
    """

    var: FloatArray

    @abstractmethod
    def compute(self) -> FloatArray:
        """Return S, (..., h, h)."""

    def variances(self, A: Columns) -> FloatArray:
        """Return the diagonal of A S A', (..., k), for what multiplies columns by A."""
        S = self.now()
        blocks = zip(range(0, S.shape[-1], BLOCK), _units(S.shape[:-1]), strict=True)
        images = ((A(S[..., k : k + BLOCK]), A(unit)) for k, unit in blocks)
        return np.asarray(sum((one * other).sum(axis=-1) for one, other in images))

    def blocks(self, at: IntArray) -> FloatArray:
        """Return S among the steps of each row of at (n, d), as (..., n, d, d)."""
        return self.matrix[..., at[:, :, None], at[:, None, :]]

    @cached_property
    def matrix(self) -> FloatArray:
        """S, which is kept."""
        return self.compute()

    def now(self) -> FloatArray:
        """Return S, without keeping it."""
        known: FloatArray | None = vars(self).get("matrix")
        return self.compute() if known is None else known

    def scaled(self, f: FloatArray) -> "JointCovariance":
        """Return that of steps times factors, (h,) or (..., h)."""
        return _Image(self.var * f * f, self, partial(_times, f))

    def summed(self, along: Along) -> "JointCovariance":
        """Return A S A', for what multiplies an array along one of its axes by A."""
        return _Image(self.variances(lambda F: along(F, -2)), self, along)

    def plus(self, root: FloatArray) -> "JointCovariance":
        """Return S + R R', for R (..., h, r)."""
        return _total((1.0, self), (1.0, of_root(root)))

    def measured(self, noise_var: float) -> "JointCovariance":
        """Return that of values with independent noise."""
        return _total((1.0, self), (1.0, _Independent(np.full_like(self.var, noise_var))))

    def picked(self, origin: Origin, steps: IntArray | slice) -> "JointCovariance":
        """Return that of some of the steps, of one of a batch, of several or of all."""
        return _Picked(self.var[origin][..., steps], self, origin, steps)


AnyJoint: TypeAlias = FloatArray | JointCovariance


@dataclass(frozen=True, eq=False)
class HasJoint:
    """Moments of h steps.

    Attributes
    ----------
    mean : ndarray (..., h)
    joint : JointCovariance or ndarray (..., h, h)
        Covariance of observations, noise included.
    latent_var : ndarray (..., h)
        Variance of each value without its own noise.
    """

    mean: FloatArray
    joint: JointCovariance
    latent_var: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", joint_of(self.joint))

    @property
    def covariance(self) -> FloatArray:
        """Joint covariance of the observations, noise included, (..., h, h)."""
        return self.joint.matrix

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (..., h)."""
        return self.joint.var


@dataclass(frozen=True, eq=False)
class Computed(JointCovariance):
    """What a function returns."""

    function: Callable[[], FloatArray]

    def compute(self) -> FloatArray:
        """Return S, (..., h, h)."""
        return self.function()


@dataclass(frozen=True, eq=False)
class _OfRoot(JointCovariance):
    root: FloatArray

    def compute(self) -> FloatArray:
        S = self.root @ np.swapaxes(self.root, -1, -2)
        return np.where(np.isnan(S), np.inf, S)

    def variances(self, A: Columns) -> FloatArray:
        return np.asarray((A(self.root) ** 2).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class _Independent(JointCovariance):
    def compute(self) -> FloatArray:
        return np.asarray(self.var[..., None] * np.eye(self.var.shape[-1]))

    def variances(self, A: Columns) -> FloatArray:
        std = np.sqrt(self.var)[..., None]
        return np.asarray(sum((A(std * unit) ** 2).sum(axis=-1) for unit in _units(std.shape[:-1])))


@dataclass(frozen=True, eq=False)
class _Total(JointCovariance):
    parts: tuple[tuple[FloatArray | float, JointCovariance], ...]

    def compute(self) -> FloatArray:
        return np.asarray(sum(np.asarray(w)[..., None] * part.now() for w, part in self.parts))

    def variances(self, A: Columns) -> FloatArray:
        return np.asarray(sum(w * part.variances(A) for w, part in self.parts))


@dataclass(frozen=True, eq=False)
class _Image(JointCovariance):
    source: JointCovariance
    along: Along

    def compute(self) -> FloatArray:
        return self.along(self.along(self.source.now(), -2), -1)

    def variances(self, A: Columns) -> FloatArray:
        return self.source.variances(lambda F: A(self.along(F, -2)))


@dataclass(frozen=True, eq=False)
class _Picked(JointCovariance):
    source: JointCovariance
    origin: Origin
    steps: IntArray | slice

    def compute(self) -> FloatArray:
        return self.source.matrix[self.origin][..., self.steps, :][..., self.steps]

    def variances(self, A: Columns) -> FloatArray:
        return self.source.variances(lambda F: A(F[self.origin][..., self.steps, :]))

    def blocks(self, at: IntArray) -> FloatArray:
        steps = np.arange(self.source.var.shape[-1])[self.steps]
        return self.source.blocks(steps[at])[self.origin]


@dataclass(frozen=True, eq=False)
class Recursed(JointCovariance):
    r"""The covariance of all nodes of a recursion that kept only the last steps.

    It is computed again from what was noted of each step, n = first + h of them. With G the slopes
    at the inputs of each step, T the rows :math:`t_j` of `gpforecast.propagation.one_function`, s
    the signs of its columns, and D on a diagonal what neither the inputs nor f explain of each
    variance, it is

    .. math:: \Sigma = T s T' + (I - G)^{-1} D (I - G)^{-T}.

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
        return np.asarray(sum((A(F) ** 2 @ w[..., None])[..., 0] for F, w in self._roots()))

    def blocks(self, at: IntArray) -> FloatArray:
        """Return S among the nodes of each row of at (n, d), as (b, n, d, d)."""
        picked = ((F[:, at], w) for F, w in self._roots())
        each = ((F * w[..., None, None, :]) @ np.swapaxes(F, -1, -2) for F, w in picked)
        return np.asarray(sum(each))

    def _roots(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield columns F (b, n, c) and weights w (b, c), of which S is the sum of F w F'."""
        (b, first, _), (h, _) = self.start.shape, self.rows.shape
        yield self.t, np.broadcast_to(self.signs, (b, len(self.signs)))
        if first:
            F = np.pad(square_root(self.start), ((0, 0), (0, h), (0, 0)))
            respond(F, self.slopes, first, self.rows, 0)
            yield F, np.ones((b, F.shape[2]))
        for begin, end in _blocks(h):
            F, k = np.zeros((b, first + h, end - begin)), np.arange(end - begin)
            F[:, first + begin + k, k] = 1.0
            respond(F, self.slopes, first, self.rows, begin)
            yield F, self.own[:, begin:end]


def joint_of(S: "AnyJoint") -> JointCovariance:
    """Return it from a matrix (..., h, h); what is one already, as it is."""
    if isinstance(S, JointCovariance):
        return S
    S = np.asarray(S)
    return Computed(np.einsum("...hh->...h", S), partial(np.asarray, S))


def of_root(root: FloatArray) -> JointCovariance:
    """Return R R', for R (..., h, r); infinite where R has no numbers."""
    var = (root**2).sum(axis=-1)
    return _OfRoot(np.where(np.isnan(var), np.inf, var), root)


def of_paths(paths: FloatArray) -> JointCovariance:
    """Return the sample covariance of paths (..., h, n)."""
    off = paths - paths.mean(axis=-1, keepdims=True)
    return of_root(off / np.sqrt(paths.shape[-1] - 1))


def of_mixture(
    weights: FloatArray, parts: "list[JointCovariance]", off: FloatArray
) -> JointCovariance:
    """Return that of a mixture, by the law of total covariance.

    Parameters
    ----------
    weights : ndarray (b, k)
    parts : list of k JointCovariance
    off : ndarray (b, h, k)
        Their means, from that of the mixture.
    """
    between = of_root(off * np.sqrt(weights)[:, None])
    return _total((1.0, between), *zip(weights.T[:, :, None], parts, strict=True))


def stacked(parts: "list[JointCovariance]") -> JointCovariance:
    """Return those of several batches in one."""
    var = np.concatenate([part.var for part in parts])
    return Computed(var, partial(_stacked, parts))


def _times(f: FloatArray, F: FloatArray, axis: int) -> FloatArray:
    return np.asarray(F * (f[..., None] if axis == -2 else f[..., None, :]))


def _total(*parts: tuple[FloatArray | float, JointCovariance]) -> JointCovariance:
    return _Total(np.asarray(sum(w * part.var for w, part in parts)), parts)


def _stacked(parts: "list[JointCovariance]") -> FloatArray:
    return np.concatenate([part.now() for part in parts])


def _units(shape: tuple[int, ...]) -> Iterator[FloatArray]:
    """Yield the columns of identity matrices (..., h, h), a few at a time."""
    h = shape[-1]
    for k in range(0, h, BLOCK):
        yield np.broadcast_to(np.eye(h, min(BLOCK, h - k), -k), (*shape, min(BLOCK, h - k)))


def _blocks(h: int) -> Iterator[tuple[int, int]]:
    return ((begin, min(begin + BLOCK, h)) for begin in range(0, h, BLOCK))
