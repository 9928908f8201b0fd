r"""Missing values of a series that is differenced.

A difference that touches a missing value is missing too, but what comes after a gap says where the
gap must lead. Linear transforms T make z = T(0) + D y of a series y; with the transformed values
independent, of mean 0 and variance 1 as standardisation leaves them, the missing values are

.. math::

    y_m = -(D_m' D_m)^{-1} D_m' (T(0) + D_o y_o), \qquad \operatorname{cov}(y_m) = (D_m' D_m)^{-1}:

a straight line across the gap after a difference, the season repeated after a seasonal one.

What the differences do not identify, such as the level of a month that is missing in every year,
is the null space of :math:`D_m`. There the missing values keep the mean of those that are known,
and are as uncertain as these are spread: with P the projector onto the null space, W the inverse
of its diagonal and s the standard deviation of the known values, :math:`s^2 P W P` is added to the
covariance (variances of :math:`s^2` where the null space shifts groups of values).
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.compose import Chain

_ROUNDING = 1e-9  # singular values below this part of the largest are rounding


@dataclass(frozen=True, eq=False)
class Bridge:
    """The missing values of a series, given all that were observed.

    Attributes
    ----------
    places : ndarray (k,)
        Where they are.
    mean : ndarray (k,)
        In the units of the warp.
    root : ndarray (k, r)
        Their covariance is root root'.
    """

    places: IntArray
    mean: FloatArray
    root: FloatArray

    def fill(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance (n,) of every value: itself and 0 where there is one."""
        mean, var = values.copy(), np.zeros(len(values))
        mean[self.places] = self.mean
        var[self.places] = (self.root**2).sum(axis=1)
        return mean, var


def bridge(chain: Chain, values: FloatArray, times: TimeAxis) -> Bridge:
    """Return the joint Gaussian of the missing values, given all that were observed.

    Parameters
    ----------
    chain : Chain
        With differences in it; a warp is left to the caller.
    values : ndarray (n,)
        In the units of the warp, NaN where missing but not everywhere.
    times : TimeAxis
        Of the values.

    Notes
    -----
    Costs O(n k^2) time and O(n k) memory for k missing values.
    """
    missing = np.flatnonzero(np.isnan(values))

    def transformed(y: FloatArray) -> FloatArray:
        return chain.apply(y, times)[chain.n_lost :]

    unit, middle = chain.unit, float(np.nanmean(values))
    guess = np.where(np.isnan(values), middle, values)
    start = transformed(guess)
    D = np.empty((len(start), len(missing)))
    for column, place in zip(D.T, missing, strict=True):
        moved = guess.copy()
        moved[place] += unit  # of the size of the series, or digits would be lost
        column[:] = transformed(moved) - start
    U, s, Vt = np.linalg.svd(D, full_matrices=False)
    known = s > _ROUNDING * s.max(initial=0.0)
    V, inverse = Vt[known].T, 1.0 / s[known]
    mean = middle - unit * (V @ (inverse * (U[:, known].T @ start)))
    root = unit * V * inverse
    if known.sum() < len(missing):
        P = np.eye(len(missing)) - V @ V.T
        diagonal = np.diag(P)
        free = diagonal > _ROUNDING
        W = np.where(free, 1.0 / np.where(free, diagonal, 1.0), 0.0)
        root = np.hstack([root, float(np.nanstd(values)) * P * np.sqrt(W)])
    return Bridge(missing, mean, root)
