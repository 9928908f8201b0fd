"""How training searches: where it starts, how long it takes, what it reports."""

import warnings

import numpy as np
import pytest
from gaussian_process_cases import data

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import SquaredExponential
from gpforecast.datasets import mackey_glass
from gpforecast.models import GaussianProcess
from gpforecast.models.evidence import Evidence


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


def test_restarts_leave_a_local_optimum():
    # A wave and noise, or a wiggle through every row: the plain search finds the first.
    X, y = data(12, d=1, noise=0.5)
    plain = GaussianProcess().fit(X, y)
    found = GaussianProcess(n_restarts=4, seed=0).fit(X, y)
    assert found.log_marginal_likelihood_ > plain.log_marginal_likelihood_ + 1.0


def test_a_search_cut_short_warns_once_and_is_recorded():
    X, y = data()
    with pytest.warns(NumericalWarning, match="stopped before it converged") as caught:
        gp = GaussianProcess(max_iter=1).fit(X, y)
    assert len(caught) == 1
    assert "of the model stopped before it converged" in str(caught[0].message)
    assert "forecasts may be somewhat worse" in str(caught[0].message)
    assert "report_" not in str(caught[0].message)
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
