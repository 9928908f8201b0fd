"""Whether the model that judged the lags is trained further."""

import numpy as np
import pytest

from gpforecast.automatic.training import trained_or_kept
from gpforecast.covariances import SquaredExponential
from gpforecast.datasets import mackey_glass
from gpforecast.models import GaussianProcess
from gpforecast.propagation.recursion import Inputs


def rows_of(z, lags):
    places = np.arange(max(lags), len(z))
    X = np.column_stack([z[places - lag] for lag in lags])
    return X, z[places], places


def decided(z, lags, judged):
    X, y, places = rows_of(z, lags)
    return trained_or_kept(judged, X, y, places, z=z, inputs=Inputs(tuple(lags)))


@pytest.fixture(scope="module")
def flow():
    return mackey_glass(260, normalise=True).to_numpy()


def test_what_is_returned_keeps_its_hyperparameters_and_says_why(flow):
    judged = GaussianProcess(SquaredExponential(4.0, 4.0), noise_var=1e-6, optimizer=None)
    decision = decided(flow, range(1, 9), judged)
    kept, trained = decision.scores.values()
    names = {True: "the settings that judged the lags", False: "settings trained further"}
    assert decision.reason.startswith(f"{names[kept <= 2.0 * trained]}: ")
    assert decision.value.optimizer is None
    X, y, _ = rows_of(flow, range(1, 9))
    fitted = decision.value.fit(X, y)
    assert fitted.noise_var_ == decision.value.noise_var


def test_a_grid_that_is_far_off_is_left(flow):
    far = GaussianProcess(SquaredExponential(0.3, 4.0), noise_var=1e-3, optimizer=None)
    decision = decided(flow, range(1, 9), far)
    assert decision.value is not far
    at_grid = decision.scores["hyperparameters of the grid that judged the lags"]
    assert min(decision.scores.values()) < 0.5 * at_grid
