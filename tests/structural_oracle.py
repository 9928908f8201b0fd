"""A structural model as one Gaussian over all times, from the autocovariances of its components.

Level and slope, season, memory and noise in closed form, and N x N algebra: no filter, no state.
"""

import numpy as np
from scipy.special import expit
from scipy.stats import multivariate_t

VALUES = {
    "level": -0.5, "memory": 0.3, "rho": 1.0, "damping": 0.5, "drift": -2.0, "slope": -3.0,
    "season": -3.0, "amplitude": 1.0,
}  # fmt: skip


def covariance(n, values, period, start):
    """Covariance matrix (n, n) of the observations, in units of the scale.

    Parameters
    ----------
    n : int
    values : dict
        Hyperparameters, in the units of the search.
    period : int or None
    start : tuple of float
        Variances of level and slope at the first time.
    """
    t = np.arange(n)
    i, j = t[:, None], t
    both = np.minimum(i, j)
    level, memory = expit(values["level"]), expit(values["memory"])
    rho, phi = 0.95 * expit(values["rho"]), 0.8 + 0.2 * expit(values["damping"])
    at_start, slope_at_start = start

    # A slope of 1 at time 0 has moved the level by d(t) at time t.
    d = (1.0 - phi ** np.arange(n)) / (1.0 - phi)
    K = at_start + slope_at_start * d[i] * d[j] + level * both + np.exp(values["drift"]) * i * j
    for r in range(n - 1):  # the step of the slope from r to r + 1
        moved = np.where(t > r, d[np.maximum(t - 1 - r, 0)], 0.0)
        K = K + np.exp(values["slope"]) * moved[i] * moved[j]
    K = K + (1.0 - level) * memory * rho ** abs(i - j)
    if period is not None:
        for k in range(1, period // 2 + 1):
            size = np.exp(values["amplitude"]) / (period // 2) + np.exp(values["season"]) * both
            K = K + size * np.cos(2.0 * np.pi * k * (i - j) / period)
    return K + np.eye(n) * ((1.0 - level) * (1.0 - memory) + 1e-6)


def log_evidence(x, K, freedom, scale):
    """Log density of the known values under K times a scale with an inverse-gamma belief."""
    known = ~np.isnan(x)
    shape = scale * K[np.ix_(known, known)]
    return multivariate_t(np.zeros(known.sum()), shape, df=freedom).logpdf(x[known])


def conditioned(x, K, horizon):
    """Mean (h,) and covariance (h, h) of the values after x, given those of x that are known."""
    known, later = np.flatnonzero(~np.isnan(x)), len(x) + np.arange(horizon)
    gain = np.linalg.solve(K[np.ix_(known, known)], K[np.ix_(known, later)]).T
    return gain @ x[known], K[np.ix_(later, later)] - gain @ K[np.ix_(known, later)]
