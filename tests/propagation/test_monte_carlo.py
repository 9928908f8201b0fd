"""Monte Carlo: its parameters, its seeds, its draws one step at a time."""

import dataclasses

import numpy as np
import pytest
from propagation_cases import gp

from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate


def paths(method):
    inputs = Inputs((1, 2))
    start = Start(np.array([[0.3, 0.1]]))
    return propagate(Columns.of(gp().posterior_, inputs), method, start, 6).paths


@pytest.mark.parametrize("kind", ["step", "function"])
def test_the_same_seed_draws_the_same_paths_and_another_seed_others(kind):
    method = MonteCarlo(n_paths=10, kind=kind, seed=1)
    np.testing.assert_array_equal(paths(method), paths(method))
    assert not np.allclose(paths(method), paths(dataclasses.replace(method, seed=2)))


def test_a_generator_goes_on_from_where_it_is():
    rng = np.random.default_rng(1)
    first = paths(MonteCarlo(n_paths=10, seed=rng))
    np.testing.assert_array_equal(first, paths(MonteCarlo(n_paths=10, seed=1)))
    assert not np.allclose(first, paths(MonteCarlo(n_paths=10, seed=rng)))


def test_the_global_random_state_is_neither_read_nor_changed():
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = paths(MonteCarlo(n_paths=10, seed=1))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(6)  # noqa: NPY002
    np.testing.assert_array_equal(paths(MonteCarlo(n_paths=10, seed=1)), first)
