"""Gaussian-process regression against brute force, and what it learns and keeps."""

import mpmath as mp
import numpy as np
from gaussian_process_cases import ELL, data, every_kind, fixed
from oracles import BruteForceGP

from gpforecast.covariances import Constant, SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.models.conditioning import factorise


@every_kind
def test_posterior_and_evidence_match_explicit_inverses(covariance):
    X, y = data()
    at = np.random.default_rng(9).uniform(-3.0, 3.0, (15, 2))
    gp, brute = fixed(covariance, 0.02).fit(X, y), BruteForceGP(X, y, 0.02, covariance)
    mean, var = brute.predict(at)
    ours, std = gp.predict(at, return_std=True)
    np.testing.assert_allclose(ours, mean, rtol=1e-9, atol=1e-11)
    # K + noise has a condition near 1e4, and the variances are down to 1e-2 of the prior's.
    np.testing.assert_allclose(std**2, var, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(gp.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-10)


def test_a_huge_prior_level_costs_no_digits():
    """A level of variance 1e10 under a wiggle of 1: the mean against 50 digits."""
    X, y = data(15)
    k = SquaredExponential(ELL, 1.0)
    gp = fixed(k + Constant(1e10), 0.02).fit(X, y + 1e3)
    with mp.workdps(50):
        K = mp.matrix((k(X) + 0.02 * np.eye(15)).tolist()) + mp.mpf(10) ** 10 * mp.ones(15, 15)
        alpha = mp.lu_solve(K, mp.matrix((y + 1e3).tolist()))
        to_all = mp.matrix(k(X).tolist()) + mp.mpf(10) ** 10 * mp.ones(15, 15)
        exact = np.array([float(v) for v in to_all * alpha])
    np.testing.assert_allclose(gp.predict(X), exact, rtol=1e-12)


@every_kind
def test_training_improves_the_evidence_and_stops_where_it_is_flat(covariance):
    X, y = data(30)
    start = fixed(covariance, 0.5).fit(X, y)
    gp = GaussianProcess(covariance, noise_var=0.5).fit(X, y)
    assert gp.log_marginal_likelihood_ > start.log_marginal_likelihood_ + 0.5
    brute = BruteForceGP(X, y, gp.noise_var_, gp.covariance_)
    np.testing.assert_allclose(gp.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-8)
    assert gp.report_.log_marginal_likelihood == gp.log_marginal_likelihood_
    for factor_ in (0.9, 1.1):  # no better noise nearby
        there = factorise(gp.covariance_, factor_ * gp.noise_var_, X).log_evidence(y)[0]
        assert there <= gp.log_marginal_likelihood_ + 1e-3


def test_an_input_that_does_not_matter_is_switched_off_and_reported():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((80, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.05 * rng.standard_normal(80)
    gp = GaussianProcess().fit(X, y)
    ell = gp.covariance_.lengthscales
    assert ell[1] > 20.0 * ell[0]
    assert gp.report_.at_bounds in ((), ("lengthscale 1",))


def test_no_optimizer_keeps_the_values_given_to_the_last_bit():
    X, y = data()
    covariance = SquaredExponential(ELL, 0.1)
    gp = fixed(covariance, 0.1).fit(X, y)
    assert gp.covariance_ == covariance
    assert gp.noise_var_ == 0.1
    assert gp.report_.n_iterations == gp.report_.n_evaluations == gp.report_.n_starts == 0
    assert gp.report_.message == "hyperparameters kept as given"


def test_fitting_does_not_change_or_keep_the_callers_arrays():
    X, y = data()
    X_before, y_before = X.copy(), y.copy()
    gp = fixed(SquaredExponential(ELL, 1.0), 0.1).fit(X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    expected = gp.predict(X_before)
    X += 100.0
    np.testing.assert_array_equal(gp.predict(X_before), expected)
