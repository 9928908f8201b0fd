"""The evidence and its gradient, against a density, differences and a plain loop."""

import numpy as np
import pytest
from gaussian_process_cases import KINDS, data, fixed
from oracles import BruteForceGP, central
from scipy.stats import multivariate_normal

from gpforecast.models.conditioning import factorise
from gpforecast.models.evidence import Evidence


@pytest.mark.parametrize("kind", KINDS)
def test_evidence_is_the_density_of_the_targets(kind):
    covariance, values = KINDS[kind]
    X, y = data()
    gp = fixed(covariance, 0.02).fit(X, y)
    brute = BruteForceGP(X, y, 0.02, **values)
    K = brute.k(X, X) + 0.02 * np.eye(len(X))
    expected = multivariate_normal.logpdf(y, np.zeros(len(y)), K)
    np.testing.assert_allclose(gp.log_marginal_likelihood_, expected, rtol=1e-10)
    np.testing.assert_allclose(brute.log_evidence(), expected, rtol=1e-10)  # the oracle, too


@pytest.mark.parametrize("prior", [None, "weak"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_the_objective_matches_finite_differences(kind, prior):
    covariance, _ = KINDS[kind]
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
