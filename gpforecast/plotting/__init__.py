"""Pictures: fan charts, paths, probabilities of classes, scores, calibration, anomalies, lags.

Every function takes Axes and returns them, and forecasts nothing: it reads frames, arrays and the
attributes of results. Most describe a `gpforecast.plotting.picture.Picture`, as data, which
matplotlib or plotly draws; either is imported when a picture is drawn, not when the package is.
"""

from gpforecast.plotting.classes import class_probabilities
from gpforecast.plotting.components import components
from gpforecast.plotting.dependence import correlation_heat_map, cross_correlations, lag_relevance
from gpforecast.plotting.forecasts import fan_chart, fan_panels, sample_paths, scenarios
from gpforecast.plotting.observations import forecasts_by_origin, smoothed_series, surprises
from gpforecast.plotting.scores import (
    observed_coverage,
    pit_histogram,
    reliability,
    step_curves,
    step_panels,
)

__all__ = [
    "class_probabilities",
    "components",
    "correlation_heat_map",
    "cross_correlations",
    "fan_chart",
    "fan_panels",
    "forecasts_by_origin",
    "lag_relevance",
    "observed_coverage",
    "pit_histogram",
    "reliability",
    "sample_paths",
    "scenarios",
    "smoothed_series",
    "step_curves",
    "step_panels",
    "surprises",
]
