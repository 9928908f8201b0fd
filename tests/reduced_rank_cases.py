"""Covariances, data and support inputs for the tests of reduced-rank processes."""

import numpy as np
import pytest

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import ReducedRankGP
from gpforecast.models.evidence import Evidence
from gpforecast.models.reduced_rank_gp import support_evidence

COVARIANCES = {
    "SE, one length-scale": SquaredExponential(0.9, 1.4),
    "SE, one each": SquaredExponential(np.array([0.8, 1.7]), 1.4),
    "SE + linear + constant": SquaredExponential(np.array([0.9, 1.5]), 1.2)
    + Linear(0.6)
    + Constant(2.0),
    "linear, one each + SE": Linear(np.array([0.3, 0.7])) + SquaredExponential(0.9, 1.2),
}
every_covariance = pytest.mark.parametrize("k", COVARIANCES.values(), ids=COVARIANCES)
NOISE = 0.03
AT = np.random.default_rng(1).uniform(-3.5, 3.5, (9, 2))


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.4 * X[:, 1] + 0.15 * rng.standard_normal(n)


SUPPORT = data()[0][5:13] + 0.05  # near the data, and not of them


def held(k, support=SUPPORT, noise_var=NOISE, **options):
    """A process that keeps the hyperparameters and the support it is given."""
    return ReducedRankGP(k, support=support, noise_var=noise_var, optimizer=None, **options)


def approximate_covariance(k, X, support, noise_var=NOISE):
    """sigma^2 I + K_NM K_MM^-1 K_MN by explicit matrices."""
    K = k(X, support)
    return noise_var * np.eye(len(X)) + K @ np.linalg.inv(k(support)) @ K.T


def evidence_of(k, X, y, support=SUPPORT, noise_var=NOISE):
    return support_evidence(Evidence.started(X, y, k, noise_var), support)
