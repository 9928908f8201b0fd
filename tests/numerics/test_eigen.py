"""The eigenbasis of scaled covariances: what eigenvectors are, at any rank and any scale."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.numerics.compiled.eigen import scaled_eigenbases


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 12), st.floats(0.0, 12.0))
@settings(max_examples=100)
def test_an_eigenbasis_of_any_covariance_rebuilds_it(seed, n, rank, decades):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, rank)) * 10.0 ** (-decades * rng.uniform(size=(n, 1)))
    A = root @ root.T
    s, V = scaled_eigenbases(A[None], np.ones(n), n)
    V = V[0, : s.shape[1]]
    assert s.shape[1] <= min(n, rank)
    assert (s > 0.0).all()
    # A few roundings of numbers of order one for each row.
    np.testing.assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-14 * n)
    np.testing.assert_allclose((V.T * s[0]) @ V, A, atol=1e-14 * n * max(np.abs(A).max(), 1e-300))


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
