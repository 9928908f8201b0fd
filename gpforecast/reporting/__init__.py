"""One self-contained web page about a series: what was chosen, the forecast, and its record.

It lays out what the forecaster, the backtest and the pictures say, and computes nothing itself.
"""

from gpforecast.reporting.page import Report, report

__all__ = ["Report", "report"]
