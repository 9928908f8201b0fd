"""The recursion through a non-linear Gaussian process, against Monte Carlo and itself."""

import numpy as np
import pytest
from conditioned import gp_posterior
from conformance import check_propagated
from recursion_cases import EXACT, NAIVE, STEP, TAYLOR, nonlinear_posterior, past_values

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Inputs, Start, propagate


def learned(lags, noise_var):
    """A GP that has learned a smooth map well, with noise small enough for S to stay small."""
    d = len(lags)
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.2, 1.2, (100, d))
    y = 0.9 * np.sin(1.2 * X[:, 0]) - 0.4 * X[:, 1] + 0.2 * np.cos(1.2 * X[:, -1])
    posterior, _ = gp_posterior(SquaredExponential(np.full(d, 5.0), 10.0), 1e-6, X, y)
    return Posterior(**{**vars_of(posterior), "noise_var": noise_var})


def vars_of(posterior):
    return {name: getattr(posterior, name) for name in posterior.__dataclass_fields__}


@pytest.mark.parametrize("lags", [(1, 2, 3, 4, 5, 6), (1, 2, 12)], ids=["1 to 6", "1, 2 and 12"])
def test_joint_covariance_of_a_nonlinear_gp_agrees_with_monte_carlo(lags):
    posterior = learned(lags, noise_var=1e-4)
    past = 0.5 * past_values(lags, seed=2)
    horizon = 16
    exact = propagate(posterior, STEP, Inputs(lags), Start(past), horizon)
    n = 20_000
    method = MonteCarlo(n_paths=n, seed=3)
    paths = propagate(posterior, method, Inputs(lags), Start(past), horizon)
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
    result = propagate(posterior, method, Inputs(lags), Start(past_values(lags, 3)), 80)
    check_propagated(result, 3, 80)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", [(1, 2, 3, 4), (1, 2, 12)])
def test_a_forecast_of_50_is_the_start_of_a_forecast_of_100(lags, method):
    posterior = nonlinear_posterior(len(lags))
    start = Start(past_values(lags, 2))
    short, long = (propagate(posterior, method, Inputs(lags), start, h) for h in (50, 100))
    np.testing.assert_array_equal(short.mean, long.mean[:, :50])
    np.testing.assert_array_equal(short.covariance, long.covariance[:, :50, :50])
    np.testing.assert_array_equal(short.latent_var, long.latent_var[:, :50])


def test_permuting_the_lags_with_the_model_changes_nothing():
    lags = (1, 2, 12)
    order = [2, 0, 1]
    posterior = nonlinear_posterior(3)
    permuted = Posterior(
        **{
            **vars_of(posterior),
            "centers": np.ascontiguousarray(posterior.centers[:, order]),
            "lengthscales": posterior.lengthscales[order],
        }
    )
    start = Start(past_values(lags, 2))
    one = propagate(posterior, EXACT, Inputs(lags), start, 20)
    other = propagate(permuted, EXACT, Inputs(tuple(lags[i] for i in order)), start, 20)
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-8, atol=1e-11)
