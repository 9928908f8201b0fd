"""Whole functions drawn from the posterior: their moments, and that they stay the same."""

import numpy as np
import pytest
from conditioned import gp_posterior
from oracles import posterior_covariance
from posterior_cases import POSTERIORS, rows, se_posterior

from gpforecast.covariances import Linear, NeuralNetwork, SquaredExponential
from gpforecast.posteriors.function_draws import draw_functions

POSTERIORS = {**POSTERIORS, "little noise": se_posterior(*rows(20), 1.2, 1.5, 1e-4)}


@pytest.mark.parametrize("n_features", [256, 2])
@pytest.mark.parametrize("name", POSTERIORS)
def test_drawn_functions_have_the_mean_and_covariance_of_the_posterior(name, n_features):
    posterior, n = POSTERIORS[name], 8_000
    sizes = np.array([0.0, 0.5, 1.0, 2.0, 4.0])[:, None]  # up to far from the rows
    x = sizes * np.random.default_rng(2).standard_normal((5, posterior.n_inputs))
    draw = draw_functions(posterior, n, np.random.default_rng(4), n_features=n_features)
    f = draw(np.ascontiguousarray(np.broadcast_to(x, (n, *x.shape))))
    expected, mean = posterior_covariance(posterior, x), posterior.predict(x).mean
    off = f - mean
    error = np.sqrt(np.diag(expected) / n) + 1e-12
    assert (np.abs(off.mean(axis=0)) < 5.0 * error).all()
    products = off[:, :, None] * off[:, None]  # their own spread: draws are not quite Gaussian
    error = products.std(axis=0) / np.sqrt(n) + 1e-12
    assert (np.abs(products.mean(axis=0) - expected) < 5.0 * error).all()


@pytest.mark.parametrize("name", POSTERIORS)
def test_a_path_that_returns_to_an_input_finds_the_same_value(name):
    posterior = POSTERIORS[name]
    draw = draw_functions(posterior, 6, np.random.default_rng(3), n_features=64)
    x = np.random.default_rng(4).standard_normal((6, 3, posterior.n_inputs))
    first = draw(x)
    assert first.shape == (6, 3)
    draw(x + 1.0)
    np.testing.assert_array_equal(draw(x), first)
    alone = [draw(np.ascontiguousarray(x[:, i : i + 1]))[:, 0] for i in range(3)]
    np.testing.assert_allclose(np.transpose(alone), first, rtol=1e-9, atol=1e-10)


def test_drawn_functions_pass_through_the_data_when_there_is_no_noise():
    X = np.linspace(-2.0, 2.0, 6)[:, None]
    posterior, _ = gp_posterior(SquaredExponential(0.7, 1.0), 0.0, X, np.sin(X[:, 0]))
    draw = draw_functions(posterior, 20, np.random.default_rng(0), n_features=64)
    f = draw(np.ascontiguousarray(np.broadcast_to(X, (20, 6, 1))))
    np.testing.assert_allclose(f, np.broadcast_to(np.sin(X[:, 0]), (20, 6)), atol=1e-9)


def arcsines(A, B):
    """Williams (1998), eq. (11): length-scale 1.2, variance 1.5, bias 0.5."""
    inner, own = 0.5 + A @ B.T / 1.44, [1.5 + (C**2).sum(axis=1) / 1.44 for C in (A, B)]
    return 3.0 / np.pi * np.arcsin(inner / np.sqrt(np.outer(*own)))


@pytest.mark.parametrize("linear", [False, True])
def test_functions_without_a_spectral_density_are_roots_of_the_explicit_covariance(linear):
    (X, y), noise_var = rows(20), 0.3
    covariance = NeuralNetwork(1.2, 1.5, 0.5)
    posterior, _ = gp_posterior(covariance + Linear(0.4) if linear else covariance, noise_var, X, y)
    n, k = 3, 4
    at = np.random.default_rng(1).standard_normal((n, k, 2))
    at[:, 3] = at[:, 1]  # a path that returns
    draw = posterior.draw(n, np.random.default_rng(5))
    f = np.concatenate([draw(np.ascontiguousarray(at[:, [i]])) for i in range(k)], axis=1)
    np.testing.assert_allclose(f[:, 3], f[:, 1], rtol=1e-6)
    if linear:  # its slopes are drawn as weights, and beside the rest: checked by returning alone
        return
    rng = np.random.default_rng(5)
    z = np.concatenate([rng.standard_normal((n, 1)) for _ in range(k)], axis=1)
    inverse = np.linalg.inv(arcsines(X, X) + noise_var * np.eye(len(X)))
    for x, drawn, normals in zip(at[:, :3], f, z, strict=True):
        cross = arcsines(x, X)
        root = np.linalg.cholesky(arcsines(x, x) - cross @ inverse @ cross.T)
        np.testing.assert_allclose(
            drawn[:3], cross @ inverse @ y + root @ normals[:3], rtol=1e-9, atol=1e-10
        )


def test_each_of_several_inputs_of_a_function_has_a_path_of_its_own():
    posterior = gp_posterior(NeuralNetwork(1.2, 1.5, 0.5), 0.3, *rows(20))[0]
    x = np.random.default_rng(1).standard_normal((3, 5, 2))
    together = posterior.draw(3, np.random.default_rng(2))
    flat = posterior.draw(15, np.random.default_rng(2))
    for step in (x, x + 0.3):
        alone = flat(step.reshape(15, 1, 2))
        np.testing.assert_allclose(together(step), alone.reshape(3, 5), rtol=1e-12)
