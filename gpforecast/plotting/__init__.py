"""Pictures: a forecast as a fan chart, and scores against the forecast step.

matplotlib is imported when a picture is drawn, not when the package is.
"""

from gpforecast.plotting.fan import fan_chart
from gpforecast.plotting.steps import step_curves, step_panels

__all__ = ["fan_chart", "step_curves", "step_panels"]
