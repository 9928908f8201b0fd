"""Exact moment matching."""

from dataclasses import dataclass
from typing import ClassVar

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.base import HasTaylor, Moments, Predictive


@dataclass(frozen=True)
class ExactMoments:
    """Mean, variance and input-output covariance of f at a Gaussian input, in closed form.

    Nothing is approximated within a step; over many steps the only approximation is that each
    predicted distribution is taken as Gaussian.

    A step costs O(m^2 r) for m training rows and r uncertain lags; memory is O(m^2).

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), section 4.2.2; Quinonero-Candela (2004),
    section 4.1.1 ("exact-RGPD").

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.Forecaster(lags=4, propagation=gf.propagation.ExactMoments())
    Forecaster(lags=4, propagation=ExactMoments())
    """

    name: ClassVar[str] = "exact"

    def moments(self, predictive: Predictive, u: FloatArray, S: FloatArray) -> Moments:
        """Return the moments at inputs u (b, d), S (b, d, d).

        Raises
        ------
        TypeError
            If what predicts has no closed form; it says which methods work.
        """
        closed = getattr(predictive, "moments", None)  # isinstance of a protocol takes 20 us
        if closed is None:
            taylor = "'taylor', " if isinstance(predictive, HasTaylor) else ""
            raise TypeError(
                f"propagation='exact' has no closed form for {_model_of(predictive)}, whose "
                f"features depend on the input that is asked for; pass propagation='cubature', "
                f"'monte_carlo', {taylor}or 'naive'."
            )
        moments: Moments = closed(u, S)
        return moments


def _model_of(predictive: Predictive) -> str:
    return str(getattr(predictive, "model", type(predictive).__name__))
