"""Which coefficients of a regression explain more than chance, and how far others shrink."""

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_CHANCE = 0.005  # probability, by each of two tests, that columns without any effect are kept
_SWEEPS = 200
_LEAST_RATIO = 2.0  # of the squared quality to the sparsity, below which a coefficient is left out


def shrunk(beta: FloatArray, V: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return mean and covariance of coefficients with a prior variance of their own each.

    With :math:`\hat\beta \sim N(\beta, V)` and :math:`\beta_j \sim N(0, a_j)`, the evidence of
    :math:`C = V + \operatorname{diag}(a)` is maximised coordinate by coordinate: with s and q the
    sparsity and the quality of a coefficient, computed without its own :math:`a_j`,
    :math:`a_j = (q^2 - s) / s^2` where :math:`q^2 > s` and 0 elsewhere (Tipping and Faul 2003,
    eqs. 18-20). Here a coefficient is left out up to :math:`q^2 = 2 s`, which Akaike's criterion
    would do too: for a single one, up to :math:`\sqrt 2` standard errors.

    All are left out where nothing speaks for any of them: where by chance alone the largest ratio
    of a coefficient to its standard error, and :math:`\beta' V^{-1} \beta`, would be as large in
    more than 1 of 200 cases each.

    Parameters
    ----------
    beta : ndarray (p,)
    V : ndarray (p, p)
        Covariance of its error, positive definite; zero if it is known exactly.

    Examples
    --------
    >>> mean, cov = shrunk(np.array([10.0, 0.5]), np.eye(2))
    >>> mean.round(2), cov.diagonal().round(2)
    (array([9.9, 0. ]), array([0.99, 0.  ]))
    """
    size = np.sqrt(V.diagonal())
    if len(beta) == 0 or not size.all():
        return beta, V
    b, R = beta / size, V / size[:, None] / size
    R = R + 1e-12 * np.eye(len(b))
    if _by_chance(b, R):
        return np.zeros_like(beta), np.zeros_like(V)
    a = np.zeros(len(b))
    for _ in range(_SWEEPS):
        before = a.copy()
        for j in range(len(b)):
            a[j] = 0.0
            solved = np.linalg.solve(R + np.diag(a), np.column_stack([np.eye(len(b))[j], b]))
            s, q = solved[j]
            a[j] = (q**2 - s) / s**2 if q**2 > _LEAST_RATIO * s else 0.0
        if np.abs(a - before).max() <= 1e-9 * max(float(a.max()), 1.0):
            break
    gain = np.linalg.solve(R + np.diag(a), np.diag(a)).T  # A C^-1
    cov = np.diag(a) - gain @ np.diag(a)
    return size * (gain @ b), size[:, None] * 0.5 * (cov + cov.T) * size


def _by_chance(b: FloatArray, R: FloatArray) -> bool:
    """Whether ratios b of coefficients to their standard errors are such as chance makes.

    R is the correlation of the errors. The largest is judged by Bonferroni's bound, for all
    together by the chi-squared distribution.
    """
    one = len(b) * scipy.special.chdtrc(1, float((b**2).max()))
    together = scipy.special.chdtrc(len(b), float(b @ np.linalg.solve(R, b)))
    return bool(min(one, together) > _CHANCE)
