"""Inputs and models that a method cannot predict from are refused with what works."""

import numpy as np
import pytest
from propagation_cases import S, Straight, U, gp

from gpforecast.propagation import ExactMoments, Taylor, predict_uncertain


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
        predict_uncertain(gp(), u, cov)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (ExactMoments(), r"no closed form for Straight.*'cubature', 'monte_carlo' or 'naive'"),
        (
            Taylor(),
            r"'taylor' needs second derivatives.*Straight; use propagation='cubature', 'monte",
        ),
    ],
    ids=repr,
)
def test_a_predictive_that_lacks_what_a_method_needs_is_told_what_works(method, says):
    with pytest.raises(TypeError, match=says):
        predict_uncertain(Straight(), U, S, method)
