"""Interleaved columns, against one linear system over all future values of all columns."""

import numpy as np
import pytest
from oracles import conditioned, linear_gaussian
from recursion_cases import linear_posterior, within_five_standard_errors

from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Taylor
from gpforecast.propagation.layout import Columns, Observed, Start, interleaved_inputs
from gpforecast.propagation.recursion import propagate

# Column and lag of each input; column 1 knows column 0 at its own time.
SOURCES = [[(0, 1), (1, 2), (0, 3)], [(1, 1), (0, 0)]]
WEIGHTS, CONSTANTS, NOISE = [[0.5, 0.3, -0.2], [0.4, 0.6]], [0.3, -0.1], [0.2, 0.5]
H = 6


def interleaved(predictives=None):
    if predictives is None:
        predictives = [
            linear_posterior(w, constant=c, noise_var=v)
            for w, c, v in zip(WEIGHTS, CONSTANTS, NOISE, strict=True)
        ]
    inputs = tuple(interleaved_inputs(i, sources, 2) for i, sources in enumerate(SOURCES))
    return Columns(tuple(predictives), inputs)


def dense(past):
    """Mean and covariance of the next H times, (2 H,), from a past (n, 2)."""
    p = past.size
    terms = {
        p + 2 * t + i: [
            (w, p + 2 * (t - lag) + j) for w, (j, lag) in zip(WEIGHTS[i], SOURCES[i], strict=True)
        ]
        for t in range(H)
        for i in range(2)
    }
    shocks = np.diag(np.concatenate([np.zeros(p), np.tile(NOISE, H)]))
    mean, S = linear_gaussian(terms, np.append(past.ravel(), np.tile(CONSTANTS, H)), shocks)
    return mean[p:], S[p:, p:]


def pasts(b=3):
    return np.random.default_rng(0).standard_normal((b, 4, 2))


@pytest.mark.parametrize("method", [ExactMoments(), Taylor(), Cubature()], ids=str)
def test_interleaved_linear_models_are_the_linear_system(method):
    past = pasts()
    found = propagate(interleaved(), method, Start(past.reshape(3, 8)), H)
    for i, own in enumerate(past):
        mean, covariance = dense(own)
        np.testing.assert_allclose(found.mean[i], mean, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(found.covariance[i], covariance, rtol=1e-9, atol=1e-10)
        latent = np.diag(covariance) - np.tile(NOISE, H)
        np.testing.assert_allclose(found.latent_var[i], latent, rtol=1e-9, atol=1e-10)


def test_interleaved_paths_have_the_moments_of_the_linear_system():
    past = pasts(1)
    method = MonteCarlo(n_paths=20_000, seed=0)
    found = propagate(interleaved(), method, Start(past.reshape(1, 8)), H)
    within_five_standard_errors(found, *dense(past[0]))


def test_what_is_observed_on_the_way_is_conditioned_on():
    past = pasts(1)
    value, total = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.5, 0.0, 1.0])
    # Of the first three times, a value and a sum; three more times follow.
    seen = Observed((None, None, None, value, total, None), np.array([0, 0, 0, 1.7, -0.4, 0]))
    start = Start(past.reshape(1, 8), observed=seen)
    found = propagate(interleaved(), ExactMoments(), start, H - 3)
    mean, S = dense(past[0])
    B = np.eye(2 * H + 2, 2 * H)  # all values, and the two that are observed
    B[-2, :4], B[-1, :5] = value, total
    mean, S = conditioned(B @ mean, B @ S @ B.T, np.array([-2, -1]), np.array([1.7, -0.4]))
    mean, S = mean[:-2], S[:-2, :-2]
    np.testing.assert_allclose(found.mean[0], mean, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.covariance[0], S, rtol=1e-8, atol=1e-9)


def test_parts_of_averages_go_together_where_they_stand_at_the_same_shares():
    a, b, c = (linear_posterior(w) for w in ([0.1] * 3, [0.2] * 3, [0.3] * 3))
    d, e = (linear_posterior(w) for w in ([0.4] * 2, [0.5] * 2))
    first = AveragedPosterior((a, b, c), np.array([0.2, 0.5, 0.3]))
    models = interleaved([first, AveragedPosterior((d, e), np.array([0.6, 0.4]))])
    weights, models = zip(*((w, one.predictives) for w, one in models.parts), strict=True)
    np.testing.assert_allclose(weights, [0.2, 0.4, 0.1, 0.3], rtol=1e-9)
    assert models == ((a, d), (b, d), (b, e), (c, e))
