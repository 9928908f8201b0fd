"""Gaussian bumps on one triangle: against fifty digits and the plain twin."""

import mpmath as mp
import numpy as np
import pytest
from twins import gram as twin

from gpforecast.numerics.compiled import gram as compiled


def exponents():
    rng = np.random.default_rng(0)
    edges = -np.log(2.0) * (np.arange(12) + 0.5)  # where the range reduction changes its k
    tiny = -(10.0 ** rng.uniform(-30.0, 0.0, 150))
    return np.concatenate(
        [np.linspace(-707.9, 0.0, 300), rng.uniform(-3.0, 0.0, 500), tiny, edges, [-0.0]]
    )


def test_exponential_keeps_full_relative_accuracy():
    t = exponents()
    with mp.workdps(50):
        exact = np.array([float(mp.exp(mp.mpf(float(v)))) for v in t])
    ours = np.array([compiled.exp_negative(v) for v in t])
    np.testing.assert_allclose(ours, exact, rtol=5e-16)  # two roundings and a bit


def test_exponential_ends_in_zero_not_in_rubbish():
    far = [compiled.exp_negative(t) for t in (-708.5, -745.0, -1e4, -1e300, -np.inf)]
    assert far == [0.0] * 5
    assert np.isnan(compiled.exp_negative(np.nan))


def case(n, d, k=1, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((d, n))
    A = rng.standard_normal((n, n))
    return Z, rng.standard_normal((k, n)), A + A.T


@pytest.mark.parametrize("d", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_bumps_match_the_plain_twin_and_leave_the_upper_triangle(n, d):
    Z, _, _ = case(n, d)
    K = np.full((n, n), 7.0)
    compiled.fill_bumps(Z, 1.5, 1.6, K)
    expected = np.where(np.tri(n, k=-1) > 0, twin.bumps(Z, 1.5), 7.0)
    np.fill_diagonal(expected, 1.6)
    np.testing.assert_allclose(K, expected, rtol=1e-14)  # exponents up to 30, by 4e-16 each
    A = np.full((n, n), 3.0)
    compiled.copy_triangle(K, 2.0, A)
    np.testing.assert_array_equal(A, np.tril(K, -1) + 2.0 * np.eye(n) + 3.0 * np.triu(A > 0, 1))


def test_rows_that_nearly_coincide_far_from_the_origin_keep_their_distance():
    """|x|^2 - 2 x'z + |z|^2 would lose all of it: 1e8^2 * 1e-16 is 1, the distance 2^-20."""
    Z = np.array([[1e8, 1e8 + 2.0**-20]])
    K = np.zeros((2, 2))
    compiled.fill_bumps(2.0**20 * Z, 1.0, 1.0, K)
    np.testing.assert_allclose(K[1, 0], np.exp(-0.5), rtol=1e-15)


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("d", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_slopes_match_the_plain_twin(n, d, k):
    Z, U, A = case(n, d, k)
    K = twin.bumps(Z, 1.5)
    by_input, total = twin.bump_slopes(Z, K, U, A)
    ours, ours_total = compiled.bump_slopes(Z, np.tril(K), U, np.tril(A))
    # Sums of up to 780 terms of size 1 of both signs.
    np.testing.assert_allclose(ours, by_input, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours_total, total, rtol=1e-12, atol=1e-12)
