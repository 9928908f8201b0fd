"""Posteriors that hold in one region of the inputs each: PIC and local Gaussian processes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.shapes import check_matrix, check_shapes
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance
from gpforecast.numerics.linear_algebra import solve_rows
from gpforecast.posteriors.base import Batch, Moments, Prediction
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import storable

B = TypeVar("B", bound=Batch)


@storable
@dataclass(frozen=True, eq=False)
class PiecewisePosterior:
    r"""In each region an extended linear model, on the inducing inputs and the region's rows.

    With B the rows of the block whose centre is nearest to x,
    :math:`v = L^{-1} k_M(x)`, :math:`e = k_B(x) - V_B' v` and
    :math:`\Lambda_B = L_B L_B' = K_{BB} - V_B'V_B + \sigma^2 I`, the prediction of PIC
    (Snelson 2007, eq. 3.7) becomes

    .. math::

        m = v'\gamma + e'\alpha_B, \qquad
        \operatorname{var} = k_{**} - |v|^2 - |L_B^{-1} e|^2
            + |L_A^{-1} (v - V_B \Lambda_B^{-1} e)|^2

    in which the first two squares are :math:`|C^{-1} k|^2` for C the Cholesky factor of the
    covariance of the inducing variables and the block together. Without inducing inputs it is a
    Gaussian process on the block alone. The regions meet in jumps, so that there is no closed
    form at Gaussian inputs.

    Attributes
    ----------
    model : str
        The model it belongs to, for messages.
    block_centers : ndarray (s, d)
    X : ndarray (n, d)
        The rows, block by block.
    alpha : ndarray (n,)
    starts : ndarray of int (s + 1,)
        Where blocks begin, and the end.
    factors : tuple of ndarray (b, b)
        L_B.
    inducing : ndarray (M, d)
    L, inner_chol : ndarray (M, M) and (M', M')
    gamma : ndarray (M',)
    root : ndarray (d + 1,) or (0,)
        Roots of the prior variances of slopes and level; M' = M + len(root).
    lengthscales : ndarray (d,)
        Units of the distances to the centres.
    prior_var, noise_var : float
    covariance : Covariance
        k over `prior_var`, as of `Posterior`.

    Notes
    -----
    Memory is O(n (B + d)). The model of a block of B rows is put together in
    O(M (M + B)^2) time when it is first used, and the last one is kept.
    """

    model: str
    block_centers: FloatArray = field(repr=False)
    X: FloatArray = field(repr=False)
    alpha: FloatArray = field(repr=False)
    starts: IntArray = field(repr=False)
    factors: tuple[FloatArray, ...] = field(repr=False)
    inducing: FloatArray = field(repr=False)
    L: FloatArray = field(repr=False)
    inner_chol: FloatArray = field(repr=False)
    gamma: FloatArray = field(repr=False)
    root: FloatArray = field(repr=False)
    lengthscales: FloatArray
    prior_var: float
    noise_var: float
    covariance: Covariance

    def __post_init__(self) -> None:
        (n, d), (M, _) = check_matrix(self, "X"), check_matrix(self, "inducing")
        s, inner = check_matrix(self, "block_centers")[0], len(self.gamma)
        check_shapes(self, block_centers=(s, d), alpha=(n,), starts=(s + 1,), inducing=(M, d))
        check_shapes(self, L=(M, M), inner_chol=(inner, inner), gamma=(M + len(self.root),))
        check_shapes(self, lengthscales=(d,))
        shapes, ends = [np.shape(factor) for factor in self.factors], self.starts[[0, -1]]
        if shapes != [(b, b) for b in np.diff(self.starts)] or ends.tolist() != [0, n]:
            raise ValueError("factors and starts of PiecewisePosterior must be of its blocks")

    @property
    def n_inputs(self) -> int:
        """The number of inputs, d."""
        return int(self.X.shape[1])

    @property
    def supports(self) -> frozenset[str]:
        """Which propagation methods work beyond those that always do."""
        return frozenset({"taylor"}) if self.covariance.is_smooth else frozenset()

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        return self._gathered(X, lambda part, here: part.predict(X[here]))

    def joint(self, X: FloatArray) -> Joint:
        """Return mean and covariance of f at known inputs X (n, d) jointly.

        Two inputs in different regions share what the inducing inputs and linear terms explain,
        and no more.
        """
        mean, cov = np.empty(len(X)), np.zeros((len(X), len(X)))
        shared = np.zeros((len(X), len(self.gamma)))
        for part, here in self._by_region(X):
            factors, n = part.factors(X[here]), part.n_basis
            shared[here] = factors[:, n:]
            own = self.prior_var * self.covariance(X[here]) - factors[:, :n] @ factors[:, :n].T
            mean[here], cov[np.ix_(here, here)] = part.mean(X[here]), own
        return Joint.gaussian(mean, cov + shared @ shared.T)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Return the gradient of the mean within the region of each input: (n, d)."""
        gradient = np.empty(X.shape)
        for part, here in self._by_region(X):
            gradient[here] = part.gradient(X[here])
        return gradient

    def taylor_moments(self, u: FloatArray, S: FloatArray) -> Moments:
        """Return Taylor moments as if the region of u were that of every x ~ N(u, S).

        Parameters
        ----------
        u : ndarray (b, d)
        S : ndarray (b, d, d)

        Returns
        -------
        Moments
        """
        return self._gathered(u, lambda part, here: part.taylor_moments(u[here], S[here]))

    def part(self, block: int) -> Posterior:
        """Return the extended linear model of one region."""
        made = self._last.get(block) or self._made(block)
        self._last.clear()
        self._last[block] = made
        return made

    def _made(self, block: int) -> Posterior:
        rows = slice(int(self.starts[block]), int(self.starts[block + 1]))
        X, alpha, L_B, c = self.X[rows], self.alpha[rows], self.factors[block], self.prior_var
        M, d, B = len(self.inducing), self.n_inputs, len(alpha)
        V = solve_rows(self.L, c * self.covariance(X, self.inducing))  # (B, M)
        root = self.root
        linear = np.column_stack([X, np.ones(B)])[:, : len(root)] * root
        V_all = np.concatenate([V, linear], axis=1)
        # weights: v'gamma + e'alpha, with v = L^-1 k_M and e = k_B - V v
        rest = self.gamma[None, :M] - V.T @ alpha
        on_inducing = solve_rows(self.L, rest, transposed=True)[0]
        weights = c * np.concatenate([on_inducing, alpha])
        slopes = self.gamma[M:] * root if len(root) else np.zeros(d + 1)
        chol = np.zeros((M + B, M + B))
        chol[:M, :M], chol[M:, :M], chol[M:, M:] = self.L, V, L_B
        return Posterior(
            centers=np.concatenate([self.inducing, X]),
            lengthscales=self.lengthscales,
            weights=weights,
            linear=slopes[:d],
            constant=float(slopes[d]),
            noise_var=self.noise_var,
            prior_var=c,
            chol=chol / c,
            nugget=self.noise_var,
            added=self._added(V, V_all, L_B),
            covariance=self.covariance,
        )

    def _added(self, V: FloatArray, V_all: FloatArray, L_B: FloatArray) -> FloatArray | None:
        """Return A with A' psi = L_A^-1 (v - V_B Lambda_B^-1 e), the rows of linear terms last."""
        size, M, d = len(self.gamma), V.shape[1], self.n_inputs
        if size == 0:
            return None
        W = scipy.linalg.cho_solve((L_B, True), V_all)  # Lambda_B^-1 V_B', (B, M')
        on_v = np.eye(size)[:, :M] + W.T @ V  # (M', M)
        on_inducing = solve_rows(self.L, np.ascontiguousarray(on_v), transposed=True)
        among = self.prior_var * np.concatenate([on_inducing.T, -W])
        tail = np.zeros((d + 1, size))
        tail[: len(self.root), M:] = np.diag(self.root)
        return solve_rows(self.inner_chol, np.concatenate([among, tail]))

    def _by_region(self, X: FloatArray) -> Iterator[tuple[Posterior, IntArray]]:
        """Yield the model of each region that X visits, and which of X are there."""
        labels = np.asarray(self._tree.query(X / self.lengthscales)[1])
        order = np.argsort(labels, kind="stable")
        visited, first = np.unique(labels[order], return_index=True)
        for block, here in zip(visited, np.split(order, first[1:]), strict=True):
            yield self.part(int(block)), here

    def _gathered(self, X: FloatArray, f: Callable[[Posterior, IntArray], B]) -> B:
        """Return what f makes of every region, in the order of X."""
        found = [(here, f(part, here)) for part, here in self._by_region(X)]
        joined = found[0][1].joined([values for _, values in found])
        return joined.rows(np.argsort(np.concatenate([here for here, _ in found])))

    @cached_property
    def _tree(self) -> "scipy.spatial.cKDTree":
        return scipy.spatial.cKDTree(self.block_centers / self.lengthscales)

    @cached_property
    def _last(self) -> dict[int, Posterior]:
        return {}
