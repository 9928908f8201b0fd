r"""What is believed of f is one function, the same at every step of a forecast.

Let r = f - E[f] be what the model does not know of f: a Gaussian process with the posterior's
covariance c(x, x'). At inputs of a forecast, x_k and x_j, jointly Gaussian, the expected covariance
of its values is :math:`e_{kj} = E[c(x_k, x_j)]`. With g the expected gradient of f's mean and v its
variance at each step's input alone, and forward in j,

.. math::

    q_j = \operatorname{cov}(r(x_k), y_j) = e_{kj} + g_j' q_{lags(j)}, \quad
    \Sigma_{kj} = g_k' \Sigma_{lags(k), j} + q_j, \quad
    \Sigma_{kk} = v_k + 2 g_k' q_{lags(k)} + \sigma^2

where q is 0 for what was observed. With e = 0, every step has its own f: what the model does
not know of f then counts as noise, and errors that last are taken for errors that cancel.

Any e that is a mean of Gram matrices of c keeps :math:`\Sigma` positive semi-definite.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, starmap
from typing import TypeAlias, TypeVar, cast

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import how_many, one_of
from gpforecast.numerics.compiled.joint import DETERMINED, extend_root, respond
from gpforecast.posteriors.averaged import parts_of
from gpforecast.posteriors.base import HasCovariance, Predictive, supported

_M = TypeVar("_M")
Functions: TypeAlias = "Sequence[HasCovariance | None]"


class JointPaths:
    """A few paths of the joint Gaussian of all nodes, as it grows.

    They come in pairs with the same mean, and are the same numbers of standard deviations away from
    it whatever the forecast.

    Parameters
    ----------
    n_paths : int
        Even.
    Sigma : ndarray (b, n, n)
        The joint covariance of the nodes, filled up to the first prediction.
    first : int
        The row of the first prediction.
    horizon : int
    """

    def __init__(
        self, n_paths: int, Sigma: FloatArray, first: int, functions: Functions, rows: IntArray
    ) -> None:
        self.n_paths, self.Sigma, self.first = n_paths, Sigma, first
        self.functions, self.rows = functions, rows
        (b, n, _), horizon = Sigma.shape, len(rows)
        # Two sequences, so that a longer horizon begins with the paths of a shorter one.
        half = [
            np.random.default_rng(seed).standard_normal((size, n_paths // 2))
            for seed, size in enumerate((first, horizon))
        ]
        self.directions = np.concatenate(half) @ np.kron([[1.0, -1.0]], np.eye(n_paths // 2))
        self.root = np.zeros((b, n, n))
        # From the means; 0 for the last, what is known.
        self.off = np.zeros((b, first + horizon + 1, n_paths))
        for row in range(first):
            self.extend(row)

    def extend(self, row: int) -> None:
        """Go on with every path, by a row of the joint covariance."""
        extend_root(self.Sigma, row, self.root)
        self.off[:, row] = self.root[:, row, : row + 1] @ self.directions[: row + 1]

    def inputs(self, u: FloatArray, row: IntArray) -> FloatArray:
        """Return inputs of mean u (b, d) along the paths, (b n_paths, d), from their rows (d,)."""
        return (u[:, None] + np.swapaxes(self.off[:, row], 1, 2)).reshape(-1, u.shape[1])


class AlongPaths(JointPaths):
    """Covariances e_kj of the values of f, averaged over a few paths of the joint Gaussian.

    With several functions, e is 0 for different ones.

    A step costs O(n (m^2 + h m)) for n paths, m basis functions and horizon h; memory is O(n h m)
    for each origin.
    """

    def __init__(
        self, n_paths: int, Sigma: FloatArray, first: int, functions: Functions, rows: IntArray
    ) -> None:
        super().__init__(n_paths, Sigma, first, functions, rows)
        (h, d), b = rows.shape, len(Sigma)
        self.slopes, self.x = np.zeros((b, h, d)), np.zeros((b, h, n_paths, d))
        widths = [0 if f is None else n_paths * len(f.signs) for f in functions]
        self.factors = [np.zeros((b, h // len(functions) + 1, width)) for width in widths]

    def expected(self, k: int, u: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (b, k + 1), at step k with inputs of mean u (b, d)."""
        e, m, b = np.zeros((len(u), k + 1)), len(self.functions), len(u)
        if (f := self.functions[k % m]) is None:
            return e
        steps, last, d = slice(k % m, k + 1, m), k // m, f.n_inputs
        x, factors = self.inputs(u, self.rows[k, :d]), self.factors[k % m]
        self.x[:, k, :, :d] = x.reshape(b, self.n_paths, d)
        factors[:, last] = f.factors(x).reshape(b, -1)
        signed = np.tile(f.signs, self.n_paths) * factors[:, last]
        e[:, steps] = (factors[:, : last + 1] @ signed[:, :, None])[..., 0]
        if f.prior_var:
            earlier = self.x[:, steps, :, :d]
            now = np.broadcast_to(self.x[:, k, None, :, :d], earlier.shape)
            prior = f.prior_pairs(earlier.reshape(-1, d), now.reshape(-1, d))
            e[:, steps] += prior.reshape(b, last + 1, self.n_paths).sum(axis=2)
        return np.asarray(e / self.n_paths)

    # `FactoredPaths` makes use of what is not needed here.
    def covariances(self, k: int, u: FloatArray, begin: int) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Return q_kj for all steps before k, (b, k) and more, and e_kk, (b,)."""
        return carried(self.expected(k, u), self.slopes, self.first, self.rows, k)

    def append(self, k: int, g: FloatArray, var: FloatArray, own: FloatArray) -> None:  # noqa: ARG002
        """Go on with every path by step k, of slopes g (b, d), whose row is there now."""
        self.slopes[:, k] = g
        self.extend(self.first + k)


def carried(
    e: FloatArray, slopes: FloatArray, first: int, rows: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return q_kj = cov(f(x_k) - E[f](x_k), y_j) from e_kj (b, k + 1), and e_kk."""
    q = np.zeros((len(e), first + k + 1, 1))  # 0 for what comes before the first step
    q[:, first:, 0] = e
    respond(q, slopes, first, rows[:k], 0)
    return q[:, first:, 0].copy(), e[:, k].copy()


class FactoredPaths(JointPaths):
    r"""`AlongPaths` without a covariance: e is of few factors, :math:`e_{kj} = w_k' \phi_j`.

    Then :math:`q_j = w_k' t_j` with :math:`t_j = \phi_j + g_j' t_{lags(j)}`, and the row of step k
    of the root R of :math:`\Sigma` is :math:`g_k' R_{lags(k)} + w_k' U'` with U = R^-1 T. Its
    products with itself, with U and with the directions need only the t of the lags, U'U and the
    products of U with the directions: a step costs O(r^2), whatever came before.

    Parameters
    ----------
    n_paths : int
    start : ndarray (b, first, first)
        The joint covariance of the nodes before the first prediction.
    functions : sequence of HasCovariance or None
    rows : ndarray (h, d)
        As for `JointPaths`.
    """

    def __init__(
        self, n_paths: int, start: FloatArray, functions: Functions, rows: IntArray
    ) -> None:
        (b, first, _), horizon = start.shape, len(rows)
        super().__init__(n_paths, start, first, functions, rows)
        signs = [np.zeros(0) if f is None else np.tile(f.signs, n_paths) for f in functions]
        ends = np.cumsum([0, *map(len, signs)]).tolist()
        self.places, self.signs = [*starmap(slice, pairwise(ends))], np.concatenate(signs) / n_paths
        self.t = np.zeros((b, first + horizon + 1, ends[-1]))  # 0 for what is known
        self.w = np.zeros((b, horizon, ends[-1]))
        self.square = np.zeros((b, ends[-1], ends[-1]))  # U'U
        self.drawn = np.zeros((b, ends[-1], n_paths))  # U'directions

    def covariances(self, k: int, u: FloatArray, begin: int) -> tuple[FloatArray, FloatArray]:
        """Return q_kj for the steps from `begin` to before k, and e_kk, (b,)."""
        which = k % len(self.functions)
        f, place = self.functions[which], self.places[which]
        now, w = self.t[:, self.first + k], self.w[:, k]
        if f is not None:
            x = self.inputs(u, self.rows[k, : f.n_inputs])
            now[:, place] = f.factors(x).reshape(len(u), -1)
            w[:] = self.signs * now
        q = (self.t[:, self.first + begin : self.first + k] @ w[..., None])[..., 0]
        return q, (now * w).sum(axis=1)

    def append(self, k: int, g: FloatArray, var: FloatArray, own: FloatArray) -> None:
        """Go on with every path by step k.

        Parameters
        ----------
        k : int
        g : ndarray (b, d)
            Its slopes.
        var, own : ndarray (b,)
            Its variance, and what of that neither f nor the inputs explain.
        """
        new, w, row, phi = self.first + k, self.w[:, k], self.rows[k], self.t[:, self.first + k]
        of_u, g = (self.square @ w[..., None])[..., 0], g[:, None]
        left = own + ((phi - of_u) * w).sum(axis=1)
        root = np.sqrt(np.where(left > DETERMINED * var, left, 0.0))[:, None]
        along = (g @ self.off[:, row] + w[:, None] @ self.drawn)[:, 0]
        self.off[:, new] = along + root * self.directions[new]
        u = np.divide(phi - of_u, root, out=np.zeros_like(phi), where=root > 0.0)
        for square, x in zip(self.square, u, strict=True):
            if len(x):  # a line may be known exactly
                scipy.linalg.blas.dger(1.0, x, x, a=square.T, overwrite_a=1)
        self.drawn += u[:, :, None] * self.directions[new]
        phi += (g @ self.t[:, row])[:, 0]  # and is t


@dataclass(frozen=True)
class OneFunction:
    """What the Gaussian propagation methods have in common: how f at different steps is related.

    Parameters
    ----------
    function : {"path", "step"}
        ``"path"``: f is one function along the whole forecast, and an error of it lasts.
        ``"step"``: f is drawn anew at each step, as in the papers; models that cannot tell the
        covariance of f at two inputs are followed so as well.
    n_paths : int
        Paths over which the covariance of f at two steps is averaged for ``"path"``; even.
    """

    function: str = field(default="path", kw_only=True)
    n_paths: int = field(default=16, kw_only=True)

    def __post_init__(self) -> None:
        one_of(self.function, "function", ("path", "step"))
        if how_many(self.n_paths, "n_paths") % 2:
            raise ValueError(f"n_paths must be even, they come in pairs; got {self.n_paths}.")

    def shared(
        self, predictives: Sequence[Predictive], Sigma: FloatArray, first: int, rows: IntArray
    ) -> AlongPaths | FactoredPaths | None:
        """Return how the values of f at the steps of one forecast hang together.

        None if all are drawn anew at each step. Parameters are as those of `JointPaths` and
        `AlongPaths`.
        """
        functions, horizon = [self._joint(one) for one in predictives], len(rows)
        if all(f is None for f in functions):
            return None
        if self.few(predictives, horizon):
            start = Sigma[:, :first, :first]
            return FactoredPaths(self.n_paths, np.ascontiguousarray(start), functions, rows)
        return AlongPaths(self.n_paths, Sigma, first, functions, rows)

    def few(self, predictives: Sequence[Predictive], horizon: int) -> bool:
        """Whether there are so few factors that no covariance with earlier steps is needed."""
        joint = [one for one in map(self._joint, predictives) if one is not None]
        rank = self.n_paths * sum(len(one.signs) for one in joint)
        return rank < horizon and not any(one.prior_var for one in joint)

    def shares_far(self, predictive: Predictive, horizon: int) -> bool:
        """Whether a step needs its covariance with every earlier one, in time O(horizon)."""
        parts = parts_of(predictive)[0]
        return any(self._joint(one) and not self.few([one], horizon) for one in parts)

    def size(self, predictive: Predictive, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        f = self._joint(predictive)
        return 0 if f is None else horizon * self.n_paths * (len(f.signs) + f.n_inputs)

    def remark(self, predictive: Predictive) -> str:
        """Return a sentence if a forecast is made step by step because the model allows no other.

        An empty one otherwise.
        """
        if self.function == "step" or "joint" in supported(predictive):
            return ""
        return (
            "the intervals may be too narrow far ahead: each step counts what is not known of the "
            "model as new, because this model does not say how its errors at two steps depend on "
            "each other; a GaussianProcess does"
        )

    def _joint(self, predictive: Predictive) -> HasCovariance | None:
        known = self.function == "path" and "joint" in supported(predictive)
        return cast(HasCovariance, predictive) if known else None


def of_f(method: object) -> OneFunction:
    """Return how a method takes f; one that does not say, such as naive, draws it anew."""
    return method if isinstance(method, OneFunction) else OneFunction(function="step")


def drawn_anew(method: _M) -> _M:
    """Return a method that draws f anew at each step."""
    return replace(method, function="step") if isinstance(method, OneFunction) else method
