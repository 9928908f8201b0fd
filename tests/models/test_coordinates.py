"""The coordinates that a search moves in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gpforecast.models.search import Coordinates

NAMES = ("lengthscale 0", "lengthscale 1", "lengthscale 2", "variance", "noise variance")
BOUNDS = np.array([[-4.6, 6.9], [-4.6, 6.9], [-4.6, 6.9], [-7.0, 7.0], [-18.0, 2.0]])
START = np.array([0.5, 4.0, 6.8, 1.0, -6.0])
SLOPES = np.array([0.3, -0.02, -0.01, 2.0, -3.0])


def coordinates():
    return Coordinates.around(START, SLOPES, np.full(5, 0.5), NAMES, BOUNDS)


def test_coordinates_carry_there_and_back():
    by, rng = coordinates(), np.random.default_rng(0)
    for theta in (START, BOUNDS[:, 0], BOUNDS[:, 1], *rng.uniform(*BOUNDS.T, (50, 5))):
        # At the upper bound exp(-2 theta) is 1e-4 or so of exp(-2 u): four digits fewer.
        assert_allclose(by.theta(by.z(theta)), theta, rtol=1e-9, atol=1e-9)
    assert_array_equal(by.z(START), 0.0)


def test_stretch_is_the_derivative_of_theta():
    by, h = coordinates(), 1e-6
    for theta in np.random.default_rng(1).uniform(*BOUNDS.T, (50, 5)):
        z = by.z(theta)
        difference = (by.theta(z + h) - by.theta(z - h)) / (2.0 * h)
        known = np.isfinite(difference)
        assert_allclose(by.stretch(theta)[known], difference[known], rtol=1e-3)


def test_logarithms_are_theta_itself():
    by = Coordinates.logarithms(START, np.ones(5))
    assert_array_equal(by.theta(np.zeros(5)), START)
    assert_array_equal(by.stretch(START), 1.0)


def test_a_length_scale_has_one_nat_left_beyond_its_turn():
    by = coordinates()
    # The slope of the loss in the logarithm is -2 w dL/dw.
    rise = -SLOPES[2] / (2.0 * np.exp(-2.0 * START[2]))
    assert rise * np.exp(-2.0 * by.far[2]) == pytest.approx(1.0, rel=1e-12)
    assert_allclose(by.far[:2], 6.9 - np.log(80.0))  # one nat would be within what matters
    assert np.isinf(by.far[3:]).all()
