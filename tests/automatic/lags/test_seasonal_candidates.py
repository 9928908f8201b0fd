"""Lags around a season."""

import numpy as np
import pytest

from gpforecast.automatic.lags.candidates import lags_around, related


@pytest.mark.parametrize(
    ("period", "reach", "seasons"),
    [
        (24, 169, [24, 168]),
        (24, 168, [24]),
        (168, 200, [24, 168]),
        (48, 400, [48, 336]),
        (7, 366, [7, 365]),
        (12, 1000, [12]),
        (52, 53, [52]),
        (52, 52, []),
    ],
)
def test_a_season_brings_those_that_come_with_it_as_far_as_they_reach(period, reach, seasons):
    assert related(period, reach) == seasons


@pytest.mark.parametrize("period", [2, 4, 7, 12, 24, 48, 52, 96, 168, 336])
@pytest.mark.parametrize("reach", [1, 5, 13, 60, 400])
def test_no_lag_is_beyond_the_reach_and_none_comes_twice(period, reach):
    lags = lags_around(period, reach)
    assert lags == sorted(set(lags))
    assert lags[0] == 1
    assert lags[-1] <= reach


def test_the_polynomial_of_a_seasonal_autoregression_is_covered():
    # (1 - a B)(1 - b B^12) has its powers of B at 1, 12 and 13.
    powers = np.flatnonzero(np.convolve([1, -0.5], [1, *[0] * 11, -0.4]))[1:]
    assert set(powers) <= set(lags_around(12, 40))
