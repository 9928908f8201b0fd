"""Sparse Bayesian learning: training of relevance vector machines."""

from gpforecast.models.sparse_bayes.fast import FastMarginalLikelihood
from gpforecast.models.sparse_bayes.full import FullEM
from gpforecast.models.sparse_bayes.subspace import SubspaceEM

__all__ = ["FastMarginalLikelihood", "FullEM", "SubspaceEM"]
