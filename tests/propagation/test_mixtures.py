"""The recursion through mixtures of models."""

import numpy as np
import pytest
from recursion_cases import EXACT, nonlinear_posterior, past_values

from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Inputs, Start, propagate


def test_a_mixture_is_followed_part_by_part_and_mixed_over_the_horizon():
    parts = (nonlinear_posterior(2), nonlinear_posterior(2, seed=5))
    weights = np.array([0.3, 0.7])
    start, inputs = Start(past_values((1, 2), 3)), Inputs((1, 2))
    got = propagate(AveragedPosterior(parts, weights), EXACT, inputs, start, 9)
    runs = [propagate(part, EXACT, inputs, start, 9) for part in parts]
    for origin in range(3):
        second = sum(
            w * (run.covariance[origin] + np.outer(run.mean[origin], run.mean[origin]))
            for w, run in zip(weights, runs, strict=True)
        )
        mean = sum(w * run.mean[origin] for w, run in zip(weights, runs, strict=True))
        np.testing.assert_allclose(got.mean[origin], mean, rtol=1e-13)
        expected = second - np.outer(mean, mean)
        np.testing.assert_allclose(got.covariance[origin], expected, rtol=1e-10, atol=1e-12)
        noise = [w * part.noise_var for w, part in zip(weights, parts, strict=True)]
        latent = np.diag(expected) - sum(noise)
        np.testing.assert_allclose(got.latent_var[origin], latent, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_parts_of_a_mixture_have_errors_of_their_own(kind):
    """With one seed for all, the error of the mean would be that of the paths of one part."""
    parts = tuple(nonlinear_posterior(2) for _ in range(8))
    mixed, alone = AveragedPosterior(parts, np.full(8, 1 / 8)), parts[0]
    start, inputs = Start(past_values((1, 2), 1)), Inputs((1, 2))

    def spread(predictive):
        methods = (MonteCarlo(n_paths=160, kind=kind, seed=seed) for seed in range(20))
        return np.std([propagate(predictive, m, inputs, start, 3).mean for m in methods], axis=0)

    assert (spread(mixed) < 1.7 * spread(alone)).all()  # 2.8 times with one seed
