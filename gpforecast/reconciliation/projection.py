r"""The projection of incoherent forecasts onto those that add up, with the smallest variances.

Forecasts :math:`\hat y` of n series over h steps, with errors of covariance W (n h, n h), become

.. math::

    \tilde y = S (S' W^{-1} S)^{-1} S' W^{-1} \hat y
             = \hat y - W C' (C W C')^{-1} C \hat y

for S that adds up the bottom series and C with C S = 0, at each step. Of all unbiased coherent
forecasts these have the smallest total variance, and they are the Gaussian N(y^, W) given that it
adds up. The second form needs no inverse of W, so that forecasts may be certain.

References
----------
Wickramasuriya, Athanasopoulos and Hyndman (2019), "Optimal forecast reconciliation for hierarchical
and grouped time series through trace minimization", Journal of the American Statistical Association
114, theorem 1 and eq. 10 and 11. Panagiotelis, Gamakumara, Athanasopoulos and Hyndman (2023),
"Probabilistic forecast reconciliation", European Journal of Operational Research 306 (samples).
"""

import numpy as np
import scipy

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.numerics.linear_algebra import square_root
from gpforecast.reconciliation.hierarchy import Hierarchy
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import Paths

_SINGULAR = 1e-12  # of the variance that the parts of a total have without correlations
_EQUAL = 1e-8  # of the values: certain forecasts that differ by less are the same


def projection(hierarchy: Hierarchy, mean: FloatArray, W: FloatArray) -> FloatArray:
    """Return G (m h, n h), from forecasts of all series to coherent ones of the bottom series.

    Series by series, each with its steps.

    Parameters
    ----------
    hierarchy : Hierarchy
    mean : ndarray (n, h)
        Of the forecasts, only to check that they can be made coherent.
    W : ndarray (n h, n h)
        The covariance of their errors.

    Raises
    ------
    ValueError
        If totals and parts are certain, and do not add up.
    """
    h, m = mean.shape[1], len(hierarchy.bottom)
    C = scipy.sparse.kron(hierarchy.constraints, np.eye(h), "csr")  # (totals h, n h)
    CW = np.asarray(C @ W)
    V = CW @ C.T
    size = np.sqrt(C.power(2) @ np.diagonal(W))
    size = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(V / (size * size[:, None]))
    kept = values > _SINGULAR
    off = vectors.T @ (C @ mean.ravel() / size)
    _check_certain(vectors[:, ~kept] @ off[~kept] * size, hierarchy, mean)
    root = vectors[:, kept] / np.sqrt(values[kept]) / size[:, None]  # root root' = V^-1
    gain = (CW[:, -m * h :].T @ root) @ root.T  # (m h, totals h)
    G = np.asarray(-gain @ C, dtype=np.float64)
    G[:, -m * h :] += np.eye(m * h)
    return G


def joint_covariance(covariances: FloatArray, R: FloatArray) -> FloatArray:
    """Return the covariance of all series and steps from that of each series over its steps.

    With the lower triangular roots L_i of each, :math:`W_{ij} = R_{ij} L_i L_j'`. The errors of a
    series are L_i times independent ones, a new one each step, and those of different series are
    correlated where they are of the same step. Of linear processes this is exact. W is never
    negative where R is not.

    Parameters
    ----------
    covariances : ndarray (n, h, h)
    R : ndarray (n, n)
        Correlations of the one-step errors.

    Returns
    -------
    ndarray (n h, n h)
    """
    n, h = covariances.shape[:2]
    # The root of a QR exists for singular covariances too, of values that are given.
    upper = np.asarray(np.linalg.qr(np.swapaxes(square_root(covariances), 1, 2), mode="r"))
    roots = np.swapaxes(upper, 1, 2)
    signs = np.where(np.einsum("nhh->nh", roots) < 0.0, -1.0, 1.0)
    stacked = (roots * signs[:, None, :]).reshape(n * h, h)
    return np.asarray((stacked @ stacked.T) * np.kron(R, np.ones((h, h))))


def incoherence(hierarchy: Hierarchy, mean: FloatArray, W: FloatArray) -> float:
    """Return the squared differences of totals (n, h) and sums over their expectation by W."""
    (n, h), C = mean.shape, hierarchy.constraints
    # The covariances of different series at each step, (h, n, n), are all that this needs.
    steps = np.einsum("iaja->aij", W.reshape(n, h, n, h))
    expected = np.einsum("ci,aij,cj->ca", C, steps, C)
    known = expected > _SINGULAR * (C**2 @ np.einsum("aii->ia", steps))
    if not known.any():
        return 1.0
    return float(np.mean((C @ mean)[known] ** 2 / expected[known]))


def _check_certain(off: FloatArray, hierarchy: Hierarchy, mean: FloatArray) -> None:
    """Refuse totals that differ for certain from the sums of their parts."""
    h = mean.shape[1]
    scale = abs(hierarchy.constraints) @ abs(mean)
    wrong = abs(off.reshape(-1, h)) > _EQUAL * np.maximum(scale, np.finfo(float).tiny)
    if wrong.any():
        place, step = (int(k) for k in np.argwhere(wrong)[0])
        raise ValueError(
            f"forecasts of {hierarchy.names[place]!r} and its parts are certain, or have errors "
            f"that add up, but do not add up themselves at step {step + 1}; leave uncertain what "
            f"is to be reconciled."
        )


def joint_draws(
    base: list[Forecast], W: FloatArray, rng: np.random.Generator, n: int
) -> FloatArray:  # (series, h, n)
    """Draw n joint futures: of each forecast its own, in the order of draws of N(0, W).

    At each step, the draws of a forecast get the ranks of those of the Gaussian, and with them its
    correlations over series and steps (a Gaussian copula).

    References
    ----------
    Clark, Gangopadhyay, Hay, Rajagopalan and Wilby (2004), "The Schaake shuffle", Journal of
    Hydrometeorology 5.
    """
    z = square_root(W) @ rng.standard_normal((len(W), n))
    ranks = z.reshape(len(base), -1, n).argsort(axis=-1).argsort(axis=-1)
    own = np.array([forecast.distribution.sample(n, rng) for forecast in base])
    return np.take_along_axis(np.sort(own, axis=-1), ranks, axis=-1)


def projected_draws(
    draws: FloatArray, G: FloatArray, moments: Gaussian, positive: BoolArray
) -> tuple[Distribution, float]:
    """Return the bottom series of draws (series, h, n), coherent, and the largest share set to 0.

    Parameters
    ----------
    draws : ndarray (series, h, n)
    G : ndarray (m h, series h)
    moments : Gaussian
        The moments that they count by, of the m bottom series and h steps, (m h,).
    positive : ndarray (m,)
        Which bottom series are never below 0: draws that are count as 0, and moments as those of
        the draws.
    """
    n = draws.shape[-1]
    paths = G @ draws.reshape(-1, n)
    paths += (moments.mean - paths.mean(axis=1))[:, None]
    below = (paths < 0.0) & np.repeat(positive, len(paths) // len(positive))[:, None]
    if not below.any():
        return Paths(paths, moments, moments), 0.0
    inside = np.where(below, 0.0, paths)
    shrunk = inside.var(axis=1) / np.maximum(paths.var(axis=1), np.finfo(float).tiny)
    found = Paths.of(inside, moments.latent_var * np.minimum(shrunk, 1.0))
    return found, float(below.mean(axis=1).max())
