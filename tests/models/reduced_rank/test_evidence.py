"""The evidence of a reduced-rank process and its slopes, against the explicit N x N covariance."""

import numpy as np
import pytest
from oracles import central
from reduced_rank_cases import (
    COVARIANCES,
    SUPPORT,
    approximate_covariance,
    data,
    every_covariance,
    evidence_of,
    held,
)
from scipy.stats import multivariate_normal


@every_covariance
def test_evidence_is_that_of_the_explicit_covariance(k):
    X, y = data()
    Q = approximate_covariance(k, X, SUPPORT)
    expected = multivariate_normal(np.zeros(len(y)), Q).logpdf(y)
    fitted = held(k).fit(X, y)
    # K_MM has a 1e-10th of the variance on its diagonal.
    np.testing.assert_allclose(fitted.log_marginal_likelihood_, expected, rtol=1e-7)
    problem = evidence_of(k, X, y)
    np.testing.assert_allclose(-problem.value(problem.start), expected, rtol=1e-7)


@every_covariance
@pytest.mark.parametrize("noise_var", [0.03, 1e-4])
def test_slopes_are_those_of_the_evidence(k, noise_var):
    X, y = data()
    problem = evidence_of(k, X, y, noise_var=noise_var)
    theta = problem.start
    value, slopes = problem.negative(theta)
    assert value == problem.value(theta)
    differences = central(problem.value, theta)
    size = np.abs(slopes).max()
    # Central differences: h^2 of truncation, and 1e-16/h times the evidence of rounding.
    np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-8 * size)


def test_slopes_know_of_the_nugget():
    # Nearly coinciding support inputs: K_MM owes its smallest eigenvalues to the nugget.
    X, y = data()
    support = np.concatenate([SUPPORT, SUPPORT + 1e-7])
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, support)
    differences = central(problem.value, problem.start, h=1e-4)
    slopes = problem.negative(problem.start)[1]
    np.testing.assert_allclose(slopes, differences, rtol=1e-4, atol=1e-4)


def test_the_best_noise_is_better_than_any_other():
    X, y = data()
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, noise_var=1e-3).with_best_noise()
    theta, best = problem.start, problem.value(problem.start)
    steps = [0.9, -0.9, 0.3, -0.3, 0.15, -0.15]  # the grid's are 0.1
    assert all(problem.value(theta + np.append(np.zeros(3), s)) > best for s in steps)
