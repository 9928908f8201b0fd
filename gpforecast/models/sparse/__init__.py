"""Sparse approximations of a Gaussian process: their evidence, its gradient, what they predict."""

from gpforecast.models.sparse.approximations import APPROXIMATIONS, Approximation
from gpforecast.posteriors.piecewise import PiecewisePosterior
from gpforecast.posteriors.projected import ProjectedPosterior

__all__ = ["APPROXIMATIONS", "Approximation", "PiecewisePosterior", "ProjectedPosterior"]
