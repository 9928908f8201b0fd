"""What sparse Gaussian processes refuse, and what they say of trouble."""

import numpy as np
import pytest
from sparse_cases import ALL, data, fixed

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import SparseGaussianProcess


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"approximation": "spgp"}, ValueError, "approximation must be one of 'sr', 'dtc'"),
        ({"inducing": "best"}, ValueError, "inducing must be one of 'random', 'kmeans'"),
        ({"inducing": [[1.0]]}, ValueError, "a column for each of the 2 inputs"),
        ({"n_inducing": 0}, ValueError, "n_inducing must be a positive integer"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number"),
        ({"optimizer": "adam"}, ValueError, "optimizer must be"),
        ({"variable_noise": True}, ValueError, "needs approximation='fitc'"),
        ({"variable_noise": 1}, TypeError, "variable_noise must be True or False"),
        ({"optimise_inducing": "yes"}, TypeError, "optimise_inducing must be True, False or None"),
        ({"projection": 3}, ValueError, "between 1 and 2 dimensions"),
        ({"projection": [[1.0]]}, ValueError, "projection must have a column for each of the 2"),
        ({"projection": 1, "approximation": "pitc"}, ValueError, "projection works with"),
        ({"projection": 1, "covariance": ALL}, ValueError, "one covariance with length-scales"),
        ({"projection": 1, "optimise_inducing": False}, ValueError, "learns the inducing inputs"),
        (
            {"approximation": "local", "inducing": "kmeans", "optimise_inducing": True},
            ValueError,
            "has none",
        ),
        ({"approximation": "sd", "inducing": np.eye(2)}, ValueError, "got inputs. Fit a Gauss"),
        ({"approximation": "local", "inducing": "kl"}, ValueError, "'local'; choose another"),
        ({"approximation": "local", "covariance": ALL}, ValueError, "use 'pic'"),
        ({"covariance": Linear(1.0)}, ValueError, "needs a covariance such as SquaredExponential"),
        ({"covariance": "rbf"}, TypeError, "covariance must be one from"),
        ({"approximation": "pitc", "n_blocks": 61}, ValueError, "more than the 60 rows"),
        (
            {"approximation": "pic", "blocks": [[0.0, 0.0], [90.0, 90.0]]},
            ValueError,
            "1 of 2 blocks would hold no row",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_lost(options, error, message):
    X, y = data()
    model = fixed("vfe").fit(X, y)
    before = model.predict(X)
    for name, value in options.items():
        setattr(model, name, value)
    with pytest.raises(error, match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_unfitted_model_says_so():
    for call in (lambda m: m.predict([[0.0]]), lambda m: m.condition([[0.0]], [1.0])):
        with pytest.raises(RuntimeError, match="not fitted yet"):
            call(SparseGaussianProcess())


def test_repr_is_the_call():
    assert repr(SparseGaussianProcess()) == "SparseGaussianProcess()"
    model = SparseGaussianProcess(approximation="fitc", n_inducing=50, optimise_inducing=True)
    assert repr(model) == (
        "SparseGaussianProcess(approximation='fitc', n_inducing=50, optimise_inducing=True)"
    )


def test_a_block_without_noise_that_cannot_be_factored_is_explained():
    X, y = data()
    model = fixed("pitc").fit(X, y)
    before = model.predict(X)
    model.noise_var = 1e-300
    model.covariance = SquaredExponential(1e3, 1.0)
    with pytest.raises(np.linalg.LinAlgError, match=r"block of .* a larger noise_var fixes it"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_jitter_is_recorded_and_said(monkeypatch):
    X, y = data()
    monkeypatch.setattr("gpforecast.models.sparse.likelihood.NUGGET", -1e-7)
    model = fixed("vfe", SquaredExponential(1e4, 1.0))
    with pytest.warns(NumericalWarning, match="jitter of"):
        model.fit(X, y)
    assert model.report_.jitter == 1e-6
