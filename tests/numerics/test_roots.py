"""Roots of scaled covariances and the matrices made of them, at any rank and any scale."""

import mpmath
import numpy as np
import pytest
from entries import entry
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.numerics.compiled import roots

scaled_roots = entry(roots.scaled_roots)


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 12), st.floats(0.0, 12.0))
@settings(max_examples=100)
def test_a_root_of_any_covariance_rebuilds_it(seed, n, rank, decades):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, rank)) * 10.0 ** (-decades * rng.uniform(size=(n, 1)))
    A = root @ root.T
    found, R, _, _, _, _ = scaled_roots(A[None], np.ones(n), n)
    assert found <= min(n, rank)
    assert (R[0, found:] == 0.0).all()
    # A few roundings of numbers of order one for each row.
    np.testing.assert_allclose(R[0].T @ R[0], A, atol=1e-14 * n * max(np.abs(A).max(), 1e-300))


def test_rows_of_a_root_are_exactly_zero_at_the_pivots_before():
    root = np.random.default_rng(3).standard_normal((9, 9))
    rank, R, *_ = scaled_roots((root @ root.T)[None], np.ones(9), 12)
    assert rank == 9
    np.testing.assert_array_equal((R[0, :9, :9] == 0.0).sum(axis=1), np.arange(9))


def test_scaled_roots_rebuild_their_covariances():
    rng = np.random.default_rng(1)
    ell = np.array([0.5, 2.0, 1.3, 4.0, 0.9])
    root = rng.standard_normal((4, 5, 5))
    S = root @ np.swapaxes(root, 1, 2)
    S[1] = np.outer(root[1, 0], root[1, 0])
    S[2, 3] = S[2, :, 3] = 0.0
    S[3] *= 1e-200
    rank, R, X, above, below, _ = scaled_roots(S, ell, 8)
    assert rank == 5
    assert R.shape == X.shape == (4, 8, 8)
    assert above.shape == below.shape == (4, 8, 8)
    ranks = [np.any(r != 0.0, axis=1).sum() for r in R]
    assert ranks == [5, 1, 4, 5]
    assert (R[:, :, 5:] == 0.0).all()
    assert (R[2, :, 3] == 0.0).all()
    rebuilt = (np.swapaxes(R, 1, 2) @ R)[:, :5, :5] * np.outer(ell, ell)
    for got, want in zip(rebuilt, S, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-14 * np.abs(want).max())


def exact(A):
    """A (I + A)^-1, log|I + A| and log|I - (A (I + A)^-1)^2| in eighty digits."""
    with mpmath.workdps(80):
        one, B = mpmath.eye(len(A)), mpmath.matrix(A.tolist())
        inverse = mpmath.inverse(one + B)
        size = mpmath.log(mpmath.det(one + B))
        shrinkage = mpmath.log(mpmath.det(one - (B * inverse) ** 2))
        return np.array((B * inverse).tolist(), dtype=float), float(size), float(shrinkage)


@pytest.mark.parametrize("scale", [1e-14, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e3, 1e6])
def test_the_small_matrices_are_what_they_are_said_to_be_at_any_scale(scale):
    root = np.random.default_rng(2).standard_normal((6, 6)) * [1.0, 1.0, 0.5, 0.1, 0.1, 0.01]
    A = scale * root @ root.T
    rank, _, X, (above,), (below,), logs = scaled_roots(A[None], np.ones(6), 8)
    share, size, shrinkage = exact(A)
    # What is small is right to digits of its own, not of the one that is added to it.
    got = (X[0].T @ X[0])[:6, :6]
    np.testing.assert_allclose(got, share, rtol=1e-11, atol=1e-13 * np.abs(share).max())
    W = X[0] @ X[0].T
    eye = np.eye(len(W))
    np.testing.assert_allclose(above + above.T + above.T @ above, W, atol=1e-14 * np.abs(W).max())
    np.testing.assert_allclose((eye + above.T) @ below, above.T, atol=1e-14 * np.abs(W).max())
    assert (np.tril(above, -1) == 0.0).all()
    assert (np.triu(below, 1) == 0.0).all()
    assert rank == 6
    np.testing.assert_allclose(logs[0, 0], -0.5 * size, rtol=1e-11)
    # To the rounding of log|I + A|, of which it is the second order.
    np.testing.assert_allclose(logs[0, 1], 0.25 * shrinkage, rtol=1e-11, atol=1e-15 * size)
    # The series below 1.5e-10 and the difference above it are both right to as many digits there.
    np.testing.assert_allclose(logs[0, 1], 0.25 * shrinkage, rtol=2e-10)


def test_a_known_input_has_no_root():
    rank, R, X, above, below, logs = scaled_roots(np.zeros((2, 3, 3)), np.ones(3), 4)
    assert rank == 0
    assert R.shape == X.shape == (2, 0, 4)
    assert above.shape == below.shape == (2, 0, 0)
    assert (logs == 0.0).all()
