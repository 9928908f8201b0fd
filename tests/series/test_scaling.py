"""Location and scale in any units, and what stands in for a spread that is not there."""

import numpy as np
import pytest

from gpforecast.series.scaling import location_and_scale

Y = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0])


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_location_and_scale_are_mean_and_standard_deviation_in_any_unit(unit):
    location, scale = location_and_scale(unit * Y)
    np.testing.assert_allclose([location / unit, scale / unit], [Y.mean(), Y.std()], rtol=1e-14)


@pytest.mark.parametrize("value", [-0.1, 1e-151])
def test_a_constant_is_its_own_scale(value):
    assert location_and_scale(np.full(7, value)) == (value, abs(value))


@pytest.mark.parametrize("value", [0.0, -1e160])
def test_a_constant_whose_square_is_no_number_has_scale_one(value):
    assert location_and_scale([value, value]) == (value, 1.0)


def test_a_spread_of_rounding_counts_as_none():
    y = 1e6 + np.array([0.0, 1e-9, -1e-9])
    location, scale = location_and_scale(y)
    assert scale == location == pytest.approx(1e6, rel=1e-14)
    assert location_and_scale(1e6 + np.array([0.0, 1e-6]))[1] < 1e-6
