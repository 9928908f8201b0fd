"""Covariance functions k(x, x'), their sums and products, and slopes of sums over their matrices.

A covariance is a frozen value. Its hyperparameters are positive and optimised as logarithms:
``log_parameters`` lists them, ``with_log_parameters`` makes a covariance with others. Values that
are left ``None`` are found from the data by the models. A new stationary covariance is a subclass
of `Stationary` with a `profile` and its `slope`. No models and no data are kept here.
"""

from gpforecast.covariances.base import Covariance, Pullback
from gpforecast.covariances.bounded_basis import BoundedBasis
from gpforecast.covariances.combinations import Product, Sum
from gpforecast.covariances.inner_product import InnerProduct, NeuralNetwork, Polynomial
from gpforecast.covariances.linear import Constant, Linear
from gpforecast.covariances.periodic import Periodic
from gpforecast.covariances.stationary import (
    Matern,
    RationalQuadratic,
    SquaredExponential,
    Stationary,
)
from gpforecast.covariances.wiener import Wiener

__all__ = [
    "BoundedBasis",
    "Constant",
    "Covariance",
    "InnerProduct",
    "Linear",
    "Matern",
    "NeuralNetwork",
    "Periodic",
    "Polynomial",
    "Product",
    "Pullback",
    "RationalQuadratic",
    "SquaredExponential",
    "Stationary",
    "Sum",
    "Wiener",
]
