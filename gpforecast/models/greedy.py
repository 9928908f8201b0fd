r"""Greedy choice of inducing inputs: by evidence, posterior, divergence or information gain.

The first three grow a reduced-rank Gaussian process by one row at a time.
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

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.covariances import Covariance

CANDIDATES = 59  # the best of 59 is among the best 5 % with probability 0.95
_FEW = 256  # rows up to which every row is a candidate, every time
_BATCH = 256  # candidates at a time: a working array of n times so many doubles
_EXPLAINED = 1e-10  # of its prior variance: what is left of f at a row that adds nothing
CRITERIA = ("sgev", "sggp", "kl", "information_gain")


def distinct_rows(X: FloatArray) -> IntArray:
    """Return the first row of every distinct input, in the order of the data.

    Two inducing inputs at one place make their covariance singular and add no information.

    Parameters
    ----------
    X : ndarray (n, d)

    Returns
    -------
    ndarray (m,) of int
        Costs O(n d log n).

    Examples
    --------
    >>> import numpy as np
    >>> distinct_rows(np.array([[2.0], [1.0], [2.0]]))
    array([0, 1])
    """
    return np.asarray(np.sort(np.unique(X, axis=0, return_index=True)[1]).astype(np.int64))


def greedy_rows(
    criterion: str,
    X: FloatArray,
    y: FloatArray,
    n_inducing: int,
    *,
    covariance: Covariance,
    noise_var: float,
    seed: Seed = None,
    n_candidates: int | None = None,
    max_rows: int | None = None,
) -> IntArray:
    r"""Add the best row, or the best of a few random ones, again and again.

    ``"sgev"`` judges a row by the log evidence of the reduced-rank Gaussian process with it,

    .. math:: -\tfrac12 \log|\tilde Q_i| - \tfrac12 y' \tilde Q_i^{-1} y, \qquad
        \tilde Q_i = \sigma^2 I + K_{NM} K_{MM}^{-1} K_{MN},

    in nats; it can fall when the support is large enough. ``"sggp"`` (Smola and Bartlett) judges
    it by the log posterior of the full process at the best weights that are zero elsewhere,
    :math:`\tfrac12 y' K_{NM} (K_{MN} K_{NM} + \sigma^2 K_{MM})^{-1} K_{MN} y`, in squared units of
    the target; it is :math:`\sigma^2` times the part of the former quadratic in y, and never
    falls.

    ``"kl"`` (Seeger, Williams and Lawrence) judges it by how far the posterior q of f at the
    support and at the row would move,

    .. math:: \mathrm{KL}(q_i \,\|\, q), \qquad
        q_i(f) \propto q(f) \, N(y_i | f_i, \sigma^2) / N(y_i | p_i' f_M, \sigma^2),
        \quad p_i = K_{MM}^{-1} k_i,

    in nats, when the row's own observation alone is of f there itself, and not of what the support
    says of it. With :math:`r = c_i / \sigma^2` the variance of f at the row once f at the
    support is known over that of the noise, h the leverage of the row and :math:`\mu_i` the mean
    there, it is

    .. math:: \tfrac12 \Big[\log D + \frac{r(2h - 1)}{D}
        + \frac{r (1 + h r)}{D^2} \frac{(y_i - \mu_i)^2}{\sigma^2}\Big],
        \qquad D = 1 + r(1 - h).

    It costs O(1) a row, so that every row is judged at every step.

    Parameters
    ----------
    criterion : {"sgev", "sggp", "kl", "information_gain"}
        The last is that of `information_gain_rows`.
    X : ndarray (n, d)
    y : ndarray (n,)
    n_inducing : int
    covariance : Covariance
        With all its values.
    noise_var : float
        Positive, squared units of the target.
    seed : int, Generator or None
        For the candidates.
    n_candidates : int or None
        Of ``"sgev"`` and ``"sggp"``: rows judged at each step. ``None``: all of up to 256, else 59.
    max_rows : int or None
        Rows to choose from; of more, a random part is taken.

    Returns
    -------
    ndarray (m,) of int
        In the order of their choice. Fewer than `n_inducing` where f at all others is determined by
        f at those chosen, to ten digits: more would change the conditioning and nothing else.

    Notes
    -----
    Time is O(n m^2 c) for c candidates, by ``"kl"`` O(n m^2); memory O(n m).

    References
    ----------
    Quinonero-Candela (2004), eqs. (3.30) to (3.35) and section A.3; Smola and Bartlett (2001);
    Seeger, Williams and Lawrence (2003), "Fast forward selection to speed up sparse Gaussian
    process regression".

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> X = np.linspace(-10, 10, 100)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0)
    >>> X[greedy_rows("sgev", X, y, 3, covariance=k, noise_var=0.01), 0].round(1)
    array([-0.1,  1.5, -1.3])
    """
    rng, few = np.random.default_rng(seed), np.arange(len(X))
    if max_rows is not None and len(X) > max_rows:
        few = np.sort(rng.choice(len(X), max_rows, replace=False))
        X, y = X[few], y[few]
    if criterion == "information_gain":
        chosen = information_gain_rows(X, n_inducing, covariance=covariance, noise_var=noise_var)
        return few[chosen]
    if n_candidates is None:
        n_candidates = len(X) if len(X) <= _FEW else CANDIDATES
    support = GrowingSupport(covariance, noise_var, X, y, min(n_inducing, len(X)))
    while len(support.rows) < n_inducing:
        rows = support.open_rows
        if len(rows) == 0:
            break
        if criterion != "kl" and len(rows) > n_candidates:
            rows = rng.choice(rows, n_candidates, replace=False)
        support.add(int(rows[np.argmax(support.gains(criterion, rows))]))
    return few[support.rows]


def information_gain_rows(
    X: FloatArray, n_inducing: int, *, covariance: Covariance, noise_var: float
) -> IntArray:
    r"""Add the row whose observation lowers the entropy of f most, again and again.

    With :math:`\zeta_i` the variance of f at row i given noisy observations at the rows chosen,
    and :math:`\nu_i = 1 / (\sigma^2 + \zeta_i)`,

    .. math:: \Delta H_i = -\tfrac12 \log (1 - \nu_i \zeta_i)
        = \tfrac12 \log (1 + \zeta_i / \sigma^2)

    in nats. With Gaussian noise of one variance it is greatest where :math:`\zeta_i` is, and does
    not depend on the targets. The posterior is the full one, given the rows chosen alone; the
    criterion of Seeger, Williams and Lawrence (2003), a divergence of posteriors given all rows,
    is ``"kl"`` of `greedy_rows`.

    Parameters
    ----------
    X : ndarray (n, d)
    n_inducing : int
        At most the number of distinct rows of X.
    covariance : Covariance
        With all its values.
    noise_var : float
        Positive, squared units of the target.

    Returns
    -------
    ndarray (m,) of int
        Of distinct inputs. Among equals the first row is taken, with a stationary covariance the
        very first row of all.

    Notes
    -----
    Every row is judged at every step: O(n m) a step, O(n m^2) in all; memory O(n m).

    References
    ----------
    Lawrence (2011), the entropy criterion of the informative vector machine, eq. (2).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.SquaredExponential(1.0, 1.0)
    >>> X = np.linspace(0, 4, 9)[:, None]
    >>> information_gain_rows(X, 3, covariance=k, noise_var=0.1)
    array([0, 8, 4])
    """
    open_rows = distinct_rows(X)
    Z = X[open_rows]
    zeta = covariance.diag(Z)
    free = np.ones(len(Z), dtype=bool)
    m = min(n_inducing, len(Z))
    V = np.empty((m, len(Z)))  # L^-1 K with L L' = K_II + sigma^2 I over the rows chosen
    chosen = np.empty(m, dtype=np.int64)
    for j in range(m):
        i = int(np.argmax(np.where(free, zeta, -np.inf)))
        V[j] = covariance(Z[i : i + 1], Z)[0] - V[:j, i] @ V[:j]
        V[j] /= np.sqrt(zeta[i] + noise_var)
        zeta = np.maximum(zeta - V[j] ** 2, 0.0)
        free[i] = False
        chosen[j] = i
    return open_rows[chosen]


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
        for _ in range(2):  # two passes are enough (Kahan)
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
