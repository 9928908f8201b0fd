"""The sources of the variance of a forecast add up, and are closed forms for linear models."""

import numpy as np
import pytest
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
from gpforecast.propagation.recursion import Inputs, Start, propagate
from gpforecast.propagation.sources import sources

METHODS = [EXACT, STEP, TAYLOR, Cubature(), NAIVE]


def uncertain_past(n, seed=3):
    root = 0.3 * np.random.default_rng(seed).standard_normal((n, n))
    return (root @ root.T)[None]


def responses(horizon):
    """What each step of the linear model is of noise, of past values and of inputs: matrices."""
    q, back = 2, max(AR_LAGS)
    ahead = 3 + horizon  # past and future times of the inputs
    of_noise = np.zeros((horizon, horizon))
    of_past = np.zeros((horizon, back))
    of_inputs = np.zeros((horizon, ahead * q))
    for k in range(horizon):
        of_noise[k, k] = 1.0
        for lag, weight in zip(AR_LAGS, AR_WEIGHTS, strict=True):
            if k >= lag:
                for matrix in (of_noise, of_past, of_inputs):
                    matrix[k] += weight * matrix[k - lag]
            else:
                of_past[k, back + k - lag] += weight
        for (column, lag), weight in zip(EXOG_TERMS, (0.4, -0.3, 0.2), strict=True):
            of_inputs[k, (3 + k - lag) * q + column] += weight
    return of_noise, of_past, of_inputs


def test_the_sources_of_a_linear_model_are_its_closed_form():
    inputs, past, exog, exog_cov = exog_problem(horizon := 12)
    posterior = linear_posterior([*AR_WEIGHTS, 0.4, -0.3, 0.2])
    past_cov = np.zeros((1, 9, 9))  # three values and three times of two inputs
    past_cov[:, :3, :3] = uncertain_past(3)
    start = Start(past, exog, exog_cov, past_cov)
    found = sources(posterior, EXACT, inputs, start, horizon)
    of_noise, of_past, of_inputs = responses(horizon)
    expected = [
        NOISE * of_noise @ of_noise.T,
        of_past @ past_cov[0, :3, :3] @ of_past.T,
        of_inputs[:, 6:] @ exog_cov @ of_inputs[:, 6:].T,
        np.zeros((horizon, horizon)),
    ]
    # Nothing is approximated: only rounding over twelve steps.
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_uncertain_weights_are_of_the_map_alone():
    A = 0.1 * np.random.default_rng(2).standard_normal((4, 3))  # three weights and a constant
    posterior = linear_posterior([0.5, -0.2, 0.1], added=A)
    past = past_values((1, 2, 3))
    found = sources(posterior, EXACT, Inputs((1, 2, 3)), Start(past), 1)[:, 0, 0]
    x = np.append(past[0, ::-1], 1.0)
    np.testing.assert_allclose(found, [NOISE, 0.0, 0.0, x @ A @ A.T @ x], rtol=1e-12)


def test_an_error_of_the_map_that_lasts_is_of_the_map_at_every_step():
    constant = np.array([[0.0], [0.2]])  # uncertain, with a standard deviation of 0.2
    posterior = linear_posterior([0.8], added=constant)
    found = sources(posterior, EXACT, Inputs((1,)), Start(np.ones((1, 1))), 10)
    gain = np.cumsum(0.8 ** np.arange(10))
    np.testing.assert_allclose(found[3], 0.04 * np.outer(gain, gain), rtol=1e-10)
    each = NOISE * np.cumsum(0.64 ** np.arange(10))
    np.testing.assert_allclose(np.diag(found[0]), each, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_sources_of_a_curved_model_add_up_to_its_covariance(method):
    posterior, inputs, horizon = nonlinear_posterior(3), Inputs((1, 2, 5)), 15
    start = Start(past_values((5,)), past_cov=uncertain_past(5))
    found = sources(posterior, method, inputs, start, horizon)
    whole = propagate(posterior, method, inputs, start, horizon).covariance[0]
    np.testing.assert_allclose(found.sum(axis=0), whole, rtol=1e-10, atol=1e-13)
    each = np.einsum("shh->sh", found)
    assert (each >= -1e-12).all()
    np.testing.assert_allclose(each[2], 0.0, atol=1e-15)  # it has no inputs


def test_the_disagreement_of_several_posteriors_is_of_the_map():
    parts, weights = (linear_posterior([0.9]), linear_posterior([0.5])), np.array([0.3, 0.7])
    both, inputs, start = AveragedPosterior(parts, weights), Inputs((1,)), Start(np.ones((1, 1)))
    found = sources(both, EXACT, inputs, start, 8)
    means = np.array([0.9, 0.5])[:, None] ** np.arange(1, 9)
    off = means - weights @ means
    np.testing.assert_allclose(found[3], np.einsum("k,kh,kj->hj", weights, off, off), atol=1e-14)
    whole = propagate(both, EXACT, inputs, start, 8).covariance[0]
    np.testing.assert_allclose(found.sum(axis=0), whole, rtol=1e-12)
