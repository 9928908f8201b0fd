"""Gaussian-process regression against brute force, and what happens when the data are bad."""

import tracemalloc
import warnings

import mpmath as mp
import numpy as np
import pytest
from oracles import BruteForceGP
from scipy.stats import multivariate_normal

from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.datasets import mackey_glass
from gpforecast.models import GaussianProcess, HasPosterior, OneStepModel
from gpforecast.models.conditioning import factorise, log_marginal_likelihood
from gpforecast.models.evidence import Evidence
from gpforecast.warnings import NumericalWarning

ELL = np.array([0.9, 1.4])
ELL_3 = np.array([0.9, 1.4, 3.0])
SLOPES = np.array([0.5, 0.2])

KINDS = {
    "SE": (SquaredExponential(ELL, 1.5), {"variance": 1.5, "lengthscales": ELL}),
    "SE + linear + constant": (
        SquaredExponential(ELL, 1.5) + Linear(SLOPES) + Constant(2.0),
        {"variance": 1.5, "lengthscales": ELL, "slope_variances": SLOPES, "level_variance": 2.0},
    ),
    "SE + constant": (
        SquaredExponential(1.1, 1.5) + Constant(2.0),
        {"variance": 1.5, "lengthscales": 1.1, "level_variance": 2.0},
    ),
    "linear": (Linear(SLOPES), {"slope_variances": SLOPES}),
    "linear + constant": (
        Linear(0.5) + Constant(2.0),
        {"slope_variances": 0.5, "level_variance": 2.0},
    ),
}


def data(n=25, d=2, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X.sum(axis=1) + noise * rng.standard_normal(n)


def fixed(covariance, noise_var, **kwargs):
    return GaussianProcess(covariance, noise_var=noise_var, optimizer=None, **kwargs)


# --- at given hyperparameters -------------------------------------------------------------------


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


@pytest.mark.parametrize("kind", KINDS)
def test_evidence_is_the_density_of_the_targets(kind):
    covariance, values = KINDS[kind]
    X, y = data()
    gp = fixed(covariance, 0.02).fit(X, y)
    brute = BruteForceGP(X, y, 0.02, **values)
    K = brute.k(X, X) + 0.02 * np.eye(len(X))
    expected = multivariate_normal.logpdf(y, np.zeros(len(y)), K)
    np.testing.assert_allclose(gp.log_marginal_likelihood_, expected, rtol=1e-10)
    np.testing.assert_allclose(brute.log_evidence(), expected, rtol=1e-10)  # the oracle, too


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


@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6])
def test_far_off_inputs_train_as_well_as_centred_ones(shift):
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


def test_fits_of_many_rows_are_the_same_every_time():
    X, y = data(300)
    a, b = GaussianProcess(max_iter=5), GaussianProcess(max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)
        a.fit(X, y)
        b.fit(X, y)
    assert a.covariance_ == b.covariance_


def test_values_given_outside_the_usual_bounds_are_where_the_search_starts():
    X, y = data()
    ell = [1e-4, *([1.0] * (X.shape[1] - 1))]
    problem = GaussianProcess(SquaredExponential(ell, 1.0)).evidence_of(X, y)
    assert problem.log_bounds[0, 0] <= np.log(1e-4)


def test_values_kept_are_kept_to_the_last_bit():
    X, y = data()
    covariance = SquaredExponential(ELL, 0.1)
    assert fixed(covariance, 0.1).fit(X, y).covariance_ == covariance
    assert fixed(covariance, 0.1).fit(X, y).noise_var_ == 0.1


@pytest.mark.parametrize("prior", [None, "weak"])
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_the_objective_matches_finite_differences(kind, prior):
    covariance, _ = KINDS[kind]
    X, y = data()
    problem = Evidence(X, y, covariance, 0.02, X.std(axis=0), float(np.var(y)), prior == "weak")
    theta = problem.start + 0.3 * np.random.default_rng(1).standard_normal(len(problem.start))
    value, gradient = problem.negative(theta)
    h = 1e-5
    differences = [
        (problem.negative(theta + e)[0] - problem.negative(theta - e)[0]) / (2.0 * h)
        for e in h * np.eye(len(theta))
    ]
    # Central differences at 1e-5 of a value near 30: 1e-15 * 30 / 1e-5 is 3e-9 of rounding.
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-6)
    at = problem.unpack(theta)
    expected = -log_marginal_likelihood(*at, X, y)
    if prior == "weak":
        expected += 0.5 * np.sum(((theta - problem.start) / 2.0) ** 2)
    np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize("n_rows", [90, 700])
def test_gradient_is_that_of_a_plain_loop_over_the_hyperparameters(n_rows):
    """R&W eq. (5.9) with explicit inverses and full matrices, one derivative at a time."""
    X, y = data(n_rows, d=3)
    covariance = SquaredExponential([0.9, 1.4, 3.0], 1.5) + Linear(0.4) + Constant(2.0)
    problem = Evidence(X, y, covariance, 0.02, X.std(axis=0), float(np.var(y)), False)
    M = np.linalg.inv(covariance(X) + 0.02 * np.eye(n_rows))
    alpha = M @ y
    M = np.outer(alpha, alpha) - M
    bumps, linear, constant = covariance.terms
    K = bumps(X)
    slopes = [0.5 * np.sum(M * K * np.subtract.outer(x, x) ** 2) for x in (X / ELL_3).T]
    slopes += [0.5 * np.sum(M * part) for part in (K, linear(X), constant(X))]
    slopes.append(0.5 * 0.02 * np.trace(M))
    value, gradient = problem.negative(problem.start)
    # The condition of K + noise is near 1e5 and the sums are of 1e5 terms.
    np.testing.assert_allclose(-gradient, slopes, rtol=1e-7, atol=1e-6)
    assert problem.value(problem.start) == value


def test_evaluations_do_not_depend_on_what_came_before():
    X, y = data(60)
    problem = GaussianProcess().evidence_of(X, y)
    first = problem.negative(problem.start)
    problem.negative(problem.start + 0.5)
    problem.value(problem.start - 0.5)
    again = problem.negative(problem.start)
    assert again[0] == first[0]
    np.testing.assert_array_equal(again[1], first[1])


def peak_memory(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_training_works_in_two_matrices():
    n = 400
    X, y = data(n, d=30)
    problem = GaussianProcess().evidence_of(X, y)
    assert peak_memory(lambda: problem.negative(problem.start)) < 2.5 * n * n * 8
    gp = fixed(SquaredExponential(2.0, 1.0), 0.1)
    assert peak_memory(lambda: gp.fit(X, y)) < 1.5 * n * n * 8  # the posterior's own
    with pytest.warns(NumericalWarning):
        assert peak_memory(lambda: GaussianProcess(max_iter=2).fit(X, y)) < 3.0 * n * n * 8


def test_no_optimizer_keeps_the_values_given():
    X, y = data()
    gp = fixed(SquaredExponential([0.9, 1.4], 1.5), 0.02).fit(X, y)
    np.testing.assert_allclose(gp.covariance_.lengthscales, [0.9, 1.4], rtol=1e-15)
    np.testing.assert_allclose(gp.covariance_.variance, 1.5, rtol=1e-15)
    np.testing.assert_allclose(gp.noise_var_, 0.02, rtol=1e-15)
    assert gp.report_.n_iterations == gp.report_.n_evaluations == gp.report_.n_starts == 0
    assert gp.report_.message == "hyperparameters kept as given"


def test_predict_gives_the_standard_deviation_of_f_not_of_an_observation():
    X, y = data()
    gp = fixed(SquaredExponential(ELL, 1.5), 0.5).fit(X, y)
    far = np.full((1, 2), 1e3)
    mean, std = gp.predict(far, return_std=True)
    np.testing.assert_allclose(mean, 0.0, atol=1e-300)
    np.testing.assert_allclose(std**2, 1.5, rtol=1e-14)


# --- training -----------------------------------------------------------------------------------


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
        there = log_marginal_likelihood(gp.covariance_, factor_ * gp.noise_var_, X, y)
        assert there <= gp.log_marginal_likelihood_ + 1e-3


def test_an_input_that_does_not_matter_is_switched_off_and_reported():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((80, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.05 * rng.standard_normal(80)
    gp = GaussianProcess().fit(X, y)
    ell = gp.covariance_.lengthscales
    assert ell[1] > 20.0 * ell[0]
    assert gp.report_.at_bounds in ((), ("lengthscale 1",))


def noisy_chaos(n, lags=16):
    series = mackey_glass(n + lags, normalise=True, noise_var=1e-3, seed=0).to_numpy()
    X = np.lib.stride_tricks.sliding_window_view(series, lags)[:-1]
    return X.copy(), series[lags:]


def test_length_scales_that_could_grow_for_ever_do_not_keep_the_search_going():
    """Until every slope is zero it takes 104 evaluations with ten steps remembered, 77 with 30."""
    gp = GaussianProcess().fit(*noisy_chaos(300))
    assert gp.report_.converged
    assert "3 ITERATIONS GAINED LESS" in gp.report_.message
    assert gp.report_.n_evaluations < 60
    assert gp.log_marginal_likelihood_ > 459.4986 - 0.05  # what those 104 found


def test_many_rows_are_climbed_on_a_quarter_of_them_first(monkeypatch):
    rows = []
    negative = Evidence.negative

    def counted(self, theta):
        rows.append(len(self.y))
        return negative(self, theta)

    monkeypatch.setattr(Evidence, "negative", counted)
    X, y = noisy_chaos(600)
    gp = GaussianProcess().fit(X, y)
    assert rows == sorted(rows)
    assert set(rows) == {150, 600}
    assert gp.report_.n_evaluations == len(rows) + 12  # the grid of starts besides
    assert rows.count(600) < 60
    # What one search on all rows finds, from the same start and to the last digit.
    rows.clear()
    X, y = X[:400], y[:400]
    GaussianProcess().fit(X, y)
    assert set(rows) == {400}


def test_the_evidence_found_is_that_of_a_search_to_the_last_digit():
    """scikit-learn 1.9 on these 500 rows, from the starting values of `started`: 806.944."""
    gp = GaussianProcess().fit(*noisy_chaos(500))
    assert gp.log_marginal_likelihood_ > 806.944 - 0.1


@pytest.mark.parametrize("n", [300, 580])
def test_a_refit_from_the_last_optimum_takes_few_evaluations(n):
    X, y = noisy_chaos(n)
    cold = GaussianProcess().fit(X[:-20], y[:-20])
    warm = GaussianProcess(cold.covariance_, noise_var=cold.noise_var_).fit(X, y)
    fresh = GaussianProcess().fit(X, y)
    assert warm.report_.converged
    assert warm.report_.n_evaluations < 0.5 * fresh.report_.n_evaluations
    held = cold.condition(X, y)
    assert warm.log_marginal_likelihood_ > held.log_marginal_likelihood_
    # It is a local search: another optimum than a fresh search finds, no worse by much.
    assert warm.log_marginal_likelihood_ > fresh.log_marginal_likelihood_ - 3.0
    same = GaussianProcess(cold.covariance_, noise_var=cold.noise_var_).fit(X[:-20], y[:-20])
    assert same.report_.n_evaluations < 15
    assert same.log_marginal_likelihood_ >= cold.log_marginal_likelihood_ - 1e-6


def test_restarts_are_reproducible_and_never_worse():
    X, y = data(20, noise=0.3)
    plain = GaussianProcess().fit(X, y)
    first, second = (GaussianProcess(n_restarts=3, seed=7).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.posterior_.weights, second.posterior_.weights)
    assert first.log_marginal_likelihood_ >= plain.log_marginal_likelihood_ - 1e-9
    assert first.report_.n_starts == 4
    assert first.report_.n_evaluations > plain.report_.n_evaluations


def test_weak_prior_gives_another_answer_and_less_evidence():
    X, y = data(12, d=4)
    likely = GaussianProcess(n_restarts=2, seed=0).fit(X, y)
    held = GaussianProcess(prior="weak", n_restarts=2, seed=0).fit(X, y)
    assert held.log_marginal_likelihood_ < likely.log_marginal_likelihood_
    start = np.log(X.std(axis=0) * 2.0)

    def excess(gp):
        return np.abs(np.log(gp.covariance_.lengthscales) - start).max()

    assert excess(held) < excess(likely)


def test_a_search_cut_short_warns_once_and_is_recorded():
    X, y = data()
    with pytest.warns(NumericalWarning, match="stopped before it converged") as caught:
        gp = GaussianProcess(max_iter=1).fit(X, y)
    assert len(caught) == 1
    assert not gp.report_.converged
    assert gp.report_.n_iterations == 1
    assert "ITERATIONS" in gp.report_.message.upper()


def test_report_says_how_the_search_went():
    gp = GaussianProcess().fit(*data())
    report = gp.report_
    assert report.converged
    assert report.n_starts == 1
    assert 0 < report.n_iterations <= report.n_evaluations
    assert "CONVERGENCE" in report.message.upper()
    assert report.jitter == 0.0


# --- awkward data -------------------------------------------------------------------------------


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


def test_duplicate_rows_are_averaged():
    X, y = data(20)
    twice, both = np.concatenate([X, X]), np.concatenate([y + 0.2, y - 0.2])
    mean, _, caught = fits_or_explains(GaussianProcess(), twice, both)
    assert not caught
    np.testing.assert_allclose(mean[:20], mean[20:], rtol=1e-6)
    merged = fixed(SquaredExponential(ELL, 1.0), 0.02).fit(X, y).predict(X)
    double = fixed(SquaredExponential(ELL, 1.0), 0.04).fit(twice, both).predict(X)
    np.testing.assert_allclose(double, merged, rtol=1e-9)  # two rows of noise v are one of v/2


def test_constant_columns_change_nothing():
    X, y = data(30)
    wide = np.column_stack([X, np.full(30, 7.0), np.zeros(30)])
    mean, _, _ = fits_or_explains(GaussianProcess(), wide, y)
    np.testing.assert_allclose(mean, GaussianProcess().fit(X, y).predict(X), atol=1e-2)


@pytest.mark.parametrize("level", [0.0, 5.0, -1e6])
def test_constant_targets_are_predicted(level):
    X, _ = data(20)
    mean, _, _ = fits_or_explains(GaussianProcess(), X, np.full(20, level))
    np.testing.assert_allclose(mean, level, atol=1e-2 * abs(level) + 1e-12)


def test_constant_inputs_and_varying_targets_are_all_noise():
    y = np.random.default_rng(0).standard_normal(30)
    gp = GaussianProcess(SquaredExponential() + Constant())
    mean, _, _ = fits_or_explains(gp, np.ones((30, 2)), y)
    np.testing.assert_allclose(mean, mean[0], rtol=1e-9)
    np.testing.assert_allclose(gp.noise_var_, y.var(), rtol=0.2)


def test_noise_free_data_are_interpolated_and_the_bound_reported():
    X = np.linspace(0.0, 6.0, 40)[:, None]
    gp = GaussianProcess()
    mean, _, _ = fits_or_explains(gp, X, np.sin(X[:, 0]))
    np.testing.assert_allclose(mean, np.sin(X[:, 0]), atol=1e-3)
    assert gp.noise_var_ < 1e-6
    assert "noise variance" in gp.report_.at_bounds


@pytest.mark.parametrize("seed", range(12))
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


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_data_of_any_size_fit(size):
    X, y = data(30)
    mean, std, _ = fits_or_explains(GaussianProcess(), size * X, size * y)
    plain = GaussianProcess().fit(X, y)
    expected, expected_std = plain.predict(X, return_std=True)
    np.testing.assert_allclose(mean / size, expected, atol=2e-2)
    np.testing.assert_allclose(std / size, expected_std, rtol=0.2)


def test_two_rows_are_enough():
    fits_or_explains(GaussianProcess(), [[0.0], [1.0]], [0.0, 1.0])


def test_no_noise_and_duplicate_rows_take_a_jitter_that_is_recorded_and_said_once():
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


def test_a_matrix_beyond_mending_is_refused_with_advice():
    with pytest.raises(np.linalg.LinAlgError, match="check the inputs for infinite or enormous"):
        factorise(SquaredExponential(1.0, 1.0), -0.5, np.zeros((2, 1)))  # [[.5, 1], [1, .5]]


def test_a_linear_model_without_noise_is_refused():
    with pytest.raises(ValueError, match="a linear model needs noise_var > 0"):
        fixed(Linear(1.0), 0.0).fit(*data())


# --- bad input and state ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "error", "says"),
    [
        ([[0.0], [np.nan]], [0.0, 1.0], ValueError, "X has 1 missing"),
        ([[0.0], [np.inf]], [0.0, 1.0], ValueError, "X has 1 infinite"),
        ([[0.0], [1.0]], [0.0, np.nan], ValueError, "y has 1 missing"),
        ([[0.0], [1.0]], [0.0], ValueError, "X has 2 rows but y has 1 values"),
        ([[0.0]], [0.0], ValueError, "at least 2 rows to learn from; got 1"),
        ([0.0, 1.0], [0.0, 1.0], ValueError, "X must be an array with 2 axes"),
        ([[0.0], [1.0]], [[0.0], [1.0]], ValueError, "y must be one column of values"),
        ([["a"], ["b"]], [0.0, 1.0], TypeError, "X must hold real numbers"),
    ],
)
def test_bad_data_are_named_and_the_old_fit_is_kept(X, y, error, says):
    gp = fixed(SquaredExponential(1.0, 1.0), 0.1).fit(*data(d=1))
    before = dict(vars(gp))
    with pytest.raises(error, match=says):
        gp.fit(X, y)
    assert vars(gp).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(gp).items())


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"noise_var": -1.0}, ValueError, "noise_var must be a number that is not negative"),
        ({"noise_var": np.nan}, ValueError, "noise_var must be a number"),
        ({"noise_var": [1.0]}, ValueError, "noise_var must be a number"),
        ({"optimizer": "adam"}, ValueError, 'optimizer must be "L-BFGS-B" or None'),
        ({"prior": "strong"}, ValueError, "prior must be one of 'weak'"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer; got 0"),
        ({"n_restarts": -1}, ValueError, "n_restarts must be"),
        ({"n_restarts": 1.5}, ValueError, "n_restarts must be"),
        ({"covariance": "rbf"}, TypeError, "must be one from gpforecast.covariances"),
        (
            {"covariance": SquaredExponential() + SquaredExponential()},
            ValueError,
            "at most one SquaredExponential in a sum; got 2",
        ),
        (
            {"covariance": SquaredExponential([1.0, 1.0, 1.0])},
            ValueError,
            "lengthscales has 3 values but the inputs have 2",
        ),
        ({"covariance": Linear([1.0])}, ValueError, "variances has 1 values but the inputs have 2"),
    ],
)
def test_parameters_that_make_no_sense_are_named_by_fit(parameters, error, says):
    gp = GaussianProcess(**parameters)
    with pytest.raises(error, match=says):
        gp.fit(*data())
    assert not hasattr(gp, "posterior_")


def test_a_covariance_that_is_not_an_extended_linear_model_is_refused():
    class Unknown(Covariance):
        __call__ = diag = with_gradient = with_log_parameters = started = log_bounds = None
        log_parameters = parameter_names = None

    for covariance in (Unknown(), Constant(1.0) + Unknown()):
        with pytest.raises(TypeError, match="sums of SquaredExponential, Linear and Constant; Unk"):
            fixed(covariance, 1.0).fit(*data())


def test_use_before_fit_is_an_error_that_says_so():
    gp = GaussianProcess()
    assert not isinstance(gp, HasPosterior)
    for use in (lambda: gp.predict([[0.0]]), lambda: gp.condition([[0.0], [1.0]], [0.0, 1.0])):
        with pytest.raises(RuntimeError, match=r"not fitted yet; call fit\(X, y\) first"):
            use()


def test_predict_names_a_wrong_number_of_columns():
    gp = fixed(SquaredExponential(1.0, 1.0), 0.1).fit(*data())
    with pytest.raises(ValueError, match="X has 3 columns but the model was fitted to 2"):
        gp.predict(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="X must be an array with 2 axes"):
        gp.predict(np.zeros(2))


def test_a_fitted_gp_satisfies_the_protocols():
    gp = fixed(SquaredExponential(1.0, 1.0), 0.1).fit(*data())
    assert isinstance(gp, OneStepModel)
    assert isinstance(gp, HasPosterior)


def test_fitting_does_not_change_or_keep_the_callers_arrays():
    X, y = data()
    X_before, y_before = X.copy(), y.copy()
    gp = fixed(SquaredExponential(ELL, 1.0), 0.1).fit(X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    expected = gp.predict(X_before)
    X += 100.0
    np.testing.assert_array_equal(gp.predict(X_before), expected)


def test_fitting_again_forgets_the_first_data():
    X, y = data()
    gp = GaussianProcess()
    assert gp.fit(*data(15, seed=4)) is gp
    np.testing.assert_array_equal(gp.fit(X, y).predict(X), GaussianProcess().fit(X, y).predict(X))


def test_condition_keeps_hyperparameters_and_leaves_the_original_alone():
    gp = GaussianProcess(max_iter=150).fit(*data())
    before = gp.posterior_
    X, y = data(40, seed=6)
    other = gp.condition(X, y)
    assert gp.posterior_ is before
    np.testing.assert_allclose(
        other.covariance_.log_parameters, gp.covariance_.log_parameters, rtol=1e-13
    )
    np.testing.assert_allclose(other.noise_var_, gp.noise_var_, rtol=1e-14)
    covariance = gp.covariance_
    brute = BruteForceGP(X, y, gp.noise_var_, covariance.variance, covariance.lengthscales)
    np.testing.assert_allclose(other.predict(X), brute.predict(X)[0], atol=1e-8)
    assert repr(other) == repr(gp) == "GaussianProcess(max_iter=150)"


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(GaussianProcess()) == "GaussianProcess()"
    gp = GaussianProcess(SquaredExponential(1.0, 2.0), noise_var=0.1, optimizer=None)
    assert repr(gp) == (
        "GaussianProcess(covariance=SquaredExponential(lengthscales=1.0, variance=2.0), "
        "noise_var=0.1, optimizer=None)"
    )


def test_a_warm_start_begins_where_the_search_ended():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (120, 2))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(120)
    gp = GaussianProcess(prior="weak", max_iter=77).fit(X[:110], y[:110])
    warm = gp.warm_started()
    assert not hasattr(warm, "posterior_")
    assert (warm.prior, warm.max_iter) == ("weak", 77)
    warm.fit(X, y)
    cold = GaussianProcess(prior="weak").fit(X, y)
    assert warm.report_.n_evaluations < 0.6 * cold.report_.n_evaluations
    assert abs(warm.log_marginal_likelihood_ - cold.log_marginal_likelihood_) < 0.5
    with pytest.raises(RuntimeError, match="not fitted yet"):
        GaussianProcess().warm_started()
