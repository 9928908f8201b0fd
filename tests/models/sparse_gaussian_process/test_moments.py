"""Sparse Gaussian processes at Gaussian inputs: exact where there is a closed form."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import quadrature_moments
from sparse_cases import ALL, EXACT, PIECEWISE, SE, data, fixed, projected

from gpforecast.models import SparseGaussianProcess
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.piecewise import PiecewisePosterior
from gpforecast.posteriors.projected import ProjectedPosterior
from gpforecast.propagation import predict_uncertain

U, S = np.array([0.3, -0.2]), np.array([[0.3, 0.1], [0.1, 0.2]])


@pytest.mark.parametrize("covariance", [SE, ALL], ids=["SE", "with linear terms"])
@pytest.mark.parametrize("kind", EXACT)
def test_exact_moments_match_quadrature(kind, covariance):
    X, y = data()
    posterior = fixed(kind, covariance).fit(X, y).posterior_
    assert type(posterior) is Posterior
    mean, var, gradient = quadrature_moments(posterior, U, S)
    f = posterior.moments(U[None], S[None])
    np.testing.assert_allclose(f.mean[0], mean, rtol=1e-9)
    np.testing.assert_allclose(f.var[0], var, rtol=1e-8)
    np.testing.assert_allclose(f.gradient[0], gradient, rtol=1e-8)


def test_projected_posterior_is_propagated_exactly():
    model = projected()
    posterior = model.posterior_
    assert isinstance(posterior, ProjectedPosterior)
    mean, var, gradient = quadrature_moments(posterior, U, S)
    f = posterior.moments(U[None], S[None])
    np.testing.assert_allclose(f.mean[0], mean, rtol=1e-8)
    np.testing.assert_allclose(f.var[0], var, rtol=1e-7)
    np.testing.assert_allclose(f.gradient[0], gradient, rtol=1e-7)
    result = predict_uncertain(model, U, S)
    np.testing.assert_allclose(result.cross_cov, S @ gradient, rtol=1e-7)


def test_projected_gradient_and_taylor_moments_match_differences():
    posterior = projected().posterior_
    h = 1e-5
    steps = h * np.eye(2)
    ends = [posterior.predict(U + sign * steps).mean for sign in (1, -1)]
    gradient = (ends[0] - ends[1]) / (2.0 * h)
    np.testing.assert_allclose(posterior.gradient(U[None])[0], gradient, rtol=1e-6)
    small = 1e-6 * S
    exact = posterior.moments(U[None], small[None])
    taylor = posterior.taylor_moments(U[None], small[None])
    np.testing.assert_allclose(taylor.var, exact.var, rtol=1e-6)
    np.testing.assert_allclose(taylor.gradient, exact.gradient, rtol=1e-5)


@pytest.mark.parametrize("kind", PIECEWISE)
def test_piecewise_gradient_and_taylor_moments_match_differences(kind):
    X, y = data()
    f = fixed(kind).fit(X, y).predictive_
    assert isinstance(f, PiecewisePosterior)
    assert "taylor" in f.supports
    u = np.array([[-0.8, 0.2], [1.2, 0.9]])  # well within their blocks
    h = 1e-4
    steps = h * np.eye(2)
    for x in u:
        v = f.predict(np.concatenate([[x], x + steps, x - steps]))
        gradient = (v.mean[1:3] - v.mean[3:]) / (2.0 * h)
        np.testing.assert_allclose(f.gradient(x[None])[0], gradient, rtol=1e-6)
        curvature = (v.var[1:3] - 2.0 * v.var[0] + v.var[3:]) / h**2
        taylor = f.taylor_moments(x[None], 0.01 * np.eye(2)[None])
        expected = v.var[0] + 0.005 * curvature.sum() + 0.01 * gradient @ gradient
        np.testing.assert_allclose(taylor.var[0], expected, rtol=1e-4)


@pytest.mark.parametrize("kind", PIECEWISE)
def test_exact_moments_of_a_piecewise_model_are_refused_with_what_works(kind):
    X, y = data()
    model = fixed(kind).fit(X, y)
    with pytest.raises(TypeError, match=f"closed form for .*{kind}.*'taylor', 'cubature'"):
        predict_uncertain(model, U, S)
    assert predict_uncertain(model, U, S, method="cubature").var > 0.0


def test_posterior_of_the_uncertain_draws_functions_with_the_right_spread():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="fitc", inducing=X[:9], noise_var=0.05, variable_noise=True
    ).fit(X, y)
    posterior = model.posterior_
    assert np.shape(posterior.nugget) == (9,)
    K = posterior.prior_var**2 * posterior.chol @ posterior.chol.T
    basis = posterior.prior_var * replace(posterior).features(posterior.centers)
    np.testing.assert_allclose(np.diag(K - basis), posterior.nugget, rtol=1e-8, atol=1e-12)
