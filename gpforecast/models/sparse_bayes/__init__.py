"""Sparse Bayesian learning: basis functions whose weights have a prior precision each.

A pass of training is one of three algorithms; training repeats it, and moves the widths between.
"""

from gpforecast.models.sparse_bayes.algorithms import FastMarginalLikelihood, FullEM, SubspaceEM

__all__ = ["FastMarginalLikelihood", "FullEM", "SubspaceEM"]
