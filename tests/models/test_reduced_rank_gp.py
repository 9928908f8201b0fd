"""ReducedRankGP as a model: training, choosing its support, conditioning, saving."""

import numpy as np
import pytest
from reduced_rank_cases import AT, COVARIANCES, NOISE, data, every_covariance, evidence_of, held

from gpforecast.models import (
    GaussianProcess,
    HasPosterior,
    HasPredictive,
    OneStepModel,
    Predictive,
    ReducedRankGP,
)
from gpforecast.models.inducing import METHODS


@every_covariance
def test_with_every_row_in_the_support_it_is_the_full_process(k):
    X, y = data()
    full = GaussianProcess(k, noise_var=NOISE, optimizer=None).fit(X, y)
    mean, std = full.predict(AT, return_std=True)
    augmented = held(k, X).fit(X, y)
    np.testing.assert_allclose(
        augmented.log_marginal_likelihood_, full.log_marginal_likelihood_, rtol=1e-6
    )
    np.testing.assert_allclose(augmented.predict(AT, return_std=True)[0], mean, rtol=1e-5)
    np.testing.assert_allclose(augmented.predict(AT, return_std=True)[1], std, rtol=1e-5)
    degenerate = held(k, X, augmented=False).fit(X, y)
    np.testing.assert_allclose(degenerate.predict(AT), mean, rtol=1e-5)


def test_training_climbs_to_where_the_slopes_vanish():
    X, y = data(200)
    gp = ReducedRankGP(n_support=20, seed=0).fit(X, y)
    assert gp.report_.converged
    assert gp.report_.n_evaluations > 0
    problem = evidence_of(gp.covariance_, X, y, gp.support_, gp.noise_var_)
    np.testing.assert_allclose(-problem.value(problem.start), gp.log_marginal_likelihood_)
    assert np.abs(problem.negative(problem.start)[1]).max() < 0.3
    np.testing.assert_allclose(gp.noise_var_, 0.15**2, rtol=0.4)


@pytest.mark.parametrize("support", METHODS)
def test_every_way_to_choose_the_support_learns_the_function(support):
    X, y = data(150)
    gp = ReducedRankGP(n_support=15, support=support, seed=0, n_candidates=10).fit(X, y)
    assert gp.support_.shape == (15, 2)
    truth = np.sin(2.0 * X[:, 0]) + 0.4 * X[:, 1]
    assert np.sqrt(np.mean((gp.predict(X) - truth) ** 2)) < 0.15
    again = ReducedRankGP(n_support=15, support=support, seed=0, n_candidates=10).fit(X, y)
    np.testing.assert_array_equal(again.predict(AT), gp.predict(AT))


def test_it_has_a_posterior_only_where_it_is_one():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    augmented, degenerate = held(k).fit(X, y), held(k, augmented=False).fit(X, y)
    assert isinstance(augmented, OneStepModel)
    assert isinstance(augmented, HasPredictive)
    assert not isinstance(augmented, HasPosterior)
    assert isinstance(augmented.predictive_, Predictive)
    assert "taylor" in augmented.predictive_.supports
    assert isinstance(degenerate, HasPosterior)
    assert not isinstance(degenerate, HasPredictive)
    augmented.augmented = False  # and fitted again, it is the other
    assert not isinstance(augmented.fit(X, y), HasPredictive)
    np.testing.assert_array_equal(augmented.predict(AT), degenerate.predict(AT))


def test_a_warm_start_ends_where_the_search_does():
    X, y = data(400)
    whole = ReducedRankGP(n_support=20, seed=0).fit(X, y)
    warm = whole.warm_started().fit(X, y)
    assert warm.report_.n_evaluations < whole.report_.n_evaluations / 2
    assert abs(warm.log_marginal_likelihood_ - whole.log_marginal_likelihood_) < 0.1
