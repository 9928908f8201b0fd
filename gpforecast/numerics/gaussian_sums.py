r"""Weighted sums of Gaussians: parts of one of them, and few in the place of many.

A standard normal variable is the sum of independent :math:`\sqrt{1-\rho}\,\xi` and
:math:`\sqrt\rho\,\zeta`. With the three points of Gauss-Hermite quadrature for
:math:`\xi`, its density becomes

.. math:: \tfrac16 N(-t, \rho) + \tfrac23 N(0, \rho) + \tfrac16 N(t, \rho), \qquad
    t = \sqrt{3 (1 - \rho)},

with the same moments up to the fifth. Where :math:`\rho` is small, no part reaches much further
than :math:`\sqrt 3` standard deviations: tails that a bounded quantity does not have are not
carried on.
"""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray

LEFT = 0.1
"""The share of a variance that a part keeps, rho."""

OFFSETS = np.sqrt(3.0 * (1.0 - LEFT)) * np.array([-1.0, 0.0, 1.0])
"""Where the parts of a standard normal variable sit."""

SHARES = np.array([1.0, 4.0, 1.0]) / 6.0
"""Their weights."""


def groups(points: FloatArray, weights: FloatArray, n: int) -> list[IntArray]:
    """Return at most n groups of points that lie close together, as their positions.

    Of all groups the one that is spread out most along a line is cut at its mean, across that
    line, until there are n.

    Parameters
    ----------
    points : ndarray (m, d)
    weights : ndarray (m,)
        Positive.
    n : int

    Notes
    -----
    O(n m d^2) at most.

    References
    ----------
    Boley (1998), "Principal direction divisive partitioning", Data Mining and Knowledge Discovery
    2, with the weighted variance along the direction as the choice of the group.
    """
    found = [np.arange(len(weights))]
    lines = [_widest_line(points, weights)]
    while len(found) < n:
        widest = int(np.argmax([variance for variance, _ in lines]))
        variance, along = lines[widest]
        if variance <= 0.0:
            break
        group = found[widest]
        for place, part in ((widest, group[along <= 0.0]), (len(found), group[along > 0.0])):
            found[place : place + 1] = [part]
            lines[place : place + 1] = [_widest_line(points[part], weights[part])]
    return found


def _widest_line(points: FloatArray, weights: FloatArray) -> tuple[float, FloatArray]:
    """Return the weight times the variance along the principal axis, and the places on it."""
    off = points - weights @ points / weights.sum()
    if len(points) == 1:
        return 0.0, off[:, 0]
    values, axes = np.linalg.eigh((weights * off.T) @ off)
    along = off @ axes[:, -1]
    separate = along.min() < 0.0 < along.max()  # not equal but for rounding
    return float(values[-1]) if separate else 0.0, along


def merged(
    mean: FloatArray, covariance: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (m,) and covariance (m, m) of a sum of k Gaussians, weights with the sum 1.

    Parameters
    ----------
    mean : ndarray (k, m)
    covariance : ndarray (k, m, m)
    weights : ndarray (k,)
    """
    centre = weights @ mean
    off = mean - centre
    return centre, np.tensordot(weights, covariance, axes=1) + (weights * off.T) @ off
