r"""Missing values of a series that is differenced.

A difference that touches a missing value is missing too, but what comes after a gap says where the
gap must lead. Linear transforms T make z = T(0) + D y of a series y; with the transformed values
independent, of mean 0 and variance 1 as standardisation leaves them, the missing values are

.. math::

    y_m = -(D_m' D_m)^{-1} D_m' (T(0) + D_o y_o), \qquad \operatorname{cov}(y_m) = (D_m' D_m)^{-1}:

a straight line across the gap after a difference, the season repeated after a seasonal one.
"""

import numpy as np

from gpforecast.transforms.clock import Times
from gpforecast.transforms.compose import Chain
from gpforecast.typing import FloatArray


def bridged(chain: Chain, values: FloatArray, times: Times) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of every value, given all that were observed.

    Parameters
    ----------
    chain : Chain
        With differences in it; a warp is left to the caller.
    values : ndarray (n,)
        In the units of the warp, NaN where missing.
    times : Times
        Of the values.

    Returns
    -------
    mean, var : ndarray (n,)
        The value itself and 0 where there is one.

    Notes
    -----
    Costs O(n k^2) time and O(n k) memory for k missing values.
    """
    missing = np.flatnonzero(np.isnan(values))
    mean, var = values.copy(), np.zeros(len(values))
    if len(missing) == 0:
        return mean, var

    def transformed(y: FloatArray) -> FloatArray:
        return chain.apply(y, times)[chain.n_lost :]

    middle = float(np.nanmean(values))
    mean[missing] = middle  # where nothing tells more
    start = transformed(mean)
    columns = []
    for place in missing:
        moved = mean.copy()
        moved[place] += 1.0
        columns.append(transformed(moved) - start)
    D = np.column_stack(columns)  # (n - n_lost, k)
    mean[missing] += np.linalg.lstsq(D, -start, rcond=None)[0]
    var[missing] = np.diag(np.linalg.pinv(D.T @ D))
    return mean, var
