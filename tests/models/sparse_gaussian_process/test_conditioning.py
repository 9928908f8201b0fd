"""Sparse Gaussian processes and other data: conditioned, warm-started, updated, saved."""

import warnings

import numpy as np
import pytest
from sparse_cases import EXACT, PIECEWISE, SE, data, fixed

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.models import SparseGaussianProcess


@pytest.mark.parametrize("kind", [*EXACT, *PIECEWISE, "sd"])
def test_conditioning_on_other_data_is_fitting_with_what_was_learned(kind):
    X, y = data()
    model = fixed(kind, seed=0).fit(X[:40], y[:40])
    other = model.condition(X, y)
    again = fixed(kind, seed=0).fit(X, y)
    np.testing.assert_allclose(other.predict(X), again.predict(X), rtol=1e-9, atol=1e-11)
    assert other.log_marginal_likelihood_ == pytest.approx(again.log_marginal_likelihood_)
    assert repr(other) == repr(model)


def test_conditioning_keeps_projection_and_uncertainties():
    X, y = data()
    for options in (
        {"projection": 1},
        {"variable_noise": True, "approximation": "fitc"},
    ):
        model = SparseGaussianProcess(SE, noise_var=0.05, n_inducing=9, seed=0, **options)
        model.fit(X, y)
        other = model.condition(X, y)
        np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(other.inducing_, model.inducing_, atol=1e-12)


def test_conditioning_drops_blocks_without_rows():
    X, y = data()
    model = fixed("local").fit(X, y)
    left = X[:, 0] < -0.5
    assert len(model.condition(X[left], y[left]).block_centers_) < 3


def test_warm_start_begins_where_the_search_ended_and_needs_few_evaluations():
    X, y = data(400)
    model = SparseGaussianProcess(n_inducing=30, seed=0).fit(X, y)
    warm = model.warm_started()
    assert not hasattr(warm, "posterior_")
    assert (warm.covariance, warm.noise_var) == (model.covariance_, model.noise_var_)
    np.testing.assert_array_equal(warm.inducing, model.inducing_)
    again = warm.fit(X, y)
    assert again.report_.n_evaluations < 0.5 * model.report_.n_evaluations
    np.testing.assert_allclose(
        again.log_marginal_likelihood_, model.log_marginal_likelihood_, atol=0.1
    )


@pytest.mark.parametrize(
    "options",
    [
        {"approximation": "fitc", "variable_noise": True},
        {"projection": 2},
        {"approximation": "pic", "n_blocks": 4},
        {"approximation": "sd"},
    ],
    ids=lambda o: str(o),
)
def test_a_forecaster_forecasts_the_same_by_a_sparse_process_that_was_saved(options, tmp_path):
    series = gf.datasets.mackey_glass(160, noise_var=1e-3, seed=0)
    model = SparseGaussianProcess(n_inducing=20, seed=0, max_iter=20, **options)
    exact = options.get("approximation") != "pic"
    fc = gf.Forecaster(3, model=model, propagation="exact" if exact else "taylor")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)
        fc.fit(series)
        fc.update([1.0, 1.1])
    fc.save(tmp_path / "fc")
    again = gf.load(tmp_path / "fc")
    before, after = fc.predict(10), again.predict(10)
    np.testing.assert_array_equal(before.mean, after.mean)
    np.testing.assert_array_equal(before.covariance, after.covariance)
    np.testing.assert_array_equal(
        fc.update([1.0]).predict(3).mean, again.update([1.0]).predict(3).mean
    )
