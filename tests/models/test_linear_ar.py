"""Least squares on the lags, against statsmodels and the closed form of its forecast."""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm

import gpforecast as gf
from gpforecast.common.warnings import NumericalWarning
from gpforecast.models import LinearAR


def data(n=40, d=3, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.array([1.0, 10.0, 0.1])[:d] + offset
    return X, X @ np.array([0.5, -0.03, 2.0])[:d] + 1.0 + 0.2 * rng.standard_normal(n)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_their_covariance_and_the_noise_are_those_of_statsmodels(intercept, offset):
    X, y = data(offset=offset)
    ar = LinearAR(intercept).fit(X, y)
    # The oracle's own inputs are centred, so that it keeps its digits.
    design = sm.add_constant(X - X.mean(axis=0)) if intercept else X
    ols = sm.OLS(y, design).fit()
    np.testing.assert_allclose(ar.posterior_.linear, ols.params[-3:], rtol=1e-8)
    np.testing.assert_allclose(ar.noise_var_, ols.mse_resid, rtol=1e-9)
    at = X[:4] + 0.3
    mean, std = ar.predict(at, return_std=True)
    new = np.column_stack([np.ones(4), at - X.mean(axis=0)]) if intercept else at
    np.testing.assert_allclose(mean, new @ ols.params, rtol=1e-8, atol=1e-8)
    var = np.einsum("ni,ij,nj->n", new, ols.cov_params(), new)
    np.testing.assert_allclose(std**2, var, rtol=1e-6)
    assert ar.rank_ == design.shape[1]


def test_dependent_columns_take_the_smallest_solution_and_report_it():
    X, y = data(d=2)
    twice = np.column_stack([X, X[:, 0]])
    with pytest.warns(NumericalWarning, match="only 3 of the 4 coefficients") as caught:
        ar = LinearAR().fit(twice, y)
    assert len(caught) == 1
    plain = LinearAR().fit(X, y)
    b = plain.posterior_.linear
    np.testing.assert_allclose(ar.posterior_.linear, [b[0] / 2, b[1], b[0] / 2], rtol=1e-10)
    np.testing.assert_allclose(ar.noise_var_, plain.noise_var_, rtol=1e-10)
    assert ar.rank_ == 3
    assert "smallest that fit" in ar.report_.remarks[0]
    one, other = (m.predict(x, return_std=True) for m, x in ((ar, twice), (plain, X)))
    np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize(("intercept", "n"), [(True, 4), (False, 3), (True, 2)])
def test_no_more_rows_than_coefficients_is_refused(intercept, n):
    X, y = data()
    says = f"got {n} rows for {3 + intercept} .*longer series or fewer lags"
    with pytest.raises(ValueError, match=says):
        LinearAR(intercept).fit(X[:n], y[:n])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearAR(intercept).fit(*data(n=4 + intercept))


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize("y", [np.full(40, -4.2), np.arange(40.0)], ids=["constant", "line"])
@pytest.mark.parametrize("noise", ["measurement", 0.01])
def test_measurement_noise_with_inputs_that_repeat_each_other_is_refused(y, noise):
    fc = gf.Forecaster(lags=3, transforms=None, model=LinearAR(), noise=noise)
    with pytest.raises(ValueError, match='coefficients of the linear model: noise="process"'):
        fc.fit(y)
