"""The best Gaussian method that a model allows."""

from gpforecast.posteriors.base import Predictive, supported
from gpforecast.propagation.cubature import Cubature
from gpforecast.propagation.exact import ExactMoments


def by_moments(*predictives: Predictive, function: str = "path") -> ExactMoments | Cubature:
    """Return exact moments, or cubature if one of the models does not have them."""
    exact = all("exact" in supported(one) for one in predictives)
    return ExactMoments(function=function) if exact else Cubature(function=function)
