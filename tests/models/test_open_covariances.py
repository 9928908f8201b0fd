"""Every covariance goes through every model that takes one, and what it lacks is said."""

import numpy as np
import pytest
from conformance import METHODS, OPEN_COVARIANCES, check_propagated, embedded_series

import gpforecast as gf
from gpforecast.covariances import Constant, Linear
from gpforecast.models.evidence import Evidence
from gpforecast.propagation.recursion import Inputs, Start, propagate

LAGS = (1, 2, 3)
Z, X, Y = embedded_series(LAGS)

MODELS = {
    "gp": lambda k: gf.models.GaussianProcess(k, noise_var=0.05, optimizer=None),
    "averaged": lambda k: gf.models.AveragedGP(
        gf.models.GaussianProcess(k, noise_var=0.05), n_draws=2, n_warmup=2
    ),
    "reduced rank": lambda k: gf.models.ReducedRankGP(
        k, noise_var=0.05, n_support=12, optimizer=None, augmented=False, seed=0
    ),
    "reduced rank, augmented": lambda k: gf.models.ReducedRankGP(
        k, noise_var=0.05, n_support=12, optimizer=None, seed=0
    ),
    "sparse, vfe": lambda k: gf.models.SparseGaussianProcess(
        k, noise_var=0.05, n_inducing=12, optimizer=None
    ),
    "sparse, fitc": lambda k: gf.models.SparseGaussianProcess(
        k, approximation="fitc", noise_var=0.05, n_inducing=12, optimizer=None
    ),
    "sparse, pic": lambda k: gf.models.SparseGaussianProcess(
        k, approximation="pic", noise_var=0.05, n_inducing=12, n_blocks=3, optimizer=None
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
@pytest.mark.parametrize("model", MODELS)
def test_every_covariance_is_propagated_or_refused_with_what_works(model, covariance, method):
    k = OPEN_COVARIANCES[covariance]
    frozen = MODELS[model](k).fit(X, Y)._frozen()
    needs = {"exact": "exact", "taylor": "taylor", "monte carlo, function": "function"}.get(method)
    start = Start(Z[None, -3:])

    def run():
        return propagate(frozen, METHODS[method], Inputs(LAGS), start, 6)

    if needs is not None and needs not in frozen.supports:
        with pytest.raises(TypeError, match=r"use .*'cubature', 'monte_carlo' or 'naive'"):
            run()
        piecewise = "pic" in model and needs == "function"
        assert needs == "exact" or not k.is_smooth or "augmented" in model or piecewise
        return
    check_propagated(run(), 1, 6)


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
    slopes = gp.posterior_.gradient(new)
    h = 1e-6
    for d in range(3):
        step = h * np.eye(3)[d]
        difference = (gp.predict(new + step) - gp.predict(new - step)) / (2 * h)
        np.testing.assert_allclose(slopes[:, d], difference, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
def test_the_slope_of_the_evidence_is_its_difference_quotient(covariance):
    k = OPEN_COVARIANCES[covariance] + Linear(0.2) + Constant(0.4)
    problem = Evidence(X, Y, k, 0.05, X.std(axis=0), float(np.mean(Y**2)), False)
    theta, h = problem.start, 1e-5
    value, slopes = problem.negative(theta)
    assert value == pytest.approx(problem.value(theta), rel=1e-12)
    for i in range(len(theta)):
        step = h * np.eye(len(theta))[i]
        difference = (problem.value(theta + step) - problem.value(theta - step)) / (2 * h)
        assert slopes[i] == pytest.approx(difference, rel=1e-5, abs=1e-6), problem.names[i]


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
def test_taylor_moments_expand_the_predictive_variance(covariance):
    k = OPEN_COVARIANCES[covariance]
    if not k.is_smooth:
        return
    posterior = gf.models.GaussianProcess(k, noise_var=0.05, optimizer=None).fit(X, Y).posterior_
    u = X[5] + 0.2
    A = np.random.default_rng(0).standard_normal((3, 3))
    S = 1e-3 * A @ A.T
    f = posterior.taylor_moments(u[None], S[None])
    values, vectors = np.linalg.eigh(S)
    h, at = 1e-3, posterior.predict(u[None]).var[0]
    curve = 0.0
    for value, v in zip(values, vectors.T, strict=True):
        sides = posterior.predict(np.array([u + h * v, u - h * v])).var
        curve += 0.5 * value * (sides.sum() - 2 * at) / h**2
    g = posterior.gradient(u[None])[0]
    np.testing.assert_allclose(f.var[0], at + curve + g @ S @ g, rtol=1e-5)


@pytest.mark.parametrize("covariance", OPEN_COVARIANCES)
@pytest.mark.parametrize("kind", ["vfe", "fitc"])
def test_a_sparse_process_learns_any_covariance_and_where_its_inducing_inputs_lie(kind, covariance):
    options = {"approximation": kind, "n_inducing": 8, "max_iter": 200, "seed": 0}
    k = OPEN_COVARIANCES[covariance]
    fixed, moved = (
        gf.models.SparseGaussianProcess(k, optimise_inducing=moves, **options).fit(X, Y)
        for moves in (False, True)
    )
    start = gf.models.SparseGaussianProcess(
        k, optimizer=None, optimise_inducing=False, **options
    ).fit(X, Y)
    assert fixed.log_marginal_likelihood_ > start.log_marginal_likelihood_
    assert moved.log_marginal_likelihood_ > fixed.log_marginal_likelihood_
    assert not np.array_equal(moved.inducing_, start.inducing_)
