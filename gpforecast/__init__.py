"""Time-series forecasting whose error bars stay honest many steps ahead.

>>> import gpforecast as gf
>>> series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
>>> f = gf.Forecaster(lags=16).fit(series).predict(horizon=50)
>>> f.interval(0.95).shape
(50, 2)
"""

import logging as _logging
from typing import TYPE_CHECKING as _TYPE_CHECKING

from gpforecast import (
    covariances,
    datasets,
    models,
    numerics,
    propagation,
    results,
    scores,
    transforms,
)
from gpforecast.automatic import lags
from gpforecast.automatic.prior import Prior
from gpforecast.common.imports import imported_late as _imported_late
from gpforecast.common.version import __version__
from gpforecast.common.warnings import NumericalWarning
from gpforecast.forecaster import Forecaster, load
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.results.forecast import Forecast
from gpforecast.series import calendars, embedding
from gpforecast.storage import registered_late as _registered_late

if _TYPE_CHECKING:
    from gpforecast import plotting, reconciliation
    from gpforecast.backtesting import Backtest, backtest
    from gpforecast.events import EventForecaster
    from gpforecast.panel import PanelForecast, forecast_panel
    from gpforecast.reconciliation import reconcile
    from gpforecast.reporting import Report, report
    from gpforecast.vector import VectorForecaster
else:  # imported when they are used
    __getattr__ = _imported_late(
        __name__,
        {
            "adapters": "gpforecast.adapters",
            "Backtest": "gpforecast.backtesting",
            "backtest": "gpforecast.backtesting",
            "EventForecaster": "gpforecast.events",
            "forecast_panel": "gpforecast.panel",
            "PanelForecast": "gpforecast.panel",
            "plotting": "gpforecast.plotting",
            "reconcile": "gpforecast.reconciliation",
            "reconciliation": "gpforecast.reconciliation",
            "Report": "gpforecast.reporting",
            "report": "gpforecast.reporting",
            "VectorForecaster": "gpforecast.vector",
        },
    )
    _registered_late(dict.fromkeys(("EventForecaster", "FittedEvents"), "gpforecast.events"))
    _registered_late(dict.fromkeys(("PanelPart", "Outcome"), "gpforecast.panel"))
    _registered_late(dict.fromkeys(("VectorForecaster", "FittedVector"), "gpforecast.vector"))


_logging.getLogger(__name__).addHandler(_logging.NullHandler())

__all__ = [
    "Backtest",
    "EventForecaster",
    "Forecast",
    "Forecaster",
    "NumericalWarning",
    "PanelForecast",
    "Posterior",
    "Prior",
    "Report",
    "VectorForecaster",
    "__version__",
    "backtest",
    "calendars",
    "covariances",
    "datasets",
    "embedding",
    "forecast_panel",
    "lags",
    "load",
    "models",
    "numerics",
    "plotting",
    "propagation",
    "reconcile",
    "reconciliation",
    "report",
    "results",
    "scores",
    "transforms",
]


def __dir__() -> list[str]:
    return [*__all__, "adapters"]  # which is above all else, and imported when it is used
