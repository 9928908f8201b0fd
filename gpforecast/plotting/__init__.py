"""Pictures: a forecast as a fan chart, scores against the forecast step, relevance of lags.

matplotlib is imported when a picture is drawn, not when the package is.
"""

from gpforecast.plotting.fan import fan_chart
from gpforecast.plotting.relevance import lag_relevance
from gpforecast.plotting.steps import step_curves, step_panels

__all__ = ["fan_chart", "lag_relevance", "step_curves", "step_panels"]
