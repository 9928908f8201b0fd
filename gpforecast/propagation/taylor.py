"""Moments from a Taylor expansion around the mean of the input."""

from dataclasses import dataclass
from typing import ClassVar

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments, Predictive, offered
from gpforecast.propagation.one_function import OneFunction
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Taylor(OneFunction):
    """The mean to first order and the variance to second order around the input's mean.

    Good while the input's spread is small against the length-scales. The mean does not feel the
    uncertainty of the input at all: it follows the same path as `Naive`.

    A step costs O(m^2 r) for m training rows and r uncertain lags; memory is O(m^2).

    Parameters
    ----------
    function : {"path", "step"}
        As for `ExactMoments`; ``"step"`` is the papers' form.
    n_paths : int
        As for `ExactMoments`.

    References
    ----------
    Girard, Rasmussen, Quinonero-Candela and Murray-Smith (2003), eqs. (8) and (9)
    ("approximate-RGPD").

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.propagation.Taylor().name
    'taylor'
    """

    name: ClassVar[str] = "taylor"

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d).

        Raises
        ------
        TypeError
            If the covariance has no second derivatives; it says which methods work.
        """
        return offered(predictive, "taylor").taylor_moments(u, S)
