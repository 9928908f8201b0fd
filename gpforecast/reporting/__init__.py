"""One self-contained web page about a series: what was chosen, the forecast, and its record."""

from gpforecast.reporting.page import Report, report

__all__ = ["Report", "report"]
