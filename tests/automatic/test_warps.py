"""What speaks for a logarithm or a root does so in any units."""

import numpy as np
import pytest

from gpforecast.automatic.warps import margin_for_logarithm, margin_for_root


def growing(seed):
    """A series whose steps grow with its level."""
    steps = 0.3 * np.random.default_rng(seed).standard_normal(120)
    walk = np.zeros(120)
    for t in range(1, 120):
        walk[t] = 0.9 * walk[t - 1] + steps[t]
    return np.exp(walk)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_likelihood_of_a_logarithm_is_that_of_the_values_themselves(scale):
    found = margin_for_logarithm(growing(0), None)
    assert "fits better (AIC lower by" in found.reason
    assert margin_for_logarithm(scale * growing(0), None) == found


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_likelihood_of_a_root_is_that_of_the_values_themselves(scale):
    y = np.maximum(growing(0) - 0.3, 0.0)
    found = margin_for_root(y, None)
    assert "square root fits better" in found.reason
    assert margin_for_root(scale * y, None) == found


def test_a_series_that_stays_above_zero_is_not_said_to_come_down_to_it():
    """As the lynx trappings do, whose smallest value is 39 of almost 7000."""
    e = np.random.default_rng(0).standard_normal(300)
    root = np.abs(5 + 3 * np.sin(np.arange(300) * 0.7) + 0.6 * e) + 0.2
    low = margin_for_root(root**2 + 0.5, None)
    assert "comes down to zero" not in low.reason
    assert "comes close to zero, as its smallest value is " in low.reason
    zero = margin_for_root((root - root.min()) ** 2, None)
    assert "the series comes down to zero" in zero.reason
