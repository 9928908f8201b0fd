"""Choosing the lags of an autoregressive model from the series itself."""

from gpforecast.automatic.lags.choice import LagChoice, choose_lags, select_lags
from gpforecast.automatic.lags.dependence import (
    average_mutual_information,
    by_partial_autocorrelation,
    embedding_delay,
    embedding_dimension,
    false_neighbours,
)

__all__ = [
    "LagChoice",
    "average_mutual_information",
    "by_partial_autocorrelation",
    "choose_lags",
    "embedding_delay",
    "embedding_dimension",
    "false_neighbours",
    "select_lags",
]
