"""What a forecast returns: a distribution over the horizon, and the index of its steps.

Every kind of distribution answers the same questions (`Distribution`), so that nobody outside
needs to know which it is; how a forecast is made is not known here.
"""

from gpforecast.results.aggregate import Aggregate
from gpforecast.results.censored import Censored
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.mixture import Mixture
from gpforecast.results.support import Support
from gpforecast.results.warped import Paths, Warped

__all__ = [
    "Aggregate",
    "Censored",
    "Distribution",
    "Forecast",
    "Gaussian",
    "Mixture",
    "Paths",
    "Support",
    "Warped",
]
