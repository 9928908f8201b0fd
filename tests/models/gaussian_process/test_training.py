"""What training finds: known hyperparameters, an optimum, the inputs that matter."""

import numpy as np
import pytest
from gaussian_process_cases import KINDS, data, fixed
from oracles import BruteForceGP
from scipy.stats import multivariate_normal

from gpforecast.models import GaussianProcess
from gpforecast.models.conditioning import factorise


def test_training_recovers_a_known_noise_level_and_lengthscale():
    rng = np.random.default_rng(3)
    X = rng.uniform(-5.0, 5.0, (150, 1))
    K = BruteForceGP(X, X[:, 0], 0.04, 2.0, 1.2).k(X, X)
    y = rng.multivariate_normal(np.zeros(150), K + 0.04 * np.eye(150))
    gp = GaussianProcess().fit(X, y)
    # 150 residuals fix a variance to sqrt(2/150) = 12 %; three standard errors.
    np.testing.assert_allclose(gp.noise_var_, 0.04, rtol=0.35)
    np.testing.assert_allclose(gp.covariance_.lengthscales, [1.2], rtol=0.35)
    assert gp.report_.converged
    assert gp.report_.jitter == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_training_improves_the_evidence_and_stops_where_it_is_flat(kind):
    covariance, _ = KINDS[kind]
    X, y = data(30)
    start = fixed(covariance, 0.5).fit(X, y)
    gp = GaussianProcess(covariance, noise_var=0.5).fit(X, y)
    assert gp.log_marginal_likelihood_ > start.log_marginal_likelihood_ + 0.5
    brute = multivariate_normal.logpdf(
        y, np.zeros(len(y)), gp.covariance_(X) + gp.noise_var_ * np.eye(len(y))
    )
    np.testing.assert_allclose(gp.log_marginal_likelihood_, brute, rtol=1e-8)
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


def test_weak_prior_gives_another_answer_and_less_evidence():
    X, y = data(12, d=4)
    likely = GaussianProcess(n_restarts=2, seed=0).fit(X, y)
    held = GaussianProcess(prior="weak", n_restarts=2, seed=0).fit(X, y)
    assert held.log_marginal_likelihood_ < likely.log_marginal_likelihood_
    start = np.log(X.std(axis=0) * 2.0)

    def excess(gp):
        return np.abs(np.log(gp.covariance_.lengthscales) - start).max()

    assert excess(held) < excess(likely)
