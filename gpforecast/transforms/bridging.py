r"""Missing values of a series that is differenced.

A difference that touches a missing value is missing too, but the values after a gap are known, and
the gap must lead to them. Linear transforms T make z = T(0) + D y of a series y; with the
transformed values independent, of mean 0 and variance 1 as standardisation leaves them, the missing
values are

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
import scipy

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


def bridge(
    chain: Chain, values: FloatArray, times: TimeAxis, needed: IntArray | None = None
) -> Bridge:
    """Return the joint Gaussian of the missing values, given all that were observed.

    Parameters
    ----------
    chain : Chain
        With differences in it; a warp is left to the caller.
    values : ndarray (n,)
        In the units of the warp, NaN where missing but not everywhere.
    times : TimeAxis
        Of the values.
    needed : ndarray of int, optional
        Places whose values are needed; others of their groups come along.

    Notes
    -----
    Missing values that no difference connects are independent, and are found group by group: for k
    values in a group, O(k n + k^3) time. The root of m values takes O(m^2) memory.
    """
    missing, touched = np.flatnonzero(np.isnan(values)), chain.touched(times)
    unit, middle = chain.unit, float(np.nanmean(values))
    guess = np.where(np.isnan(values), middle, values)
    start = chain.apply(guess, times)
    spread, means, roots, places = float(np.nanstd(values)), [], [], []
    selected = np.isin(missing, missing if needed is None else needed)
    for some in _connected(missing, touched):
        if not selected[some].any():
            continue
        group = missing[some]
        rows = np.unique(np.add.outer(group, touched))
        rows = rows[rows < len(values)]
        rows = rows[~np.isnan(start[rows])]
        D = np.empty((len(rows), len(group)))
        for column, place in zip(D.T, group, strict=True):
            moved = guess.copy()
            moved[place] += unit  # of the size of the series, or digits would be lost
            column[:] = (chain.apply(moved, times) - start)[rows]
        U, s, Vt = np.linalg.svd(D, full_matrices=False)
        known = s > _ROUNDING * s.max(initial=0.0)
        V, inverse = Vt[known].T, 1.0 / s[known]
        root = unit * V * inverse
        if known.sum() < len(group):
            P = np.eye(len(group)) - V @ V.T
            diagonal = np.diag(P)
            free = diagonal > _ROUNDING
            W = np.where(free, 1.0 / np.where(free, diagonal, 1.0), 0.0)
            root = np.hstack([root, spread * P * np.sqrt(W)])
        places.append(group)
        means.append(middle - unit * (V @ (inverse * (U[:, known].T @ start[rows]))))
        roots.append(root)
    if not places:
        return Bridge(np.zeros(0, dtype=int), np.zeros(0), np.zeros((0, 0)))
    order = np.argsort(np.concatenate(places))
    joined = np.concatenate(places)[order], np.concatenate(means)[order]
    return Bridge(*joined, scipy.linalg.block_diag(*roots)[order])


def _connected(missing: IntArray, offsets: IntArray) -> list[IntArray]:
    """Return which missing values (k,) share transformed values, in groups, each in order."""
    apart = np.unique(np.subtract.outer(offsets, offsets))
    pairs = [
        (np.flatnonzero(found), np.searchsorted(missing, missing[found] + step))
        for step in apart[apart > 0]
        if (found := np.isin(missing + step, missing)).any()
    ]
    k = len(missing)
    if not pairs:
        return [np.array([i]) for i in range(k)]
    one, other = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    graph = scipy.sparse.coo_array((np.ones(len(one)), (one, other)), shape=(k, k))
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
