"""Panels, tiles and blocks: packed products, substitutions and double sums against NumPy."""

import numpy as np
import pytest
from entries import entry
from oracles import mp_exp_remainder

from gpforecast.numerics.compiled import exact
from gpforecast.numerics.compiled import panels as compiled
from gpforecast.numerics.compiled.pairs import pair_remainders
from gpforecast.numerics.compiled.panels import WIDTH
from gpforecast.numerics.packing import padded, panels, symmetric_tiles, triangular_blocks

add_product, solve_lower = entry(compiled.add_product), entry(exact.solve_lower)
SIZES = [1, 5, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH, 83]


def unpacked(P, rows, n):
    cut = P.reshape(len(P), -1, WIDTH).transpose(1, 0, 2)
    return cut.reshape(cut.shape[0], -1)[:rows, :n]


@pytest.mark.parametrize("n", SIZES)
def test_panels_keep_every_element_and_are_zero_beyond(n):
    A = np.random.default_rng(0).standard_normal((6, n))
    P = panels(A)
    np.testing.assert_array_equal(unpacked(P, 6, n), A)
    assert np.count_nonzero(P) == A.size
    assert P.shape[1] == 8 * WIDTH


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("rows", "terms"), [(4, 4), (8, 16), (20, 32)])
def test_add_product_is_a_matrix_product(rows, terms, transposed):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((rows, terms)), rng.standard_normal((terms, WIDTH))
    out = rng.standard_normal((rows, WIDTH))
    expected = out + a @ b
    shift = np.concatenate([[7.0], (a.T if transposed else a).ravel()])
    strides = (1, rows) if transposed else (terms, 1)
    flat = out.ravel().copy()
    add_product(shift, 1, *strides, rows, terms, b.ravel().copy(), flat)
    np.testing.assert_allclose(flat.reshape(rows, WIDTH), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rows", [1, 18])
def test_solve_lower_is_forward_substitution(n, rows):
    rng = np.random.default_rng(n)
    C = np.tril(0.3 * rng.standard_normal((n, n))) + np.eye(n)
    X = rng.standard_normal((rows, n))
    Y = panels(X @ C.T)
    solve_lower(*triangular_blocks(C), Y)
    np.testing.assert_allclose(unpacked(Y, rows, n), X, rtol=1e-6 if n > 40 else 1e-10, atol=1e-7)


@pytest.mark.parametrize("n", SIZES)
def test_solve_lower_of_a_nearly_singular_factor_has_a_small_residual(n):
    """Backward stability, which a product with the inverse does not have."""
    x = np.linspace(0.0, 1.0, n)
    K = np.exp(-0.5 * (x[:, None] - x) ** 2) + 1e-13 * np.eye(n)
    C = np.linalg.cholesky(K)
    B = np.vstack([np.exp(-0.5 * (x - 0.3) ** 2), np.sin(3.0 * x)])
    Y = panels(B)
    solve_lower(*triangular_blocks(C), Y)
    E = unpacked(Y, 2, n)
    size = np.abs(E) @ np.abs(C.T)
    assert (np.abs(E @ C.T - B) <= 1e-16 * (n + 4) * size).all()


@pytest.mark.parametrize("n", SIZES)
def test_tiles_hold_each_pair_of_a_symmetric_matrix_once(n):
    W = np.random.default_rng(2).standard_normal((n, n))
    W = W + W.T
    tiles = symmetric_tiles(W.copy())
    np.testing.assert_allclose(tiles.sum(), W.sum(), rtol=1e-11, atol=1e-11)
    expected = np.sort(np.concatenate([np.diag(W), 2.0 * W[np.tril_indices(n, -1)]]))
    np.testing.assert_array_equal(np.sort(tiles[tiles != 0.0]), expected)


@pytest.mark.parametrize("scale", [1.0, 0.03], ids=["any T", "small T, without range reduction"])
@pytest.mark.parametrize("rank", [1, 4, 6])
@pytest.mark.parametrize("m", [9, WIDTH, 75])
def test_pair_remainders_match_the_sum_written_out(m, rank, scale):
    rng = np.random.default_rng(3)
    l_, rho = rng.uniform(0.0, 1.0, m), scale**2 * rng.uniform(0.0, 1.0, m)
    z = scale * rng.standard_normal((rank, m))
    W = rng.standard_normal((m, m))
    W = W + W.T
    T = z.T @ z - rho[:, None] - rho
    exact = np.array([mp_exp_remainder(t) for t in T.ravel()]).reshape(m, m)
    expected = W * np.outer(l_, l_) * exact
    Y, zs = panels(l_[None])[None], panels(z)[None]
    sums = np.zeros((1, Y.shape[1]))
    for p in reversed(range(Y.shape[1])):  # in any order, one by one
        pair_remainders(Y, padded(rho)[None], zs, symmetric_tiles(W.copy()), m, p, p + 1, sums)
    # T is rounded to some 1e-16 of itself and of the rho, and so is its square.
    np.testing.assert_allclose(sums.sum(), expected.sum(), atol=1e-14 * np.abs(expected).sum())
