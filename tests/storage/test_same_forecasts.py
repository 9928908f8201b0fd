"""A forecaster that was loaded forecasts the same, to the last bit."""

import numpy as np
import pytest
from storage_cases import driven, fitted, fixed, identical, reload

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import (
    AveragedGP,
    GaussianProcess,
    LinearAR,
    NearestNeighbours,
    NoisyInputGP,
    RelevanceVectorMachineStar,
)
from gpforecast.propagation import Cubature, MonteCarlo

MODELS = {
    "default": None,
    "kept as given": fixed(),
    "with linear and constant terms": GaussianProcess(
        SquaredExponential([1.0, 2.0, 3.0], 1.0) + Linear() + Constant(0.5), n_restarts=1, seed=1
    ),
    "linear alone": GaussianProcess(Linear(), prior="weak", max_iter=50),
    "least squares": LinearAR(),
    "averaged": AveragedGP(n_draws=3, n_warmup=2),
    "noisy inputs": NoisyInputGP(n_iter=2, n_chains=2, n_draws=2, n_warmup=2),
    "cleaned inputs": NoisyInputGP(method="cleaning", input_noise_var=[1, 2, 3], noise_var=2.0),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_forecast_after_loading_is_the_same_to_the_last_bit(model, tmp_path):
    fc = fitted(model=model)
    identical(reload(fc, tmp_path).predict(20), fc.predict(20))


@pytest.mark.parametrize(
    "model",
    [NearestNeighbours(6, ridge=0.1), RelevanceVectorMachineStar(), LinearAR(False)],
    ids=repr,
)
def test_a_model_forecasts_the_same_by_cubature_after_loading_and_updating(model, tmp_path):
    fc = fitted(model=model, propagation="cubature")
    again = reload(fc, tmp_path)
    identical(again.predict(20), fc.predict(20))
    identical(again.update([50.0, 51.0]).predict(5), fc.update([50.0, 51.0]).predict(5))


@pytest.mark.parametrize(
    "method",
    [
        "exact",
        Cubature("gauss_hermite", n_nodes=3, n_directions=2),
        MonteCarlo(n_paths=20, seed=5),
        MonteCarlo(n_paths=20, kind="function", seed=5, n_features=32),
    ],
    ids=repr,
)
def test_every_propagation_method_comes_back_and_forecasts_the_same(method, tmp_path):
    fc = fitted(propagation=method)
    again = reload(fc, tmp_path)
    assert again.propagation == method
    identical(again.predict(8), fc.predict(8))


def test_exogenous_inputs_come_back(tmp_path):
    fc, future = driven(exog_lags={"temp": [0, 2], ("rain", 1): [1]})
    again = reload(fc, tmp_path)
    identical(again.predict(4, exog=future), fc.predict(4, exog=future))
    cov = 0.1 * np.ones((4, 2))
    a, b = (f.predict(4, exog=future, exog_cov=cov) for f in (again, fc))
    identical(a, b)
    with pytest.raises(ValueError, match="exogenous inputs"):
        again.predict(4)


def test_update_after_loading_equals_update_without(tmp_path):
    fc, future = driven()
    again = reload(fc, tmp_path)
    new = np.array([61.0, 60.0])
    fc.update(new, exog=future.iloc[:2])
    again.update(new, exog=future.iloc[:2])
    a, b = (f.predict(2, exog=future.iloc[2:]) for f in (again, fc))
    identical(a, b)
    identical(reload(fc, tmp_path).predict(2, exog=future.iloc[2:]), b)
