"""Every model goes through every method by every covariance, or says why it cannot."""

import pytest
from conformance import (
    EVERY_MODEL,
    METHODS,
    MODELS,
    OPEN_COVARIANCES,
    check_method,
    embedded_series,
    fitted,
)

from gpforecast.models import GaussianProcess, ReducedRankGP, SparseGaussianProcess

LAGS = (1, 2, 7)
HELD = {"noise_var": 0.05, "optimizer": None}
RANK, SPARSE = {"n_support": 12, "seed": 0, **HELD}, {"n_inducing": 12, **HELD}
BY_COVARIANCE = {
    "gp": lambda k: GaussianProcess(k, **HELD),
    "reduced rank": lambda k: ReducedRankGP(k, augmented=False, **RANK),
    "reduced rank, augmented": lambda k: ReducedRankGP(k, **RANK),
    "sparse, vfe": lambda k: SparseGaussianProcess(k, **SPARSE),
    "sparse, fitc": lambda k: SparseGaussianProcess(k, approximation="fitc", **SPARSE),
    "sparse, pic": lambda k: SparseGaussianProcess(k, approximation="pic", n_blocks=3, **SPARSE),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", EVERY_MODEL)
def test_every_model_goes_through_every_method_that_suits_it(model, method):
    assert check_method(fitted(model, LAGS), method, LAGS, 20) or model not in MODELS


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
@pytest.mark.parametrize("model", BY_COVARIANCE)
def test_so_does_every_model_by_every_covariance(model, covariance):
    k = OPEN_COVARIANCES[covariance]
    one = BY_COVARIANCE[model](k).fit(*embedded_series(LAGS)[1:])
    suits = {name: check_method(one, name, LAGS, 6) for name in METHODS}
    if k.is_smooth and model not in ("reduced rank, augmented", "sparse, pic"):
        assert all(suits[name] for name in METHODS if name != "exact")
