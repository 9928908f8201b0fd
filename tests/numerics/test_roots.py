"""Roots of scaled covariances and the matrices made of them, at any rank and any scale."""

import mpmath
import numpy as np
import pytest
from entries import entry
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.numerics.compiled import roots

pivoted, scaled_roots = entry(roots._pivoted), entry(roots.scaled_roots)


def root_of(A):
    """The rows of a root, and how many, of a matrix at length-scales of one."""
    R = np.zeros(A.shape)
    return pivoted(A, np.ones(len(A)), R), R


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 12), st.floats(0.0, 12.0))
@settings(max_examples=100)
def test_a_root_of_any_covariance_rebuilds_it(seed, n, rank, decades):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, rank)) * 10.0 ** (-decades * rng.uniform(size=(n, 1)))
    A = root @ root.T
    found, R = root_of(A)
    assert found <= min(n, rank)
    R[found:] = 0.0
    # A few roundings of numbers of order one for each row.
    np.testing.assert_allclose(R.T @ R, A, atol=1e-14 * n * max(np.abs(A).max(), 1e-300))


def test_roots_are_of_covariances_divided_by_the_length_scales():
    rng = np.random.default_rng(1)
    ell, S = np.array([0.5, 2.0, 1.3, 4.0, 0.9]), np.cov(rng.standard_normal((5, 9)))
    R = np.zeros((5, 8))
    assert pivoted(S, ell, R) == 5
    assert (R[:, 5:] == 0.0).all()
    np.testing.assert_allclose((R.T @ R)[:5, :5] * np.outer(ell, ell), S, atol=1e-14)


def matrices(S, n_columns=8):
    """Rank, X, (I + D)^-1 D X, (I + D)' X, R' X' X and the logarithms, at length-scales of one."""
    rank, of_points, of_slopes, logs = scaled_roots(S, np.ones(S.shape[1]), n_columns)
    X, E = np.moveaxis(of_points.reshape(len(S), 2, -1, n_columns), 1, 0)
    full = X.shape[1]
    R = of_slopes[:, : full * n_columns].reshape(X.shape)
    above = of_slopes[:, full * n_columns :].reshape(-1, full, full)
    return rank, X, E, X + above @ X, R @ X.swapaxes(1, 2) @ X, logs


def exact(A):
    """A (I + A)^-1, log|I + A| and log|I - (A (I + A)^-1)^2| in eighty digits; and of B, the first,
    B (I + B)^-1, B + B^2 and B A B.
    """
    with mpmath.workdps(80):
        one, A = mpmath.eye(len(A)), mpmath.matrix(A.tolist())
        B = A * mpmath.inverse(one + A)
        size = mpmath.log(mpmath.det(one + A))
        shrinkage = mpmath.log(mpmath.det(one - B**2))
        made = [B * mpmath.inverse(one + B), B + B**2, B * A * B]
        share, *made = (np.array(M.tolist(), dtype=float) for M in (B, *made))
        return share, float(size), float(shrinkage), made


@pytest.mark.parametrize("scale", [1e-14, 1e-6, 1.0, 1e6])
def test_the_small_matrices_are_what_they_are_said_to_be_at_any_scale(scale):
    root = np.random.default_rng(2).standard_normal((6, 6)) * [1.0, 1.0, 0.5, 0.1, 0.1, 0.01]
    A = scale * root @ root.T
    rank, (X,), (E,), (V,), (W,), logs = matrices(A[None])
    share, size, shrinkage, made = exact(A)
    assert rank == 6
    # A root is not unique; products of two of the matrices are. What is small is right to digits of
    # its own, not of the one that is added to it.
    Z = X - E
    products = [(X, X, share), (Z, V, share)]
    products += zip((Z, V, W), (Z, V, W), made, strict=True)
    for left, right, want in products:
        got = (left.T @ right)[:6, :6]
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13 * np.abs(want).max())
    # (I + D) E = D X
    D = np.linalg.cholesky(np.eye(6) + X[:6] @ X[:6].T) - np.eye(6)
    np.testing.assert_allclose(E[:6] + D @ E[:6], D @ X[:6], atol=1e-15 * np.abs(X).max())
    np.testing.assert_allclose(logs[0, 0], -0.5 * size, rtol=1e-11)
    # To the rounding of log|I + A|, of which it is the second order.
    np.testing.assert_allclose(logs[0, 1], 0.25 * shrinkage, rtol=1e-11, atol=1e-15 * size)
    # The series below 1.5e-10 and the difference above it are both right to as many digits there.
    np.testing.assert_allclose(logs[0, 1], 0.25 * shrinkage, rtol=2e-10)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e-2])
def test_what_a_point_leaves_of_a_small_covariance_has_digits_of_its_own(scale):
    """(I + D)^-1 D X is of third order: as a difference it would lose its digits."""
    x = np.array([0.8, -0.6, 0.2])
    _, (X,), (E,), _, _, _ = matrices(scale * np.outer(x, x)[None], 4)
    with mpmath.workdps(60):
        a = scale * mpmath.fsum(mpmath.mpf(v) ** 2 for v in x.tolist())
        one_and_d = mpmath.sqrt(1 + a / (1 + a))
        ratio = float((one_and_d - 1) / one_and_d)
    np.testing.assert_allclose(E[0], ratio * X[0], rtol=1e-14)


def test_what_a_batch_shares_is_filled_up_with_zeros():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 5, 5))
    S = root @ np.swapaxes(root, 1, 2)
    S[1] = np.outer(root[1, 0], root[1, 0])
    S[2, 3] = S[2, :, 3] = 0.0
    S[3] *= 1e-200
    rank, *found, logs = matrices(S)
    assert rank == 5
    for M in found:
        assert M.shape == (4, 8, 8)
        assert (M[:, :, 5:] == 0.0).all()
        assert (M[2, :, 3] == 0.0).all()
    assert [np.any(X != 0.0, axis=1).sum() for X in found[0]] == [5, 1, 4, 5]
    for b in range(4):  # alone as with others
        _, *alone, log = matrices(S[b : b + 1])
        np.testing.assert_array_equal(log[0], logs[b])
        for M, one in zip(found, alone, strict=True):
            np.testing.assert_array_equal(M[b, : len(one[0])], one[0])
