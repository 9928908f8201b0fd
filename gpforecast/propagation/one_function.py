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
from typing import Protocol, TypeVar, cast

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import how_many, one_of
from gpforecast.numerics.compiled.joint import extend_root
from gpforecast.posteriors.base import HasCovariance, Predictive, supported
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation.closed_form import ClosedForm

_M = TypeVar("_M")


class Shared(Protocol):
    """Covariances of one function's values across the steps of a forecast."""

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (b, k + 1), at step k with inputs N(u, S)."""
        ...

    def append(self, k: int) -> None:
        """Take note of the row of step k, which the joint covariance has now."""
        ...


class FreshAtEachStep:
    """Every step has its own f, drawn anew."""

    def __init__(self, n_origins: int) -> None:
        self.none = np.zeros((n_origins, 0))

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return nothing, (b, 0)."""
        return self.none

    def append(self, k: int) -> None:
        """Do nothing."""


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
            self._extend(row)

    def append(self, k: int) -> None:
        """Go on with every path, by the row of step k of the joint covariance."""
        self._extend(self.first + k)

    def _extend(self, row: int) -> None:
        extend_root(self.Sigma, row, self.root)
        self.off[:, row] = self.root[:, row, : row + 1] @ self.directions[: row + 1]


class AlongPaths:
    """e_kj averaged over a few paths of the joint Gaussian of all nodes.

    A step costs O(n (m^2 + h m)) for n paths, m basis functions and horizon h; memory is O(n h m)
    for each origin.

    Parameters
    ----------
    predictive : HasCovariance
    paths : JointPaths
    rows : ndarray (h, d)
        The row of each input of each step; -1 where it is known.
    """

    def __init__(self, predictive: HasCovariance, paths: JointPaths, rows: IntArray) -> None:
        self.predictive, self.paths, self.rows = predictive, paths, rows
        b, (h, d) = len(paths.Sigma), rows.shape
        self.inputs = np.zeros((b, h, paths.n_paths, d))
        self.signs = np.tile(predictive.signs, paths.n_paths)
        self.factors = np.zeros((b, h, len(self.signs)))

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return e_kj for j = 0, ..., k, (b, k + 1)."""
        x = u[:, None] + np.swapaxes(self.paths.off[:, self.rows[k]], 1, 2)  # (b, n_paths, d)
        b, n_paths, d = x.shape
        self.inputs[:, k] = x
        self.factors[:, k] = self.predictive.factors(x.reshape(-1, d)).reshape(b, -1)
        e = (self.factors[:, : k + 1] @ (self.signs * self.factors[:, k])[:, :, None])[..., 0]
        if self.predictive.prior_var:
            earlier = self.inputs[:, : k + 1]
            now = np.broadcast_to(x[:, None], earlier.shape)
            prior = self.predictive.prior_pairs(earlier.reshape(-1, d), now.reshape(-1, d))
            e += prior.reshape(b, k + 1, n_paths).sum(axis=2)
        return np.asarray(e / n_paths)

    def append(self, k: int) -> None:
        """Go on with every path, by the row of step k of the joint covariance."""
        self.paths.append(k)


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
    n_paths: int | None = field(default=16, kw_only=True)

    def __post_init__(self) -> None:
        one_of(self.function, "function", ("path", "step"))
        if self.n_paths is not None and how_many(self.n_paths, "n_paths") % 2:
            raise ValueError(f"n_paths must be even, they come in pairs; got {self.n_paths}.")

    def shared(
        self, predictive: Predictive, Sigma: FloatArray, first: int, rows: IntArray
    ) -> Shared:
        """Return how the values of f at the steps of one forecast hang together.

        Parameters
        ----------
        predictive : Posterior or Predictive
        Sigma, first, rows
            As those of `JointPaths` and `AlongPaths`.

        Raises
        ------
        TypeError
            If there is no closed form.
        """
        joint = self._joint(predictive)
        if joint is None:
            return FreshAtEachStep(len(Sigma))
        if self.n_paths is not None:
            return AlongPaths(joint, JointPaths(self.n_paths, Sigma, first), rows)
        if not isinstance(predictive, Posterior) or not predictive.has_gaussian_basis:
            raise TypeError(
                "n_paths=None, the closed form, needs a posterior with one squared exponential "
                "covariance, and linear and constant terms at most; give a number of paths, such "
                "as 16."
            )
        return ClosedForm(predictive, Sigma, rows)

    def shared_by(
        self,
        predictives: Sequence[Predictive],
        Sigma: FloatArray,
        first: int,
        rows: Sequence[IntArray],
    ) -> tuple[JointPaths, list[Shared]]:
        """Return the same for several functions along the same paths, each with its own rows.

        Raises
        ------
        TypeError
            If ``n_paths`` is None.
        """
        if self.n_paths is None:
            raise TypeError(
                "n_paths=None, the closed form, is of a single function; give a number of paths, "
                "such as 16."
            )
        paths, each = JointPaths(self.n_paths, Sigma, first), list[Shared]()
        for predictive, own in zip(predictives, rows, strict=True):
            joint = self._joint(predictive)
            fresh = FreshAtEachStep(len(Sigma))
            each.append(fresh if joint is None else AlongPaths(joint, paths, own))
        return paths, each

    def size(self, predictive: Predictive, horizon: int) -> int:
        """Return how many doubles are kept for each origin."""
        joint = self._joint(predictive)
        if joint is None:
            return 0
        # The closed form keeps about as much as two paths for each input.
        n_paths = self.n_paths or 2 * (joint.n_inputs + 1)
        return horizon * n_paths * (len(joint.signs) + joint.n_inputs)

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
