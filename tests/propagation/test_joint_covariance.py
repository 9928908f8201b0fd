"""A joint covariance that is computed when needed, against the matrices that it stands for."""

import pickle
from functools import partial

import numpy as np
import pytest

from gpforecast.propagation.joint_covariance import (
    Computed,
    joint_of,
    of_mixture,
    of_paths,
    of_root,
    stacked,
)
from gpforecast.transforms.differences import cumulated

B, H = 2, 300  # more steps than columns are there at a time
RNG = np.random.default_rng(0)
ROOT, MORE = RNG.standard_normal((B, H, H)), RNG.standard_normal((B, H, 2))
S = ROOT @ np.swapaxes(ROOT, 1, 2)
FACTORS, SUMS = RNG.standard_normal((B, H)), partial(cumulated, back=7)
A = SUMS(np.eye(H), 0)
BOTH, OFF = np.array([[0.3, 0.7], [0.6, 0.4]]), RNG.standard_normal((B, H, 2))


def refuse():
    raise AssertionError("nobody asked for the matrix")


def transposed(M):
    return np.swapaxes(M, -1, -2)


# What is made of a covariance, and the same of its matrix.
IMAGES = {
    "scaled": (lambda c: c.scaled(FACTORS), lambda M: M * FACTORS[:, None] * FACTORS[..., None]),
    "summed": (lambda c: c.summed(SUMS), lambda M: A @ M @ A.T),
    "plus": (lambda c: c.plus(MORE), lambda M: M + MORE @ transposed(MORE)),
    "measured": (lambda c: c.measured(0.3), lambda M: M + 0.3 * np.eye(H)),
    "picked": (lambda c: c.picked(1, slice(2, None, 3)), lambda M: M[1, 2::3, 2::3]),
    "origins": (lambda c: c.picked(np.array([1, 0]), slice(9)), lambda M: M[::-1, :9, :9]),
    "stacked": (lambda c: stacked([c, c]), lambda M: np.concatenate([M, M])),
    "mixture": (
        lambda c: of_mixture(BOTH, [c, c.scaled(FACTORS)], OFF),
        lambda M: (
            BOTH[:, 0, None, None] * M
            + BOTH[:, 1, None, None] * M * FACTORS[:, None] * FACTORS[..., None]
            + (OFF * BOTH[:, None]) @ transposed(OFF)
        ),
    ),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images_are_those_of_the_matrix(name):
    made, expected = (f(of) for f, of in zip(IMAGES[name], (joint_of(S), S), strict=True))
    np.testing.assert_allclose(made.matrix, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(made.var, np.einsum("...hh->...h", expected), rtol=1e-10)


@pytest.mark.parametrize("of", [joint_of(S), of_root(ROOT)], ids=["a matrix", "a root"])
@pytest.mark.parametrize("name", [name for name in IMAGES if name not in ("picked", "stacked")])
def test_variances_of_sums_are_those_of_the_summed_matrix(name, of):
    """Through whatever was done before the sums."""
    made = IMAGES[name][0](of)
    k = made.var.shape[-1]
    expected = np.einsum("bij,...jk,bik->...bi", A[None, :k, :k], made.matrix, A[None, :k, :k])
    found = made.variances(lambda F: A[:k, :k] @ F)
    np.testing.assert_allclose(found, np.squeeze(expected), rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in IMAGES if name != "summed"])
def test_variances_need_no_matrix(name):
    assert np.isfinite(IMAGES[name][0](Computed(np.ones((B, H)), refuse)).var).all()


def test_those_of_sums_need_none_where_a_root_is_known():
    noisy = of_root(MORE).scaled(FACTORS).measured(0.3).plus(MORE)
    assert not any("matrix" in vars(part) for part in (noisy, noisy.summed(SUMS)))
    np.testing.assert_allclose(
        noisy.summed(SUMS).var, np.einsum("bhh->bh", A @ noisy.matrix @ A.T), rtol=1e-10
    )


def test_that_of_paths_is_their_sample_covariance():
    paths = RNG.standard_normal((B, 5, 40))
    np.testing.assert_allclose(of_paths(paths).matrix, [np.cov(one) for one in paths], rtol=1e-12)


def test_that_of_paths_that_run_away_is_infinite():
    with np.errstate(invalid="ignore"):
        found = of_paths(np.array([[1.0, 2.0, 3.0], [1.0, np.inf, 2.0]]))
        np.testing.assert_allclose(found.matrix, [[1.0, np.inf], [np.inf, np.inf]])
    np.testing.assert_allclose(found.var, [1.0, np.inf])


@pytest.mark.parametrize("name", IMAGES)
def test_it_can_be_pickled(name):
    made = IMAGES[name][0](of_root(ROOT))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).matrix, made.matrix)
