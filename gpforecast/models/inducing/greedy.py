"""Greedy choice of inducing inputs: by evidence, posterior, divergence or information gain."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.covariances import Covariance
from gpforecast.models.inducing.growing import GrowingSupport
from gpforecast.models.inducing.spread import distinct_rows

CANDIDATES = 59  # the best of 59 is among the best 5 % with probability 0.95
_FEW = 256  # rows up to which every row is a candidate, every time
CRITERIA = ("sgev", "sggp", "kl")


@dataclass(frozen=True, eq=False)
class Greedy:
    """Rows in the order in which they were chosen, and what each of them gained.

    Attributes
    ----------
    rows : ndarray (m,) of int
    gains : ndarray (m,)
        In the units of the criterion. The running sum of those of ``"sgev"`` is the log evidence
        less that of no support at all; where it is greatest, the support is large enough.
    """

    rows: IntArray
    gains: FloatArray


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
) -> Greedy:
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
    criterion : {"sgev", "sggp", "kl"}
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

    Returns
    -------
    Greedy
        Fewer than `n_inducing` rows where f at all others is determined by f at those chosen, to
        ten digits: more would change the conditioning and nothing else.

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
    >>> found = greedy_rows("sgev", X, y, 20, covariance=k, noise_var=0.01)
    >>> bool(np.argmax(np.cumsum(found.gains)) < 12)  # of sin(x)/x, few are enough
    True
    """
    if n_candidates is None:
        n_candidates = len(X) if len(X) <= _FEW else CANDIDATES
    rng = np.random.default_rng(seed)
    support = GrowingSupport(covariance, noise_var, X, y, min(n_inducing, len(X)))
    gains: list[float] = []
    while len(gains) < n_inducing:
        rows = support.open_rows
        if len(rows) == 0:
            break
        if criterion != "kl" and len(rows) > n_candidates:
            rows = rng.choice(rows, n_candidates, replace=False)
        gain = support.gains(criterion, rows)
        best = int(np.argmax(gain))
        support.add(int(rows[best]))
        gains.append(float(gain[best]))
    return Greedy(np.array(support.rows, dtype=np.int64), np.array(gains))


def information_gain_rows(
    X: FloatArray, n_inducing: int, *, covariance: Covariance, noise_var: float
) -> Greedy:
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
    Greedy
        Of distinct inputs. The gains never rise: information has diminishing returns. Among equals
        the first row is taken, with a stationary covariance the very first row of all.

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
    >>> information_gain_rows(X, 3, covariance=k, noise_var=0.1).rows
    array([0, 8, 4])
    """
    open_rows = distinct_rows(X)
    Z = X[open_rows]
    zeta = covariance.diag(Z)
    free = np.ones(len(Z), dtype=bool)
    m = min(n_inducing, len(Z))
    V = np.empty((m, len(Z)))  # L^-1 K with L L' = K_II + sigma^2 I over the rows chosen
    chosen = np.empty(m, dtype=np.int64)
    gains = np.empty(m)
    for j in range(m):
        i = int(np.argmax(np.where(free, zeta, -np.inf)))
        gains[j] = 0.5 * np.log1p(zeta[i] / noise_var)
        V[j] = covariance(Z[i : i + 1], Z)[0] - V[:j, i] @ V[:j]
        V[j] /= np.sqrt(zeta[i] + noise_var)
        zeta = np.maximum(zeta - V[j] ** 2, 0.0)
        free[i] = False
        chosen[j] = i
    return Greedy(open_rows[chosen], gains)
