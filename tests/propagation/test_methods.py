"""Propagation methods one step at a time: what they return, refuse and draw."""

import dataclasses

import numpy as np
import pytest
from conformance import METHODS
from oracles import posterior_covariance, quadrature_moments

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.models.conditioning import gp_posterior
from gpforecast.posterior import Posterior, Prediction
from gpforecast.propagation import (
    Cubature,
    ExactMoments,
    MonteCarlo,
    Naive,
    Propagation,
    Taylor,
    UncertainPrediction,
    method_named,
    predict_uncertain,
)
from gpforecast.propagation.function_draws import draw_functions
from gpforecast.propagation.recursion import Inputs, Start, propagate


def data(d=2, n=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X.sum(axis=1) + 0.1 * rng.standard_normal(n)


def gp(d=2):
    model = GaussianProcess(SquaredExponential(1.2, 1.5), noise_var=0.02, optimizer=None)
    return model.fit(*data(d))


U, S = np.array([0.3, -0.2]), np.array([[0.5, 0.2], [0.2, 0.4]])

# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("exact", ExactMoments()),
        ("taylor", Taylor()),
        ("cubature", Cubature()),
        ("naive", Naive()),
        ("monte_carlo", MonteCarlo()),
    ],
)
def test_a_name_stands_for_its_method(name, method):
    assert method_named(name) == method
    assert method.name == name


@pytest.mark.parametrize("method", METHODS.values(), ids=repr)
def test_an_instance_is_returned_as_it_is(method):
    assert method_named(method) is method


def test_a_method_of_ones_own_is_taken():
    class Half:
        name = "half"

        def moments(self, posterior, u, S):
            f = posterior.moments(u, S)
            return dataclasses.replace(f, mean=0.5 * f.mean)

    mine = Half()
    assert isinstance(mine, Propagation)
    assert method_named(mine) is mine
    half, whole = predict_uncertain(gp(), U, S, mine), predict_uncertain(gp(), U, S)
    np.testing.assert_allclose(half.mean, 0.5 * whole.mean, rtol=1e-15)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="one of 'exact', 'taylor', 'cubature', 'naive', 'mon"):
        method_named("sampling")


@pytest.mark.parametrize("method", [None, 3, ExactMoments, MonteCarlo, object()])
def test_what_is_not_a_method_is_a_type_error(method):
    with pytest.raises(TypeError, match=r"an instance such as gf\.propagation\.Taylor\(\)"):
        method_named(method)


@pytest.mark.parametrize("method", METHODS.values(), ids=repr)
def test_methods_are_frozen_comparable_and_printable(method):
    assert method == dataclasses.replace(method)
    assert hash(method) == hash(dataclasses.replace(method))
    assert repr(method).startswith(type(method).__name__ + "(")
    with pytest.raises(dataclasses.FrozenInstanceError):
        method.n_paths = 3


# --- predict_uncertain --------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "taylor", "cubature", "naive"])
def test_predict_uncertain_has_the_same_fields_for_every_method(method):
    f = predict_uncertain(gp(), U, S, method)
    assert isinstance(f, UncertainPrediction)
    assert type(f.mean) is float
    assert type(f.var) is float
    assert f.cross_cov.shape == (2,)
    assert f.var > 0.0


@pytest.mark.parametrize("d", [1, 2])
def test_exact_prediction_matches_quadrature(d):
    model = gp(d)
    f = predict_uncertain(model, U[:d], S[:d, :d])
    mean, var, gradient = quadrature_moments(model.posterior_, U[:d], S[:d, :d])
    # 80 nodes a dimension reach 1e-12 for bumps wider than the input.
    np.testing.assert_allclose(f.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(f.var, var, rtol=1e-9)
    np.testing.assert_allclose(f.cross_cov, S[:d, :d] @ gradient, rtol=1e-9)


@pytest.mark.parametrize("method", ["exact", "taylor", "cubature", "naive"])
def test_a_known_input_gives_the_models_own_prediction(method):
    model = gp()
    f = predict_uncertain(model, U, np.zeros((2, 2)), method)
    mean, std = model.predict(U[None], return_std=True)
    np.testing.assert_allclose(f.mean, mean[0], rtol=1e-13)
    np.testing.assert_allclose(f.var, std[0] ** 2, rtol=1e-11)
    np.testing.assert_array_equal(f.cross_cov, 0.0)


def test_the_variance_is_latent():
    model = gp()
    f = predict_uncertain(model, [1e3, 1e3], np.zeros((2, 2)))
    np.testing.assert_allclose(f.var, 1.5, rtol=1e-14)  # the prior's, without the noise of 0.02


def test_naive_ignores_the_uncertainty_of_its_input():
    model = gp()
    uncertain, known = (predict_uncertain(model, U, k * S, "naive") for k in (1.0, 0.0))
    assert (uncertain.mean, uncertain.var) == (known.mean, known.var)
    np.testing.assert_array_equal(uncertain.cross_cov, 0.0)


def test_model_posterior_and_lists_are_all_welcome():
    model = gp()
    f = predict_uncertain(model, U, S, ExactMoments())
    g = predict_uncertain(model.posterior_, U.tolist(), S.tolist())
    assert (f.mean, f.var) == (g.mean, g.var)


def test_one_input_may_be_given_as_numbers():
    model = gp(1)
    f, g = predict_uncertain(model, 0.3, 0.5), predict_uncertain(model, [0.3], [[0.5]])
    assert (f.mean, f.var) == (g.mean, g.var)


def test_rounding_in_a_covariance_is_forgiven():
    model = gp()
    line = np.array([0.1, 0.3])
    rank_one = np.outer(line, line)
    rank_one[0, 1] *= 1.0 + 1e-14
    f = predict_uncertain(model, U, rank_one)
    g = predict_uncertain(model, U, np.outer(line, line))
    np.testing.assert_allclose(f.var, g.var, rtol=1e-10)


@pytest.mark.parametrize(
    ("u", "cov", "says"),
    [
        ([0.0, 0.0, 0.0], S, r"a Gaussian over the 2 inputs of the model, shapes \(2,\) and"),
        ([0.0], S, r"got mean \(1,\) and cov \(2, 2\)"),
        (U, np.eye(3), r"got mean \(2,\) and cov \(3, 3\)"),
        (U, [0.5, 0.4], r"and cov \(2,\)"),
        (U, 0.5, r"and cov \(1, 1\)"),
        (U, [[0.5, 0.2], [0.1, 0.4]], r"must be symmetric; pass \(S \+ S\.T\) / 2"),
        (U, [[0.5, 0.9], [0.9, 0.4]], "must be positive semi-definite; its smallest eigenvalue"),
        (U, [[-1.0, 0.0], [0.0, 1.0]], "smallest eigenvalue is -1"),
        ([np.nan, 0.0], S, "the input mean u has 1 missing"),
        (U, [[np.inf, 0.0], [0.0, 1.0]], "the input covariance S has 1 infinite"),
    ],
)
def test_what_is_not_a_gaussian_over_the_inputs_is_refused(u, cov, says):
    with pytest.raises(ValueError, match=says):
        predict_uncertain(gp(), u, cov)


def test_words_are_a_type_error():
    with pytest.raises(TypeError, match="the input mean u must hold real numbers"):
        predict_uncertain(gp(), ["a", "b"], S)


def test_monte_carlo_has_no_single_step_form_and_says_what_to_do():
    with pytest.raises(TypeError, match=r"Use 'exact', 'taylor', 'cubature' or 'naive', or"):
        predict_uncertain(gp(), U, S, "monte_carlo")


def test_a_model_without_a_posterior_names_what_works():
    class Forest:
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(TypeError, match=r"Forest has no posterior_.*such as GaussianProcess"):
        predict_uncertain(Forest(), U, S)


class Straight:
    """The least that can be propagated: five names and no second derivatives."""

    n_inputs, noise_var, lengthscales = 2, 0.1, np.ones(2)

    def predict(self, X):
        return Prediction(X @ [1.0, -2.0], np.full(len(X), 0.3))

    def gradient(self, X):
        return np.broadcast_to([1.0, -2.0], X.shape)


def test_a_predictive_of_ones_own_goes_through_cubature_and_naive():
    f = predict_uncertain(Straight(), U, S, "cubature")
    np.testing.assert_allclose((f.mean, f.var), (0.7, 0.3 + 0.5 + 4.0 * 0.4 - 4.0 * 0.2))
    np.testing.assert_allclose(f.cross_cov, S @ [1.0, -2.0])
    assert predict_uncertain(Straight(), U, S, "naive").var == 0.3


def test_a_model_that_holds_a_predictive_is_asked_for_it():
    class Model:
        predictive_ = Straight()

    assert predict_uncertain(Model(), U, S, "cubature").mean == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (
            ExactMoments(),
            r"no closed form for Straight.*'cubature', 'monte_carlo', or 'naive'",
        ),
        (Taylor(), r"'taylor' needs taylor_moments.*Straight has none.*Use 'cubature', 'monte"),
    ],
    ids=repr,
)
def test_a_predictive_that_lacks_what_a_method_needs_is_told_what_works(method, says):
    with pytest.raises(TypeError, match=says):
        predict_uncertain(Straight(), U, S, method)


def test_whole_functions_need_a_posterior():
    method = MonteCarlo(n_paths=3, kind="function")
    with pytest.raises(TypeError, match=r"got Straight.*Use MonteCarlo\(kind='step'\)"):
        propagate(Straight(), method, Inputs((1, 2)), Start(np.zeros((1, 2))), 2)


def test_an_unfitted_model_asks_to_be_fitted():
    with pytest.raises(RuntimeError, match=r"GaussianProcess is not fitted yet; call fit\(X, y\)"):
        predict_uncertain(GaussianProcess(), U, S)


# --- Monte Carlo --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"n_paths": 0}, "n_paths must be a positive integer; got 0"),
        ({"n_paths": 2.5}, "n_paths must be a positive integer; got 2.5"),
        ({"n_paths": True}, "n_paths must be a positive integer; got True"),
        ({"n_paths": 1}, "n_paths must be at least 2, for a variance; got 1"),
        ({"kind": "path"}, "kind must be one of 'step', 'function'; got 'path'"),
        ({"n_features": 0}, "n_features must be a positive integer; got 0"),
    ],
)
def test_monte_carlo_parameters_that_make_no_sense_are_refused(parameters, says):
    with pytest.raises(ValueError, match=says):
        MonteCarlo(**parameters)


def paths(method):
    inputs = Inputs((1, 2))
    start = Start(np.array([[0.3, 0.1]]))
    return propagate(gp().posterior_, method, inputs, start, 6).paths


@pytest.mark.parametrize("kind", ["step", "function"])
def test_the_same_seed_draws_the_same_paths_and_another_seed_others(kind):
    method = MonteCarlo(n_paths=10, kind=kind, seed=1)
    np.testing.assert_array_equal(paths(method), paths(method))
    assert not np.allclose(paths(method), paths(dataclasses.replace(method, seed=2)))


@pytest.mark.parametrize("kind", ["step", "function"])
def test_without_a_seed_every_call_draws_anew(kind):
    method = MonteCarlo(n_paths=10, kind=kind)
    assert not np.allclose(paths(method), paths(method))


def test_a_generator_goes_on_from_where_it_is():
    rng = np.random.default_rng(1)
    first = paths(MonteCarlo(n_paths=10, seed=rng))
    np.testing.assert_array_equal(first, paths(MonteCarlo(n_paths=10, seed=1)))
    assert not np.allclose(first, paths(MonteCarlo(n_paths=10, seed=rng)))


def test_the_global_random_state_is_neither_read_nor_changed():
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = paths(MonteCarlo(n_paths=10, seed=1))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(6)  # noqa: NPY002
    np.testing.assert_array_equal(paths(MonteCarlo(n_paths=10, seed=1)), first)


def test_step_draws_have_the_mean_and_variance_of_predict():
    posterior = gp().posterior_
    n = 40_000
    x = np.random.default_rng(2).uniform(-3.0, 3.0, (4, 2))
    draw = MonteCarlo(n_paths=n, seed=0).start(posterior, np.random.default_rng(0))
    f = draw(np.broadcast_to(x, (n, 4, 2)))
    at = posterior.predict(x)
    assert f.shape == (n, 4)
    assert (np.abs(f.mean(axis=0) - at.mean) < 5.0 * np.sqrt(at.var / n)).all()
    np.testing.assert_allclose(f.var(axis=0), at.var, rtol=5.0 * np.sqrt(2.0 / n))


def test_step_draws_at_the_same_input_differ():
    draw = MonteCarlo(seed=0).start(gp().posterior_, np.random.default_rng(0))
    x = np.zeros((5, 1, 2))
    assert not np.allclose(draw(x), draw(x))


# --- whole functions ----------------------------------------------------------------------------


def with_linear_terms():
    covariance = SquaredExponential([0.9, 1.4], 1.5) + Linear([0.5, 0.2]) + Constant(2.0)
    return gp_posterior(covariance, 0.02, *data())[0]


def relevance_vectors():
    rng = np.random.default_rng(1)
    return Posterior(
        centers=rng.uniform(-2.0, 2.0, (6, 2)),
        lengthscales=np.array([0.9, 1.4]),
        weights=rng.standard_normal(6),
        linear=np.zeros(2),
        noise_var=0.02,
        added=np.concatenate([0.3 * rng.standard_normal((6, 6)), np.zeros((3, 6))]),
    )


def linear_only():
    return gp_posterior(Linear(0.5) + Constant(1.0), 0.5, *data())[0]


def little_noise():
    X, y = data()
    return gp_posterior(SquaredExponential(1.2, 1.5), 1e-4, X, y)[0]


DRAWN = {
    "gp": lambda: gp().posterior_,
    "gp + linear + constant": with_linear_terms,
    "like a relevance vector machine": relevance_vectors,
    "linear only": linear_only,
    "little noise": little_noise,
}


@pytest.mark.parametrize("n_features", [256, 2])
@pytest.mark.parametrize("name", DRAWN)
def test_drawn_functions_have_the_mean_and_covariance_of_the_posterior(name, n_features):
    posterior = DRAWN[name]()
    n = 8_000
    x = np.array([[0.0, 0.0], [0.4, -0.2], [1.9, 1.5], [3.0, -2.5], [-4.0, 4.0]])
    draw = draw_functions(posterior, n, np.random.default_rng(3), n_features=n_features)
    f = draw(np.ascontiguousarray(np.broadcast_to(x, (n, 5, 2))))
    expected, mean = posterior_covariance(posterior, x), posterior.predict(x).mean
    error = np.sqrt(np.diag(expected) / n)
    assert (np.abs(f.mean(axis=0) - mean) < 5.0 * error).all()
    off = f - mean
    for i in range(5):
        for j in range(i + 1):
            products = off[:, i] * off[:, j]  # their own spread: draws are not quite Gaussian
            assert abs(products.mean() - expected[i, j]) < 5.0 * products.std() / np.sqrt(n)


@pytest.mark.parametrize("name", DRAWN)
def test_a_path_that_returns_to_an_input_finds_the_same_value(name):
    posterior = DRAWN[name]()
    draw = draw_functions(posterior, 6, np.random.default_rng(3), n_features=64)
    x = np.random.default_rng(4).standard_normal((6, 3, 2))
    first = draw(x)
    assert first.shape == (6, 3)
    draw(x + 1.0)
    np.testing.assert_array_equal(draw(x), first)
    alone = [draw(np.ascontiguousarray(x[:, i : i + 1]))[:, 0] for i in range(3)]
    np.testing.assert_allclose(np.transpose(alone), first, rtol=1e-9, atol=1e-10)


def test_a_drawn_function_is_smooth():
    draw = draw_functions(gp().posterior_, 5, np.random.default_rng(3), n_features=64)
    x = np.random.default_rng(4).standard_normal((5, 1, 2))
    # Slopes of a GP with variance 1.5 and length-scale 1.2 are of order one.
    np.testing.assert_allclose(draw(x + 1e-6), draw(x), atol=1e-4)


def test_drawn_functions_pass_through_the_data_when_there_is_no_noise():
    X = np.linspace(-2.0, 2.0, 6)[:, None]
    posterior, _ = gp_posterior(SquaredExponential(0.7, 1.0), 0.0, X, np.sin(X[:, 0]))
    draw = draw_functions(posterior, 20, np.random.default_rng(0), n_features=64)
    f = draw(np.ascontiguousarray(np.broadcast_to(X, (20, 6, 1))))
    np.testing.assert_allclose(f, np.broadcast_to(np.sin(X[:, 0]), (20, 6)), atol=1e-9)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_more_paths_than_fit_one_block_show_no_seam(kind):
    """With known weights every draw is the mean, whichever block it was computed in."""
    posterior = dataclasses.replace(relevance_vectors(), added=None)
    n = 90_000  # x 8 inputs x 6 bumps: past the blocks of both kinds
    x = np.random.default_rng(0).standard_normal((n, 8, 2))
    draw = MonteCarlo(n_paths=n, kind=kind).start(posterior, np.random.default_rng(0))
    mean = posterior.predict(x.reshape(-1, 2)).mean.reshape(n, 8)
    np.testing.assert_allclose(draw(x), mean, rtol=1e-10, atol=1e-12)
