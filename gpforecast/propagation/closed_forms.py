"""The methods that need what a model answers in closed form, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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
