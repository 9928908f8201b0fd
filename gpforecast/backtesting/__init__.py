"""Forecasts from many origins of a series, scored step by step."""

from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.run import backtest

__all__ = ["Backtest", "backtest"]
