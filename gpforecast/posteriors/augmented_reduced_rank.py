"""A reduced-rank Gaussian process with one more weight, at the test input."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.numerics import jets
from gpforecast.posteriors.augmented import Augmented
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
        L, and the Cholesky factor of :math:`B = \sigma^2 I + V V'`; see `SupportEvidence`.
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

    model: ClassVar[str] = "an augmented ReducedRankGP"
    base: Posterior
    covariance: Covariance
    X: FloatArray = field(repr=False)
    chol: FloatArray = field(repr=False)
    chol_inner: FloatArray = field(repr=False)
    Q1: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)

    @property
    def kernel(self) -> Covariance:
        """The covariance, with its linear and constant terms."""
        return self.covariance

    def _augmented(
        self, prior: FloatArray, on_base: FloatArray, on_rows: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        a = _solved(self.chol, on_base)
        h = _solved(self.chol_inner, a)
        in_V = jets.through(a, self.chol_inner)
        rest = on_rows  # k - V' a, and in the end what Q1 leaves of it
        rest -= jets.through(in_V, self.Q1.T)
        t = jets.through(rest, self.Q1)
        q = jets.through(rest, self.pull)
        rest -= jets.through(t, self.Q1.T)
        s = jets.sum_of_squares(rest) / self.noise_var
        s += jets.sum_of_squares(_solved(self.chol_inner, t, transposed=True))
        c = prior - jets.sum_of_squares(a)
        c[:, 0] = np.maximum(c[:, 0], 0.0)
        e = c - jets.times(h, t).sum(axis=-1, keepdims=True)
        gain = jets.over(e, jets.plus(c + s, _TINY * prior[:, 0]))
        mean = jets.through(a, self.weights) + jets.times(gain, q)
        return mean, self.noise_var * jets.sum_of_squares(h) + jets.times(gain, e)


def _solved(chol: FloatArray, Y: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Return C^-1, or its transpose, applied along the last axis of Y."""
    flat = Y.reshape(-1, Y.shape[-1]).T
    factor = chol.T if transposed else chol
    solved = solve_triangular(factor, flat, lower=not transposed, check_finite=False)
    return np.asarray(solved.T.reshape(Y.shape))
