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
