"""Where a forecast says that one Gaussian does not have its shape."""

import numpy as np
import pytest
from recursion_cases import nonlinear_posterior, past_values

import gpforecast as gf
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.curvature import curvature, curved_share, non_gaussian_note
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate


def logistic_map(n=240):
    x = np.empty(n)
    x[0] = 0.3
    for t in range(1, n):
        x[t] = 3.8 * x[t - 1] * (1.0 - x[t - 1])
    return x + 0.005 * np.random.default_rng(0).standard_normal(n)


@pytest.fixture(scope="module")
def folded():
    return gf.Forecaster(1, transforms=None, noise="process").fit(logistic_map()[:200])


def test_a_folded_forecast_says_so_and_names_what_to_use(folded):
    notes = [note for note in folded.predict(7, propagation="exact").notes if "bell curve" in note]
    assert len(notes) == 1
    assert '"monte_carlo" or "mixture"' in notes[0]


def test_the_share_is_that_of_the_inputs_of_each_step():
    posterior, inputs = nonlinear_posterior(2), Inputs((1, 3))
    start = Start(past_values((1, 3), 2))
    found = propagate(Columns.of(posterior, inputs), ExactMoments(), start, 30)
    steps, share = curved_share(Columns.of(posterior, inputs), start, found)
    assert len(steps) == 24
    assert steps[0] == 0
    assert steps[-1] == 29
    for i, k in enumerate(steps):
        for b in range(2):
            known, rows = np.append(start.past[b], found.mean[b]), np.array([k - 1, k - 3])
            predicted = np.outer(rows >= 0, rows >= 0)
            u, S = known[3 + rows], predicted * found.covariance[b][np.ix_(rows, rows)]
            bent = curvature(posterior, u[None], S[None]).std[0]
            expected = bent / np.sqrt(found.covariance[b, k, k])
            np.testing.assert_allclose(share[b, i], expected, rtol=1e-7, atol=1e-9)


def test_a_curved_model_that_spreads_beyond_its_training_values_says_so():
    posterior, inputs = nonlinear_posterior(2), Inputs((1, 2))
    start = Start(past_values((1, 2), 1))
    found = propagate(Columns.of(posterior, inputs), ExactMoments(), start, 12)
    _, share = curved_share(Columns.of(posterior, inputs), start, found)
    assert 0.05 < share.max() < 0.8
    std = np.sqrt(np.diag(found.covariance[0]))
    said = non_gaussian_note(Columns.of(posterior, inputs), start, found, spread=std[5] / 1.51)
    assert said.startswith(f"from step {np.argmax(std > 1.5 * std[5] / 1.51) + 1} on")
    assert "times that of the known values" in said
    assert "curved" not in said
