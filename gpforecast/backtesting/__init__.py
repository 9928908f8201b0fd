"""Forecasts from many origins of a series, scored step by step.

They are those of the forecaster itself, and the scores those of `gpforecast.scores`: neither is
computed a second way here.
"""

from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.run import backtest

__all__ = ["Backtest", "backtest"]
