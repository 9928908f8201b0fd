"""Every covariance goes through every model that takes one, and what it lacks is refused."""

import numpy as np
import pytest
from conformance import METHODS, NEEDS, OPEN_COVARIANCES, check_propagated, embedded_series
from oracles import central, row_slopes

import gpforecast as gf
from gpforecast.covariances import Constant, Linear
from gpforecast.models.evidence import Evidence
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


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
def test_predictions_are_those_of_the_explicit_inverse(covariance):
    k = OPEN_COVARIANCES[covariance]
    gp = gf.models.GaussianProcess(k, noise_var=0.05, optimizer=None).fit(X, Y)
    new = X[:7] + 0.3
    inverse = np.linalg.inv(k(X) + 0.05 * np.eye(len(X)))
    mean, std = gp.predict(new, return_std=True)
    np.testing.assert_allclose(mean, k(new, X) @ inverse @ Y, rtol=1e-8, atol=1e-10)
    var = k.diag(new) - np.einsum("ij,jk,ik->i", k(new, X), inverse, k(new, X))
    np.testing.assert_allclose(std**2, var, rtol=1e-6, atol=1e-10)
    slopes = row_slopes(gp.predict, new, h=1e-6)
    np.testing.assert_allclose(gp.posterior_.gradient(new), slopes, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
def test_the_slope_of_the_evidence_is_its_difference_quotient(covariance):
    k = OPEN_COVARIANCES[covariance] + Linear(0.2) + Constant(0.4)
    problem = Evidence(X, Y, k, 0.05, X.std(axis=0), float(np.mean(Y**2)), False)
    value, slopes = problem.negative(problem.start)
    assert value == pytest.approx(problem.value(problem.start), rel=1e-12)
    differences = central(problem.value, problem.start)
    np.testing.assert_allclose(slopes, differences, rtol=1e-5, atol=1e-6)
