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
from typing import TypeVar, cast

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import how_many, one_of
from gpforecast.numerics.compiled.joint import DETERMINED, extend_root
from gpforecast.posteriors.base import HasCovariance, Predictive, supported

_M = TypeVar("_M")


class JointPaths:
    """A few paths of the joint Gaussian of all nodes, as it grows.

    They come in pairs with the same mean, and are the same numbers of standard deviations away from
    it whatever the forecast.

    Parameters
    ----------
    n_paths : int
        Even.
    Sigma : ndarray (b, n, n)
        The joint covariance of all nodes, filled up to the first prediction.
    first : int
        The row of the first prediction.
    """

    def __init__(self, n_paths: int, Sigma: FloatArray, first: int) -> None:
        self.n_paths, self.Sigma, self.first = n_paths, Sigma, first
        b, n, _ = Sigma.shape
        # Two sequences, so that a longer horizon begins with the paths of a shorter one.
        half = [
            np.random.default_rng(seed).standard_normal((size, n_paths // 2))
            for seed, size in enumerate((first, n - first))
        ]
        self.directions = np.concatenate(half) @ np.kron([[1.0, -1.0]], np.eye(n_paths // 2))
        self.root = np.zeros((b, n, n))
        self.off = np.zeros((b, n + 1, n_paths))  # from the means; 0 for the last, what is known
        for row in range(first):
            self.extend(row)

    def extend(self, row: int) -> None:
        """Go on with every path, by a row of the joint covariance."""
        extend_root(self.Sigma, row, self.root)
        self.off[:, row] = self.root[:, row, : row + 1] @ self.directions[: row + 1]

    def append(
        self,
        k: int,
        slopes: FloatArray,  # noqa: ARG002 (of which `FactoredPaths` makes use)
        rows: IntArray,  # noqa: ARG002
        phi: FloatArray,  # noqa: ARG002
        by: FloatArray,  # noqa: ARG002
    ) -> None:
        """Go on with every path by step k, whose row the joint covariance has now."""
        self.extend(self.first + k)


class FactoredPaths(JointPaths):
    r"""The same paths where e is of few factors, :math:`e_{kj} = w_k' \phi_j`, without a root.

    Then :math:`q_j = w_k' t_j` with :math:`t_j = \phi_j + g_j' t_{lags(j)}`, and the row of step k
    of the root R of :math:`\Sigma` is :math:`g_k' R_{lags(k)} + w_k' U'` with U = R^-1 T. Its
    products with itself, with U and with the directions need only the t of the lags, U'U and the
    products of U with the directions: a step costs O(r^2), whatever came before.
    """

    def __init__(self, n_paths: int, Sigma: FloatArray, first: int, rank: int) -> None:
        super().__init__(n_paths, Sigma, first)
        b, n, _ = Sigma.shape
        self.t = np.zeros((b, n + 1, rank))  # 0 for what is known
        self.square = np.zeros((b, rank, rank))  # U'U
        self.drawn = np.zeros((b, rank, n_paths))  # U'directions

    def append(
        self, k: int, slopes: FloatArray, rows: IntArray, phi: FloatArray, by: FloatArray
    ) -> None:
        """Go on with every path by step k.

        Parameters
        ----------
        k : int
        slopes : ndarray (b, d)
        rows : ndarray (d,)
            Of the inputs; -1 where they are known.
        phi, by : ndarray (b, r)
            phi and w.
        """
        row, g, at = self.first + k, slopes[:, None], rows >= 0
        before = (g @ self.t[:, rows])[:, 0]  # (b, r)
        projected = before + (self.square @ by[..., None])[..., 0]
        S = self.Sigma[:, rows[at, None], rows[at]]
        of_lags = (g[..., at] @ S @ np.swapaxes(g[..., at], 1, 2))[:, 0, 0]
        explained = of_lags + ((before + projected) * by).sum(axis=1)
        var = self.Sigma[:, row, row]
        left = np.where(var - explained > DETERMINED * var, var - explained, 0.0)
        root, own = np.sqrt(left)[:, None], self.directions[row]
        self.t[:, row] = phi + before
        self.off[:, row] = (g @ self.off[:, rows] + by[:, None] @ self.drawn)[:, 0] + root * own
        u = np.divide(self.t[:, row] - projected, root, out=np.zeros_like(phi), where=root > 0.0)
        self.square += u[:, :, None] * u[:, None]
        self.drawn += u[:, :, None] * own


class AlongPaths:
    """Covariances e_kj of the values of f, averaged over a few paths of the joint Gaussian.

    With several functions, step k is of function k modulo their number: e is 0 for different ones.

    A step costs O(n (m^2 + h m)) for n paths, m basis functions and horizon h; memory is O(n h m)
    for each origin.

    Parameters
    ----------
    functions : sequence of HasCovariance or None
        None: it is drawn anew at each step.
    paths : JointPaths
    rows : sequence of ndarray (h, d)
        For each function the row of each input of each of its steps; -1 where it is known.
    """

    def __init__(
        self,
        functions: Sequence[HasCovariance | None],
        paths: JointPaths,
        rows: Sequence[IntArray],
    ) -> None:
        self.paths = paths
        pairs = zip(functions, rows, strict=True)
        self.each = [None if f is None else _Values(f, paths, own) for f, own in pairs]

    def covariances(self, k: int, u: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (b, k + 1), at step k with inputs of mean u (b, d)."""
        e, m = np.zeros((len(u), k + 1)), len(self.each)
        own = self.each[k % m]
        if own is not None:
            e[:, k % m :: m] = own.covariances(k // m, u)
        return e

    def append(self, k: int, slopes: FloatArray, rows: IntArray) -> None:
        """Take note of step k, of slopes (b, d) at inputs of rows (d,) of the joint covariance."""
        m = len(self.each)
        here = [
            None if v is None else v.at(k // m, own=i == k % m) for i, v in enumerate(self.each)
        ]
        phi, by = (np.hstack(each) for each in zip(*filter(None, here), strict=True))
        self.paths.append(k, slopes, rows, phi, by)


class _Values:
    """One function along the paths, and the covariances of its values at its own steps."""

    def __init__(self, f: HasCovariance, paths: JointPaths, rows: IntArray) -> None:
        self.f, self.paths, self.rows = f, paths, rows
        b, (h, d) = len(paths.Sigma), rows.shape
        self.inputs = np.zeros((b, h, paths.n_paths, d))
        self.signs = np.tile(f.signs, paths.n_paths)
        self.factors = np.zeros((b, h, len(self.signs)))

    def at(self, k: int, *, own: bool) -> tuple[FloatArray, FloatArray]:
        """Return its factors at its step k and their weights in e, (b, r); 0 at steps of others."""
        phi = self.factors[:, k] if own else np.zeros_like(self.factors[:, 0])
        return phi, self.signs * phi / self.paths.n_paths

    def covariances(self, k: int, u: FloatArray) -> FloatArray:
        """Return e_kj for its steps j = 0, ..., k, (b, k + 1)."""
        x = u[:, None] + np.swapaxes(self.paths.off[:, self.rows[k]], 1, 2)  # (b, n_paths, d)
        b, n_paths, d = x.shape
        self.inputs[:, k] = x
        self.factors[:, k] = self.f.factors(x.reshape(-1, d)).reshape(b, -1)
        e = (self.factors[:, : k + 1] @ (self.signs * self.factors[:, k])[:, :, None])[..., 0]
        if self.f.prior_var:
            earlier = self.inputs[:, : k + 1]
            now = np.broadcast_to(x[:, None], earlier.shape)
            prior = self.f.prior_pairs(earlier.reshape(-1, d), now.reshape(-1, d))
            e += prior.reshape(b, k + 1, n_paths).sum(axis=2)
        return np.asarray(e / n_paths)


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
        self,
        predictives: Sequence[Predictive],
        Sigma: FloatArray,
        first: int,
        rows: Sequence[IntArray],
    ) -> AlongPaths | None:
        """Return how the values of f at the steps of one forecast hang together.

        None if all are drawn anew at each step. Parameters are as those of `JointPaths` and
        `AlongPaths`.
        """
        joint = [self._joint(one) for one in predictives]
        if all(one is None for one in joint):
            return None
        functions = [one for one in joint if one is not None]
        rank = self.n_paths * sum(len(one.signs) for one in functions)
        few = rank < Sigma.shape[1] - first and not any(one.prior_var for one in functions)
        at = self.n_paths, Sigma, first
        return AlongPaths(joint, FactoredPaths(*at, rank) if few else JointPaths(*at), rows)

    def size(self, predictive: Predictive, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        joint = self._joint(predictive)
        if joint is None:
            return 0
        return horizon * self.n_paths * (len(joint.signs) + joint.n_inputs)

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
