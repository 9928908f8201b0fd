"""Data, covariances and approximations for the tests of sparse Gaussian processes."""

import numpy as np

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import SparseGaussianProcess

ELL = np.array([0.9, 1.4])
SE = SquaredExponential(ELL, 1.3)
ALL = SE + Linear([0.2, 0.3]) + Constant(0.5)
EXACT = ("sr", "dtc", "vfe", "fitc", "pitc")
PIECEWISE = ("pic", "local")
CENTERS = np.array([[-1.0, 0.0], [1.0, 1.0], [1.0, -1.0]])


def data(n=60, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.5 * np.cos(X[:, 1]) + noise * rng.standard_normal(n)
    return X, y


def fixed(kind, covariance=SE, **options):
    induced = {} if kind in ("sd", "local") else {"inducing": data()[0][:9]}
    options = {**induced, "noise_var": 0.05, "blocks": CENTERS, **options}
    return SparseGaussianProcess(covariance, approximation=kind, optimizer=None, **options)


def projected():
    X, y = data()
    return SparseGaussianProcess(
        SquaredExponential(variance=1.3), inducing=X[:9], projection=[[1.0, 0.4]], noise_var=0.05,
        optimizer=None, optimise_inducing=None, max_iter=100,
    ).fit(X, y)  # fmt: skip
