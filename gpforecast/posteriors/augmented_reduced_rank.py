"""A reduced-rank Gaussian process with one more weight, at the input that is asked for."""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.numerics import jets
from gpforecast.posteriors.augmented import Augmented
from gpforecast.posteriors.base import Prediction
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_TINY = 1e-14  # of the prior variance; it decides 0 / 0 at the support inputs


@storable
@dataclass(frozen=True, eq=False)
class AugmentedReducedRank(Augmented):
    r"""A trained reduced-rank process, and what it needs to add a weight anywhere.

    Let m and v be its degenerate moments at :math:`x_*`, :math:`a = L^{-1} k(x_*)`,
    :math:`c_* = k_{**} - a'a` the part of the prior variance that the support does not span, and
    :math:`v_* = k_* - V'a` the same part of the covariance with the training rows. A further
    weight at :math:`x_*` adds :math:`v_* v_*'/c_*` to :math:`\tilde Q`, and

    .. math::

        m_* = m + \frac{e q}{c_* + s}, \qquad v_{*} = v + \frac{e^2}{c_* + s}

        q = v_*' \tilde Q^{-1} y, \quad s = v_*' \tilde Q^{-1} v_*, \quad
        e = c_* - a' B^{-1} V v_*

    which is eq. (3.29), its variance with a minus sign, by Sherman and Morrison's identity: it
    never divides by :math:`c_*`, which is zero at the support inputs. The variance is never below
    the degenerate one.

    Attributes
    ----------
    base : Posterior
        The degenerate process.
    covariance : Covariance
    X : ndarray (n, d)
        The training inputs.
    chol, chol_inner : ndarray (m, m)
        L, and the Cholesky factor of :math:`B = \sigma^2 I + V V'`; see `Factors`.
    Q1 : ndarray (n, m)
        :math:`V' C_B^{-\top}`.
    weights : ndarray (m,)
        :math:`B^{-1} V y`.
    pull : ndarray (n,)
        :math:`\tilde Q^{-1} y`.

    Notes
    -----
    s is a sum of squares: with :math:`t = Q_1' v_*`, :math:`\sigma^2 s = |v_* - Q_1 t|^2 +
    \sigma^2 |C_B^{-\top} t|^2`. A prediction costs O(n m), its Taylor moments O(n m r) for r
    uncertain inputs.

    References
    ----------
    Quinonero-Candela (2004), section 3.3.3 and appendix A.5.
    """

    base: Posterior
    covariance: Covariance
    X: FloatArray = field(repr=False)
    chol: FloatArray = field(repr=False)
    chol_inner: FloatArray = field(repr=False)
    Q1: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)

    @property
    def model(self) -> str:
        """The model it belongs to, for messages."""
        return "an augmented ReducedRankGP"

    def predict(self, X: FloatArray) -> Prediction:
        """Return mean and latent variance at known inputs X (n, d)."""
        mean, var = np.empty(len(X)), np.empty(len(X))
        for here in self._blocks(len(X), 0):
            prior = self.covariance.diag(X[here])
            a = _solved(self.chol, self.covariance(X[here], self.base.centers))
            h = _solved(self.chol_inner, a)
            rest = self.covariance(X[here], self.X)
            rest -= (a @ self.chol_inner) @ self.Q1.T  # a' V
            t = rest @ self.Q1
            q = rest @ self.pull
            rest -= t @ self.Q1.T
            s = _squares(rest) / self.noise_var + _squares(
                _solved(self.chol_inner, t, transposed=True)
            )
            c = np.maximum(prior - _squares(a), 0.0)
            e = c - np.einsum("bm,bm->b", h, t)
            size = c + s + _TINY * prior
            mean[here] = a @ self.weights + e * q / size
            var[here] = self.noise_var * _squares(h) + e**2 / size
        return Prediction(mean, var)

    def _jets(
        self, u: FloatArray, directions: FloatArray, *, order: int
    ) -> tuple[FloatArray, FloatArray]:
        prior = self.covariance.diag_jets(u, directions)
        k = self.covariance.jets(u, directions, self.base.centers, order=order)
        a = _solved(self.chol, k)
        h = _solved(self.chol_inner, a)
        rest = self.covariance.jets(u, directions, self.X, order=order)
        rest -= (a @ self.chol_inner) @ self.Q1.T
        t = rest @ self.Q1
        q = (rest @ self.pull)[..., None]
        s = jets.sum_of_squares(rest - t @ self.Q1.T) / self.noise_var
        s += jets.sum_of_squares(_solved(self.chol_inner, t, transposed=True))
        c = prior - jets.sum_of_squares(a)
        c[:, 0] = np.maximum(c[:, 0], 0.0)
        e = c - jets.times(h, t).sum(axis=-1, keepdims=True)
        size = c + s
        size[:, 0] += _TINY * prior[:, 0]
        mean = (a @ self.weights)[..., None] + jets.over(jets.times(e, q), size)
        var = self.noise_var * jets.sum_of_squares(h) + jets.over(jets.times(e, e), size)
        return mean, var


def _solved(chol: FloatArray, Y: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Return C^-1, or its transpose, applied along the last axis of Y."""
    flat = Y.reshape(-1, Y.shape[-1]).T
    factor = chol.T if transposed else chol
    solved = solve_triangular(factor, flat, lower=not transposed, check_finite=False)
    result: FloatArray = solved.T.reshape(Y.shape)
    return result


def _squares(A: FloatArray) -> FloatArray:
    """Return the sum of squares of every row."""
    squares: FloatArray = np.einsum("bm,bm->b", A, A)
    return squares
