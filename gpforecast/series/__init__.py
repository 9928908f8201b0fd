"""Series and their time axes: checked once, continued into the future, laid out as rows.

No models and no transforms: only what the labels and the values of a series say.
"""

from gpforecast.series.checked import CheckedSeries, checked
from gpforecast.series.time_axis import TimeAxis

__all__ = ["CheckedSeries", "TimeAxis", "checked"]
