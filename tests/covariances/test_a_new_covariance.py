"""A covariance of a user's own, of distances or inner products: a few lines, one in the list."""

import numpy as np
import pytest
from covariance_conformance import COVARIANCE_CHECKS, CovarianceCase

import gpforecast as gf
from gpforecast.covariances import InnerProduct, Stationary


class Cauchy(Stationary):
    def profile(self, s):
        return 1.0 / (1.0 + s)

    def slope(self, s):
        return -1.0 / (1.0 + s) ** 2

    def curvature(self, s):
        return 2.0 / (1.0 + s) ** 3


class Exponential(InnerProduct):
    """Polynomials of any degree: exp(1 + x'x' / ell^2)."""

    def profile(self, t):
        return np.exp(t)

    slope = curvature = profile


# The one line each of a conformance list.
CASES = {
    Cauchy: CovarianceCase(
        Cauchy(1.3, 2.0), lambda x, z: 2.0 / (1 + np.sum((x - z) ** 2) / 1.69), 2
    ),
    Exponential: CovarianceCase(
        Exponential(1.3, 2.0), lambda x, z: 2.0 * np.exp(1.0 + np.dot(x, z) / 1.69), 2
    ),
}


@pytest.mark.parametrize("covariance", CASES)
@pytest.mark.parametrize("check", COVARIANCE_CHECKS)
def test_it_conforms(check, covariance):
    COVARIANCE_CHECKS[check](CASES[covariance])


@pytest.mark.parametrize("propagation", ["taylor", "cubature", "naive", "monte_carlo"])
def test_it_learns_forecasts_and_is_saved(propagation, tmp_path):
    series = gf.datasets.mackey_glass(80, noise_var=1e-3, seed=0)
    model = gf.models.GaussianProcess(Cauchy(), max_iter=20)
    fc = gf.Forecaster(4, transforms=None, model=model, propagation=propagation).fit(series)
    fc.save(tmp_path / "saved.gpf")
    again = gf.load(tmp_path / "saved.gpf")
    assert again.model_.covariance_ == fc.model_.covariance_
    if propagation != "monte_carlo":
        np.testing.assert_array_equal(again.predict(5).covariance, fc.predict(5).covariance)
