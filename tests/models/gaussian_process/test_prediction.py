"""Gaussian-process regression at given hyperparameters, against brute force."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from gaussian_process_cases import ELL, KINDS, data, fixed
from oracles import BruteForceGP

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Constant, SquaredExponential


@pytest.mark.parametrize("kind", KINDS)
def test_posterior_matches_explicit_inverses(kind):
    covariance, values = KINDS[kind]
    X, y = data()
    at = np.random.default_rng(9).uniform(-3.0, 3.0, (15, 2))
    gp = fixed(covariance, 0.02).fit(X, y)
    mean, var = BruteForceGP(X, y, 0.02, **values).predict(at)
    ours, std = gp.predict(at, return_std=True)
    np.testing.assert_allclose(ours, mean, rtol=1e-9, atol=1e-11)
    # K + noise has a condition near 1e4, and the variances are down to 1e-2 of the prior's.
    np.testing.assert_allclose(std**2, var, rtol=1e-9, atol=1e-11)


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


def test_predict_gives_the_standard_deviation_of_f_not_of_an_observation():
    X, y = data()
    gp = fixed(SquaredExponential(ELL, 1.5), 0.5).fit(X, y)
    far = np.full((1, 2), 1e3)
    mean, std = gp.predict(far, return_std=True)
    np.testing.assert_allclose(mean, 0.0, atol=1e-300)
    np.testing.assert_allclose(std**2, 1.5, rtol=1e-14)


def test_variances_that_come_out_negative_are_zero_and_said():
    X, y = data()
    gp = fixed(SquaredExponential(ELL, 1.5), 0.02).fit(X, y)
    gp.posterior_ = replace(gp.posterior_, chol=0.5 * gp.posterior_.chol)  # removes too much
    far = np.full((1, 2), 1e3)
    with pytest.warns(NumericalWarning, match="2 of 3 variances came out negative by rounding"):
        _, std = gp.predict(np.concatenate([X[:2], far]), return_std=True)
    np.testing.assert_allclose(std**2, [0.0, 0.0, 1.5], rtol=1e-14)
    gp.predict(X)  # means alone are none the worse
