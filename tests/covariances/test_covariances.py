"""Every covariance passes the one conformance suite; messages and sums."""

import numpy as np
import pytest
from covariance_conformance import COVARIANCE_CHECKS, COVARIANCES, UNSTARTED

from gpforecast.covariances import Constant, Linear, SquaredExponential, Sum


@pytest.mark.parametrize("check", COVARIANCE_CHECKS)
@pytest.mark.parametrize("name", COVARIANCES)
def test_covariance_conforms(name, check):
    COVARIANCE_CHECKS[check](COVARIANCES[name])


@pytest.mark.parametrize("name", UNSTARTED)
@pytest.mark.parametrize("scale", [[1.0, 1.0, 1.0], [1e-3, 1.0, 50.0]])
@pytest.mark.parametrize("y_var", [1e-4, 1e6])
def test_bounds_contain_the_start(name, scale, y_var):
    scale = np.array(scale)
    covariance = UNSTARTED[name].started(scale, y_var)
    if name == "SE, one length-scale given":
        scale = np.ones(3)  # what was given need not suit data of any scale
    theta, bounds = covariance.log_parameters, covariance.log_bounds(scale, y_var)
    assert bounds.shape == (len(theta), 2)
    assert (bounds[:, 0] < theta).all()
    assert (theta < bounds[:, 1]).all()


def test_starting_gives_each_input_its_own_lengthscale_in_its_own_units():
    started = SquaredExponential().started(np.array([1.0, 1000.0]), 1.0)
    np.testing.assert_allclose(started.lengthscales[1] / started.lengthscales[0], 1000.0)


def test_sums_are_flat_and_order_does_not_matter():
    a, b, c = SquaredExponential(1.0, 2.0), Linear(0.5), Constant(3.0)
    assert ((a + b) + c).terms == (a + (b + c)).terms == (a, b, c)
    X = np.random.default_rng(0).standard_normal((5, 2))
    np.testing.assert_allclose((a + b + c)(X), (c + a + b)(X), rtol=1e-14)
    assert isinstance(a + b, Sum)
    assert a.terms == (a,)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: SquaredExponential(0.0, 1.0), "lengthscales of SquaredExponential"),
        (lambda: SquaredExponential([1.0, -2.0], 1.0), "one number or one for each"),
        (lambda: SquaredExponential([[1.0]], 1.0), "must be positive"),
        (lambda: SquaredExponential(1.0, [1.0, 2.0]), "must be a positive number"),
        (lambda: Linear(-1.0), "variances of Linear must be positive"),
    ],
)
def test_hyperparameters_that_make_no_sense_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize(
    ("covariance", "missing"),
    [
        (SquaredExponential(), "SquaredExponential has no lengthscales and variance yet"),
        (SquaredExponential(1.0), "SquaredExponential has no variance yet"),
        (Constant(1.0) + Linear(), "Linear has no variances yet"),
    ],
)
def test_values_left_to_the_data_must_be_found_before_use(covariance, missing):
    for use in (lambda: covariance(np.zeros((2, 1))), lambda: covariance.log_parameters):
        with pytest.raises(ValueError, match=f"{missing}; give a value, or fit"):
            use()


@pytest.mark.parametrize(
    ("covariance", "says"),
    [
        (SquaredExponential([1.0, 2.0], 1.0), "lengthscales has 2 values but the inputs have 3"),
        (Linear([1.0, 2.0]), "variances has 2 values but the inputs have 3"),
    ],
)
def test_one_value_an_input_must_fit_the_inputs(covariance, says):
    X = np.zeros((4, 3))
    for use in (covariance, covariance.diag):
        with pytest.raises(ValueError, match=says):
            use(X)


def test_covariances_compare_and_hash_by_their_values():
    a, same, other = (SquaredExponential(ell, 2.0) for ell in ([1.0, 2.0], [1.0, 2.0], [1.0, 3.0]))
    assert a == same
    assert hash(a) == hash(same)
    assert a != other
    assert a != SquaredExponential(1.0, 2.0)
    assert a + Constant(1.0) == same + Constant(1.0)
    assert a + Constant(1.0) != a + Constant(2.0)
    assert Linear(1.0) != Constant(1.0)
    assert a != "SquaredExponential"


def test_parameter_names_tell_inputs_apart():
    covariance = SquaredExponential([1.0, 2.0], 1.0) + Linear(1.0) + Constant(1.0)
    names = covariance.parameter_names
    assert names == (
        "lengthscale 0",
        "lengthscale 1",
        "variance",
        "slope variance",
        "level variance",
    )
    assert Linear([1.0, 2.0]).parameter_names == ("slope variance 0", "slope variance 1")
