"""One step of the recursion on a joint Gaussian, against its plain twin."""

import numpy as np
import pytest
from twins import joint as twin

from gpforecast.numerics.compiled.joint import append, extend_root
from gpforecast.propagation.one_function import carried


def case(b, new=5, n=8):
    rng = np.random.default_rng(b)
    root = rng.standard_normal((b, new, new))
    Sigma = np.zeros((b, n, n))
    Sigma[:, :new, :new] = root @ np.swapaxes(root, 1, 2)
    return Sigma


FIRST, STEPS = 2, 3  # rows before the first prediction, and steps predicted already


def steps(b, *, one_function):
    """Means, variances, slopes, expected covariances and rows of four steps, the last one new."""
    rng = np.random.default_rng(b + 10)
    rows = np.array([[0, -1, 1, -1], [2, 0, -1, 1], [3, 2, 0, -1], [4, 3, 2, 0]])
    e = rng.standard_normal((b, STEPS + 1 if one_function else 0))
    return rng.standard_normal(b), rng.uniform(5, 6, b), rng.standard_normal((b, 4, 4)), e, rows


def appended(Sigma, mean, var, slopes, e, rows):
    """Append the last step; return whether all is finite, and what is left of its variance."""
    q, expected, own = e, np.zeros(0), np.zeros(len(var))
    if e.shape[1]:
        q, expected = carried(e, slopes, FIRST, rows, STEPS)
    g, new = np.ascontiguousarray(slopes[:, STEPS]), FIRST + STEPS
    at = Sigma, FIRST, rows[STEPS], new, own
    return append(mean, var, 0.3, g, q, expected, *at), own


@pytest.mark.parametrize("one_function", [False, True])
@pytest.mark.parametrize("b", [1, 3])
def test_an_appended_row_is_that_of_the_plain_twin(b, one_function):
    Sigma = case(b)
    mean, var, slopes, e, rows = steps(b, one_function=one_function)
    expected, expected_var = twin.append(var, 0.3, slopes, e, Sigma, FIRST, rows, STEPS)
    assert appended(Sigma, mean, var, slopes, e.copy(), rows)[0]
    np.testing.assert_allclose(Sigma, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(var, expected_var, rtol=1e-13)


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
@pytest.mark.parametrize("what", ["value", "variance"])
def test_what_is_not_finite_is_reported(what, wrong):
    Sigma = case(3)
    mean, var, slopes, e, rows = steps(3, one_function=False)
    (mean if what == "value" else var)[1] = wrong
    assert not appended(Sigma, mean, var, slopes, e, rows)[0]


def test_of_a_variance_what_its_inputs_do_not_explain_is_left():
    Sigma = case(2)
    mean, var, slopes, e, rows = steps(2, one_function=False)
    _, own = appended(Sigma, mean, var, slopes, e, rows)
    g, at = slopes[:, STEPS], rows[STEPS]
    explained = np.einsum("bi,bij,bj->b", g, Sigma[:, at[:, None], at], g)
    np.testing.assert_allclose(own, var + 0.3 - explained, rtol=1e-12)


def test_a_root_grows_by_rows_also_where_a_node_is_a_sum_of_others():
    Sigma = case(2)[:, :5, :5]
    together = np.vstack([np.eye(5)[:3], [[1.0, 2.0, 0.0, 0.0, 0.0]], np.eye(5)[3:]])
    Sigma = np.ascontiguousarray(together @ Sigma @ together.T)
    root = np.zeros((2, 6, 6))
    for row in range(6):
        extend_root(Sigma, row, root)
    np.testing.assert_allclose(root @ np.swapaxes(root, 1, 2), Sigma, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(root, np.tril(root))
