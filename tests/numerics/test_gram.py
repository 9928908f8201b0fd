"""Gram matrices on one triangle, against the plain twin."""

import numpy as np
import pytest
from twins import gram as twin

from gpforecast.numerics.compiled import gram as compiled


def case(n, d, k=1, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((d, n))
    A = rng.standard_normal((n, n))
    return Z, rng.standard_normal((k, n)), A + A.T


@pytest.mark.parametrize("d", [1, 4, 9])
@pytest.mark.parametrize("n", [1, 40])
def test_a_gram_matrix_matches_the_plain_twin_and_leaves_the_upper_triangle(n, d):
    Z, _, _ = case(n, d)
    K = np.full((n, n), 7.0)
    compiled.fill_gram(np.ascontiguousarray(Z), 1.5, 1.6, K)
    expected = np.where(np.tri(n, k=-1) > 0, twin.gram(Z, 1.5), 7.0)
    np.fill_diagonal(expected, 1.6)
    np.testing.assert_allclose(K, expected, rtol=1e-14)  # exponents up to 30, by 4e-16 each


def test_rows_that_nearly_coincide_far_from_the_origin_keep_their_distance():
    """|x|^2 - 2 x'z + |z|^2 would lose all of it: 1e8^2 * 1e-16 is 1, the distance 2^-20."""
    Z = np.array([[1e8, 1e8 + 2.0**-20]])
    K = np.zeros((2, 2))
    compiled.fill_gram(np.ascontiguousarray(2.0**20 * Z), 1.0, 1.0, K)
    np.testing.assert_allclose(K[1, 0], np.exp(-0.5), rtol=1e-15)


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("d", [1, 4, 9])
@pytest.mark.parametrize("n", [1, 40])
def test_slopes_match_the_plain_twin(n, d, k):
    Z, U, A = case(n, d, k)
    K = twin.gram(Z, 1.5)
    by_input, total = twin.gram_slopes(Z, K, U, A)
    ours, ours_total = compiled.gram_slopes(np.ascontiguousarray(Z), np.tril(K), U, np.tril(A))
    # Sums of up to 780 terms of size 1 of both signs.
    np.testing.assert_allclose(ours[:d], by_input, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours_total, total, rtol=1e-12, atol=1e-12)
