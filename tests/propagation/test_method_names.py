"""Propagation methods by name, by instance, and of one's own."""

import pytest

from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Naive, Taylor, method_named


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


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match="one of 'exact', 'taylor', 'cubature', 'mixture', 'naive', 'mon"
    ):
        method_named("sampling")


@pytest.mark.parametrize("method", [None, 3, ExactMoments, MonteCarlo, object()])
def test_what_is_not_a_method_is_a_type_error(method):
    with pytest.raises(TypeError, match=r"an instance such as gf\.propagation\.Taylor\(\)"):
        method_named(method)
