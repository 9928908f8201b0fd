"""The predictive density of every row given all others, as a function of the hyperparameters."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.conditioning import GramFactors, factorise
from gpforecast.models.evidence import Evidence

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Evidence):
    r"""The log density of each target given the other rows, summed; a sibling of the evidence.

    With C the covariance of the targets, :math:`P = C^{-1}` and :math:`\alpha = P y`, a row that is
    left out has

    .. math::

        y_i - \mu_{-i} = \alpha_i / P_{ii}, \qquad s_{-i}^2 = 1 / P_{ii}, \qquad
        L = \sum_i \log N(y_i \mid \mu_{-i}, s_{-i}^2)

    (Rasmussen and Williams, eqs. (5.10) to (5.12)), noise included, so that no row is ever left
    out in fact. Eq. (5.13) for all hyperparameters at once:

    .. math::

        dL = \tfrac12 \sum_{ij} G_{ij} \, dC_{ij}, \qquad
        G = -2 P A P - P b \alpha' - \alpha (P b)', \qquad
        A_{ii} = \frac{1 + \alpha_i^2 / P_{ii}}{2 P_{ii}}, \quad b_i = -\frac{\alpha_i}{P_{ii}}.

    An evaluation costs O(n^3) time, about twice that of the evidence, and four n x n matrices.
    """

    def _log_evidence(self, covariance: Covariance, noise_var: float) -> float:
        factors = factorise(covariance, noise_var, self.X, self.workspace)
        alpha = factors.log_evidence(self.y)[1]
        return _log_density(alpha, _Inverse.of(factors).diagonal)

    def _with_slopes(self, covariance: Covariance, noise_var: float) -> tuple[float, FloatArray]:
        factors = factorise(covariance, noise_var, self.X, self.workspace)
        alpha = factors.log_evidence(self.y)[1]
        P = _Inverse.of(factors)
        p = P.diagonal
        a, b = 0.5 * (1.0 + alpha**2 / p) / p, -alpha / p
        Pb = P.times(b)
        trace = -2.0 * float(a @ P.squared_rows() + Pb @ alpha)
        PH = factors.G @ factors.R.T  # without an n x n matrix, and without loss of digits
        by_prior = -(a @ PH**2) - (PH.T @ b) * (PH.T @ self.y)
        parts, by_kernel = Parts.of(covariance, self.X.shape[1]), np.zeros(0)
        if parts.kernel is not None and P.dense is not None:
            root = P.dense * np.sqrt(2.0 * a)
            minus_G = root @ root.T
            for u, v in ((Pb, alpha), (alpha, Pb)):
                minus_G += np.outer(u, v)
            nothing = np.zeros((0, len(alpha)))
            by_kernel = parts.kernel.gram_slopes(self.X, self.workspace.K, nothing, minus_G)
        slopes = np.append(parts.assembled(by_kernel, by_prior), 0.5 * noise_var * trace)
        return _log_density(alpha, p), slopes


@dataclass(frozen=True, eq=False)
class _Inverse:
    """P = K_y^-1 - G G', which a linear model has without a matrix of all rows.

    Attributes
    ----------
    dense : ndarray (n, n) or None
    nugget : float
        K_y is the nugget times I where there is no `dense`.
    G : ndarray (n, r)
    """

    dense: FloatArray | None
    nugget: float
    G: FloatArray

    @classmethod
    def of(cls, factors: GramFactors) -> "_Inverse":
        """Invert what was factored; the factor is overwritten."""
        dense = None
        if factors.chol is not None:
            scipy.linalg.lapack.dpotri(factors.chol.T, lower=0, overwrite_c=1)
            dense = np.tril(factors.chol)
            dense += np.tril(dense, -1).T
            dense -= factors.G @ factors.G.T
        return cls(dense, factors.nugget, factors.G)

    @property
    def diagonal(self) -> FloatArray:
        """Precisions of the rows given all others, (n,)."""
        if self.dense is not None:
            p = self.dense.diagonal().copy()
        else:
            p = 1.0 / self.nugget - (self.G**2).sum(axis=1)
        if p.min() <= 0.0:
            raise np.linalg.LinAlgError("a row that is left out has no variance")
        return p

    def times(self, b: FloatArray) -> FloatArray:
        """Return P b, (n,)."""
        if self.dense is not None:
            return self.dense @ b
        return b / self.nugget - self.G @ (self.G.T @ b)

    def squared_rows(self) -> FloatArray:
        """Return the squared length of each row of P, (n,)."""
        if self.dense is not None:
            return np.asarray(np.einsum("ij,ij->i", self.dense, self.dense))
        inner = self.G.T @ self.G - 2.0 / self.nugget * np.eye(self.G.shape[1])
        return np.asarray(self.nugget**-2.0 + np.einsum("ir,rs,is->i", self.G, inner, self.G))


def _log_density(alpha: FloatArray, p: FloatArray) -> float:
    """Return the sum of the log densities at residuals alpha / p with variances 1 / p."""
    return 0.5 * float(np.sum(np.log(p) - alpha**2 / p) - len(p) * _LOG_2PI)
