"""The recursion from many origins at once, and shared out among threads."""

import numpy as np
import pytest
from recursion_cases import (
    EXACT,
    NAIVE,
    TAYLOR,
    clipping_posterior,
    exog_problem,
    nonlinear_posterior,
    past_values,
)

from gpforecast.propagation.recursion import Inputs, Start, propagate


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
def test_origins_in_a_batch_equal_each_alone(method):
    lags = (1, 2, 12)
    past = past_values(lags, 5)
    posterior = nonlinear_posterior(3)
    batch = propagate(posterior, method, Inputs(lags), Start(past), 30)
    for i in range(5):
        alone = propagate(posterior, method, Inputs(lags), Start(past[i : i + 1]), 30)
        # Rounding, grown by thirty steps of a map that stretches at most tenfold.
        np.testing.assert_allclose(batch.mean[i], alone.mean[0], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(batch.covariance[i], alone.covariance[0], rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
@pytest.mark.parametrize("n_threads", [3])
def test_the_number_of_threads_does_not_change_the_result(method, n_threads):
    inputs, past, exog, cov = exog_problem(b=7)
    posterior = nonlinear_posterior(5, exog=True)
    start = Start(past, exog, cov)
    one = propagate(posterior, method, inputs, start, 12)
    many = propagate(posterior, method, inputs, start, 12, n_threads=n_threads)
    # Not to the bit: sums over a block may be taken in another order.
    np.testing.assert_allclose(many.mean, one.mean, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(many.covariance, one.covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(many.latent_var, one.latent_var, rtol=1e-9, atol=1e-12)
    assert many.n_clipped == one.n_clipped


def test_clipped_variances_are_counted_over_the_horizon_and_the_threads():
    broken = clipping_posterior()
    for n_threads in (1, 2):
        result = propagate(
            broken, EXACT, Inputs((1,)), Start(np.zeros((3, 1))), 5, n_threads=n_threads
        )
        assert result.n_clipped == 15
        np.testing.assert_array_equal(result.latent_var, 0.0)
