import numpy as np
import pytest
from oracles import BruteForceGP, central

from gpforecast.covariances import Constant, Linear, Matern, RationalQuadratic, SquaredExponential
from gpforecast.models import GaussianProcess, NoisyInputGP
from gpforecast.models.noisy_inputs import NoisyInputs, evidence_slopes, scale_reduction


def sinc_rows(seed, output_std=0.05, n=50):
    """The thesis's toy: true inputs, measured ones, targets."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-10, 10, n)
    y = np.sinc(x / np.pi) + output_std * rng.standard_normal(n)
    return x[:, None], (x + rng.standard_normal(n))[:, None], y


def wave(n=15, seed=0):
    rng = np.random.default_rng(seed)
    x = np.linspace(-2, 2, n)
    u, y = x + 0.2 * rng.standard_normal(n), np.sin(2 * x) + 0.05 * rng.standard_normal(n)
    return u[:, None], y


def quick(**options):
    return NoisyInputGP(**{"n_iter": 4, "n_chains": 2, "n_draws": 3, "n_warmup": 4} | options)


def log_density(X, y, ell, variance, noise_var):
    """log N(y | 0, Q) of a squared exponential."""
    return BruteForceGP(X, y, noise_var, SquaredExponential(ell, variance)).log_evidence()


# --- the gradient ----------------------------------------------------------------------------


def test_evidence_and_its_slopes_are_those_of_dense_algebra():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((9, 3)), rng.standard_normal(9)
    theta = np.log([0.7, 1.3, 2.0, 1.5, 0.1])

    def by_theta(theta):
        return log_density(X, y, np.exp(theta[:3]), *np.exp(theta[3:]))

    k = SquaredExponential([0.7, 1.3, 2.0], 1.5)
    value, slopes, by_inputs, by_targets = evidence_slopes(k, 0.1, X, y)
    np.testing.assert_allclose(value, by_theta(theta), rtol=1e-12)
    # Central differences with steps of 1e-5 are off by some 1e-9.
    np.testing.assert_allclose(slopes, central(by_theta, theta), rtol=1e-7, atol=1e-8)
    moved = central(lambda X: log_density(X, y, np.exp(theta[:3]), 1.5, 0.1), X)
    np.testing.assert_allclose(by_inputs, moved, rtol=1e-7, atol=1e-8)
    moved = central(lambda y: log_density(X, y, np.exp(theta[:3]), 1.5, 0.1), y)
    np.testing.assert_allclose(by_targets, moved, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    "covariance",
    [
        Matern([1.0, 2.0], 1.5, nu=1.5),
        RationalQuadratic(1.0, 1.5, 0.7) + Linear(0.3) + Constant(0.5),
        SquaredExponential(1.0, 1.5) * Matern(2.0, 1.0, nu=2.5),
    ],
    ids=repr,
)
def test_slopes_in_the_inputs_hold_for_every_kind_of_covariance(covariance):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((8, 2)), rng.standard_normal(8)

    def dense(X):
        return BruteForceGP(X, y, 0.2, covariance).log_evidence()

    np.testing.assert_allclose(
        evidence_slopes(covariance, 0.2, X, y)[2], central(dense, X), rtol=1e-7, atol=1e-8
    )


@pytest.mark.parametrize("given", [None, np.array([0.3, 0.0])])
def test_joint_slopes_in_theta_and_noise_are_differences(given):
    rng = np.random.default_rng(2)
    U, y = rng.standard_normal((7, 2)), rng.standard_normal(7)
    gp = GaussianProcess(SquaredExponential([1.0, 2.0], 1.0), noise_var=0.1, optimizer=None)
    problem = NoisyInputs.started(gp.evidence_of(U, y), gp.fit(U, y).posterior_, given)
    theta, z = problem.start, rng.standard_normal(14)
    assert len(theta) == 4 + 2 * (given is None)
    value, by_theta, by_z = problem.negative(theta, z)
    X = problem.inputs(theta, z)
    dense = 0.5 * z @ z - log_density(X, y, np.array([1.0, 2.0]), 1.0, 0.1)
    np.testing.assert_allclose(value, dense, rtol=1e-12)
    of_theta = central(lambda t: problem.negative(t, z)[0], theta)
    of_z = central(lambda z: problem.negative(theta, z)[0], z)
    np.testing.assert_allclose(by_theta, of_theta, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(by_z, of_z, rtol=1e-6, atol=1e-8)


# --- sampling --------------------------------------------------------------------------------


def test_draws_of_one_uncertain_input_have_the_posterior_found_by_quadrature():
    # One row of a random slope and wave: log p(y | x) depends on x through k(x, x) = x^2 alone.
    U, y = np.array([[0.0]]), np.array([0.8])
    k, noise_var, s = SquaredExponential(1.0, 1.0) * Linear(1.0), 0.01, 0.5
    problem = NoisyInputs.held(U, y, k, noise_var, np.array([s]))
    rng = np.random.default_rng(0)
    draws, acceptance, _ = problem.sampled(n_chains=3, n_draws=40, n_warmup=40, rng=rng)
    grid = np.linspace(-6, 6, 4001)
    var = grid**2 + noise_var  # k(x, x) = x^2
    density = np.exp(-0.5 * (0.64 / var + np.log(var) + grid**2 / s))
    exact = np.sum(density * np.abs(grid)) / density.sum()
    second = np.sum(density * grid**2) / density.sum()
    # Five standard errors of 120 draws, if a half of them are independent.
    assert abs(np.abs(draws).mean() - exact) < 5 * np.sqrt((second - exact**2) / 60)
    assert (acceptance > 0.4).all()


def test_scale_reduction_is_one_for_equal_chains_and_large_for_chains_apart():
    draws = np.random.default_rng(0).standard_normal((4, 400, 2))
    np.testing.assert_allclose(scale_reduction(draws), 1.0, atol=0.02)
    draws[2:, :, 1] += 5.0
    assert scale_reduction(draws)[1] > 2.0
    assert np.isinf(scale_reduction(np.zeros((2, 8, 1)))).all()


# --- cleaning --------------------------------------------------------------------------------


def test_every_point_of_the_path_is_a_minimum_of_the_posterior():
    U, y = wave()
    model = NoisyInputGP(method="cleaning", input_noise_var=0.04, noise_var=0.01).fit(U, y)
    path = model.path_
    i = len(path.slopes) // 2
    k, noise_var = path.covariances[i], path.noise_vars[i]

    def negative(
        X, theta=k.log_parameters, noise_var=noise_var
    ):  # eq. (4.33) with its 1/2 log 2 pi
        prior = 0.5 * np.sum((X - U) ** 2) / 0.04 + 0.5 * U.size * np.log(2 * np.pi * 0.04)
        return prior - log_density(X, y, np.exp(theta[:1]), np.exp(theta[1]), noise_var)

    X = path.inputs[i]
    np.testing.assert_allclose(negative(X), path.negative_log_posteriors[i], rtol=1e-9)
    assert np.abs(central(negative, X)).max() < 0.05  # the prior's slopes are up to 5
    by_noise = central(lambda t: negative(X, noise_var=np.exp(t[0])), np.log([noise_var]))
    np.testing.assert_allclose(path.slopes[i], abs(by_noise[0]), rtol=1e-6)


def test_cleaning_stops_at_the_given_noise_or_at_the_smallest_slope():
    _, U, y = sinc_rows(0, output_std=0.01)
    free = NoisyInputGP(method="cleaning", input_noise_var=1.0).fit(U, y)
    path = free.path_
    assert 0 < path.stopped_at == np.argmin(path.slopes) < len(path.slopes) - 1
    assert free.noise_var_ == path.noise_vars[path.stopped_at]
    np.testing.assert_array_equal(free.inputs_, path.inputs[path.stopped_at])
    np.testing.assert_allclose(path.noise_vars[1:-1] / path.noise_vars[:-2], 0.7)
    held = NoisyInputGP(method="cleaning", input_noise_var=1.0, noise_var=0.02).fit(U, y)
    assert held.noise_var_ == held.path_.noise_vars[-1] == 0.02
    assert len(held.predictive_.parts) == 1


# --- stochastic EM ---------------------------------------------------------------------------


def test_prediction_is_the_mixture_over_the_draws():
    U, y = wave()
    model = quick(input_noise_var=0.04).fit(U, y)
    assert model.draws_.shape == (6, 15, 1)
    assert model.spread_.shape == (15, 1)
    assert model.acceptance_.shape == (2,)
    np.testing.assert_array_equal(model.input_noise_var_, [0.04])
    at = np.array([[0.3], [1.7]])
    given = {"noise_var": model.noise_var_, "optimizer": None}
    parts = [GaussianProcess(model.covariance_, **given).fit(X, y) for X in model.draws_]
    means = np.array([part.predict(at) for part in parts])
    stds = np.array([part.predict(at, return_std=True)[1] for part in parts])
    mean, std = model.predict(at, return_std=True)
    np.testing.assert_allclose(mean, means.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(std**2, (stds**2).mean(axis=0) + means.var(axis=0), rtol=1e-9)
    evidence = np.mean([part.log_marginal_likelihood_ for part in parts])
    np.testing.assert_allclose(model.log_marginal_likelihood_, evidence, rtol=1e-10)


def test_poor_chains_and_disagreement_are_reported():
    _, U, y = sinc_rows(0)
    model = quick(input_noise_var=1.0, noise_var=1e-5, n_warmup=1).fit(U, y)
    assert any("chains of drawn inputs hardly moved" in note for note in model.report_.notes)
    assert any("the chains disagree on" in note for note in model.report_.notes)


def test_cleaned_rows_are_conditioned_on_with_the_hyperparameters_kept():
    U, y = wave(20)
    model = NoisyInputGP(method="cleaning", input_noise_var=0.04, noise_var=0.01)
    more = model.fit(U[:15], y[:15]).condition(U, y)
    assert (more.covariance_, more.noise_var_) == (model.covariance_, model.noise_var_)
    assert more.inputs_.shape == (20, 1)
    assert model.inputs_.shape == (15, 1)
