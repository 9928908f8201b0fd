"""What training maximises: the evidence, or leave-one-out densities of models fitted again."""

import numpy as np
import pytest
from gaussian_process_cases import data, every_kind
from oracles import BruteForceGP, central
from scipy.stats import norm

from gpforecast.forecaster import Forecaster
from gpforecast.models import GaussianProcess
from gpforecast.models.evidence import Evidence, LeaveOneOut


def objective(covariance, criterion, prior=None):
    gp = GaussianProcess(covariance, noise_var=0.02, prior=prior)
    return gp.evidence_of(*data(), criterion)


@pytest.mark.parametrize("prior", [None, "weak"])
@pytest.mark.parametrize("criterion", [Evidence, LeaveOneOut])
@every_kind
def test_gradient_matches_finite_differences(covariance, criterion, prior):
    problem = objective(covariance, criterion, prior)
    theta = problem.start + 0.3 * np.random.default_rng(1).standard_normal(len(problem.start))
    value, gradient = problem.negative(theta)
    differences = central(problem.value, theta)
    # Central differences at 1e-5 of a value near 30: 1e-15 * 30 / 1e-5 is 3e-9 of rounding.
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(problem.value(theta), value, rtol=1e-12)
    if criterion is Evidence:
        (k, noise_var), (X, y) = problem.unpack(theta), data()
        off = (theta - problem.start) / 2.0 if prior else np.zeros(1)
        expected = 0.5 * off @ off - BruteForceGP(X, y, noise_var, k).log_evidence()
        np.testing.assert_allclose(value, expected, rtol=1e-10)


@every_kind
def test_value_is_the_log_density_of_each_row_by_a_model_refitted_without_it(covariance):
    X, y = data()
    expected = 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        (mean,), (var,) = BruteForceGP(X[rest], y[rest], 0.02, covariance).predict(X[i : i + 1])
        expected += norm.logpdf(y[i], mean, np.sqrt(var + 0.02))
    problem = objective(covariance, LeaveOneOut)
    np.testing.assert_allclose(-problem.value(problem.start), expected, rtol=1e-9)
    np.testing.assert_allclose(-problem.negative(problem.start)[0], expected, rtol=1e-9)


def test_what_does_not_work_is_refused():
    X, y = data(10)
    with pytest.raises(ValueError, match=r"criterion must be one of 'evidence', 'loo'; got 'cv'"):
        GaussianProcess(criterion="cv").fit(X, y)
    series = np.sin(np.arange(150.0)) + 0.1 * np.random.default_rng(0).standard_normal(150)
    options = {"lags": 2, "transforms": None, "model": GaussianProcess(criterion="loo")}
    with pytest.raises(ValueError, match="cannot be found by criterion='loo'"):
        Forecaster(noise="measurement", **options).fit(series)
    summary = Forecaster(noise="auto", **options).fit(series).summary()
    assert "measurement noise cannot be found" in " ".join(summary.split())
