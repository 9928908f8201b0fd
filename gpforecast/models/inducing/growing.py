r"""A reduced-rank Gaussian process whose support grows by one row at a time.

Its targets have the covariance :math:`\tilde Q = \sigma^2 I + V'V`, where :math:`V = L^{-1} K_{MN}`
and :math:`L L' = K_{MM}` (Quinonero-Candela 2004, eq. 3.23). A further row i adds one row to V,

.. math:: v = (k_i - V' V_i) / \sqrt{c_i}, \qquad c_i = k_{ii} - |V_i|^2,

with :math:`k_i` the column of the covariance, :math:`V_i` that of V, and :math:`c_i` the variance
of f at row i once f at the support is known. So :math:`\tilde Q` becomes
:math:`\tilde Q + v v'`, and everything a criterion asks for is in :math:`v' \tilde Q^{-1} v` and
:math:`v' \tilde Q^{-1} y`. Where the row's own likelihood alone changes (``"kl"``), three
numbers a row are enough: :math:`c_i`, the misfit and the leverage of the fit.
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance

_BATCH = 256  # candidates at a time: a working array of n times so many doubles
_EXPLAINED = 1e-10  # of its prior variance: what is left of f at a row that adds nothing


@dataclass(eq=False)
class GrowingSupport:
    r"""The support chosen so far, with what makes the next row cheap to judge.

    The columns of :math:`[V'; \sigma I]` are kept as an orthonormal set :math:`[Q_1; Q_2]`, so that
    :math:`\tilde Q^{-1} = (I - Q_1 Q_1') / \sigma^2`. Judging one row costs O(n m), adding it the
    same; memory is two n x m matrices.

    Parameters
    ----------
    covariance : Covariance
        With all its values.
    noise_var : float
        Positive.
    X, y : ndarray (n, d) and (n,)
    capacity : int
        Rows that it will hold at most.
    """

    covariance: Covariance
    noise_var: float
    X: FloatArray
    y: FloatArray
    capacity: int

    def __post_init__(self) -> None:
        n = len(self.y)
        self.rows: list[int] = []
        self.prior = self.covariance.diag(self.X)
        self.pivots = self.prior.copy()  # c_i
        self.residual = self.y.copy()  # (I - Q1 Q1') y
        self.leverage = np.zeros(n)  # diagonal of Q1 Q1': variance of the fit over sigma^2
        self._V, self._Q1 = np.empty((2, self.capacity, n))  # one vector a row
        self._Q2 = np.zeros((self.capacity, self.capacity))

    @property
    def open_rows(self) -> IntArray:
        """Rows at which f is not yet determined by the support, to working precision."""
        return np.asarray(np.flatnonzero(self.pivots > _EXPLAINED * self.prior).astype(np.int64))

    def gains(self, criterion: str, rows: IntArray) -> FloatArray:
        """Return what each of the rows would add, by a criterion of `greedy_rows`: (c,)."""
        if criterion == "kl":
            return self._divergences(rows)
        batches = [rows[a : a + _BATCH] for a in range(0, len(rows), _BATCH)]
        return np.concatenate([self._rises(criterion, batch) for batch in batches])

    def add(self, row: int) -> None:
        """Take one row into the support."""
        m = len(self.rows)
        v = self._directions(np.array([row]))[0]
        top, bottom = v.copy(), np.zeros(m + 1)
        bottom[m] = np.sqrt(self.noise_var)
        Q1, Q2 = self._Q1[:m], self._Q2[:m, : m + 1]
        for _ in range(2):  # twice is enough (Kahan)
            t = Q1 @ top + Q2 @ bottom
            top -= t @ Q1
            bottom -= t @ Q2
        size = np.sqrt(top @ top + bottom @ bottom)
        top /= size
        self._V[m], self._Q1[m], self._Q2[m, : m + 1] = v, top, bottom / size
        self.residual -= top * (top @ self.y)
        self.leverage += top**2
        self.pivots -= v**2
        self.pivots[row] = 0.0
        self.rows.append(int(row))

    def _rises(self, criterion: str, rows: IntArray) -> FloatArray:
        r"""Return the rise of the log evidence, the negative of (3.30), or the fall of (3.35).

        The evidence, ``"sgev"``, can fall. The least negative log posterior, ``"sggp"``, never
        rises: its fall is :math:`\sigma^2` times the part of the evidence that is quadratic in y.
        """
        V = self._directions(rows)
        t = V @ self._Q1[: len(self.rows)].T
        # sigma^2 + v' (I - Q1 Q1') v = sigma^2 (1 + v' Q^-1 v)
        rest = np.einsum("cn,cn->c", V, V) - np.einsum("cm,cm->c", t, t)
        size = self.noise_var + np.maximum(rest, 0.0)
        quadratic = (V @ self.residual) ** 2 / size
        log_det = np.log(size / self.noise_var)
        rise: FloatArray = 0.5 * quadratic
        return rise if criterion == "sggp" else 0.5 * (quadratic / self.noise_var - log_det)

    def _divergences(self, rows: IntArray) -> FloatArray:
        """Return the divergence of ``"kl"``, from what is already known: O(1) a row."""
        ratio = self.pivots[rows] / self.noise_var
        h, misfit = self.leverage[rows], self.residual[rows]
        # Only the fit at the row, N(mu, sigma^2 h), and what f has there beyond it, N(0, c), move:
        # two Gaussians of two dimensions, whose precisions have determinants in the ratio D.
        extra = ratio * (1.0 - h)
        D = 1.0 + extra
        moved = misfit**2 / self.noise_var * ratio * (1.0 + h * ratio) / D**2
        return np.asarray(0.5 * (np.log1p(extra) + ratio * (2.0 * h - 1.0) / D + moved))

    def _directions(self, rows: IntArray) -> FloatArray:
        """Return v of every row: (c, n)."""
        V = self._V[: len(self.rows)]
        rest = self.covariance(self.X[rows], self.X)
        rest -= V[:, rows].T @ V
        rest /= np.sqrt(self.pivots[rows])[:, None]
        return rest
