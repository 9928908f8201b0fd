"""What a relevance vector machine refuses, and that nothing is lost."""

import numpy as np
import pytest
from relevance_vector_cases import sinc

from gpforecast.models import FullEM, RelevanceVectorMachine


def test_a_failed_fit_leaves_all_as_it_was(monkeypatch):
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine().fit(X, y)
    before = dict(vars(machine))

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("gpforecast.models.relevance_vector_machine.infer", fail)
    with pytest.raises(MemoryError):
        machine.fit(X[:30], y[:30])
    assert vars(machine) == before


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"adapt": "both"}, ValueError, "adapt must be 'ard', 'isotropic' or None"),
        ({"algorithm": "magic"}, ValueError, "algorithm must be one of 'subspace'"),
        ({"algorithm": 3}, ValueError, "algorithm must be one of .* or an instance such as"),
        ({"algorithm": FullEM}, ValueError, "an instance"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number or None; got 0.0"),
        ({"noise_var": "big"}, ValueError, "noise_var"),
        ({"learn_noise": False}, ValueError, "give noise_var too"),
        ({"noise_prior": 0.0}, ValueError, "noise_prior must be a positive number or None; got 0"),
        (
            {"noise_prior": 0.1, "noise_var": 0.1, "learn_noise": False},
            ValueError,
            "noise_prior is for a noise that is learned",
        ),
        (
            {"lengthscales": -1.0},
            ValueError,
            "lengthscales must be None, a positive number, or one",
        ),
        ({"lengthscales": [1.0, 2.0]}, ValueError, "each of the 1 inputs"),
        ({"lengthscales": np.nan}, ValueError, "got nan"),
        ({"lengthscales": "wide"}, ValueError, "got 'wide'"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer; got 0"),
        ({"n_passes": -2}, ValueError, "n_passes"),
        ({"width_steps": -1}, ValueError, "width_steps must be 0 or a positive integer"),
        ({"bias": "no"}, TypeError, "bias must be True or False"),
        ({"tol": 0.0}, ValueError, "tol must be a positive number"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_and_nothing_is_lost(parameters, error, message):
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine().fit(X, y)
    posterior = machine.posterior_
    for name, value in parameters.items():
        setattr(machine, name, value)
    with pytest.raises(error, match=message):
        machine.fit(X, y)
    assert machine.posterior_ is posterior


def test_data_that_make_no_sense_are_refused():
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine()
    with pytest.raises(ValueError, match="X has 40 rows but y has 39"):
        machine.fit(X, y[1:])
    with pytest.raises(ValueError, match="y"):
        machine.fit(X, np.where(y > 0.5, np.nan, y))
    with pytest.raises(RuntimeError, match="not fitted yet"):
        machine.predict(X)
    with pytest.raises(RuntimeError, match="not fitted yet"):
        machine.condition(X, y)
    machine.fit(X, y)
    with pytest.raises(ValueError, match="2 columns"):
        machine.predict(np.ones((3, 2)))
    with pytest.raises(ValueError, match="2 columns"):
        machine.condition(np.ones((3, 2)), np.ones(3))
