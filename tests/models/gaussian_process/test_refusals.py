"""Data and parameters that make no sense are named, and the old fit is kept."""

import numpy as np
import pytest
from gaussian_process_cases import data, fixed

from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import GaussianProcess, HasPosterior
from gpforecast.models.conditioning import factorise


def test_a_matrix_beyond_repair_is_refused_with_advice():
    with pytest.raises(np.linalg.LinAlgError, match="check the inputs for infinite or enormous"):
        factorise(SquaredExponential(1.0, 1.0), -0.5, np.zeros((2, 1)))  # [[.5, 1], [1, .5]]


def test_a_linear_model_without_noise_is_refused_and_the_old_fit_is_kept():
    gp = fixed(Linear(1.0), 0.1).fit(*data())
    gp.covariance, gp.noise_var = Linear(2.0), 0.0
    before = dict(vars(gp))
    with pytest.raises(ValueError, match="a linear model needs noise_var > 0"):
        gp.fit(*data())
    assert vars(gp).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(gp).items())


@pytest.mark.parametrize(
    ("X", "y", "error", "says"),
    [
        ([[0.0], [np.nan]], [0.0, 1.0], ValueError, "X has 1 missing"),
        ([[0.0], [np.inf]], [0.0, 1.0], ValueError, "X has 1 infinite"),
        ([[0.0], [1.0]], [0.0, np.nan], ValueError, "y has 1 missing"),
        ([[0.0], [1.0]], [0.0], ValueError, "X has 2 rows but y has 1 values"),
        ([[0.0]], [0.0], ValueError, "at least 2 rows to learn from; got 1"),
        ([0.0, 1.0], [0.0, 1.0], ValueError, "X must be an array with 2 axes"),
        ([[0.0], [1.0]], [[0.0], [1.0]], ValueError, "y must be one column of values"),
        ([["a"], ["b"]], [0.0, 1.0], TypeError, "X must hold real numbers"),
    ],
)
def test_bad_data_are_named_and_the_old_fit_is_kept(X, y, error, says):
    gp = fixed(SquaredExponential(1.0, 1.0), 0.1).fit(*data(d=1))
    before = dict(vars(gp))
    with pytest.raises(error, match=says):
        gp.fit(X, y)
    assert vars(gp).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(gp).items())


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"noise_var": -1.0}, ValueError, "noise_var must be 0, a positive number or None"),
        ({"noise_var": np.nan}, ValueError, "noise_var must be 0, a positive"),
        ({"noise_var": [1.0]}, ValueError, "noise_var must be 0, a positive"),
        ({"optimizer": "adam"}, ValueError, "optimizer must be 'L-BFGS-B' or None"),
        ({"prior": "strong"}, ValueError, "prior must be 'weak' or None"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer; got 0"),
        ({"n_restarts": -1}, ValueError, "n_restarts must be"),
        ({"n_restarts": 1.5}, ValueError, "n_restarts must be"),
        ({"covariance": "rbf"}, TypeError, "must be one from gpforecast.covariances"),
        (
            {"covariance": SquaredExponential([1.0, 1.0, 1.0])},
            ValueError,
            "lengthscales has 3 values but the inputs have 2",
        ),
        ({"covariance": Linear([1.0])}, ValueError, "variances has 1 values but the inputs have 2"),
    ],
)
def test_parameters_that_make_no_sense_are_named_by_fit(parameters, error, says):
    gp = GaussianProcess(**parameters)
    with pytest.raises(error, match=says):
        gp.fit(*data())
    assert not hasattr(gp, "posterior_")


def test_use_before_fit_is_an_error_that_says_so():
    gp = GaussianProcess()
    assert not isinstance(gp, HasPosterior)
    for use in (lambda: gp.predict([[0.0]]), lambda: gp.condition([[0.0], [1.0]], [0.0, 1.0])):
        with pytest.raises(RuntimeError, match=r"not fitted yet; call fit\(X, y\) first"):
            use()


def test_predict_names_a_wrong_number_of_columns():
    gp = fixed(SquaredExponential(1.0, 1.0), 0.1).fit(*data())
    with pytest.raises(ValueError, match="X has 3 columns but the model was fitted to 2"):
        gp.predict(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="X must be an array with 2 axes"):
        gp.predict(np.zeros(2))
