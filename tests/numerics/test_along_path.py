"""The compiled double sum over two inputs, against its plain twin."""

import numpy as np
import pytest

from gpforecast.numerics.compiled.along_path import cross_remainders


@pytest.mark.parametrize("size", [1e-6, 1e-2, 1.0])
def test_the_double_sum_is_that_of_explicit_matrices(size):
    rng = np.random.default_rng(0)
    n, m, d = 3, 7, 4
    W, l_j, l_k = rng.standard_normal((m, m)), rng.uniform(0, 1, (n, m)), rng.uniform(0, 1, m)
    a, z = size * rng.standard_normal((n, m, d)), rng.standard_normal((n, d, m))
    alpha, beta = (-size * rng.uniform(0, 1, (n, m)) for _ in range(2))
    sums = np.zeros(n)
    cross_remainders(W, l_j, alpha, a, l_k, beta, z, sums)
    T = a @ z + alpha[:, :, None] + beta[:, None, :]
    # e^T - 1 - T by its series: for small T a difference would have no digits left.
    rest = sum(T**k / np.prod(np.arange(1.0, k + 1)) for k in range(2, 40))
    expected = np.einsum("ji,iq,q,jiq->j", l_j, W, l_k, rest)
    np.testing.assert_allclose(sums, expected, rtol=1e-10, atol=1e-14 * size**2)
