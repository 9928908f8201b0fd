"""Searches for hyperparameters: where they start, what they move in, what they find and report."""

from inspect import signature

import numpy as np
import pytest
from gaussian_process_cases import data
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.datasets import mackey_glass
from gpforecast.models import GaussianProcess, ReducedRankGP, SparseGaussianProcess
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import Evidence, evenly_spaced
from gpforecast.models.search import Climb, Coordinates


def noisy_chaos(n, lags=16):
    series = mackey_glass(n + lags, normalise=True, noise_var=1e-3, seed=0).to_numpy()
    X = np.lib.stride_tricks.sliding_window_view(series, lags)[:-1]
    return X.copy(), series[lags:]


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


NAMES = ("lengthscale 0", "lengthscale 1", "lengthscale 2", "variance", "noise variance")
BOUNDS = np.array([[-4.6, 6.9], [-4.6, 6.9], [-4.6, 6.9], [-7.0, 7.0], [-18.0, 2.0]])
START = np.array([0.5, 4.0, 6.8, 1.0, -6.0])
SLOPES = np.array([0.3, -0.02, -0.01, 2.0, -3.0])


def coordinates():
    run = Climb(START, 0.0, SLOPES, np.ones(5), FitReport(True, ""))
    return Coordinates.around(run, NAMES, BOUNDS)


def test_stretch_is_the_derivative_of_theta():
    by, h = coordinates(), 1e-6
    for theta in np.random.default_rng(1).uniform(*BOUNDS.T, (50, 5)):
        z = by.z(theta)
        difference = (by.theta(z + h) - by.theta(z - h)) / (2.0 * h)
        known = np.isfinite(difference)
        assert_allclose(by.stretch(theta)[known], difference[known], rtol=1e-3)


# With as many support or inducing inputs as rows, all three have the same evidence.
MODELS = {
    "full": lambda _: GaussianProcess(),
    "reduced rank": lambda X: ReducedRankGP(support=X),
    "sparse": lambda X: SparseGaussianProcess(inducing=X),
}


def best_of_six(problem):
    """Return the greatest log evidence of searches to the last digit from random starts."""
    rng = np.random.default_rng(0)
    starts = problem.start + 0.7 * rng.standard_normal((6, len(problem.start)))
    tight = {"maxiter": 1000, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-6}
    searched = (
        minimize(problem.negative, start, jac=True, bounds=problem.log_bounds, options=tight)
        for start in starts
    )
    return -min(float(run.fun) for run in searched)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [3])
def test_inputs_that_were_switched_off_too_early_are_switched_on_again(seed, name):
    """Where the logarithm of a great length-scale is flat, 0.3 to 1 nat used to be missing."""
    X, y = noisy_chaos(2000)
    rows = np.random.default_rng(seed).choice(2000, 100, replace=False)
    X, y = X[rows], y[rows]
    model = MODELS[name](X).fit(X, y)
    best = best_of_six(GaussianProcess().evidence_of(X, y))
    assert model.log_marginal_likelihood_ > best - 0.02
    assert model.report_.n_evaluations < 130


RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(-3.0, 3.0, (240, 1)), axis=0)
Y = np.sin(2.0 * X[:, 0]) + 0.1 * RNG.standard_normal(240)
FEW = evenly_spaced(len(Y), 60)
GIVEN = SquaredExponential(0.7, 1.0)
AT = np.linspace(-3.5, 3.5, 9)[:, None]


@pytest.mark.parametrize("covariance", [GIVEN, GIVEN + Linear(0.5)], ids=["one", "sum"])
def test_the_search_sees_a_part_and_the_posterior_all(covariance):
    by_part = GaussianProcess(covariance, noise_var=0.02, n_search=60).fit(X, Y)
    few = GaussianProcess(covariance, noise_var=0.02).fit(X[FEW], Y[FEW])
    assert by_part.noise_var_ == pytest.approx(few.noise_var_, rel=1e-3)
    found = by_part.covariance_, by_part.noise_var_
    held = GaussianProcess(found[0], noise_var=found[1], optimizer=None).fit(X, Y)
    for one, other in zip(
        by_part.predict(AT, return_std=True), held.predict(AT, return_std=True), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    assert by_part.log_marginal_likelihood_ == pytest.approx(held.log_marginal_likelihood_)


CLASSES = [getattr(gf.models, name) for name in gf.models.__all__]
SEEDED = [cls for cls in CLASSES if "seed" in signature(cls).parameters]


def test_every_models_seed_is_0_by_default():
    assert {GaussianProcess, ReducedRankGP, SparseGaussianProcess} <= set(SEEDED)
    assert {cls: signature(cls).parameters["seed"].default for cls in SEEDED} == dict.fromkeys(
        SEEDED, 0
    )
