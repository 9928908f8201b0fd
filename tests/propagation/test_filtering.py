"""A filter of measured values that goes on from where it was, against one from the beginning."""

from dataclasses import replace

import numpy as np
import pytest
from recursion_cases import nonlinear_posterior

from gpforecast.propagation import ExactMoments, Taylor
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Inputs

N = 120


def measured(inputs, **changes):
    """A series with gaps, in its inputs as well, and noise that is not the same everywhere."""
    rng = np.random.default_rng(1)
    y, noise = np.sin(np.arange(N) / 3.0), rng.uniform(0.01, 0.1, N)
    y += np.sqrt(noise) * rng.standard_normal(N)
    noise[[20, 21, 60]] = 0.0
    y[[30, 31, 32, 90]] = np.nan
    exog = rng.standard_normal((N + 1, 1 if inputs.exog else 0))
    exog[[40, 41, 70]] = np.nan
    predictive = nonlinear_posterior(len(inputs.lags) + len(inputs.exog))
    return replace(Gaps(predictive, ExactMoments(), inputs, y, exog, noise), **changes)


def same(gaps, ends):
    """Whether what is known at some origins is what a filter from the beginning knows there."""
    ends = np.array(ends)
    found, anew = gaps.starts(ends, 1), replace(gaps, checkpoints=Checkpoints()).starts(ends, 1)
    np.testing.assert_allclose(found.past, anew.past, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.exog, anew.exog, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.past_cov, anew.past_cov, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "inputs",
    [Inputs((1, 2, 3)), Inputs((1, 9)), Inputs((1, 2), ((0, 0), (0, 1))), Inputs((1,), ((0, 4),))],
)
def test_a_filter_goes_on_as_if_from_the_beginning(inputs):
    gaps = measured(inputs)
    for ends in (
        [30, 31, 33],
        [34, 36, 43, 44],
        [*range(45, 70), *range(71, 80)],
        [79],
        [50, 71, 45],
        [110, 91, 92],
    ):
        known = gaps.y.copy()
        known[max(ends) :] = np.nan
        same(replace(gaps, y=known), ends)


@pytest.mark.parametrize("at", [48, 55])
def test_what_changed_is_filtered_again(at):
    """A value that is set aside, moved values, an input, a variance, a method and a model."""
    inputs = Inputs((1, 2), ((0, 0), (0, 1)))
    gaps = measured(inputs)
    same(gaps, range(43, 70))
    aside, moved, exog, noise = gaps.y.copy(), gaps.y.copy(), gaps.exog.copy(), gaps.noise.copy()
    aside[at] = np.nan
    moved[at:] -= 0.5
    exog[at] += 1.0
    noise[at] = 1.0
    other = {"method": Taylor()}, {"predictive": nonlinear_posterior(4, seed=3)}
    changes = [{"y": aside}, {"y": moved}, {"exog": exog}, {"noise": noise}, *other]
    for change in changes:
        same(replace(gaps, **change), range(60, 70))
        same(gaps, range(60, 70))
