"""Sparse Gaussian processes predict as the full matrices that they stand for."""

import numpy as np
import pytest
from oracles import quadrature_moments, row_slopes
from sparse_cases import ALL, CENTERS, ELL, EXACT, PIECEWISE, SE, data, fixed, projected
from sparse_oracle import ExplicitSparseGP

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Linear, Matern, Periodic, SquaredExponential
from gpforecast.covariances.weight_space import Parts
from gpforecast.models import GaussianProcess, SparseGaussianProcess
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.piecewise import PiecewisePosterior
from gpforecast.posteriors.projected import ProjectedPosterior
from gpforecast.propagation import predict_uncertain


def explicit(kind, X, y, Z, covariance=SE, noise_var=0.05):
    Z = np.zeros((0, 2)) if kind == "local" else Z
    scales = covariance.input_scales(2)

    def label_of(X):
        return ((X[:, None] / scales - CENTERS / scales) ** 2).sum(axis=2).argmin(axis=1)

    return ExplicitSparseGP(kind, X, y, Z, covariance, noise_var, label_of(X), label_of)


def assert_predicts(model, expected, at):
    mean, std = model.predict(at, return_std=True)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std**2, expected[1], rtol=1e-6, atol=1e-8)


ROUGH = Matern(ELL, 1.3, nu=2.5)
OPEN = {
    "SE": SE,
    "with linear terms": ALL,
    "Matern": ROUGH,
    "Matern and linear terms": ROUGH + Linear([0.2, 0.3]),
    "Matern + SE": Matern(ELL, 0.5) + SE,
    "periodic x linear": Periodic(1.0, 1.3, 5.0) * Linear(ELL),
}


PAIRS = [(kind, "with linear terms") for kind in (*EXACT, *PIECEWISE)] + [
    (kind, name) for kind in ("vfe", "pic") for name in OPEN if name != "with linear terms"
]


@pytest.mark.parametrize(("kind", "covariance"), PAIRS)
def test_prediction_is_that_of_the_full_matrix(kind, covariance):
    covariance = OPEN[covariance]
    if kind == "local" and Parts.of(covariance, 2).prior.any():
        return
    X, y = data()
    model = fixed(kind, covariance).fit(X, y)
    brute = explicit(kind, X, y, X[:9], covariance)
    at = data(20, seed=1)[0] * 1.3
    assert_predicts(model, brute.predict(at), at)
    np.testing.assert_allclose(model.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-9)


@pytest.mark.parametrize("kind", [*EXACT, *PIECEWISE])
def test_the_covariance_at_several_inputs_is_that_of_the_full_matrix(kind):
    X, y = data()
    covariance = SE if kind == "local" else ALL
    at = data(12, seed=1)[0] * 1.3
    mean, cov = fixed(kind, covariance).fit(X, y).predict(at, return_cov=True)
    expected, full = explicit(kind, X, y, X[:9], covariance).joint(at)
    np.testing.assert_allclose(mean, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(cov, full, rtol=1e-7, atol=1e-8)


def test_uncertain_inducing_variables_predict_as_the_full_matrix():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="fitc", inducing=X[:9], noise_var=0.05, variable_noise=True, max_iter=5
    )
    with pytest.warns(NumericalWarning, match="before it converged"):
        model.fit(X, y)
    h = model.uncertainty_ / model.covariance_.variance
    brute = ExplicitSparseGP(
        "fitc", X, y, model.inducing_, model.covariance_, model.noise_var_, h=h
    )
    at = data(20, seed=1)[0]
    assert_predicts(model, brute.predict(at), at)
    np.testing.assert_allclose(model.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-9)


@pytest.mark.parametrize("kind", [*EXACT, "pic"])
def test_all_rows_as_inducing_inputs_give_the_full_gp(kind):
    X, y = data()
    full = GaussianProcess(SE, noise_var=0.05, optimizer=None).fit(X, y)
    model = fixed(kind, inducing=X).fit(X, y)
    at = data(20, seed=1)[0]
    mean, std = model.predict(at, return_std=True)
    expected, expected_std = full.predict(at, return_std=True)
    # The nugget of 1e-8 of the inducing variables, with a noise of 0.05, and Q for K.
    np.testing.assert_allclose(mean, expected, atol=1e-5)
    if kind != "sr":
        np.testing.assert_allclose(std, expected_std, atol=1e-5)


@pytest.mark.parametrize("kind", PIECEWISE)
def test_blocks_of_a_trained_model_are_those_of_its_own_lengthscales(kind):
    X, y = data()
    wide = SquaredExponential([0.3, 20.0], 1.3)  # puts rows into other blocks than what is found
    induced = {"inducing": X[:9]} if kind == "pic" else {}
    model = SparseGaussianProcess(
        wide, approximation=kind, noise_var=0.05, blocks=CENTERS, **induced
    ).fit(X, y)
    brute = explicit(kind, X, y, X[:9], model.covariance_, model.noise_var_)
    at = data(20, seed=1)[0]
    assert_predicts(model, brute.predict(at), at)


def test_subset_of_data_is_a_gp_on_some_rows():
    X, y = data()
    model = SparseGaussianProcess(
        SE, approximation="sd", n_inducing=25, noise_var=0.05, optimizer=None, seed=3
    ).fit(X, y)
    chosen = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in model.inducing_]
    assert len(set(chosen)) == 25
    gp = GaussianProcess(SE, noise_var=0.05, optimizer=None).fit(X[chosen], y[chosen])
    np.testing.assert_array_equal(model.predict(X), gp.predict(X))
    assert model.log_marginal_likelihood_ == gp.log_marginal_likelihood_


def test_projected_posterior_predicts_as_the_full_matrix():
    X, y = data()
    model = projected()
    brute = ExplicitSparseGP(
        "vfe", X, y, model.inducing_, model.covariance_, 0.05, P=model.projection_
    )
    at = data(20, seed=1)[0]
    assert_predicts(model, brute.predict(at), at)


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
    gradient = row_slopes(lambda X: posterior.predict(X).mean, U[None])
    np.testing.assert_allclose(posterior.gradient(U[None]), gradient, rtol=1e-6)
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
