"""What a forecast returns: a distribution over the horizon, and the index of its steps.

Every kind of distribution answers the same questions (`Distribution`), so that nobody outside
needs to know which it is; how a forecast is made is not known here.
"""

from typing import TYPE_CHECKING

from gpforecast.common.imports import imported_late
from gpforecast.results.censored import Censored
from gpforecast.results.conditions import Aggregate
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.mixture import Mixture
from gpforecast.results.support import Support
from gpforecast.results.surprise import Surprise
from gpforecast.results.warped import Paths, Warped

if TYPE_CHECKING:
    from gpforecast.results.event_forecast import EventForecast
else:
    __getattr__ = imported_late(__name__, {"EventForecast": "gpforecast.results.event_forecast"})

__all__ = [
    "Aggregate",
    "Censored",
    "Distribution",
    "EventForecast",
    "Forecast",
    "Gaussian",
    "Mixture",
    "Paths",
    "Support",
    "Surprise",
    "Warped",
]


def __dir__() -> list[str]:
    return __all__
