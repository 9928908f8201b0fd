"""What a Gaussian process keeps, shares and forgets."""

import numpy as np
from gaussian_process_cases import ELL, data, fixed
from oracles import BruteForceGP

from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess, HasPosterior, OneStepModel


def test_no_optimizer_keeps_the_values_given_to_the_last_bit():
    X, y = data()
    covariance = SquaredExponential(ELL, 0.1)
    gp = fixed(covariance, 0.1).fit(X, y)
    assert gp.covariance_ == covariance
    assert gp.noise_var_ == 0.1
    assert gp.report_.n_iterations == gp.report_.n_evaluations == gp.report_.n_starts == 0
    assert gp.report_.message == "hyperparameters kept as given"


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
