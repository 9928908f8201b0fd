"""The evidence and its gradient, against a density, differences and a plain loop."""

import numpy as np
import pytest
from gaussian_process_cases import data, every_kind
from oracles import central

from gpforecast.models.conditioning import factorise
from gpforecast.models.evidence import Evidence


@pytest.mark.parametrize("prior", [None, "weak"])
@every_kind
def test_gradient_of_the_objective_matches_finite_differences(covariance, prior):
    X, y = data()
    problem = Evidence(X, y, covariance, 0.02, X.std(axis=0), float(np.var(y)), prior == "weak")
    theta = problem.start + 0.3 * np.random.default_rng(1).standard_normal(len(problem.start))
    value, gradient = problem.negative(theta)
    differences = central(lambda theta: problem.negative(theta)[0], theta)
    # Central differences at 1e-5 of a value near 30: 1e-15 * 30 / 1e-5 is 3e-9 of rounding.
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-6)
    at = problem.unpack(theta)
    expected = -factorise(*at, X).log_evidence(y)[0]
    if prior == "weak":
        expected += 0.5 * np.sum(((theta - problem.start) / 2.0) ** 2)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
