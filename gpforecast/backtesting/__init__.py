"""Forecasts from many origins of a series, scored step by step.

Forecasts come from `gpforecast.pipeline` and scores from `gpforecast.scores`.
"""

from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.run import backtest

__all__ = ["Backtest", "backtest"]
