"""The recursion through non-linear models and their mixtures, from one origin and many."""

from dataclasses import replace

import numpy as np
import pytest
from conditioned import gp_posterior
from conformance import check_propagated
from recursion_cases import (
    EXACT,
    NAIVE,
    STEP,
    TAYLOR,
    assert_moments,
    clipping_posterior,
    exog_problem,
    nonlinear_posterior,
    past_values,
)

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate


def learned(lags, noise_var):
    """A GP that has learned a smooth map well, with noise small enough for S to stay small."""
    d = len(lags)
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.2, 1.2, (100, d))
    y = 0.9 * np.sin(1.2 * X[:, 0]) - 0.4 * X[:, 1] + 0.2 * np.cos(1.2 * X[:, -1])
    posterior, _ = gp_posterior(SquaredExponential(np.full(d, 5.0), 10.0), 1e-6, X, y)
    return replace(posterior, noise_var=noise_var)


@pytest.mark.parametrize("lags", [(1, 2, 3, 4, 5, 6), (1, 2, 12)], ids=["1 to 6", "1, 2 and 12"])
def test_joint_covariance_of_a_nonlinear_gp_agrees_with_monte_carlo(lags):
    posterior = learned(lags, noise_var=1e-4)
    past = 0.5 * past_values(lags, seed=2)
    horizon = 16
    exact = propagate(Columns.of(posterior, Inputs(lags)), STEP, Start(past), horizon)
    n = 20_000
    method = MonteCarlo(n_paths=n, seed=3)
    paths = propagate(Columns.of(posterior, Inputs(lags)), method, Start(past), horizon)
    std = np.sqrt(np.diag(exact.covariance[0]))
    assert std.max() < 0.03  # small beside the curvature of the map, which is of order one
    scale = np.outer(std, std)
    off = (paths.covariance[0] - exact.covariance[0]) / scale
    # Five standard errors of a covariance over its scale, at most sqrt(2/n) each; what the
    # Gaussian assumption costs is of order S, 1e-3.
    band = 5.0 * np.sqrt(2.0 / n) + 1e-3
    assert np.abs(off).max() < band
    correlations = exact.covariance[0] / scale - np.eye(horizon)
    assert np.abs(correlations).max() > 10.0 * band  # there is something to be wrong about
    mean_band = 5.0 / np.sqrt(n) + 1e-2
    assert (np.abs(paths.mean[0] - exact.mean[0]) / std).max() < mean_band


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", [(1, 2, 3, 4, 5, 6), (1, 2, 12), (6, 12)])
def test_joint_covariance_is_positive_semidefinite_over_a_long_horizon(lags, method):
    posterior = nonlinear_posterior(len(lags))
    result = propagate(Columns.of(posterior, Inputs(lags)), method, Start(past_values(lags, 3)), 80)
    check_propagated(result, 3, 80)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", [(1, 2, 3, 4), (1, 2, 12)])
def test_a_forecast_of_50_is_the_start_of_a_forecast_of_100(lags, method):
    posterior = nonlinear_posterior(len(lags))
    start = Start(past_values(lags, 2))
    short, long = (
        propagate(Columns.of(posterior, Inputs(lags)), method, start, h) for h in (50, 100)
    )
    np.testing.assert_array_equal(short.mean, long.mean[:, :50])
    np.testing.assert_array_equal(short.covariance, long.covariance[:, :50, :50])
    np.testing.assert_array_equal(short.latent_var, long.latent_var[:, :50])


def test_permuting_the_lags_with_the_model_changes_nothing():
    lags = (1, 2, 12)
    order = [2, 0, 1]
    posterior = nonlinear_posterior(3)
    centers = np.ascontiguousarray(posterior.centers[:, order])
    permuted = replace(posterior, centers=centers, lengthscales=posterior.lengthscales[order])
    start = Start(past_values(lags, 2))
    one = propagate(Columns.of(posterior, Inputs(lags)), EXACT, start, 20)
    other = propagate(Columns.of(permuted, Inputs(tuple(lags[i] for i in order))), EXACT, start, 20)
    assert_moments(other, one.mean, one.covariance, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
def test_origins_in_a_batch_equal_each_alone(method):
    lags = (1, 2, 12)
    past = past_values(lags, 5)
    posterior = nonlinear_posterior(3)
    batch = propagate(Columns.of(posterior, Inputs(lags)), method, Start(past), 30)
    for i in range(5):
        alone = propagate(Columns.of(posterior, Inputs(lags)), method, Start(past[i : i + 1]), 30)
        # Rounding, grown by thirty steps of a map that stretches at most tenfold.
        np.testing.assert_allclose(batch.mean[i], alone.mean[0], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(batch.covariance[i], alone.covariance[0], rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
def test_the_number_of_threads_does_not_change_the_result(method):
    inputs, past, exog, cov = exog_problem(b=7)
    posterior = nonlinear_posterior(5, exog=True)
    start = Start(past, exog, cov)
    one = propagate(Columns.of(posterior, inputs), method, start, 12)
    many = propagate(Columns.of(posterior, inputs), method, start, 12, n_threads=3)
    # Not to the bit: sums over a block may be taken in another order.
    np.testing.assert_allclose(many.mean, one.mean, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(many.covariance, one.covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(many.latent_var, one.latent_var, rtol=1e-9, atol=1e-12)
    assert many.n_clipped == one.n_clipped


def test_clipped_variances_are_counted_over_the_horizon_and_the_threads():
    broken = clipping_posterior()
    for n_threads in (1, 2):
        result = propagate(
            Columns.of(broken, Inputs((1,))), EXACT, Start(np.zeros((3, 1))), 5, n_threads=n_threads
        )
        assert result.n_clipped == 15
        np.testing.assert_array_equal(result.latent_var, 0.0)


def test_a_mixture_is_followed_part_by_part_and_mixed_over_the_horizon():
    parts = (nonlinear_posterior(2), nonlinear_posterior(2, seed=5))
    weights = np.array([0.3, 0.7])
    start, inputs = Start(past_values((1, 2), 3)), Inputs((1, 2))
    got = propagate(Columns.of(AveragedPosterior(parts, weights), inputs), EXACT, start, 9)
    runs = [propagate(Columns.of(part, inputs), EXACT, start, 9) for part in parts]
    mean = np.tensordot(weights, [run.mean for run in runs], axes=1)
    seconds = [run.covariance + run.mean[:, :, None] * run.mean[:, None] for run in runs]
    expected = np.tensordot(weights, seconds, axes=1) - mean[:, :, None] * mean[:, None]
    noise = weights @ [part.noise_var for part in parts]
    assert_moments(got, mean, expected, rtol=1e-13, atol=1e-13)
    latent = np.einsum("bhh->bh", expected) - noise
    np.testing.assert_allclose(got.latent_var, latent, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_parts_of_a_mixture_have_errors_of_their_own(kind):
    """With one seed for all, the error of the mean would be that of the paths of one part."""
    parts = tuple(nonlinear_posterior(2) for _ in range(8))
    mixed, alone = AveragedPosterior(parts, np.full(8, 1 / 8)), parts[0]
    start, inputs = Start(past_values((1, 2), 1)), Inputs((1, 2))

    def spread(predictive):
        methods = (MonteCarlo(n_paths=160, kind=kind, seed=seed) for seed in range(20))
        return np.std(
            [propagate(Columns.of(predictive, inputs), m, start, 3).mean for m in methods], axis=0
        )

    assert (spread(mixed) < 1.7 * spread(alone)).all()  # 2.8 times with one seed
