"""The small eigenproblem against LAPACK, and against what eigenvectors are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.numerics.compiled.eigen import scaled_eigenbases, symmetric_eigen


def matrix(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    graded = 10.0 ** -np.arange(n)
    A = {
        "full": root @ root.T,
        "indefinite": root + root.T,
        "rank one": np.outer(root[0], root[0]),
        "diagonal": np.diag(root[0]),
        "identity": np.eye(n),
        "zero": np.zeros((n, n)),
        "graded down": root @ root.T * np.outer(graded, graded),
        "graded up": root @ root.T * np.outer(graded, graded)[::-1, ::-1],
        "two blocks": np.kron(np.eye(2), np.ones((n, n)))[:n, :n],
    }[kind]
    return A / max(np.abs(A).max(), 1.0)


KINDS = [
    "full",
    "indefinite",
    "rank one",
    "diagonal",
    "identity",
    "zero",
    "graded down",
    "graded up",
    "two blocks",
]


def check(A):
    n = len(A)
    values, Q = symmetric_eigen(A.copy())
    # A few roundings for each of n reflections and some 2 n rotations, of numbers of order one.
    atol = 1e-15 * max(n, 4)
    np.testing.assert_allclose(Q @ Q.T, np.eye(n), atol=atol)
    np.testing.assert_allclose(Q.T @ np.diag(values) @ Q, A, atol=atol * max(np.abs(A).sum(), 1.0))
    np.testing.assert_allclose(
        np.sort(values), np.linalg.eigvalsh(A), atol=atol * max(np.abs(A).sum(), 1.0)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16, 33])
@pytest.mark.parametrize("kind", KINDS)
def test_eigenvectors_are_orthonormal_and_rebuild_the_matrix(kind, n):
    check(matrix(kind, n))


@pytest.mark.parametrize("kind", ["full", "graded down", "graded up"])
def test_a_hundred_inputs_whose_uncertainties_span_two_hundred_decades(kind):
    check(matrix(kind, 100))


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 12), st.floats(0.0, 12.0))
@settings(max_examples=100)
def test_eigen_of_any_covariance(seed, n, rank, decades):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, rank)) * 10.0 ** (-decades * rng.uniform(size=(n, 1)))
    A = root @ root.T
    check(A / max(np.abs(A).max(), 1.0))


def test_no_rows_have_no_eigenvalues():
    values, Q = symmetric_eigen(np.zeros((0, 0)))
    assert values.shape == (0,)
    assert Q.shape == (0, 0)


def test_scaled_eigenbases_rebuild_their_covariances():
    rng = np.random.default_rng(1)
    ell = np.array([0.5, 2.0, 1.3, 4.0, 0.9])
    root = rng.standard_normal((4, 5, 5))
    S = root @ np.swapaxes(root, 1, 2)
    S[1] = np.outer(root[1, 0], root[1, 0])
    S[2, 3] = S[2, :, 3] = 0.0
    S[3] *= 1e-200
    s, V = scaled_eigenbases(S, ell, 8)
    assert s.shape == (4, 5)
    assert V.shape == (4, 8, 8)
    assert (s[1] > 0.0).sum() == 1
    assert (s[2] > 0.0).sum() == 4
    assert (V[:, 5:] == 0.0).all()
    assert (V[:, :, 5:] == 0.0).all()
    assert (V[2, :, 3] == 0.0).all()
    rebuilt = np.einsum("brd,br,bre->bde", V[:, :5, :5], s, V[:, :5, :5]) * np.outer(ell, ell)
    for got, want in zip(rebuilt, S, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-14 * np.abs(want).max())


def test_a_known_input_has_no_eigenbasis():
    s, V = scaled_eigenbases(np.zeros((2, 3, 3)), np.ones(3), 4)
    assert s.shape == (2, 0)
    assert V.shape == (2, 0, 4)
