"""Propagation methods by name, by instance, and of one's own."""

import dataclasses

import numpy as np
import pytest
from propagation_cases import S, U, gp

from gpforecast.propagation import (
    Cubature,
    ExactMoments,
    MonteCarlo,
    Naive,
    Propagation,
    Taylor,
    method_named,
    predict_uncertain,
)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("exact", ExactMoments()),
        ("taylor", Taylor()),
        ("cubature", Cubature()),
        ("naive", Naive()),
        ("monte_carlo", MonteCarlo()),
    ],
)
def test_a_name_stands_for_its_method(name, method):
    assert method_named(name) == method
    assert method.name == name


def test_a_method_of_ones_own_is_taken():
    class Half:
        name = "half"

        def moments(self, posterior, u, S):
            f = posterior.moments(u, S)
            return dataclasses.replace(f, mean=0.5 * f.mean)

    mine = Half()
    assert isinstance(mine, Propagation)
    assert method_named(mine) is mine
    half, whole = predict_uncertain(gp(), U, S, mine), predict_uncertain(gp(), U, S)
    np.testing.assert_allclose(half.mean, 0.5 * whole.mean, rtol=1e-15)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match="one of 'exact', 'taylor', 'cubature', 'mixture', 'naive', 'mon"
    ):
        method_named("sampling")


@pytest.mark.parametrize("method", [None, 3, ExactMoments, MonteCarlo, object()])
def test_what_is_not_a_method_is_a_type_error(method):
    with pytest.raises(TypeError, match=r"an instance such as gf\.propagation\.Taylor\(\)"):
        method_named(method)
