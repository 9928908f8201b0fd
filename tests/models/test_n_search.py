"""Hyperparameters that are searched by a part of the rows."""

import numpy as np
import pytest

from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import GaussianProcess, SparseGaussianProcess
from gpforecast.models.evidence import evenly_spaced

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


@pytest.mark.parametrize("approximation", ["vfe", "fitc", "dtc"])
def test_a_sparse_process_too_and_its_inducing_inputs_stay_where_they_were_put(approximation):
    Z = np.linspace(-3.0, 3.0, 12)[:, None]
    options = {"approximation": approximation, "inducing": Z, "noise_var": 0.02}
    by_part = SparseGaussianProcess(GIVEN, n_search=60, **options).fit(X, Y)
    few = SparseGaussianProcess(GIVEN, **options).fit(X[FEW], Y[FEW])
    np.testing.assert_allclose(by_part.inducing_, Z, atol=1e-12)
    assert by_part.noise_var_ == pytest.approx(few.noise_var_, rel=1e-6)
    again = few.condition(X, Y)
    for one, other in zip(
        by_part.predict(AT, return_std=True), again.predict(AT, return_std=True), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_inducing_inputs_that_move_are_those_of_the_part():
    options = {"n_inducing": 8, "max_iter": 20, "seed": 0, "noise_var": 0.02}
    by_part = SparseGaussianProcess(GIVEN, n_search=60, **options).fit(X, Y)
    few = SparseGaussianProcess(GIVEN, **options).fit(X[FEW], Y[FEW])
    np.testing.assert_allclose(by_part.inducing_, few.inducing_, atol=1e-9)


@pytest.mark.parametrize("model", [GaussianProcess, SparseGaussianProcess])
def test_more_than_there_are_is_all(model):
    options = {"seed": 0, "max_iter": 30}
    one, other = model(n_search=1000, **options).fit(X, Y), model(**options).fit(X, Y)
    assert one.noise_var_ == other.noise_var_


@pytest.mark.parametrize("model", [GaussianProcess, SparseGaussianProcess])
@pytest.mark.parametrize("value", [0, -3, 2.5])
def test_what_is_no_number_of_rows_is_refused(model, value):
    with pytest.raises((TypeError, ValueError), match="n_search"):
        model(n_search=value).fit(X, Y)
