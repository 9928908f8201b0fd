"""Slopes of sums over covariance matrices, against finite differences of the sums."""

import numpy as np
import pytest
from covariance_conformance import COVARIANCES
from oracles import central

from gpforecast.models.sparse.training import slopes_among


def inputs(n, seed):
    return 0.8 * np.random.default_rng(seed).standard_normal((n, 3)) + 0.4


@pytest.mark.parametrize("name", COVARIANCES)
def test_slopes_of_all_matrices_add_up_to_those_of_their_sum(name):
    k, rng = COVARIANCES[name].covariance, np.random.default_rng(0)
    X, Z, rows = inputs(5, 1), inputs(4, 2), inputs(3, 3)
    G, R, M = rng.standard_normal((5, 4)), rng.standard_normal((3, 3)), rng.standard_normal((4, 4))
    R, M, g, added = R + R.T, M + M.T, rng.standard_normal(5), np.array([0.1, 0.0, 0.3, 0.2])

    def total(theta, Z):
        c = k.with_log_parameters(theta)
        own = c(Z) + np.diag(added * c.diag(Z))
        among = np.sum(R * c(rows)) + np.sum(M * own)
        return np.sum(G * c(X, Z)) + among + g @ c.diag(X) / 0.7

    theta = k.log_parameters
    cross = k.cross_slopes(X, Z)
    np.testing.assert_allclose(cross.K, k(X, Z), rtol=1e-12, atol=1e-14)
    by_theta, by_z = slopes_among(k, Z, M, added)
    by_theta += cross.parameters(G) + k.with_slopes(rows, rows).parameters(R)
    by_theta += k.diag_slopes(X, g) / 0.7
    by_z += cross.columns(G)
    np.testing.assert_allclose(
        by_theta, central(lambda t: total(t, Z), theta), rtol=1e-6, atol=1e-7
    )
    by_inputs = central(lambda at: total(theta, at), Z)
    np.testing.assert_allclose(by_z, by_inputs, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", COVARIANCES)
def test_slopes_of_a_cross_matrix_at_inputs_that_coincide_are_no_larger_than_the_covariance(name):
    k = COVARIANCES[name].covariance
    X = 1e5 * inputs(20, 4)  # differences of their squares leave a rounding of 1e-6
    K, size = k.cross_slopes(X, X).K, np.sqrt(k.diag(X))
    assert (np.abs(K) <= np.outer(size, size) * (1.0 + 1e-9)).all()
