"""A small Gaussian process, a Gaussian input, and the least that can be propagated."""

import numpy as np

from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess


def data(d=2, n=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X.sum(axis=1) + 0.1 * rng.standard_normal(n)


def gp(d=2):
    model = GaussianProcess(SquaredExponential(1.2, 1.5), noise_var=0.02, optimizer=None)
    return model.fit(*data(d))


U, S = np.array([0.3, -0.2]), np.array([[0.5, 0.2], [0.2, 0.4]])
