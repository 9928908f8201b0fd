"""Every covariance goes through every model that takes one, and what it lacks is refused."""

import pytest
from conformance import METHODS, NEEDS, OPEN_COVARIANCES, check_propagated, embedded_series

import gpforecast as gf
from gpforecast.propagation.recursion import Inputs, Start, propagate

LAGS = (1, 2, 3)
Z, X, Y = embedded_series(LAGS)
HELD = {"noise_var": 0.05, "optimizer": None}
RANK, SPARSE = {"n_support": 12, "seed": 0, **HELD}, {"n_inducing": 12, **HELD}
MODELS = {
    "gp": lambda k: gf.models.GaussianProcess(k, **HELD),
    "reduced rank": lambda k: gf.models.ReducedRankGP(k, augmented=False, **RANK),
    "reduced rank, augmented": lambda k: gf.models.ReducedRankGP(k, **RANK),
    "sparse, vfe": lambda k: gf.models.SparseGaussianProcess(k, **SPARSE),
    "sparse, fitc": lambda k: gf.models.SparseGaussianProcess(k, approximation="fitc", **SPARSE),
    "sparse, pic": lambda k: gf.models.SparseGaussianProcess(
        k, approximation="pic", n_blocks=3, **SPARSE
    ),
}


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
@pytest.mark.parametrize("model", MODELS)
def test_every_covariance_is_propagated_or_refused_with_what_works(model, covariance):
    k = OPEN_COVARIANCES[covariance]
    frozen = MODELS[model](k).fit(X, Y)._frozen()
    inputs, start = Inputs(LAGS), Start(Z[None, -3:])
    for name, method in METHODS.items():
        needs = NEEDS.get(name)
        if needs is None or needs in frozen.supports:
            check_propagated(propagate(frozen, method, inputs, start, 6), 1, 6)
            continue
        with pytest.raises(TypeError, match=r"use .*'cubature', 'monte_carlo' or 'naive'"):
            propagate(frozen, method, inputs, start, 6)
        assert needs == "exact" or not k.is_smooth or "augmented" in model or "pic" in model
