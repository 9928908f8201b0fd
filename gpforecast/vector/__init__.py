"""Forecasts of several series at once, with the joint distribution of all of them.

Each column has transforms and a one-step model of its lags, those of the others and the values of
the columns before it at the same time. A linear vector autoregression of all columns joins them.
The subpackage is imported when `gpforecast.VectorForecaster` is first used.
"""

from gpforecast.results.vector_forecast import VectorForecast
from gpforecast.vector.backtest import VectorBacktest
from gpforecast.vector.fitted import FittedVector
from gpforecast.vector.forecaster import VectorForecaster

__all__ = ["FittedVector", "VectorBacktest", "VectorForecast", "VectorForecaster"]
