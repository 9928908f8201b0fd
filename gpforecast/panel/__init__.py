"""Many series at once, in the long format: one row for each series and time."""

from gpforecast.panel.panel import forecast_panel
from gpforecast.panel.result import PanelForecast

__all__ = ["PanelForecast", "forecast_panel"]
