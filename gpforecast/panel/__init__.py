"""Many series at once: a row for each series and time, or a column for each series."""

from gpforecast.panel.panel import PanelForecast, forecast_panel

__all__ = ["PanelForecast", "forecast_panel"]
