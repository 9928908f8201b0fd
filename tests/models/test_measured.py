"""Models of a series that was measured with noise."""

import numpy as np
import pytest
from oracles import central

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.datasets import mackey_glass
from gpforecast.models import AveragedGP, GaussianProcess, LinearAR, SparseGaussianProcess
from gpforecast.models.measured import Measurements


def rows_of(y, d):
    X = np.column_stack([y[d - k - 1 : len(y) - k - 1] for k in range(d)])
    return X, y[d:], np.arange(d, len(y))


def wave(n=80, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    return np.sin(0.4 * t) + 0.5 * np.sin(0.11 * t) + noise * rng.standard_normal(n)


def dense_noise(slopes, places, variances, q):
    """R by the definition: what every e_t adds to every row."""
    G = np.zeros((len(places), len(variances)))
    for i, place in enumerate(places):
        G[i, place] = 1.0
        for k in range(slopes.shape[1]):
            G[i, place - 1 - k] -= slopes[i, k]
    return G @ np.diag(variances) @ G.T + q * np.eye(len(places))


@pytest.fixture
def measured():
    y = wave()
    X, targets, places = rows_of(y, 3)
    variances = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    return X, targets, places, Measurements(places, (1, 2, 3), variances)


def test_rows_share_the_noise_of_the_values_they_share(measured):
    X, _, places, m = measured
    slopes = np.cos(X)
    R = dense_noise(slopes, places, m.variances, 0.3)
    np.testing.assert_allclose(m.errors(slopes).covariance + 0.3 * np.eye(len(X)), R, atol=1e-14)
    banded = m.errors(slopes).banded(1.0, 0.3)
    for k, diagonal in enumerate(banded):
        np.testing.assert_allclose(diagonal[: len(X) - k], np.diag(R, -k), atol=1e-14)


@pytest.mark.parametrize("linear", [False, True])
def test_the_evidence_is_that_of_the_correlated_rows_and_its_slopes_are_right(measured, linear):
    X, y, places, m = measured
    k = SquaredExponential([1.0, 2.0, 3.0], 1.5) + (Linear() + Constant() if linear else Linear())
    gp = GaussianProcess(k, noise_var=0.1, optimizer=None).fit(X, y)
    problem = gp.measured_evidence_of(X, y, m)
    theta = problem.start + 0.1
    covariance, q, factor = problem.unpack(theta)
    slopes = gp.posterior_.gradient(X)
    C = covariance(X) + dense_noise(slopes, places, factor * m.variances, q)
    log_density = -0.5 * (y @ np.linalg.solve(C, y) + np.linalg.slogdet(2 * np.pi * C)[1])
    off = (theta - problem.middle)[:-1] / np.append(np.full(len(theta) - 2, 2.0), 1.0)
    value, slope = problem.negative(theta)
    assert value == pytest.approx(0.5 * off @ off - log_density, abs=1e-8)
    numeric = central(lambda theta: problem.negative(theta)[0], theta)
    np.testing.assert_allclose(slope, numeric, atol=1e-4)


def test_the_posterior_is_that_of_the_correlated_rows(measured):
    X, y, places, m = measured
    found = GaussianProcess().fit(X, y).measured(X, y, m)
    again = found.measured(X, y, m, search=False)
    slopes = found.posterior_.gradient(X)
    R = dense_noise(slopes, places, found.measurement_var_ * m.variances, found.noise_var_)
    k = found.covariance_
    at = X[::7] + 0.1
    C = k(X) + R
    mean = k(at, X) @ np.linalg.solve(C, y)
    var = k.diag(at) - np.sum(k(at, X).T * np.linalg.solve(C, k(X, at)), axis=0)
    predicted = again.posterior_.predict(at)
    np.testing.assert_allclose(predicted.mean, mean, atol=1e-8)
    np.testing.assert_allclose(predicted.var, var, atol=1e-8)


@pytest.mark.parametrize("model", [GaussianProcess(), LinearAR()])
def test_without_measurement_noise_a_model_is_as_it_was(measured, model):
    X, y, places, _ = measured
    exact = Measurements(places, (1, 2, 3), np.zeros(len(y) + 3), known=True)
    plain = model.fit(X, y)
    again = plain.measured(X, y, exact, search=False)
    a, b = plain.posterior_.predict(X), again.posterior_.predict(X)
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-8)
    np.testing.assert_allclose(a.var, b.var, atol=1e-8)


def test_a_sparse_process_with_all_rows_as_inducing_inputs_is_the_full_one(measured):
    X, y, places, _ = measured
    known = Measurements(places, (1, 2, 3), np.full(len(y) + 3, 0.01), known=True)
    k = SquaredExponential([1.0, 1.5, 2.0], 1.0) + Linear()
    full = GaussianProcess(k, noise_var=0.02, optimizer=None).fit(X, y)
    options = {"noise_var": 0.02, "approximation": "dtc", "inducing": X, "optimizer": None}
    sparse = SparseGaussianProcess(k, **options).fit(X, y)
    a = full.measured(X, y, known, search=False).posterior_.predict(X + 0.1)
    b = sparse.measured(X, y, known, search=False).posterior_.predict(X + 0.1)
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-4)  # slopes of the two differ by rounding
    np.testing.assert_allclose(a.var, b.var, atol=1e-4)


def test_an_autoregression_is_that_of_greatest_likelihood():
    """statsmodels maximises the likelihood of all values, without a constant and by a filter."""
    from statsmodels.tsa.statespace.sarimax import SARIMAX

    rng = np.random.default_rng(0)
    z = np.zeros(500)
    for t in range(2, 500):
        z[t] = 1.6 * z[t - 1] - 0.8 * z[t - 2] + 0.5 * rng.standard_normal()
    y = z + rng.standard_normal(500)
    X, targets, places = rows_of(y, 2)
    plain = LinearAR().fit(X, targets)
    found = plain.measured(X, targets, Measurements(places, (1, 2), np.ones(500)))
    peer = SARIMAX(y, order=(2, 0, 0), measurement_error=True).fit(disp=0).params
    np.testing.assert_allclose(found.posterior_.linear, peer[:2], atol=0.02)
    assert found.measurement_var_ == pytest.approx(peer[2], rel=0.05)
    assert found.noise_var_ == pytest.approx(peer[3], rel=0.15)
    assert abs(plain.posterior_.linear[0] - 1.6) > 0.5  # least squares is far off


@pytest.mark.parametrize(
    "model",
    [GaussianProcess(), AveragedGP(n_draws=4, n_warmup=4), SparseGaussianProcess(n_inducing=40)],
)
def test_the_noise_of_a_chaotic_series_is_measurement_noise(model):
    y = mackey_glass(200, normalise=True, noise_var=1e-3, seed=2).to_numpy()
    X, targets, places = rows_of(y, 16)
    m = Measurements(places, tuple(range(1, 17)), np.ones(200))
    found = model.fit(X, targets).measured(X, targets, m)
    assert found.measurement_var_ == pytest.approx(1e-3, rel=0.3)  # 15 % of its root
    assert found.noise_var_ < 0.2 * found.measurement_var_


def test_a_model_that_is_fitted_again_forgets_measurement_noise(measured):
    X, y, _, m = measured
    plain = GaussianProcess().fit(X, y)
    again = plain.measured(X, y, m)
    assert again.warm_started().noise_var is None
    again.fit(X, y)
    assert again.measurement_var_ == 0.0
    np.testing.assert_array_equal(again.predict(X), plain.predict(X))


def test_linear_terms_alone_are_left_to_linear_autoregression(measured):
    X, y, _, m = measured
    gp = GaussianProcess(Linear() + Constant()).fit(X, y)
    with pytest.raises(ValueError, match="linear terms alone"):
        gp.measured(X, y, m)


def test_projections_and_blocks_are_refused(measured):
    X, y, _, m = measured
    model = SparseGaussianProcess(n_inducing=10, approximation="pic").fit(X, y)
    with pytest.raises(TypeError, match="without projection"):
        model.measured(X, y, m)
