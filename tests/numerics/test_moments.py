"""Expected basis functions and their products, against the plain twin and quadrature."""

import numpy as np
import pytest
from oracles import hermite_grid
from twins import moments as twin

import gpforecast as gf
from gpforecast.numerics.expectations import eigenbasis

LENGTHSCALES = np.array([0.7, 1.3, 2.0])


def centers(m=12, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((m, d))


def covariance(kind, d=3):
    root = np.random.default_rng(5).standard_normal((d, d))
    line = np.array([1.0, -0.5, 0.25])[:d]  # dyadic, so that its outer product is exact
    return {
        "zero": np.zeros((d, d)),
        "full": root @ root.T,
        "diagonal": np.diag([0.5, 1.5, 0.1][:d]),
        "singular": np.outer(line, line),
        "one known input": np.diag([0.5, 0.0, 2.0][:d]),
        "tiny": 1e-12 * root @ root.T,
        "huge": 1e6 * root @ root.T,
    }[kind]


KINDS = ["zero", "full", "diagonal", "singular", "one known input", "tiny", "huge"]


# --- l and L ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["l_vector", "L_matrix"])
def test_l_and_L_match_explicit_inverses(name, kind):  # noqa: N802
    at = np.array([0.2, -0.1, 0.4]), covariance(kind), centers(), LENGTHSCALES
    ours = getattr(gf.numerics, name)(*at)
    # The twin inverts S + Lambda: 1e-12 for its condition; 1e-9 where S is huge (1e6 beside 1).
    rtol = 1e-9 if kind == "huge" else 1e-12
    np.testing.assert_allclose(ours, getattr(twin, name)(*at), rtol=rtol)
    np.testing.assert_array_equal(ours, ours.T)


@pytest.mark.parametrize("d", [1, 2])
def test_l_and_L_match_quadrature(d):  # noqa: N802
    u, S, x, ell = np.array([0.3, -0.2])[:d], covariance("full", d), centers(6, d), [1.5, 1.1][:d]
    at, w = hermite_grid(u, S, 100)
    basis = np.exp(-0.5 * (((at[:, None] - x) / ell) ** 2).sum(axis=2))
    # 100 nodes converge to 1e-10 when the input is at most three length-scales wide.
    np.testing.assert_allclose(gf.numerics.l_vector(u, S, x, ell), w @ basis, atol=1e-10)
    expected = (w[:, None] * basis).T @ basis
    np.testing.assert_allclose(gf.numerics.L_matrix(u, S, x, ell), expected, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("far", [30.0, 1e8])
def test_basis_functions_out_of_reach_underflow_in_silence(kind, far):
    u, x = np.full(3, far), centers()  # warnings are errors here
    l_ = gf.numerics.l_vector(u, covariance(kind), x, LENGTHSCALES)
    L = gf.numerics.L_matrix(u, covariance(kind), x, LENGTHSCALES)
    for values in (l_, L):
        assert ((values >= 0.0) & (values <= 1.0)).all()
    # A product of basis functions is at most either: E[k_i k_j] <= E[k_i].
    excess = L - np.minimum(l_[:, None], l_) * (1.0 + 1e-12)
    assert excess.max() <= 1e-300


def test_eigenbasis_rebuilds_the_scaled_covariance_with_the_rank_of_the_batch():
    S = np.stack([covariance("singular"), 1e-9 * covariance("one known input")])
    s, V = eigenbasis(S, LENGTHSCALES)
    assert s.shape == (2, 2)
    rebuilt = np.einsum("bdr,br,ber->bde", V, s, V) * np.outer(LENGTHSCALES, LENGTHSCALES)
    for got, want in zip(rebuilt, S, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-15 * np.abs(want).max() * 10)
