"""The measurement noise of a series: found in training, or known beforehand."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, Index, Values
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.compose import Chain


@storable
@dataclass(frozen=True, eq=False)
class Measurement:
    """The noise of the measurements of a series.

    Attributes
    ----------
    variance : float
        In squared transformed units: of every value if it was found in training; the mean over the
        fitted series if it was known. Future values are measured with it.
    known : Series or None
        Variances known beforehand, in squared units of the series, on its index. Values at other
        times have their mean.
    """

    variance: float
    known: Values | None = None

    def variances(self, chain: Chain, values: FloatArray, index: Index) -> FloatArray:
        """Return the variance of each of some values (n,), in squared transformed units.

        Parameters
        ----------
        chain : Chain
        values : ndarray (n,)
            In the units of the series, NaN where missing. A known variance is carried through a
            warp by the slope there.
        index : Index (n,)
        """
        if self.known is None:
            found = np.full(len(values), self.variance)
        else:
            found = in_transformed_units(self.known, chain, values, index)
        closed = chain.untaught(chain.axis.locate(TimeAxis(index)))
        return np.where(closed, 0.0, found)


def in_transformed_units(
    known: "pd.Series[float]", chain: Chain, values: FloatArray, index: Index
) -> FloatArray:
    """Return known variances for some values, in squared transformed units."""
    here = known.reindex(index).fillna(known.mean()).to_numpy(dtype=np.float64)
    found: FloatArray = np.asarray(here / chain.unit**2)
    if chain.warp is not None:
        slope = np.exp(chain.warp.log_gradient(values))
        slope[~np.isfinite(slope)] = np.nanmean(slope[np.isfinite(slope)])
        found = np.asarray(found * slope**2)
    return found
