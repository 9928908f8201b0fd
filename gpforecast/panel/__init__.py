"""Many series at once: a row for each series and time, or a column for each series."""

from gpforecast.panel.panel import forecast_panel
from gpforecast.panel.result import PanelForecast

__all__ = ["PanelForecast", "forecast_panel"]
