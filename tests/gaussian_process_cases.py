"""Covariances and data for the tests of Gaussian-process regression."""

import numpy as np
import pytest
from conformance import OPEN_COVARIANCES

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import GaussianProcess

ELL = np.array([0.9, 1.4])
SLOPES = np.array([0.5, 0.2])
KINDS = {
    "SE": SquaredExponential(ELL, 1.5),
    "SE + linear + constant": SquaredExponential(ELL, 1.5) + Linear(SLOPES) + Constant(2.0),
    "SE + constant": SquaredExponential(1.1, 1.5) + Constant(2.0),
    "linear": Linear(SLOPES),
    "linear + constant": Linear(0.5) + Constant(2.0),
    **OPEN_COVARIANCES,
}
every_kind = pytest.mark.parametrize("covariance", KINDS.values(), ids=KINDS)


def data(n=25, d=2, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X.sum(axis=1) + noise * rng.standard_normal(n)


def fixed(covariance, noise_var, **kwargs):
    return GaussianProcess(covariance, noise_var=noise_var, optimizer=None, **kwargs)
