"""One self-contained web page about a series: the settings, the forecast and a backtest.

It shows the results of the forecaster, the backtest and the plots, and computes nothing itself.
"""

from gpforecast.reporting.page import Report, report

__all__ = ["Report", "report"]
