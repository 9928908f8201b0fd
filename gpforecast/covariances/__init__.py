"""Covariance functions k(x, x'), their sums, and the pull-back of a gradient through them.

A covariance is a frozen value. Its hyperparameters are positive and optimised as logarithms:
``log_parameters`` lists them, ``with_log_parameters`` makes a covariance with others. Values that
are left ``None`` are found from the data by `GaussianProcess`.
"""

from gpforecast.covariances.base import Covariance, Pullback, Sum
from gpforecast.covariances.linear import Constant, Linear
from gpforecast.covariances.squared_exponential import SquaredExponential

__all__ = ["Constant", "Covariance", "Linear", "Pullback", "SquaredExponential", "Sum"]
