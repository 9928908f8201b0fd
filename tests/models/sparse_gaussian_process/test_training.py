"""What sparse Gaussian processes learn."""

import numpy as np
from sparse_cases import SE, data, fixed

from gpforecast.models import GaussianProcess, SparseGaussianProcess


def test_training_finds_the_hyperparameters_of_the_full_gp():
    X, y = data(400)
    full = GaussianProcess().fit(X, y)
    model = SparseGaussianProcess(n_inducing=80, seed=0).fit(X, y)
    assert model.report_.converged
    gap = full.log_marginal_likelihood_ - model.log_marginal_likelihood_
    assert -1e-3 < gap < 2.0  # a lower bound, and with 80 inducing inputs a tight one
    np.testing.assert_allclose(model.noise_var_, full.noise_var_, rtol=0.05)


def test_a_signal_lost_in_the_noise_is_remarked_upon():
    rng = np.random.default_rng(0)
    X = rng.uniform(-8.0, 8.0, (800, 2))
    y = np.sin(2.0 * X[:, 0]) * np.cos(2.0 * X[:, 1]) + 0.05 * rng.standard_normal(800)
    options = {"n_inducing": 10, "inducing": "random", "seed": 0}
    lost = SparseGaussianProcess(optimise_inducing=False, **options).fit(X, y)
    assert lost.noise_var_ > 0.8 * np.mean(y**2)
    assert "taken for noise" in lost.report_.remarks[0]
    X, y = data()
    assert SparseGaussianProcess(**options).fit(X, y).report_.remarks == ()


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


def heteroscedastic(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3.0, 3.0, n)
    noise = np.where(x > 0.0, 0.5, 0.02)
    return x[:, None], np.sin(2.0 * x) + noise * rng.standard_normal(n)


def test_variable_noise_beats_a_gp_where_the_noise_varies():
    X, y = heteroscedastic(200, 0)
    at, truth = heteroscedastic(1000, 1)

    def nlpd(model):
        mean, std = model.predict(at, return_std=True)
        var = std**2 + model.noise_var_
        return np.mean(0.5 * np.log(2.0 * np.pi * var) + 0.5 * (truth - mean) ** 2 / var)

    gp = nlpd(GaussianProcess().fit(X, y))
    model = SparseGaussianProcess(
        approximation="fitc", variable_noise=True, n_inducing=12, seed=0
    ).fit(X, y)
    assert nlpd(model) < gp - 0.3
    assert (model.uncertainty_ > 0.0).all()


def test_optimizer_none_keeps_what_is_given():
    X, y = data()
    model = fixed("fitc", inducing="kmeans", n_inducing=10).fit(X, y)
    assert model.covariance_ == SE
    assert model.noise_var_ == 0.05
    assert model.report_.n_evaluations == 0
    moved = fixed("fitc", inducing=X[:9], optimise_inducing=True).fit(X, y)
    assert moved.covariance_ == SE
    assert moved.log_marginal_likelihood_ > fixed("fitc").fit(X, y).log_marginal_likelihood_
