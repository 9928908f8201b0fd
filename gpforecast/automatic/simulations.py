"""How wide the intervals of a free simulation must be, by one of held-out values."""

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray


def widening(errors: FloatArray, var: FloatArray) -> FloatArray:
    r"""Return factors (h,) of the standard deviations of a simulation, for 95 % intervals.

    Errors depend on each other: n with autocorrelations rho are worth
    :math:`m = n / (1 + 2 \sum_k \rho_k)`, the sum up to the first that is negative (Geyer 1992).
    With a prior worth :math:`\nu` errors of the size expected, and :math:`r^2` the mean square of
    standardised ones, an error is the scale :math:`s^2 = (\nu + m r^2) / (\nu + m)` times one of
    Student's t with :math:`\nu + m` degrees of freedom (Gelman et al. 2013, "Bayesian data
    analysis", section 2.6).
    The error of a single step is known from all rows: it keeps its size, and a step in between is
    widened as far as its variance has grown.

    Parameters
    ----------
    errors : ndarray (h,)
        Over standard deviations; NaN where values or inputs are not known.
    var : ndarray (h,)
        Variances.
    """
    z = errors[~np.isnan(errors)]
    total, worth = max(float(z @ z), 1e-300), 1.0
    for k in range(1, len(z)):
        if (rho := float(z[k:] @ z[:-k]) / total) <= 0.0:
            break
        worth += 2.0 * rho
    m = len(z) / worth
    freedom = th.INPUT_PRIOR_ERRORS + m
    scale = np.sqrt((th.INPUT_PRIOR_ERRORS + total / worth) / freedom)
    factor = scale * scipy.special.stdtrit(freedom, 0.975) / scipy.special.ndtri(0.975)
    grown = np.maximum.accumulate(var - var[0])
    widened: FloatArray = np.sqrt(1.0 + grown / max(grown[-1], 1e-300) * (factor**2 - 1.0))
    return widened
