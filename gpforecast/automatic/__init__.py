"""Automatic selection of transforms, lags and the one-step model, with reasons.

A series goes in, one `Settings` comes out. Candidates are compared by one judge, forecasts from
origins in the series' own past, and every threshold is in `thresholds`. Below this room
only `propagation.Automatic` chooses, and nothing below imports it.
"""

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.settings import Given, Settings, settings_for

__all__ = ["Decision", "Given", "Settings", "settings_for"]
