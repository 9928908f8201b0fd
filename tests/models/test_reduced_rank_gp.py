"""ReducedRankGP as a model: training, choosing its support, conditioning, saving."""

import numpy as np
import pytest
from reduced_rank_cases import (
    AT,
    COVARIANCES,
    NOISE,
    data,
    every_covariance,
    evidence_of,
    held,
)

import gpforecast as gf
from gpforecast.covariances import Linear
from gpforecast.models import (
    GaussianProcess,
    HasPosterior,
    HasPredictive,
    OneStepModel,
    Predictive,
    ReducedRankGP,
)
from gpforecast.models.inducing import METHODS
from gpforecast.storage import decode, encode


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


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")  # of a search in the rounding
def test_a_search_does_not_flee_from_a_support_too_small_for_so_little_noise():
    # A full process finds next to no noise here; at that noise 40 support inputs explain nothing.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = np.sin(2.0 * X[:, 0]) * X[:, 1] + np.cos(X[:, 2] + X[:, 3]) + X[:, 4]
    gp = ReducedRankGP(n_support=40, seed=0).fit(X, y)
    assert np.var(y - gp.predict(X)) < 0.2 * np.var(y)


def test_a_climb_that_begins_on_a_quarter_of_the_rows_ends_where_the_other_does(monkeypatch):
    X, y = data(400)
    whole = ReducedRankGP(n_support=20, seed=0).fit(X, y)
    monkeypatch.setattr("gpforecast.models.reduced_rank_gp._MANY", 400)
    staged = ReducedRankGP(n_support=20, seed=0).fit(X, y)
    assert staged.report_.n_starts == whole.report_.n_starts + 1
    np.testing.assert_allclose(
        staged.log_marginal_likelihood_, whole.log_marginal_likelihood_, atol=0.1
    )


@pytest.mark.parametrize("support", METHODS)
def test_every_way_to_choose_the_support_learns_the_function(support):
    X, y = data(150)
    gp = ReducedRankGP(n_support=15, support=support, seed=0, n_candidates=10).fit(X, y)
    assert gp.support_.shape == (15, 2)
    truth = np.sin(2.0 * X[:, 0]) + 0.4 * X[:, 1]
    assert np.sqrt(np.mean((gp.predict(X) - truth) ** 2)) < 0.15
    again = ReducedRankGP(n_support=15, support=support, seed=0, n_candidates=10).fit(X, y)
    np.testing.assert_array_equal(again.predict(AT), gp.predict(AT))


@pytest.mark.parametrize("support", ["sgev", "sggp"])
def test_a_greedy_support_has_more_evidence_than_one_at_random(support):
    X, y = data(300)
    found = [
        ReducedRankGP(n_support=7, support=s, seed=0).fit(X, y).log_marginal_likelihood_
        for s in ("random", support)
    ]
    assert found[1] > found[0] + 2.0


def test_more_rounds_never_have_less_evidence():
    X, y = data(150)
    options = {"n_support": 10, "support": "sgev", "seed": 0, "n_candidates": 5}
    one = ReducedRankGP(n_rounds=1, **options).fit(X, y)
    many = ReducedRankGP(n_rounds=6, **options).fit(X, y)
    assert many.log_marginal_likelihood_ >= one.log_marginal_likelihood_
    assert many.report_.n_evaluations > one.report_.n_evaluations


def test_what_is_given_is_kept_without_an_optimizer():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    gp = ReducedRankGP(k, n_support=6, support="sggp", noise_var=0.2, optimizer=None).fit(X, y)
    assert gp.covariance_ == k
    assert gp.noise_var_ == 0.2
    assert gp.report_.n_evaluations == 0


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
    with pytest.raises(TypeError, match="closed form for an augmented ReducedRankGP"):
        gf.propagation.predict_uncertain(augmented, np.zeros(2), np.eye(2), method="exact")
    augmented.augmented = False  # and fitted again, it is the other
    assert not isinstance(augmented.fit(X, y), HasPredictive)
    np.testing.assert_array_equal(augmented.predict(AT), degenerate.predict(AT))


def test_conditioning_keeps_hyperparameters_and_support():
    X, y = data(120)
    gp = ReducedRankGP(n_support=10, seed=0).fit(X[:100], y[:100])
    other = gp.condition(X, y)
    expected = held(gp.covariance_, gp.support_, gp.noise_var_).fit(X, y)
    np.testing.assert_allclose(other.predict(AT), expected.predict(AT), rtol=1e-12)
    assert other.report_.n_evaluations == gp.report_.n_evaluations
    assert other.log_marginal_likelihood_ == expected.log_marginal_likelihood_
    assert repr(other) == repr(gp)
    assert len(gp.predictive_.X) == 100


def test_a_warm_start_takes_few_evaluations():
    X, y = data(150)
    gp = ReducedRankGP(n_support=15, seed=0).fit(X, y)
    again = gp.warm_started().fit(X, y)
    assert again.report_.n_evaluations < gp.report_.n_evaluations / 2
    np.testing.assert_allclose(
        again.log_marginal_likelihood_, gp.log_marginal_likelihood_, atol=0.1
    )


def test_no_more_support_than_distinct_rows():
    X, y = data(30)
    X, y = np.concatenate([X, X]), np.concatenate([y, y + 0.01])
    gp = ReducedRankGP(n_support=100, noise_var=0.1, optimizer=None).fit(X, y)
    assert gp.support_.shape == (30, 2)
    given = held(COVARIANCES["SE, one each"], X).fit(X, y)
    assert given.support_.shape == (30, 2)


@pytest.mark.parametrize("augmented", [True, False])
def test_what_is_saved_is_read_back_to_the_last_bit(augmented, tmp_path):
    X, y = data()
    gp = ReducedRankGP(n_support=6, augmented=augmented, seed=0, max_iter=5, noise_var=0.02)
    with pytest.warns(gf.NumericalWarning):
        gp.fit(X, y)
    content, arrays = encode(gp, "model")
    again = decode(content, arrays)
    np.testing.assert_array_equal(again.predict(AT), gp.predict(AT))
    assert repr(again) == repr(gp)
    assert again.report_ == gp.report_


def test_a_forecaster_takes_it(tmp_path):
    t = np.arange(150)
    series = np.sin(0.3 * t) + 0.05 * np.random.default_rng(0).standard_normal(150)
    fc = gf.Forecaster(
        lags=3, model=ReducedRankGP(n_support=12, seed=0), propagation="cubature"
    ).fit(series)
    f = fc.predict(horizon=12)
    truth = np.sin(0.3 * np.arange(150, 162))
    assert np.abs(f.mean - truth).max() < 0.3
    fc.save(tmp_path / "it.gpf")
    again = gf.load(tmp_path / "it.gpf").predict(horizon=12)
    np.testing.assert_array_equal(again.mean, f.mean)
    assert np.isfinite(fc.update([0.1]).predict(horizon=2).mean).all()


def test_it_shows_itself_as_the_call_that_would_make_it():
    assert repr(ReducedRankGP()) == "ReducedRankGP()"
    shown = "ReducedRankGP(n_support=20, support='sgev', augmented=False)"
    assert repr(ReducedRankGP(n_support=20, support="sgev", augmented=False)) == shown


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"support": "best"}, ValueError, "support must be one of 'random', 'kmeans'"),
        ({"support": np.zeros((3, 5))}, ValueError, r"each of the 2 inputs .* got shape \(3, 5\)"),
        ({"n_support": 0}, ValueError, "n_support must be a positive integer; got 0"),
        ({"n_rounds": 2.5}, ValueError, "n_rounds must be a positive integer"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number or None; got 0.0"),
        ({"augmented": 1}, TypeError, "augmented must be True or False; got 1"),
        ({"optimizer": "adam"}, ValueError, "optimizer must be"),
        ({"covariance": Linear(1.0)}, ValueError, "needs a covariance such as SquaredExponential"),
        ({"covariance": "se"}, TypeError, "covariance must be one from gpforecast.covariances"),
    ],
)
def test_what_makes_no_sense_is_said_and_nothing_is_lost(options, error, says):
    X, y = data()
    gp = held(COVARIANCES["SE, one each"]).fit(X, y)
    before = gp.predict(AT)
    for name, value in options.items():
        setattr(gp, name, value)
    with pytest.raises(error, match=says):
        gp.fit(X, y)
    np.testing.assert_array_equal(gp.predict(AT), before)
    with pytest.raises(RuntimeError, match="not fitted yet"):
        ReducedRankGP(**options).predict(AT)
