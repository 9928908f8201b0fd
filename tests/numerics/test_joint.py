"""One step of the recursion on a joint Gaussian, against its plain twin."""

import numpy as np
import pytest
from twins import joint as twin

from gpforecast.numerics.compiled.joint import append, selected

PLACE = np.array([4, 0, 6, 5])


def case(b, new=5, n=8):
    rng = np.random.default_rng(b)
    root = rng.standard_normal((b, new, new))
    Sigma = np.zeros((b, n, n))
    Sigma[:, :new, :new] = root @ np.swapaxes(root, 1, 2)
    return rng.standard_normal((b, 9)), Sigma, rng.standard_normal((b, 4)), rng.uniform(1, 2, b)


@pytest.mark.parametrize("row", [[2, -1, 4, 0], [-1, -1, -1, -1], [3, 1, 0, 2]])
@pytest.mark.parametrize("b", [1, 3])
def test_selected_nodes_are_those_of_the_plain_twin(b, row):
    values, Sigma, _, _ = case(b)
    u, S = selected(values, Sigma, PLACE, np.array(row))
    expected = twin.select(values, Sigma, PLACE, np.array(row))
    np.testing.assert_array_equal(u, expected[0])
    np.testing.assert_array_equal(S, expected[1])


@pytest.mark.parametrize("row", [[2, -1, 4, 0], [-1, -1, -1, -1], [3, 1, 0, 2]])
@pytest.mark.parametrize("b", [1, 3])
def test_an_appended_row_is_that_of_the_plain_twin(b, row):
    values, Sigma, gradient, var = case(b)
    expected = twin.append(Sigma, 5, np.array(row), gradient, var)
    assert append(values, 0, Sigma, 5, np.array(row), gradient, var)
    np.testing.assert_allclose(Sigma, expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("what", ["value", "variance"])
def test_what_is_not_finite_is_reported(what, wrong):
    values, Sigma, gradient, var = case(3)
    (values[1, 0:1] if what == "value" else var[1:2])[:] = wrong
    assert not append(values, 0, Sigma, 5, np.array([2, -1, 4, 0]), gradient, var)
