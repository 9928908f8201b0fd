"""The prior of a linear model that looks back at other columns too."""

import pytest

from gpforecast.models import BayesianAR
from gpforecast.vector.choice import _extended


@pytest.mark.parametrize(("means", "own"), [((1.0, 0.0), (1.0, 0.0)), (None, (0.0, 0.0))])
def test_other_columns_have_weights_of_mean_zero_that_fall_with_the_lag(means, own):
    model = BayesianAR((1.0, 0.5), means)
    longer = _extended(model, ((1, 0), (1, 2), (2, 4)))
    assert longer.means == (*own, 0.0, 0.0, 0.0)
    assert longer.scales[:2] == (1.0, 0.5)
    at_once, two_before, four_before = longer.scales[2:]
    assert at_once == 1.0
    assert two_before == 2.0 * four_before
    assert longer.n_summed == 2
    assert model.scales == (1.0, 0.5)
    assert _extended(model, ()) is model
