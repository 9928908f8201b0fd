"""Basis functions: means at known inputs, and their Gram matrix."""

import numpy as np
import pytest

from gpforecast.numerics.compiled.basis import means
from gpforecast.numerics.compiled.gram import fill_gram
from gpforecast.numerics.compiled.panels import WIDTH
from gpforecast.numerics.packing import padded, panels


@pytest.mark.parametrize("d", [1, 4, 6])
@pytest.mark.parametrize("m", [0, 1, WIDTH, 75])
def test_means_are_weighted_sums_of_basis_functions(m, d):
    rng = np.random.default_rng(m)
    X, centers = rng.standard_normal((5, d)), rng.standard_normal((m, d))
    ell, w, a = rng.uniform(0.8, 2.0, d), rng.standard_normal(m), rng.standard_normal(d)
    k = np.exp(-0.5 * (((X[:, None] - centers) / ell) ** 2).sum(axis=2))
    found = means(X, panels(centers.T), ell, padded(w), a, 0.7)
    np.testing.assert_allclose(found, k @ w + X @ a + 0.7, rtol=1e-12, atol=1e-13)


def test_a_mean_far_from_every_center_is_linear_and_silent():
    X, centers, ell = np.full((1, 2), 1e9), np.zeros((3, 2)), np.ones(2)
    found = means(X, panels(centers.T), ell, padded(np.ones(3)), np.array([2.0, 0.0]), 0.0)
    np.testing.assert_array_equal(found, [2e9])


def test_rows_that_nearly_coincide_far_from_the_origin_keep_their_distance():
    """|x|^2 - 2 x'z + |z|^2 would lose all of it: 1e8^2 * 1e-16 is 1, the distance 2^-20."""
    Z = np.array([[1e8, 1e8 + 2.0**-20]])
    K = np.zeros((2, 2))
    fill_gram(np.ascontiguousarray(2.0**20 * Z), 1.0, 1.0, K)
    np.testing.assert_allclose(K[1, 0], np.exp(-0.5), rtol=1e-15)
