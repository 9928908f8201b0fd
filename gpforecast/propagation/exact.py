"""Exact moment matching."""

from dataclasses import dataclass
from typing import ClassVar

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import Moments, Predictive, offered
from gpforecast.propagation.one_function import OneFunction
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class ExactMoments(OneFunction):
    """Mean, variance and input-output covariance of f at a Gaussian input, in closed form.

    Nothing is approximated within a step; over many steps each predicted distribution is taken as
    Gaussian.

    A step costs O(m^2 r) for m training rows and r uncertain lags; memory is O(m^2).

    Parameters
    ----------
    function : {"path", "step"}
        ``"path"``: f is one function along the whole forecast, and its error lasts. ``"step"``: f
        is drawn anew at each step, as in the papers.
    n_paths : int
        For ``"path"``, the number of paths over which the covariance of f at two steps is averaged;
        even.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), section 4.2.2; Quinonero-Candela (2004),
    section 4.1.1 ("exact-RGPD").

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.Forecaster(lags=4, propagation=gf.propagation.ExactMoments())
    Forecaster(lags=4, propagation=ExactMoments(function='path', n_paths=16))
    """

    name: ClassVar[str] = "exact"

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d).

        Raises
        ------
        TypeError
            If what predicts has no closed form; it says which methods work.
        """
        return offered(predictive, "exact").moments(u, S)
