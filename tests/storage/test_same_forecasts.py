"""A forecaster that was loaded forecasts the same, to the last bit."""

import numpy as np
import pytest
from storage_cases import driven, fitted, identical, reload

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

OPTIONS = {
    "default": {"model": None},
    "kept as given": {},
    "with linear and constant terms": {"model": GaussianProcess(
        SquaredExponential([1.0, 2.0, 3.0], 1.0) + Linear() + Constant(0.5), n_restarts=1, seed=1
    )},
    "linear alone": {"model": GaussianProcess(Linear(), prior="weak", max_iter=50)},
    "least squares": {"model": LinearAR()},
    "averaged": {"model": AveragedGP(n_draws=3, n_warmup=2)},
    "noisy inputs": {"model": NoisyInputGP(n_iter=2, n_chains=2, n_draws=2, n_warmup=2)},
    "cleaned inputs": {
        "model": NoisyInputGP(method="cleaning", input_noise_var=[1, 2, 3], noise_var=2.0)},
    **{repr(model): {"model": model, "propagation": "cubature"} for model in (
        NearestNeighbours(6, ridge=0.1), RelevanceVectorMachineStar(), LinearAR(False))},
    **{repr(method): {"propagation": method} for method in (
        "exact", Cubature("gauss_hermite", n_nodes=3, n_directions=2),
        MonteCarlo(n_paths=20, seed=5),
        MonteCarlo(n_paths=20, kind="function", seed=5, n_features=32))},
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_forecast_after_loading_and_updating_is_the_same_to_the_last_bit(options, tmp_path):
    fc = fitted(**options)
    again = reload(fc, tmp_path)
    assert again.propagation == fc.propagation
    identical(again.predict(20), fc.predict(20))
    if options.get("propagation") == "cubature":
        identical(again.update([50.0, 51.0]).predict(5), fc.update([50.0, 51.0]).predict(5))


def test_exogenous_inputs_come_back_and_an_update_goes_on_as_without_loading(tmp_path):
    fc, future = driven(exog_lags={"temp": [0, 2], ("rain", 1): [1]})
    again, cov = reload(fc, tmp_path), 0.1 * np.ones((4, 2))
    identical(again.predict(4, exog=future), fc.predict(4, exog=future))
    a, b = (f.predict(4, exog=future, exog_cov=cov) for f in (again, fc))
    identical(a, b)
    with pytest.raises(ValueError, match="exogenous inputs"):
        again.predict(4)
    new = np.array([61.0, 60.0])
    for each in (fc, again):
        each.update(new, exog=future.iloc[:2])
    a, b = (f.predict(2, exog=future.iloc[2:]) for f in (again, fc))
    identical(a, b)
    identical(reload(fc, tmp_path).predict(2, exog=future.iloc[2:]), b)
