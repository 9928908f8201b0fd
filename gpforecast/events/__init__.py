"""Forecasts of series of classes: events, and states that have an order.

What a forecaster of numbers does with values, this room does with the indicators of classes: rows
of lags, a one-step model of classes, and its answer fed back step after step. It is imported when
`gpforecast.EventForecaster` is first used.
"""

from gpforecast.events.backtest import EventBacktest
from gpforecast.events.forecaster import EventForecaster

__all__ = ["EventBacktest", "EventForecaster"]
