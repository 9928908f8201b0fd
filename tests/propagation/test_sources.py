"""The sources of the variance of a forecast add up, and are closed forms for linear models."""

import numpy as np
import pytest
from oracles import linear_gaussian
from recursion_cases import (
    AR_LAGS,
    AR_WEIGHTS,
    EXACT,
    EXOG_TERMS,
    NAIVE,
    NOISE,
    STEP,
    TAYLOR,
    exog_problem,
    linear_posterior,
    nonlinear_posterior,
    past_values,
)

from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.propagation import Cubature
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.propagation.sources import sources

METHODS = [EXACT, STEP, TAYLOR, Cubature(), NAIVE]


def uncertain_past(n, seed=3):
    root = 0.3 * np.random.default_rng(seed).standard_normal((n, n))
    return (root @ root.T)[None]


def test_the_sources_of_a_linear_model_are_its_closed_form():
    inputs, past, exog, exog_cov = exog_problem(horizon := 12)
    weights = (0.4, -0.3, 0.2)
    past_cov = np.zeros((1, 9, 9))  # three values and three times of two inputs
    past_cov[:, :3, :3] = uncertain_past(3)
    posterior = linear_posterior([*AR_WEIGHTS, *weights])
    found = sources(
        Columns.of(posterior, inputs), EXACT, Start(past, exog, exog_cov, past_cov), horizon
    )
    n = 3 + horizon  # places of the values, before those of the inputs, time by time
    terms = {
        t: [(w, t - lag) for w, lag in zip(AR_WEIGHTS, AR_LAGS, strict=True)]
        + [(w, n + 2 * (t - lag) + j) for w, (j, lag) in zip(weights, EXOG_TERMS, strict=True)]
        for t in range(3, n)
    }
    parts = [(slice(3, n), NOISE * np.eye(horizon)), (slice(3), past_cov[0, :3, :3])]
    parts += [(slice(n + 6, None), exog_cov), (slice(0), np.zeros((0, 0)))]
    # Nothing is approximated: only rounding over twelve steps.
    for one, (places, covariance) in zip(found, parts, strict=True):
        shocks = np.zeros((3 * n, 3 * n))
        shocks[places, places] = covariance
        expected = linear_gaussian(terms, np.zeros(3 * n), shocks)[1][3:n, 3:n]
        np.testing.assert_allclose(one, expected, rtol=1e-10, atol=1e-12)


def test_uncertain_weights_are_of_the_map_alone():
    A = 0.1 * np.random.default_rng(2).standard_normal((4, 3))  # three weights and a constant
    posterior = linear_posterior([0.5, -0.2, 0.1], added=A)
    past = past_values((1, 2, 3))
    found = sources(Columns.of(posterior, Inputs((1, 2, 3))), EXACT, Start(past), 1)[:, 0, 0]
    x = np.append(past[0, ::-1], 1.0)
    np.testing.assert_allclose(found, [NOISE, 0.0, 0.0, x @ A @ A.T @ x], rtol=1e-12)


def test_an_error_of_the_map_that_lasts_is_of_the_map_at_every_step():
    constant = np.array([[0.0], [0.2]])  # uncertain, with a standard deviation of 0.2
    posterior = linear_posterior([0.8], added=constant)
    found = sources(Columns.of(posterior, Inputs((1,))), EXACT, Start(np.ones((1, 1))), 10)
    gain = np.cumsum(0.8 ** np.arange(10))
    np.testing.assert_allclose(found[3], 0.04 * np.outer(gain, gain), rtol=1e-10)
    each = NOISE * np.cumsum(0.64 ** np.arange(10))
    np.testing.assert_allclose(np.diag(found[0]), each, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_sources_of_a_curved_model_add_up_to_its_covariance(method):
    posterior, inputs, horizon = nonlinear_posterior(3), Inputs((1, 2, 5)), 15
    start = Start(past_values((5,)), past_cov=uncertain_past(5))
    found = sources(Columns.of(posterior, inputs), method, start, horizon)
    whole = propagate(Columns.of(posterior, inputs), method, start, horizon).covariance[0]
    np.testing.assert_allclose(found.sum(axis=0), whole, rtol=1e-10, atol=1e-13)
    each = np.einsum("shh->sh", found)
    assert (each >= -1e-12).all()
    np.testing.assert_allclose(each[2], 0.0, atol=1e-15)  # it has no inputs


def test_the_disagreement_of_several_posteriors_is_of_the_map():
    parts, weights = (linear_posterior([0.9]), linear_posterior([0.5])), np.array([0.3, 0.7])
    both, inputs, start = AveragedPosterior(parts, weights), Inputs((1,)), Start(np.ones((1, 1)))
    found = sources(Columns.of(both, inputs), EXACT, start, 8)
    means = np.array([0.9, 0.5])[:, None] ** np.arange(1, 9)
    off = means - weights @ means
    np.testing.assert_allclose(found[3], np.einsum("k,kh,kj->hj", weights, off, off), atol=1e-14)
    whole = propagate(Columns.of(both, inputs), EXACT, start, 8).covariance[0]
    np.testing.assert_allclose(found.sum(axis=0), whole, rtol=1e-12)
