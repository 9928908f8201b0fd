"""Scores of forecasts: how far the mean was off, and how honest the error bars were.

Every function takes the true values first, then the forecast: numbers, arrays or pandas objects
that broadcast against each other as far as the largest of them goes: a column with a row, of
which each value would meet each, is refused. A frame of one column with vectors counts as a
Series. Values are matched by position; pandas objects of one length whose labels differ are refused
rather than compared out of step.

`axis` says what to average over: everything (None, the default), or for instance `axis=0` when
rows are origins and columns are steps, which leaves a curve over the steps; `axis=()` averages
nothing. The result is a float, or an array when axes remain. A NaN anywhere in an average makes
that average NaN.

Classes, of events and ordered states, are scored by `log_score`, `brier` and `ranked_probability`,
whose forecasts have one axis more, the probabilities of all classes; `auc` and `reliability` are
about one event.

Except for `coverage`, `pit`, `auc` and `reliability`, smaller is better. Wrong shapes, variances
that are not positive and the like raise a ValueError; values that are not numbers a TypeError.
"""

from gpforecast.scores.densities import crps, crps_log_normal, crps_samples, nlpd, pit
from gpforecast.scores.events import auc, brier, log_score, ranked_probability, reliability
from gpforecast.scores.intervals import coverage, interval_score, msis, pinball
from gpforecast.scores.points import mae, mase, mse, rmse, smape

__all__ = [
    "auc",
    "brier",
    "coverage",
    "crps",
    "crps_log_normal",
    "crps_samples",
    "interval_score",
    "log_score",
    "mae",
    "mase",
    "mse",
    "msis",
    "nlpd",
    "pinball",
    "pit",
    "ranked_probability",
    "reliability",
    "rmse",
    "smape",
]
