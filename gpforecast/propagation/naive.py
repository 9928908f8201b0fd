"""Iteration that takes every prediction for a fact."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments, Predictive
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Naive:
    """Feed predicted means back as if they had been observed.

    The error bars are those of one step ahead, whatever the horizon: far too narrow. It is here
    to be compared with, and for its mean, which is the trajectory of the plug-in model.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), section 5.1.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.Naive().name
    'naive'
    """

    name: ClassVar[str] = "naive"

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:  # noqa: ARG002
        """Return the prediction at u (b, d); S is ignored and so is the gradient."""
        at_mean = predictive.predict(u)
        return Moments(at_mean.mean, at_mean.var, np.zeros_like(u), at_mean.n_clipped)
