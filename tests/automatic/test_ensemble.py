"""Which structural models are chosen, and how much they count beside the one-step model."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.ensemble import choose_ensemble
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.transforms import BoxCox


def sales(n=72, seed=0):
    """A level that grows, a season that grows with it, and noise that does too."""
    t, rng = np.arange(n), np.random.default_rng(seed)
    return np.exp(4 + 0.02 * t + 0.3 * np.sin(2 * np.pi * t / 12) + 0.05 * rng.standard_normal(n))


def walk(n=60, seed=0):
    return np.random.default_rng(seed).standard_normal(n).cumsum()


def own_weight(y, own_crps, period=12, horizon=6):
    found = choose_ensemble(y, period, horizon, own_crps).value
    return 1.0 if found is None else found.weights[0]


def test_a_series_whose_season_grows_has_ensemble_of_its_logarithm():
    found = choose_ensemble(sales(), 12, 0, np.nan).value
    assert {(c.warp is not None, c.posterior.period) for c in found.members} == {(True, 12)}
    np.testing.assert_allclose(found.weights, [th.ENSEMBLE_OWN, 1.0 - th.ENSEMBLE_OWN])


def test_weights_are_probabilities_and_none_is_negligible():
    for seed in range(2):
        found = choose_ensemble(walk(seed=seed), 12, 0, np.nan).value
        assert len(found.weights) == len(found.members) + 1
        np.testing.assert_allclose(found.weights.sum(), 1.0, rtol=1e-12)
        assert found.weights[1:].min() >= th.ENSEMBLE_LEAST_WEIGHT * (1.0 - th.ENSEMBLE_OWN)


def test_the_better_the_trials_of_the_one_step_model_the_more_it_counts():
    weights = [own_weight(walk(), own_crps) for own_crps in (0.01, 0.8, 1.2, 2.0, 10.0)]
    assert weights[0] == 1.0
    assert all(one > other for one, other in pairwise(weights))


@pytest.mark.parametrize("own_crps", [0.0, 1e-320, 1e300])
def test_extreme_errors_decide_without_an_overflow(own_crps):
    found = choose_ensemble(walk(), None, 6, own_crps)
    if own_crps < 1.0:
        assert found.value is None
        assert "structural models is over 1000 times that of the model" in found.reason
    else:
        assert found.value.weights[0] < 1e-6


@pytest.mark.parametrize("factor", [2.0**-300, 2.0**300])
def test_the_choice_does_not_depend_on_the_unit(factor):
    y = sales()
    one, other = (choose_ensemble(a * y, 12, 6, a * 20.0).value for a in (1.0, factor))
    np.testing.assert_allclose(other.weights, one.weights, rtol=1e-3)


def test_a_trial_of_a_root_is_scored_in_the_units_of_the_series():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(300)
    for t in range(1, 300):
        y[t] += 0.9 * y[t - 1]
    y = pd.Series((10.0 + 2.0 * y) ** 2)
    plan = choose_transforms(y).value
    assert isinstance(plan.transforms.steps[0], BoxCox)
    # One step of the root has the standard deviation 2, of its square about 40.
    assert 12.0 < plan.crps < 120.0


def test_missing_values_show_nothing():
    walk = np.cumsum(np.random.default_rng(0).standard_normal(400))
    walk[::2] = np.nan
    assert choose_ensemble(walk, None, 0, np.nan).value.surprise == pytest.approx(0.1)
