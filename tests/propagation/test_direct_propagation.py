"""Direct forecasts of linear models against the covariance of everything, solved at once."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import linear_gaussian
from recursion_cases import linear_posterior, nonlinear_posterior

from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Taylor
from gpforecast.propagation.direct import propagate_directly
from gpforecast.propagation.recursion import Inputs, Start

LAGS, LEADS = Inputs((1, 3)), 4
MEAN = np.array([[0.4, -1.0, 2.0]])  # oldest first
METHODS = [ExactMoments(), Taylor(), Cubature(), MonteCarlo(50, seed=0)]


def models(d=2):
    rng = np.random.default_rng(0)
    return [
        linear_posterior(rng.normal(size=d), constant=rng.normal(), noise_var=0.1 + 0.2 * h)
        for h in range(LEADS)
    ]


def random_covariance(n, seed=1):
    root = np.random.default_rng(seed).standard_normal((n, n))
    return root @ root.T / n


def correlation(n=LEADS):
    C = random_covariance(n, seed=2)
    return C / np.sqrt(np.outer(np.diag(C), np.diag(C)))


def errors(leads, R):
    sd = np.sqrt([model.noise_var for model in leads])
    return R * np.outer(sd, sd)


def test_at_known_inputs_marginals_are_the_models_and_errors_have_the_given_correlations():
    leads, R = models(), correlation()
    found = propagate_directly(leads, R, ExactMoments(), LAGS, Start(MEAN), LEADS)
    x = MEAN[0, [2, 0]]
    expected = [model.linear @ x + model.constant for model in leads]
    np.testing.assert_allclose(found.mean[0], expected, rtol=1e-13)
    np.testing.assert_allclose(found.covariance[0], errors(leads, R), rtol=1e-13)
    np.testing.assert_allclose(found.latent_var, 0.0, atol=1e-15)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_what_is_not_known_of_the_past_moves_all_leads_together(method):
    leads, R, S = models(), correlation(), random_covariance(3)
    start = Start(MEAN, past_cov=S[None])
    found = propagate_directly(leads, R, method, LAGS, start, LEADS)
    W = np.array([[model.linear[1], 0.0, model.linear[0]] for model in leads])  # on oldest first
    expected = W @ S @ W.T + errors(leads, R)
    np.testing.assert_allclose(found.covariance[0], expected, rtol=1e-10)
    np.testing.assert_allclose(found.latent_var[0], np.diag(W @ S @ W.T), rtol=1e-10)


def test_uncertain_future_inputs_count_at_the_time_that_is_predicted():
    leads, R, h = models(4), correlation(), LEADS
    inputs = Inputs((1, 3), ((0, 0), (0, 1)))  # u(t) and u(t - 1)
    u, U = np.arange(1.0, h + 2)[None, :, None], random_covariance(h, seed=3)
    start = Start(MEAN, u, U)
    found = propagate_directly(leads, R, ExactMoments(), inputs, start, h)
    W = np.zeros((h, h + 1))  # on u before the origin, and from there on
    for k, model in enumerate(leads):
        W[k, k + 1], W[k, k] = model.linear[2:]
    lagged = [model.linear[:2] @ MEAN[0, [2, 0]] + model.constant for model in leads]
    np.testing.assert_allclose(found.mean[0], lagged + W @ u[0, :, 0], rtol=1e-12)
    expected = W[:, 1:] @ U @ W[:, 1:].T + errors(leads, R)
    np.testing.assert_allclose(found.covariance[0], expected, rtol=1e-10)


@pytest.mark.parametrize("gap", [1, 3])
def test_over_a_gap_the_first_model_is_iterated_and_leads_are_counted_from_its_end(gap):
    leads, R, n = models(), correlation(), gap + LEADS
    found = propagate_directly(leads, R, ExactMoments(), LAGS, Start(MEAN), n, iterated=gap)
    # Lags of direct steps are counted from the end of the gap.
    terms, level, shocks = {}, np.append(MEAN[0], np.zeros(n)), np.zeros((3 + n, 3 + n))
    for k in range(n):
        model, origin = (leads[0], k) if k < gap else (leads[k - gap], gap)
        terms[3 + k] = [(w, 3 + origin - lag) for w, lag in zip(model.linear, (1, 3), strict=True)]
        level[3 + k] = model.constant
    shocks[3 : 3 + gap, 3 : 3 + gap] = leads[0].noise_var * np.eye(gap)
    shocks[3 + gap :, 3 + gap :] = errors(leads, R)
    mean, covariance = linear_gaussian(terms, level, shocks)
    np.testing.assert_allclose(found.mean[0], mean[3:], rtol=1e-11)
    np.testing.assert_allclose(found.covariance[0], covariance[3:, 3:], rtol=1e-11, atol=1e-14)


def test_uncertain_weights_and_known_inputs_give_the_variance_of_the_model():
    leads = [replace(m, added=0.3 * np.tril(np.ones((3, 3)))) for m in models()]
    R = correlation()
    found = propagate_directly(leads, R, ExactMoments(), LAGS, Start(MEAN), LEADS)
    at = [model.predict(MEAN[:, [2, 0]]) for model in leads]
    np.testing.assert_allclose(found.latent_var[0], [p.var[0] for p in at], rtol=1e-13)
    sd = np.sqrt([p.var[0] + m.noise_var for p, m in zip(at, leads, strict=True)])
    np.testing.assert_allclose(found.covariance[0], R * np.outer(sd, sd), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_covariances_are_positive_semi_definite_for_a_curved_model(method):
    leads = [nonlinear_posterior(2, noise_var=v) for v in (0.01, 0.1, 0.5, 1.0)]
    start = Start(MEAN, past_cov=0.5 * random_covariance(3)[None])
    found = propagate_directly(leads, np.ones((4, 4)), method, LAGS, start, LEADS)
    eigenvalues = np.linalg.eigvalsh(found.covariance[0])
    assert eigenvalues[0] > -1e-10 * eigenvalues[-1]
