"""What sparse Gaussian processes learn and keep, and what they say of trouble."""

import numpy as np
import pytest
from sparse_cases import SE, data, fixed

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess, SparseGaussianProcess
from gpforecast.models.sparse.approximations import Parameters


def test_training_finds_the_hyperparameters_of_the_full_gp():
    X, y = data(400)
    full = GaussianProcess().fit(X, y)
    model = SparseGaussianProcess(n_inducing=80, seed=0).fit(X, y)
    assert model.report_.converged
    gap = full.log_marginal_likelihood_ - model.log_marginal_likelihood_
    assert -1e-3 < gap < 2.0  # a lower bound, and with 80 inducing inputs a tight one
    np.testing.assert_allclose(model.noise_var_, full.noise_var_, rtol=0.05)


def test_projection_finds_the_one_direction_that_matters():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    direction = np.array([1.0, -2.0, 0.5, 0.0, 0.0, 1.0])
    direction /= np.linalg.norm(direction)
    y = np.sin(2.0 * X @ direction) + 0.1 * rng.standard_normal(300)
    model = SparseGaussianProcess(n_inducing=15, projection=1, seed=0).fit(X, y)
    found = model.projection_[0] / np.linalg.norm(model.projection_)
    assert abs(found @ direction) > 0.995
    mean = model.predict(X)
    assert np.mean((mean - np.sin(2.0 * X @ direction)) ** 2) < 1e-3


def test_optimizer_none_keeps_what_is_given():
    X, y = data()
    model = fixed("fitc", inducing="kmeans", n_inducing=10).fit(X, y)
    assert model.covariance_ == SE
    assert model.noise_var_ == 0.05
    assert model.report_.n_evaluations == 0
    moved = fixed("fitc", inducing=X[:9], optimise_inducing=True).fit(X, y)
    assert moved.covariance_ == SE
    assert moved.log_marginal_likelihood_ > fixed("fitc").fit(X, y).log_marginal_likelihood_


@pytest.mark.parametrize("kind", ["vfe", "fitc"])
def test_moving_the_inducing_inputs_raises_the_evidence_and_lowers_the_error(kind):
    X, y = data(600)
    at, true = data(300, seed=1, noise=0.0)
    errors, evidence = [], []
    for optimise in (False, True):
        model = SparseGaussianProcess(
            approximation=kind, n_inducing=15, inducing="random", optimise_inducing=optimise, seed=0
        ).fit(X, y)
        errors.append(np.mean((model.predict(at) - true) ** 2))
        evidence.append(model.log_marginal_likelihood_)
    assert evidence[1] > evidence[0] + 50.0
    assert errors[1] < 0.75 * errors[0]


@pytest.mark.parametrize("inducing", ["sgev", "sggp", "kl", "information_gain"])
def test_a_subset_is_selected_as_it_says_and_again_for_other_data(inducing):
    X, y = data(300)
    model = SparseGaussianProcess(approximation="sd", n_inducing=40, inducing=inducing, seed=0).fit(
        X, y
    )
    at, true = data(300, seed=1, noise=0.0)
    plain = SparseGaussianProcess(approximation="sd", n_inducing=40, seed=0).fit(X, y)
    assert not np.array_equal(model.inducing_, plain.inducing_)
    assert np.mean((model.predict(at) - true) ** 2) < 0.2 * true.var()
    other = model.condition(X[150:], y[150:])
    assert len(other.inducing_) == 40
    assert {tuple(row) for row in other.inducing_} <= {tuple(row) for row in X[150:]}


def test_jitter_is_recorded_and_reported(monkeypatch):
    X, y = data()
    monkeypatch.setattr(Parameters, "nugget", -1e-7)
    model = fixed("vfe", SquaredExponential(1e4, 1.0))
    with pytest.warns(NumericalWarning, match="jitter of"):
        model.fit(X, y)
    assert model.report_.jitter == 1e-6


def test_a_signal_lost_in_the_noise_is_remarked_upon():
    rng = np.random.default_rng(0)
    X = rng.uniform(-8.0, 8.0, (800, 2))
    y = np.sin(2.0 * X[:, 0]) * np.cos(2.0 * X[:, 1]) + 0.05 * rng.standard_normal(800)
    options = {"n_inducing": 10, "inducing": "random", "seed": 0}
    lost = SparseGaussianProcess(optimise_inducing=False, **options).fit(X, y)
    assert "taken for noise" in lost.report_.remarks[0]
    model = SparseGaussianProcess(**options).fit(*data())
    assert model.report_.remarks == ()
    warm = model.warm_started()
    assert (warm.covariance, warm.noise_var) == (model.covariance_, model.noise_var_)
    np.testing.assert_array_equal(warm.inducing, model.inducing_)


@pytest.mark.parametrize("blocks", ["random", "farthest", "kmeans"])
def test_blocks_are_made_around_so_many_centres(blocks):
    model = fixed("pic", blocks=blocks, n_blocks=4, seed=0).fit(*data())
    assert len(model.block_centers_) == 4
