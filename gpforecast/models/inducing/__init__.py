"""Choosing inducing inputs: at random, as cluster centres, or greedily by a criterion."""

from gpforecast.models.inducing.choose import GREEDY, METHODS, choose_inducing, given_inputs
from gpforecast.models.inducing.greedy import Greedy, greedy_rows, information_gain_rows
from gpforecast.models.inducing.spread import (
    distinct_rows,
    farthest_rows,
    kmeans_centers,
    random_rows,
)

__all__ = [
    "GREEDY",
    "METHODS",
    "Greedy",
    "choose_inducing",
    "distinct_rows",
    "farthest_rows",
    "given_inputs",
    "greedy_rows",
    "information_gain_rows",
    "kmeans_centers",
    "random_rows",
]
