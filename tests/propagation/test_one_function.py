"""One function along a path: expected covariances of f, and what they do to a forecast."""

import numpy as np
import pytest
from conditioned import gp_posterior
from oracles import ar_forecast, hermite_grid, posterior_covariance
from posterior_cases import with_all_parts
from recursion_cases import linear_posterior, nonlinear_posterior, past_values

from gpforecast.covariances import SquaredExponential
from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Taylor
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.one_function import AlongPaths, OneFunction
from gpforecast.propagation.recursion import Columns, GaussianNodes, Inputs, Start, propagate

STEP = ExactMoments(function="step")
KINDS = {"along paths": ExactMoments(), "taylor": Taylor(), "cubature": Cubature()}


def expected_covariances(posterior, u, S, n_nodes):
    """E[c(x_j, x_k)] of two jointly Gaussian inputs by quadrature over both: (2, 2)."""
    x, w = hermite_grid(u, S, n_nodes)
    d = posterior.n_inputs
    c = np.array([posterior_covariance(posterior, both.reshape(2, d)) for both in x])
    return np.tensordot(w, c, axes=1)


def two_inputs(d, seed=0, scale=0.4):
    rng = np.random.default_rng(seed)
    root = scale * rng.standard_normal((2 * d, 2 * d))
    return rng.standard_normal(2 * d), root @ root.T


@pytest.mark.parametrize("chol", [True, False], ids=["a GP", "an RVM"])
def test_along_many_paths_it_is_the_quadrature_over_both_inputs(chol):
    posterior = with_all_parts(d=1, prior_var=1.3 if chol else 0.0, chol=chol)
    u, S = two_inputs(1)
    made = AlongPaths(10_000, S[None], 2, [posterior], np.arange(2)[:, None])
    e = [made.expected(k, u[None, k : k + 1])[0] for k in range(2)]
    expected = expected_covariances(posterior, u, S, 16)
    np.testing.assert_allclose(e[0], expected[:1, 0], rtol=0.03)
    np.testing.assert_allclose(e[1], expected[1], rtol=0.03)


def test_at_known_inputs_it_is_the_covariance_of_the_posterior():
    posterior = with_all_parts()
    X, rows = np.random.default_rng(0).standard_normal((5, 3)), np.full((5, 3), -1)
    expected = posterior_covariance(posterior, X)
    made = AlongPaths(2, np.zeros((1, 5, 5)), 0, [posterior], rows)
    for k in range(5):
        e = made.expected(k, X[k : k + 1])
        np.testing.assert_allclose(e[0], expected[k, : k + 1], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_an_uncertain_level_of_a_linear_model_is_exact(name):
    """f = 0.7 y + b with b ~ N(0.2, 0.09): r does not depend on the inputs, so nothing is left out.

    Given b the model is linear: the covariance is its own plus what the mean does with b.
    """
    posterior = linear_posterior([0.7], constant=0.2, added=np.array([[0.0], [0.3]]))
    result = propagate(
        Columns.of(posterior, Inputs((1,))), KINDS[name], Start(np.array([[1.5]])), 9
    )
    mean, covariance = ar_forecast([0.7], (1,), [1.5], 9, constant=0.2, noise_var=0.3)
    by_level = ar_forecast([0.7], (1,), [0.0], 9, constant=1.0, noise_var=0.0)[0]
    np.testing.assert_allclose(result.mean[0], mean, rtol=1e-12)
    expected = covariance + 0.09 * np.outer(by_level, by_level)
    np.testing.assert_allclose(result.covariance[0], expected, rtol=1e-12)


def uncertain_slope(std, noise_var, horizon=6):
    """Mean and covariance of y_t = w y_{t-1} + e with w ~ N(0.8, std^2), by quadrature over w."""
    t, weight = np.polynomial.hermite_e.hermegauss(40)
    runs = [ar_forecast([0.8 + std * z], (1,), [1.5], horizon, noise_var=noise_var) for z in t]
    weight = weight / weight.sum()
    mean = sum(w * m for w, (m, _) in zip(weight, runs, strict=True))
    second = sum(w * (c + np.outer(m, m)) for w, (m, c) in zip(weight, runs, strict=True))
    return mean, second - np.outer(mean, mean)


def test_of_uncertain_weights_the_covariance_is_right_to_first_order():
    """Of variances a tenth as large, of the weight and of the noise, errors are a hundredth."""
    errors = []
    for var in (1e-3, 1e-4):
        added, noise_var = np.array([[np.sqrt(var)], [0.0]]), 10.0 * var
        posterior = linear_posterior([0.8], noise_var=noise_var, added=added)
        result = propagate(
            Columns.of(posterior, Inputs((1,))), ExactMoments(), Start(np.array([[1.5]])), 6
        )
        expected = uncertain_slope(np.sqrt(var), noise_var)[1]
        errors.append(np.abs(result.covariance[0] - expected).max())
    assert errors[0] < 2e-3
    assert 80.0 < errors[0] / errors[1] < 120.0


def test_at_small_variances_it_agrees_with_drawn_functions():
    """Mean and covariance of 20,000 drawn functions, where step by step is far too narrow."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, (25, 2))
    y = np.sin(1.5 * X[:, 0]) - 0.3 * X[:, 1]
    posterior = gp_posterior(SquaredExponential(2.0, 1.0), 1e-4, X, y)[0]
    inputs, start = Inputs((1, 2)), Start(np.array([[0.4, -0.3]]))
    n = 20_000
    drawn = propagate(
        Columns.of(posterior, inputs), MonteCarlo(n, kind="function", seed=0), start, 8
    )
    closed = propagate(Columns.of(posterior, inputs), ExactMoments(), start, 8)
    std = np.sqrt(np.diag(drawn.covariance[0]))
    assert std.max() < 0.05  # small beside the curvature of the map, of order one
    off = (closed.covariance[0] - drawn.covariance[0]) / np.outer(std, std)
    assert np.abs(off).max() < 5.0 * np.sqrt(2.0 / n) + 0.05
    assert (np.abs(closed.mean[0] - drawn.mean[0]) < 5.0 * std / np.sqrt(n) + std**2).all()
    step = propagate(Columns.of(posterior, inputs), STEP, start, 8)
    assert (np.diag(step.covariance[0]) < 0.9 * np.diag(closed.covariance[0]))[3:].all()


def test_the_joint_covariance_is_the_product_of_shock_responses_and_errors_of_the_map():
    """Sigma = (I - G)^-1 (E + D) (I - G)^-T, with the diagonal D of what is new at each step."""

    class Kept(GaussianNodes):
        def moments_at(self, k, predictive, u, S):
            E[k, : k + 1] = self.shared.expected(k, u)[0]
            f, *with_earlier = super().moments_at(k, predictive, u, S)
            D[k] = f.var[0] - f.gradient[0] @ S[0] @ f.gradient[0]
            return f, *with_earlier

    h, inputs = 12, Inputs((1, 2, 5))
    posterior = nonlinear_posterior(3)
    layout = Layout(Columns.of(posterior, inputs), Start(past_values(inputs.lags)), h)
    E, D, G = np.zeros((h, h)), np.zeros(h), np.zeros((h, h))
    nodes = Kept(ExactMoments(), layout)
    for k in range(h):
        assert nodes.step(k)
        for slope, row in zip(nodes.slopes[0, k], layout.row[k], strict=True):
            if row >= 0:
                G[k, row] = slope
    E = np.tril(E) + np.tril(E, -1).T
    D += posterior.noise_var - np.diag(E)
    responses = np.linalg.inv(np.eye(h) - G)
    expected = responses @ (E + np.diag(D)) @ responses.T
    np.testing.assert_allclose(nodes.Sigma[0], expected, rtol=1e-9, atol=1e-12)


def test_only_a_model_that_allows_no_path_is_remarked_upon():
    class Marginals:
        def __init__(self, of):
            self.n_inputs, self.noise_var, self.lengthscales = of.n_inputs, 0.1, of.lengthscales
            self.predict, self.gradient = of.predict, of.gradient

    whole = with_all_parts()
    alone = Marginals(whole)
    for asked in ("path", "step"):
        assert OneFunction(function=asked).remark(whole) == ""
    assert OneFunction(function="step").remark(alone) == ""
    assert "too narrow far ahead" in OneFunction(function="path").remark(alone)


def test_paths_by_a_few_factors_are_those_by_the_root_of_the_whole_joint():
    """Of 4 factors along 16 paths, horizons beyond 64 steps need no root."""
    added = 0.1 * np.random.default_rng(3).standard_normal((4, 3))
    posterior = linear_posterior([0.6, -0.3, 0.2], constant=0.2, added=added)
    inputs, r = Inputs((1, 2, 5)), 16 * len(posterior.signs)
    start = Start(np.random.default_rng(4).standard_normal((2, 5)))
    by_root, by_factors = (
        propagate(Columns.of(posterior, inputs), Taylor(), start, h) for h in (r, r + 1)
    )
    np.testing.assert_allclose(by_factors.mean[:, :r], by_root.mean, rtol=1e-9)
    np.testing.assert_allclose(by_factors.covariance[:, :r, :r], by_root.covariance, rtol=1e-9)
