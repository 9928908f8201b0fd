"""Duplicates, constants, no noise, odd sizes: fitted, or explained."""

import warnings

import numpy as np
import pytest
from gaussian_process_cases import ELL, data, fixed

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import GaussianProcess


def test_far_off_inputs_train_as_well_as_centred_ones():
    shift = 1e6
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.02 * rng.standard_normal(60)
    covariance = SquaredExponential() + Linear() + Constant()
    near = GaussianProcess(covariance).fit(X, y)
    far = GaussianProcess(covariance).fit(X + shift, y)
    assert far.report_.converged
    assert far.report_.jitter == 0.0
    # The prior over lines through a far origin is another one; it may cost some nats, not the fit.
    assert far.log_marginal_likelihood_ > near.log_marginal_likelihood_ - 25.0
    np.testing.assert_allclose(far.predict(X + shift), near.predict(X), atol=0.02)


def fits_or_explains(gp, X, y):
    """Fit and predict with only `NumericalWarning` allowed; return the caught warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gp.fit(X, y)
        mean, std = gp.predict(X, return_std=True)
    assert {w.category for w in caught} <= {NumericalWarning}
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert np.isfinite(gp.log_marginal_likelihood_)
    return mean, std, caught


def test_noise_free_data_are_interpolated_and_the_bound_reported():
    X = np.linspace(0.0, 6.0, 40)[:, None]
    gp = GaussianProcess()
    mean, _, _ = fits_or_explains(gp, X, np.sin(X[:, 0]))
    np.testing.assert_allclose(mean, np.sin(X[:, 0]), atol=1e-3)
    assert gp.noise_var_ < 1e-6
    assert "noise variance" in gp.report_.at_bounds


@pytest.mark.parametrize("seed", range(2))
def test_a_search_that_ends_in_rounding_at_the_optimum_has_converged(seed):
    """Without noise the evidence is known to 1e-7: the line search gives up where it is flat."""
    X = np.sort(np.random.default_rng(seed).uniform(0.0, 6.0, (30, 1)), axis=0)
    _, _, caught = fits_or_explains(gp := GaussianProcess(), X, np.sin(X[:, 0]))
    assert not caught
    assert gp.report_.converged
    # From the optimum itself, too, where not a single iteration succeeds.
    better = GaussianProcess(gp.covariance_, noise_var=gp.noise_var_, n_restarts=2, seed=0)
    gain = better.fit(X, np.sin(X[:, 0])).log_marginal_likelihood_ - gp.log_marginal_likelihood_
    assert gain < 0.1  # nats


def test_no_noise_and_duplicate_rows_take_a_jitter_that_is_recorded_and_reported_once():
    X, y = data(20)
    X, y = np.concatenate([X] * 4), np.concatenate([y] * 4)
    gp = fixed(SquaredExponential(ELL, 1.0), 0.0)
    mean, _, caught = fits_or_explains(gp, X, y)
    assert len(caught) == 1
    assert "Duplicate rows or a noise variance near zero" in str(caught[0].message)
    assert 0.0 < gp.report_.jitter <= 1e-4
    assert gp.noise_var_ == 0.0
    assert gp.posterior_.nugget == gp.report_.jitter
    np.testing.assert_allclose(mean, y, atol=1e-3)
