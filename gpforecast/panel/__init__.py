"""Many series at once, in the long format: one row for each series and time."""

from gpforecast.panel.panel import PanelForecast, forecast_panel

__all__ = ["PanelForecast", "forecast_panel"]
