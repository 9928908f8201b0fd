r"""The expected covariance of one function at two Gaussian inputs, in closed form.

In units of the length-scales let the inputs x_j, x_k have means u, covariances S and the
cross-covariance :math:`B = \operatorname{cov}(x_k, x_j)`. With :math:`I + S = R R'`, the centres
relative to each, :math:`a_i = R_j^{-1}(x_i - u_j)` and :math:`b_i = R_k^{-1}(x_i - u_k)`, and
:math:`H = R_k^{-1} B R_j^{-T}`, whose singular values are below 1,

.. math::

    E[k_i(x_j)\, k_n(x_k)] &= l_i^j\, l_n^k\, e^{T_{in}}, \qquad
    T_{in} = a_i' z_n + \alpha_i + \beta_n, \qquad z_n = (I - H'H)^{-1} H' b_n, \\
    \alpha_i &= -\tfrac12 |(I - HH')^{-1/2} H a_i|^2, \qquad
    \beta_n = -\tfrac12 |(I - H'H)^{-1/2} H' b_n|^2 - \tfrac12 \log |I - H'H|.

With :math:`W = A A' - (C C')^{-1}`, e_kj is c E[k(x_k, x_j)], the product of the expected factors
of the covariance, :math:`\sum_{in} W_{in} l_i^j l_n^k (e^{T_{in}} - 1)`, and what the linear part
of A adds. The terms of first order in T are sums over products of factors; what is summed in pairs
is :math:`e^T - 1 - T`, so no digits are lost.
"""

from functools import partial
from itertools import pairwise

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.numerics.compiled.joint import cross_remainders
from gpforecast.numerics.threads import one_blas_thread, run_shared
from gpforecast.posteriors.extended_linear import Posterior

_TASKS = 6  # that one step's pairs are shared out in
_BLOCK_ELEMENTS = 4_000_000  # doubles of one working array: 32 MB


class ClosedForm:
    """e_kj in closed form, for a `Posterior` whose covariance has expectations.

    A step costs O(h m^2 d) for m basis functions, d inputs and the horizon h so far; memory is
    O(h m d) for each origin.

    Parameters
    ----------
    posterior : Posterior
    Sigma : ndarray (b, n, n)
        The joint covariance of all nodes, filled up to the current step.
    rows : ndarray (h, d)
        The row of each input of each step; -1 where it is known.
    """

    def __init__(self, posterior: Posterior, Sigma: FloatArray, rows: IntArray) -> None:
        W = posterior.pair_weights()
        self.origins = [_Origin(posterior, W, one, rows) for one in Sigma]

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (b, k + 1)."""
        with one_blas_thread():
            return np.array(
                [of.covariances(k, *x) for of, *x in zip(self.origins, u, S, strict=True)]
            )

    def append(self, k: int) -> None:
        """Do nothing: the joint covariance is read where it is needed."""


class _Origin:
    """The same for one origin.

    Attributes
    ----------
    u : ndarray (h, d)
    S, inverse_root : ndarray (h, d, d)
        The covariance of each input, and R^-1; all in units of the length-scales.
    l : ndarray (h, m)
        Expectations of the basis functions.
    at : ndarray (h, m, d)
        The centres relative to each input, R^-1 (x_i - u).
    level : ndarray (h, r)
        Expectations of the factors of the covariance.
    slopes, linear : ndarray (h, d, r)
        R' times their expected gradients: of the basis functions in them, and of the linear part.
    W_l : ndarray (h, m)
    """

    def __init__(self, posterior: Posterior, W: FloatArray, Sigma: FloatArray, rows: IntArray):
        self.posterior, self.W, self.Sigma, self.rows = posterior, W, Sigma, rows
        (h, d), m, r = rows.shape, posterior.n_basis, len(posterior.signs)
        self.u, self.S, self.inverse_root = np.zeros((h, d)), *np.zeros((2, h, d, d))
        self.l, self.at, self.W_l = np.zeros((h, m)), np.zeros((h, m, d)), np.zeros((h, m))
        self.level, self.slopes, self.linear = np.zeros((h, r)), *np.zeros((2, h, d, r))

    def covariances(self, k: int, u: FloatArray, S: FloatArray) -> FloatArray:
        """Return e_kj for j = 0, ..., k, (k + 1,)."""
        self._keep(k, u, S)
        step = max(1, _BLOCK_ELEMENTS // max(1, self.at[0].size))
        blocks = [slice(j, min(j + step, k + 1)) for j in range(0, k + 1, step)]
        return np.concatenate([self._of_pairs(k, j) for j in blocks])

    def _keep(self, k: int, u: FloatArray, S: FloatArray) -> None:
        posterior, ell = self.posterior, self.posterior.lengthscales
        self.u[k], self.S[k] = u / ell, S / np.outer(ell, ell)
        R = np.linalg.cholesky(np.eye(len(u)) + self.S[k])
        self.inverse_root[k] = np.linalg.inv(R)
        self.at[k] = (posterior.centers - u) / ell @ self.inverse_root[k].T
        self.l[k] = np.exp(-0.5 * (self.at[k] ** 2).sum(axis=1) - np.log(np.diag(R)).sum())
        no_x, no_k = np.zeros((len(u), len(u))), np.zeros((len(u), posterior.n_basis))
        self.slopes[k] = posterior.factors_of((self.l[k][:, None] * self.at[k]).T, no_x)
        self.linear[k] = posterior.factors_of(no_k, R.T * ell)
        self.level[k] = posterior.factors_of(self.l[k][None], u[None], 1.0)[0]
        of_basis = posterior.factors_of(self.l[k][None], no_x[:1])
        self.W_l[k] = posterior.weighted(of_basis)[0]

    def _of_pairs(self, k: int, j: slice) -> FloatArray:
        """Return e_kj for the steps j, (n,)."""
        signs, ell = self.posterior.signs, self.posterior.lengthscales
        row, column = self.rows[k][:, None], self.rows[j][:, None, :]
        random = (row >= 0) & (column >= 0)
        B = np.where(random, self.Sigma[row, column], 0.0) / np.outer(ell, ell)  # (n, d, d)
        H = self.inverse_root[k] @ B @ np.swapaxes(self.inverse_root[j], 1, 2)
        H_t, one = np.swapaxes(H, 1, 2), np.eye(len(ell))
        near, far = (np.linalg.inv(np.linalg.cholesky(one - X)) for X in (H @ H_t, H_t @ H))
        half = far @ H_t
        G = np.swapaxes(far, 1, 2) @ half  # (I - H'H)^-1 H'
        z = G @ self.at[k].T  # (n, d, m)
        logs = np.log(np.diagonal(far, axis1=1, axis2=2)).sum(axis=1)
        alpha = -0.5 * (((near @ H) @ np.swapaxes(self.at[j], 1, 2)) ** 2).sum(axis=1)
        beta = -0.5 * ((half @ self.at[k].T) ** 2).sum(axis=1) + logs[:, None]

        e = self.level[j] @ (signs * self.level[k])
        both, at_k = self.slopes[j] + self.linear[j], signs * self.slopes[k]
        e += (self.slopes[j] * ((G - H_t) @ at_k)).sum(axis=(1, 2))
        e += (both * (H_t @ (at_k + signs * self.linear[k]))).sum(axis=(1, 2))
        e += (self.l[j] * alpha) @ self.W_l[k] + (self.W_l[j] * beta) @ self.l[k]
        e += self._prior(k, j, B)
        rest = np.zeros(len(e))
        cuts = np.linspace(0, len(e), min(_TASKS, len(e)) + 1).astype(int)
        run_shared(
            partial(
                cross_remainders, self.W, self.l[j][a:b], alpha[a:b], self.at[j][a:b],
                self.l[k], beta[a:b], z[a:b], rest[a:b],
            )
            for a, b in pairwise(cuts)
        )  # fmt: skip
        return np.asarray(e + rest)

    def _prior(self, k: int, j: slice, B: FloatArray) -> FloatArray:
        """Return c E[k(x_k, x_j)], (n,): a Gaussian expectation of the difference of the inputs."""
        D = np.eye(B.shape[1]) + self.S[k] + self.S[j] - B - np.swapaxes(B, 1, 2)
        root = np.linalg.cholesky(D)
        off = np.linalg.solve(root, (self.u[k] - self.u[j])[:, :, None])[..., 0]
        logs = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        return np.asarray(self.posterior.prior_var * np.exp(-0.5 * (off**2).sum(axis=1) - logs))
