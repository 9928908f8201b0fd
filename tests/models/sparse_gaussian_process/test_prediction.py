"""Sparse Gaussian processes predict as the full matrices that they stand for."""

import numpy as np
import pytest
from sparse_cases import ALL, CENTERS, ELL, EXACT, PIECEWISE, SE, data, fixed, projected
from sparse_oracle import ExplicitSparseGP

from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Linear, Matern, Periodic, SquaredExponential
from gpforecast.models import GaussianProcess, SparseGaussianProcess


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


PAIRS = (
    [(kind, "with linear terms") for kind in (*EXACT, "pic")]
    + [("local", "SE")]
    + [(kind, name) for kind in ("vfe", "pic") for name in OPEN if name != "with linear terms"]
)


@pytest.mark.parametrize(("kind", "covariance"), PAIRS)
def test_prediction_is_that_of_the_full_matrix(kind, covariance):
    covariance = OPEN[covariance]
    X, y = data()
    model = fixed(kind, covariance).fit(X, y)
    brute = explicit(kind, X, y, X[:9], covariance)
    at = data(20, seed=1)[0] * 1.3
    mean, cov = model.predict(at, return_cov=True)
    expected, full = brute.joint(at)
    assert_predicts(model, (expected, np.diag(full)), at)
    np.testing.assert_allclose(mean, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(cov, full, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(model.log_marginal_likelihood_, brute.log_evidence(), rtol=1e-9)


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
