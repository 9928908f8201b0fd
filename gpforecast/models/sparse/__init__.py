"""Sparse approximations of a Gaussian process: their evidence, its gradient, what they predict."""

from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.models.sparse.piecewise import PiecewisePosterior
from gpforecast.models.sparse.projected import ProjectedPosterior

__all__ = ["APPROXIMATIONS", "Approximation", "PiecewisePosterior", "ProjectedPosterior"]
