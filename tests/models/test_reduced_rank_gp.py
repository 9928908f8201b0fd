"""The reduced-rank Gaussian process against its explicit N x N covariance: chapter 3."""

import tracemalloc

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

import gpforecast as gf
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import (
    GaussianProcess,
    HasPosterior,
    HasPredictive,
    OneStepModel,
    Predictive,
    ReducedRankGP,
)
from gpforecast.models.base import HasTaylor
from gpforecast.models.inducing import METHODS
from gpforecast.models.reduced_rank.evidence import ReducedEvidence
from gpforecast.saving import KINDS
from gpforecast.storage import decode, encode

COVARIANCES = {
    "SE, one length-scale": SquaredExponential(0.9, 1.4),
    "SE, one each": SquaredExponential(np.array([0.8, 1.7]), 1.4),
    "SE + linear + constant": SquaredExponential(np.array([0.9, 1.5]), 1.2)
    + Linear(0.6)
    + Constant(2.0),
    "linear, one each + SE": Linear(np.array([0.3, 0.7])) + SquaredExponential(0.9, 1.2),
}
every_covariance = pytest.mark.parametrize("k", COVARIANCES.values(), ids=COVARIANCES)
NOISE = 0.03
AT = np.random.default_rng(1).uniform(-3.5, 3.5, (9, 2))


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.4 * X[:, 1] + 0.15 * rng.standard_normal(n)


SUPPORT = data()[0][5:13] + 0.05  # near the data, and not of them


def held(k, support=SUPPORT, noise_var=NOISE, **options):
    """A process that keeps the hyperparameters and the support it is given."""
    return ReducedRankGP(k, support=support, noise_var=noise_var, optimizer=None, **options)


def approximate_covariance(k, X, support, noise_var=NOISE):
    """sigma^2 I + K_NM K_MM^-1 K_MN by explicit matrices."""
    K = k(X, support)
    return noise_var * np.eye(len(X)) + K @ np.linalg.inv(k(support)) @ K.T


def evidence_of(k, X, y, support=SUPPORT, noise_var=NOISE):
    y_var = float(np.mean(y**2))
    return ReducedEvidence(X, y, k, noise_var, X.std(axis=0), y_var, False, support)


# --- training ------------------------------------------------------------------------------------


@every_covariance
def test_evidence_is_that_of_the_explicit_covariance(k):
    X, y = data()
    Q = approximate_covariance(k, X, SUPPORT)
    expected = multivariate_normal(np.zeros(len(y)), Q).logpdf(y)
    fitted = held(k).fit(X, y)
    # K_MM has a 1e-10th of the variance on its diagonal.
    np.testing.assert_allclose(fitted.log_marginal_likelihood_, expected, rtol=1e-7)
    problem = evidence_of(k, X, y)
    np.testing.assert_allclose(-problem.value(problem.start), expected, rtol=1e-7)


@every_covariance
@pytest.mark.parametrize("noise_var", [0.03, 1e-4])
def test_slopes_are_those_of_the_evidence(k, noise_var):
    X, y = data()
    problem = evidence_of(k, X, y, noise_var=noise_var)
    theta = problem.start
    value, slopes = problem.negative(theta)
    assert value == problem.value(theta)
    h = 1e-5
    differences = [
        (problem.value(theta + e) - problem.value(theta - e)) / (2.0 * h)
        for e in h * np.eye(len(theta))
    ]
    size = np.abs(slopes).max()
    # Central differences: h^2 of truncation, and 1e-16/h times the evidence of rounding.
    np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-8 * size)


def test_slopes_know_of_the_nugget():
    # Nearly coinciding support inputs: K_MM owes its smallest eigenvalues to the nugget.
    X, y = data()
    support = np.concatenate([SUPPORT, SUPPORT + 1e-7])
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, support)
    theta, h = problem.start, 1e-4
    differences = [
        (problem.value(theta + e) - problem.value(theta - e)) / (2.0 * h)
        for e in h * np.eye(len(theta))
    ]
    slopes = problem.negative(theta)[1]
    np.testing.assert_allclose(slopes, differences, rtol=1e-4, atol=1e-4)


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


def test_the_best_noise_is_better_than_any_other():
    X, y = data()
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, noise_var=1e-3).with_best_noise()
    theta, best = problem.start, problem.value(problem.start)
    steps = [0.9, -0.9, 0.3, -0.3, 0.15, -0.15]  # the grid's are 0.1
    assert all(problem.value(theta + np.append(np.zeros(3), s)) > best for s in steps)


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
    monkeypatch.setattr("gpforecast.models.reduced_rank.training._MANY", 400)
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


def test_training_makes_nothing_larger_than_a_few_matrices_of_rows_by_support():
    X, y = data(4000)
    problem = evidence_of(COVARIANCES["SE, one each"], X, y, X[:20])
    tracemalloc.start()
    try:
        problem.negative(problem.start)
        evaluation = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        held(COVARIANCES["SE, one each"], X[:20]).fit(X, y)
        fit = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    matrix = 4000 * 20 * 8
    assert evaluation < 6 * matrix  # 4000 x 4000 would be 200 of them
    assert fit < 8 * matrix


# --- the degenerate process -----------------------------------------------------------------------


@every_covariance
def test_degenerate_moments_are_those_of_the_weights(k):
    X, y = data()
    K, at = k(X, SUPPORT), k(AT, SUPPORT)
    Sigma = np.linalg.inv(K.T @ K / NOISE + k(SUPPORT))  # (3.26)
    mu = Sigma @ K.T @ y / NOISE
    posterior = held(k, augmented=False).fit(X, y).posterior_
    found = posterior.predict(AT)
    np.testing.assert_allclose(found.mean, at @ mu, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.var, np.einsum("bi,ij,bj->b", at, Sigma, at), rtol=1e-6)
    assert posterior.noise_var == NOISE


def test_degenerate_process_is_certain_far_away_and_the_augmented_one_is_not():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    far = [[50.0, -50.0]]
    assert held(k, augmented=False).fit(X, y).predict(far, return_std=True)[1][0] < 1e-12
    mean, std = held(k).fit(X, y).predict(far, return_std=True)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(std**2, 1.4)


# --- the augmented process ------------------------------------------------------------------------


def augmented_by_hand(k, X, y, at, support=SUPPORT, noise_var=NOISE):
    """Eq. (3.29) with its variance as in (A.17), one input after the other."""
    found = []
    for x in at:
        k_M, k_N, k_own = k(support, x[None])[:, 0], k(X, x[None])[:, 0], k(x[None])[0, 0]
        a = np.linalg.solve(k(support), k_M)
        v, c = k_N - k(X, support) @ a, k_own - k_M @ a
        Q = approximate_covariance(k, X, support, noise_var) + np.outer(v, v) / c
        solved = np.linalg.solve(Q, np.column_stack([y, k_N]))
        found.append((k_N @ solved[:, 0], k_own - k_N @ solved[:, 1]))
    return np.array(found).T


@every_covariance
def test_augmented_moments_are_those_of_the_thesis(k):
    X, y = data()
    mean, var = augmented_by_hand(k, X, y, AT)
    found = held(k).fit(X, y).predictive_.predict(AT)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.var, var, rtol=1e-6)


def test_augmented_moments_are_those_of_the_weights_with_one_more():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    found = held(k).fit(X, y).predictive_.predict(AT)
    for x, mean, var in zip(AT, found.mean, found.var, strict=True):
        support = np.concatenate([SUPPORT, x[None]])
        K, at = k(X, support), k(x[None], support)[0]
        Sigma = np.linalg.inv(K.T @ K / NOISE + k(support))  # (3.28)
        np.testing.assert_allclose(mean, at @ Sigma @ K.T @ y / NOISE, rtol=1e-6)
        np.testing.assert_allclose(var, at @ Sigma @ at, rtol=1e-6)


def test_augmented_moments_keep_their_digits_at_little_noise():
    X, y = data(14)
    support, noise, at = X[:6] + 0.05, 1e-9, AT[:3]
    ell, variance = np.array([0.8, 1.7]), 1.4
    found = held(SquaredExponential(ell, variance), support, noise).fit(X, y).predictive_
    with mp.workdps(50):

        def matrix(A, B):
            rows = [
                [
                    mp.mpf(variance)
                    * mp.exp(
                        -sum(((mp.mpf(p) - q) / s) ** 2 for p, q, s in zip(a, b, ell, strict=True))
                        / 2
                    )
                    for b in B.tolist()
                ]
                for a in A.tolist()
            ]
            return mp.matrix(rows)

        K_MM = matrix(support, support)
        for i in range(6):
            K_MM[i, i] += mp.mpf("1e-10") * mp.mpf(variance)
        K_NM, target = matrix(X, support), mp.matrix(y.tolist())
        for x in at:
            k_M, k_N = matrix(support, x[None]), matrix(X, x[None])
            a = mp.lu_solve(K_MM, k_M)
            v, c = k_N - K_NM * a, mp.mpf(variance) - (k_M.T * a)[0]
            Q = mp.mpf(noise) * mp.eye(14) + K_NM * K_MM**-1 * K_NM.T + v * v.T / c
            mean = float((k_N.T * mp.lu_solve(Q, target))[0])
            var = float(mp.mpf(variance) - (k_N.T * mp.lu_solve(Q, k_N))[0])
            result = found.predict(x[None])
            np.testing.assert_allclose(result.mean, mean, rtol=1e-6)
            np.testing.assert_allclose(result.var, var, rtol=1e-6)


@every_covariance
def test_at_a_support_input_nothing_is_added(k):
    X, y = data()
    here = np.concatenate([SUPPORT, X[:3]])
    augmented = held(k).fit(X, y).predictive_
    at = augmented.predict(here)
    plain = augmented.base.predict(here)
    assert (at.var >= plain.var * (1.0 - 1e-9)).all()  # never below the degenerate variance
    np.testing.assert_allclose(at.mean[:8], plain.mean[:8], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(at.var[:8], plain.var[:8], rtol=1e-6, atol=1e-9)
    moments = augmented.taylor_moments(here, np.broadcast_to(0.01 * np.eye(2), (11, 2, 2)))
    assert np.isfinite(moments.var).all()
    assert np.isfinite(moments.gradient).all()


@every_covariance
def test_gradient_is_that_of_the_mean(k):
    X, y = data()
    augmented = held(k).fit(X, y).predictive_
    h = 1e-5
    differences = [
        (augmented.predict(AT + e).mean - augmented.predict(AT - e).mean) / (2.0 * h)
        for e in h * np.eye(2)
    ]
    np.testing.assert_allclose(
        augmented.gradient(AT), np.transpose(differences), rtol=1e-6, atol=1e-8
    )


@every_covariance
def test_taylor_moments_take_the_second_derivatives_of_the_variance(k):
    X, y = data()
    augmented = held(k).fit(X, y).predictive_
    root = np.array([[0.2, 0.0], [0.1, 0.15]])
    S = root @ root.T
    found = augmented.taylor_moments(AT, np.broadcast_to(S, (9, 2, 2)))
    h = 1e-3  # along the columns of root, so that sum_r d^2 v / dr^2 = tr(S Hess v)
    at = augmented.predict(AT)
    curvature = sum(
        (augmented.predict(AT + h * r).var - 2.0 * at.var + augmented.predict(AT - h * r).var)
        / h**2
        for r in root.T
    )
    g = augmented.gradient(AT)
    expected = np.maximum(at.var + 0.5 * curvature, 0.0) + np.einsum("bd,de,be->b", g, S, g)
    np.testing.assert_allclose(found.var, expected, rtol=1e-4)
    np.testing.assert_array_equal(found.mean, at.mean)
    np.testing.assert_array_equal(found.gradient, g)


def test_blocks_change_nothing(monkeypatch):
    X, y = data()
    augmented = held(COVARIANCES["SE, one each"]).fit(X, y).predictive_
    whole = augmented.predict(AT), augmented.gradient(AT)
    monkeypatch.setattr("gpforecast.models.reduced_rank.augmented._BLOCK_ELEMENTS", 1)
    np.testing.assert_allclose(augmented.predict(AT).var, whole[0].var, rtol=1e-12)
    np.testing.assert_allclose(augmented.gradient(AT), whole[1], rtol=1e-10)


# --- a model like the others ----------------------------------------------------------------------


def test_it_has_a_posterior_only_where_it_is_one():
    X, y = data()
    k = COVARIANCES["SE, one each"]
    augmented, degenerate = held(k).fit(X, y), held(k, augmented=False).fit(X, y)
    assert isinstance(augmented, OneStepModel)
    assert isinstance(augmented, HasPredictive)
    assert not isinstance(augmented, HasPosterior)
    assert isinstance(augmented.predictive_, Predictive)
    assert isinstance(augmented.predictive_, HasTaylor)
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
    with pytest.warns(gf.warnings.NumericalWarning):
        gp.fit(X, y)
    content, arrays = encode(gp, KINDS, "model")
    again = decode(content, arrays, KINDS)
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
        ({"support": np.zeros((3, 5))}, ValueError, r"of shape \(M, 2\); got .* \(3, 5\)"),
        ({"n_support": 0}, ValueError, "n_support must be a positive integer; got 0"),
        ({"n_rounds": 2.5}, ValueError, "n_rounds must be a positive integer"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number, or None; got 0.0"),
        ({"augmented": 1}, TypeError, "augmented must be True or False; got 1"),
        ({"optimizer": "adam"}, ValueError, "optimizer must be"),
        ({"covariance": Linear(1.0)}, ValueError, "needs a SquaredExponential"),
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
