"""Forecasts from many origins of a series, scored step by step."""

from gpforecast.backtest.result import Backtest
from gpforecast.backtest.run import backtest

__all__ = ["Backtest", "backtest"]
