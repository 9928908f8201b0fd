"""Inputs, parameters and names that make no sense are refused in a sentence."""

import numpy as np
import pytest
from propagation_cases import S, U, gp

from gpforecast import propagation
from gpforecast.propagation import Cubature, GaussianMixture, MonteCarlo, method_named


@pytest.mark.parametrize(
    ("u", "cov", "says"),
    [
        ([0.0, 0.0, 0.0], S, r"a Gaussian over the 2 inputs of the model, shapes \(2,\) and"),
        ([0.0], S, r"got mean \(1,\) and cov \(2, 2\)"),
        (U, [[0.5, 0.2], [0.1, 0.4]], r"must be symmetric; pass \(S \+ S\.T\) / 2"),
        (U, [[0.5, 0.9], [0.9, 0.4]], "must be positive semi-definite; its smallest eigenvalue"),
        ([np.nan, 0.0], S, "the input mean u has 1 missing"),
    ],
)
def test_what_is_not_a_gaussian_over_the_inputs_is_refused(u, cov, says):
    with pytest.raises(ValueError, match=says):
        propagation.predict_uncertain(gp(), u, cov)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MonteCarlo(n_paths=1), "n_paths must be an integer from 2 up; got 1"),
        (lambda: MonteCarlo(kind="path"), "kind must be one of 'step', 'function'; got 'path'"),
        (lambda: MonteCarlo(n_features=0), "n_features must be a positive integer; got 0"),
        (lambda: Cubature("simplex"), "one of 'unscented', 'gauss_hermite'; got 'simplex'"),
        (lambda: Cubature(n_nodes=1), "n_nodes must be an integer from 2 up; got 1"),
        (lambda: Cubature(n_nodes=10, n_directions=6), r"at most 100000 points; got 10 \*\* 6"),
        (lambda: GaussianMixture(2), "n_components must be an integer from 3 up; got 2"),
        (lambda: GaussianMixture(tolerance=0.0), "tolerance must be a number between 0 and 1"),
        (lambda: method_named("sampling"), "one of 'exact', 'taylor', 'cubature', 'mixture', 'n"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_name_stands_for_its_method():
    methods = {
        "exact": propagation.ExactMoments(),
        "taylor": propagation.Taylor(),
        "cubature": Cubature(),
        "naive": propagation.Naive(),
        "monte_carlo": MonteCarlo(),
    }
    assert {name: method_named(name) for name in methods} == methods
    assert [method.name for method in methods.values()] == list(methods)


@pytest.mark.parametrize("method", [None, 3, MonteCarlo, object()])
def test_what_is_not_a_method_is_a_type_error(method):
    with pytest.raises(TypeError, match=r"an instance such as gf\.propagation\.Taylor\(\)"):
        method_named(method)
