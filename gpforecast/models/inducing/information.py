"""Choice of inducing inputs by how much is learned of f: the informative vectors."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.inducing.greedy import Greedy
from gpforecast.models.inducing.spread import distinct_rows


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
