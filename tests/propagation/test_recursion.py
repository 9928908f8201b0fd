"""The one recursion: closed forms where there are any, Monte Carlo where there are none."""

import numpy as np
import pytest
from conformance import (
    METHODS,
    MODELS,
    MODELS_WITHOUT_POSTERIOR,
    NEEDS_POSTERIOR,
    check_propagated,
    embedded_series,
)
from oracles import ar_forecast, arx_forecast

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.mixture import Mixture
from gpforecast.models import GaussianProcess
from gpforecast.models.conditioning import gp_posterior
from gpforecast.posterior import Posterior
from gpforecast.propagation import ExactMoments, MonteCarlo, Naive, Taylor
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Inputs, Start, propagate

EXACT, TAYLOR, NAIVE = ExactMoments(), Taylor(), Naive()

# Lags and the weights of a stable autoregression on them.
LINEAR = {
    "1 to 4": ((1, 2, 3, 4), [0.9, -0.4, 0.2, 0.1]),
    "1, 2 and 12": ((1, 2, 12), [0.6, -0.3, 0.5]),
    "6 and 12": ((6, 12), [0.5, 0.4]),
    "12, 1 and 5, out of order": ((12, 1, 5), [0.3, 0.5, -0.2]),
}
NOISE = 0.3


def linear_posterior(weights, *, constant=0.0, noise_var=NOISE, added=None):
    d = len(weights)
    return Posterior(
        centers=np.zeros((0, d)),
        lengthscales=np.ones(d),
        weights=np.zeros(0),
        linear=np.asarray(weights, float),
        constant=constant,
        noise_var=noise_var,
        added=added,
    )


def past_values(lags, b=1, seed=0):
    return np.random.default_rng(seed).standard_normal((b, max(lags)))


def within_five_standard_errors(result, mean, covariance):
    """Sample moments of Gaussian paths: their errors are known from the covariance itself."""
    n = result.paths.shape[-1]
    variances = np.diag(covariance)
    assert (np.abs(result.mean[0] - mean) < 5.0 * np.sqrt(variances / n)).all()
    error = np.sqrt((np.outer(variances, variances) + covariance**2) / (n - 1))
    assert (np.abs(result.covariance[0] - covariance) < 5.0 * error).all()


# --- a linear autoregression with known weights -------------------------------------------------


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", LINEAR)
def test_linear_forecast_and_its_joint_covariance_are_the_closed_form(lags, method):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    posterior = linear_posterior(weights, constant=0.5)
    result = propagate(posterior, method, Inputs(lags), Start(past), 30)
    mean, covariance = ar_forecast(weights, lags, past[0], 30, constant=0.5, noise_var=NOISE)
    # Nothing is approximated: only rounding over thirty steps.
    np.testing.assert_allclose(result.mean[0], mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result.covariance[0], covariance, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(result.latent_var[0], np.diag(covariance) - NOISE, atol=1e-12)
    assert result.n_clipped == 0


@pytest.mark.parametrize("lags", LINEAR)
def test_naive_forecast_of_a_linear_model_has_its_mean_and_the_one_step_noise(lags):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    result = propagate(linear_posterior(weights), NAIVE, Inputs(lags), Start(past), 30)
    mean, _ = ar_forecast(weights, lags, past[0], 30, noise_var=NOISE)
    np.testing.assert_allclose(result.mean[0], mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(result.covariance[0], NOISE * np.eye(30))


@pytest.mark.parametrize("kind", ["step", "function"])
@pytest.mark.parametrize("lags", LINEAR)
def test_paths_of_a_linear_model_have_the_closed_form_moments(lags, kind):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    method = MonteCarlo(n_paths=20_000, kind=kind, seed=1)
    result = propagate(linear_posterior(weights), method, Inputs(lags), Start(past), 16)
    mean, covariance = ar_forecast(weights, lags, past[0], 16, noise_var=NOISE)
    within_five_standard_errors(result, mean, covariance)


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
def test_uncertain_weights_add_their_variance_to_one_step(method):
    A = 0.3 * np.random.default_rng(2).standard_normal((4, 3))  # three weights and a constant
    P = A @ A.T
    posterior = linear_posterior([0.5, -0.2, 0.1], constant=1.0, added=A)
    past = past_values((1, 2, 3))
    result = propagate(posterior, method, Inputs((1, 2, 3)), Start(past), 1)
    x = np.append(past[0, ::-1], 1.0)
    np.testing.assert_allclose(result.mean[0, 0], x @ [0.5, -0.2, 0.1, 1.0], rtol=1e-13)
    np.testing.assert_allclose(result.covariance[0, 0, 0], x @ P @ x + NOISE, rtol=1e-13)


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
def test_uncertain_weights_meet_an_uncertain_input_at_the_second_step(method):
    """E[var] = x'Px + P_11 S: the second step's input is the first step's forecast."""
    A = np.array([[0.2, 0.1], [0.05, -0.3]])
    P = A @ A.T
    past = np.array([[1.5]])
    posterior = linear_posterior([0.8], constant=0.1, added=A)
    result = propagate(posterior, method, Inputs((1,)), Start(past), 2)
    m1 = 0.8 * 1.5 + 0.1
    S = np.array([1.5, 1.0]) @ P @ [1.5, 1.0] + NOISE
    x = np.array([m1, 1.0])
    expected = 0.8**2 * S + x @ P @ x + P[0, 0] * S + NOISE
    np.testing.assert_allclose(result.covariance[0, 1, 1], expected, rtol=1e-13)
    np.testing.assert_allclose(result.covariance[0, 0, 1], 0.8 * S, rtol=1e-13)


def test_paths_that_keep_their_weights_are_wider_than_paths_that_redraw_them():
    """Weights drawn once a path: var = var(w) past^2 at every step, and it does not average out."""
    A = np.array([[0.0], [1.0]])  # an unknown level, of variance 1
    posterior = linear_posterior([1.0], noise_var=1e-12, added=A)
    n = 20_000
    fresh, kept = (
        propagate(
            posterior, MonteCarlo(n, kind=kind, seed=0), Inputs((1,)), Start(np.zeros((1, 1))), 10
        )
        for kind in ("step", "function")
    )
    k = np.arange(1, 11)
    error = 5.0 * np.sqrt(2.0 / n)  # relative, of a sample variance
    np.testing.assert_allclose(np.diag(fresh.covariance[0]), k, rtol=error)
    np.testing.assert_allclose(np.diag(kept.covariance[0]), k**2, rtol=error)


# --- exogenous inputs ---------------------------------------------------------------------------

EXOG_TERMS = ((0, 0), (1, 1), (0, 3))
EXOG_WEIGHTS = [0.7, -0.4, 0.2]
AR_LAGS, AR_WEIGHTS = (1, 3), [0.6, 0.2]


def exog_problem(horizon=12, b=1, seed=0):
    rng = np.random.default_rng(seed)
    inputs = Inputs(AR_LAGS, EXOG_TERMS)
    exog = rng.standard_normal((b, inputs.n_past_exog + horizon, 2))
    root = rng.standard_normal((2 * horizon, 4))
    return inputs, past_values(AR_LAGS, b), exog, 0.3 * root @ root.T


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
@pytest.mark.parametrize("uncertain", [False, True], ids=["known", "uncertain"])
def test_exogenous_inputs_of_a_linear_model_match_the_closed_form(method, uncertain):
    inputs, past, exog, cov = exog_problem()
    cov = cov if uncertain else np.zeros_like(cov)
    start = Start(past, exog, cov if uncertain else None)
    posterior = linear_posterior([*AR_WEIGHTS, *EXOG_WEIGHTS])
    result = propagate(posterior, method, inputs, start, 12)
    mean, covariance = arx_forecast(
        AR_WEIGHTS, AR_LAGS, EXOG_WEIGHTS, EXOG_TERMS, past[0], exog[0], cov, 12, noise_var=NOISE
    )
    np.testing.assert_allclose(result.mean[0], mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result.covariance[0], covariance, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_paths_with_uncertain_exogenous_inputs_have_the_closed_form_moments(kind):
    inputs, past, exog, cov = exog_problem()
    posterior = linear_posterior([*AR_WEIGHTS, *EXOG_WEIGHTS])
    method = MonteCarlo(n_paths=20_000, kind=kind, seed=4)
    result = propagate(posterior, method, inputs, Start(past, exog, cov), 12)
    mean, covariance = arx_forecast(
        AR_WEIGHTS, AR_LAGS, EXOG_WEIGHTS, EXOG_TERMS, past[0], exog[0], cov, 12, noise_var=NOISE
    )
    within_five_standard_errors(result, mean, covariance)


def test_a_model_of_exogenous_inputs_alone_needs_no_past():
    rng = np.random.default_rng(0)
    exog = rng.standard_normal((2, 7, 1))
    posterior = linear_posterior([0.5, 0.25])
    inputs = Inputs((), ((0, 0), (0, 2)))
    result = propagate(posterior, EXACT, inputs, Start(np.zeros((2, 0)), exog), 5)
    expected = 0.5 * exog[:, 2:, 0] + 0.25 * exog[:, :5, 0]
    np.testing.assert_allclose(result.mean, expected, rtol=1e-13)


def test_exogenous_covariance_of_zero_equals_known_inputs():
    inputs, past, exog, cov = exog_problem()
    posterior = nonlinear_posterior(5, exog=True)
    known = propagate(posterior, EXACT, inputs, Start(past, exog), 12)
    zero = propagate(posterior, EXACT, inputs, Start(past, exog, np.zeros_like(cov)), 12)
    np.testing.assert_allclose(zero.mean, known.mean, rtol=1e-12)
    np.testing.assert_allclose(zero.covariance, known.covariance, rtol=1e-9, atol=1e-13)


# --- a non-linear GP ----------------------------------------------------------------------------


def nonlinear_posterior(d, *, noise_var=1e-2, seed=0, exog=False):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (30, d))
    y = 1.2 * np.sin(X[:, 0]) - 0.4 * X[:, 1] + 0.2 * np.cos(X[:, -1])
    covariance = SquaredExponential(np.full(d, 2.0 if not exog else 3.0), 1.0)
    return gp_posterior(covariance, noise_var, X, y)[0]


def learned(lags, noise_var):
    """A GP that has learned a smooth map well, with noise small enough for S to stay small."""
    d = len(lags)
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.2, 1.2, (100, d))
    y = 0.9 * np.sin(1.2 * X[:, 0]) - 0.4 * X[:, 1] + 0.2 * np.cos(1.2 * X[:, -1])
    posterior, _ = gp_posterior(SquaredExponential(np.full(d, 5.0), 10.0), 1e-6, X, y)
    return Posterior(**{**vars_of(posterior), "noise_var": noise_var})


def vars_of(posterior):
    return {name: getattr(posterior, name) for name in posterior.__dataclass_fields__}


@pytest.mark.parametrize("lags", [(1, 2, 3, 4, 5, 6), (1, 2, 12)], ids=["1 to 6", "1, 2 and 12"])
def test_joint_covariance_of_a_nonlinear_gp_agrees_with_monte_carlo(lags):
    posterior = learned(lags, noise_var=1e-4)
    past = 0.5 * past_values(lags, seed=2)
    horizon = 16
    exact = propagate(posterior, EXACT, Inputs(lags), Start(past), horizon)
    n = 20_000
    method = MonteCarlo(n_paths=n, seed=3)
    paths = propagate(posterior, method, Inputs(lags), Start(past), horizon)
    std = np.sqrt(np.diag(exact.covariance[0]))
    assert std.max() < 0.03  # small beside the curvature of the map, which is of order one
    scale = np.outer(std, std)
    off = (paths.covariance[0] - exact.covariance[0]) / scale
    # Five standard errors of a covariance over its scale, at most sqrt(2/n) each; what the
    # Gaussian assumption costs is of order S, 1e-3.
    band = 5.0 * np.sqrt(2.0 / n) + 1e-3
    assert np.abs(off).max() < band
    correlations = exact.covariance[0] / scale - np.eye(horizon)
    assert np.abs(correlations).max() > 10.0 * band  # there is something to be wrong about
    mean_band = 5.0 / np.sqrt(n) + 1e-2
    assert (np.abs(paths.mean[0] - exact.mean[0]) / std).max() < mean_band


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", [(1, 2, 3, 4, 5, 6), (1, 2, 12), (6, 12)])
def test_joint_covariance_is_positive_semidefinite_over_a_long_horizon(lags, method):
    posterior = nonlinear_posterior(len(lags))
    result = propagate(posterior, method, Inputs(lags), Start(past_values(lags, 3)), 80)
    check_propagated(result, 3, 80)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", [(1, 2, 3, 4), (1, 2, 12)])
def test_a_forecast_of_50_is_the_start_of_a_forecast_of_100(lags, method):
    posterior = nonlinear_posterior(len(lags))
    start = Start(past_values(lags, 2))
    short, long = (propagate(posterior, method, Inputs(lags), start, h) for h in (50, 100))
    np.testing.assert_array_equal(short.mean, long.mean[:, :50])
    np.testing.assert_array_equal(short.covariance, long.covariance[:, :50, :50])
    np.testing.assert_array_equal(short.latent_var, long.latent_var[:, :50])


@pytest.mark.parametrize("kind", ["step", "function"])
def test_paths_of_50_steps_are_the_start_of_paths_of_100(kind):
    lags = (1, 2, 12)
    method = MonteCarlo(n_paths=20, kind=kind, seed=0)
    start = Start(past_values(lags, 2))
    posterior = nonlinear_posterior(3)
    short, long = (propagate(posterior, method, Inputs(lags), start, h) for h in (50, 100))
    np.testing.assert_array_equal(short.paths, long.paths[:, :50])


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
def test_origins_in_a_batch_equal_each_alone(method):
    lags = (1, 2, 12)
    past = past_values(lags, 5)
    posterior = nonlinear_posterior(3)
    batch = propagate(posterior, method, Inputs(lags), Start(past), 30)
    for i in range(5):
        alone = propagate(posterior, method, Inputs(lags), Start(past[i : i + 1]), 30)
        # Rounding, grown by thirty steps of a map that stretches at most tenfold.
        np.testing.assert_allclose(batch.mean[i], alone.mean[0], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(batch.covariance[i], alone.covariance[0], rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
@pytest.mark.parametrize("n_threads", [2, 3, 16])
def test_the_number_of_threads_does_not_change_the_result(method, n_threads):
    inputs, past, exog, cov = exog_problem(b=7)
    posterior = nonlinear_posterior(5, exog=True)
    start = Start(past, exog, cov)
    one = propagate(posterior, method, inputs, start, 12)
    many = propagate(posterior, method, inputs, start, 12, n_threads=n_threads)
    # Not to the bit: sums over a block may be taken in another order.
    np.testing.assert_allclose(many.mean, one.mean, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(many.covariance, one.covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(many.latent_var, one.latent_var, rtol=1e-9, atol=1e-12)
    assert many.n_clipped == one.n_clipped


@pytest.mark.parametrize("method", [EXACT, TAYLOR, NAIVE], ids=lambda m: m.name)
def test_the_first_step_is_the_plug_in_prediction(method):
    lags = (1, 2, 12)
    posterior = nonlinear_posterior(3)
    past = past_values(lags, 4)
    result = propagate(posterior, method, Inputs(lags), Start(past), 3)
    at = posterior.predict(past[:, [-1, -2, -12]])
    np.testing.assert_allclose(result.mean[:, 0], at.mean, rtol=1e-13)
    np.testing.assert_allclose(result.latent_var[:, 0], at.var, rtol=1e-10)
    expected = at.var + posterior.noise_var
    np.testing.assert_allclose(result.covariance[:, 0, 0], expected, rtol=1e-11)


def test_naive_and_taylor_follow_the_trajectory_of_the_plug_in_model():
    lags = (1, 2, 12)
    posterior = nonlinear_posterior(3)
    past = past_values(lags)
    values = list(past[0])
    for _ in range(25):
        x = np.array([[values[-1], values[-2], values[-12]]])
        values.append(posterior.predict(x).mean[0])
    for method in (NAIVE, TAYLOR):
        result = propagate(posterior, method, Inputs(lags), Start(past), 25)
        np.testing.assert_allclose(result.mean[0], values[12:], rtol=1e-9, atol=1e-11)


def test_permuting_the_lags_with_the_model_changes_nothing():
    lags = (1, 2, 12)
    order = [2, 0, 1]
    posterior = nonlinear_posterior(3)
    permuted = Posterior(
        **{
            **vars_of(posterior),
            "centers": np.ascontiguousarray(posterior.centers[:, order]),
            "lengthscales": posterior.lengthscales[order],
        }
    )
    start = Start(past_values(lags, 2))
    one = propagate(posterior, EXACT, Inputs(lags), start, 20)
    other = propagate(permuted, EXACT, Inputs(tuple(lags[i] for i in order)), start, 20)
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-8, atol=1e-11)


def test_clipped_variances_are_counted_over_the_horizon_and_the_threads():
    broken = Posterior(
        centers=np.zeros((1, 1)),
        lengthscales=np.array([1e6]),
        weights=np.zeros(1),
        linear=np.zeros(1),
        noise_var=1e-3,
        prior_var=1.0,
        chol=np.array([[0.5]]),  # claims to remove a variance of 4 from a prior of 1
    )
    for n_threads in (1, 2):
        result = propagate(
            broken, EXACT, Inputs((1,)), Start(np.zeros((3, 1))), 5, n_threads=n_threads
        )
        assert result.n_clipped == 15
        np.testing.assert_array_equal(result.latent_var, 0.0)


def test_the_callers_arrays_are_left_alone():
    inputs, past, exog, cov = exog_problem(b=2)
    before = past.copy(), exog.copy(), cov.copy()
    for method in METHODS.values():
        propagate(nonlinear_posterior(5, exog=True), method, inputs, Start(past, exog, cov), 12)
    for now, then in zip((past, exog, cov), before, strict=True):
        np.testing.assert_array_equal(now, then)


# --- every model x every method -----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("lags", [(1, 2, 3), (1, 2, 7)], ids=["1 to 3", "1, 2 and 7"])
def test_every_model_goes_through_every_method(model, method, lags):
    z, X, y = embedded_series(lags)
    fitted = MODELS[model]().fit(X, y)
    past = np.stack([z[-max(lags) :], z[-max(lags) - 5 : -5]])
    result = propagate(predictive_of(fitted), METHODS[method], Inputs(lags), Start(past), 20)
    check_propagated(result, 2, 20)
    paths = isinstance(METHODS[method], MonteCarlo)
    assert (result.paths.shape == (2, 20, 40)) if paths else (result.paths is None)
    at = fitted.predict(past[:, [-lag for lag in lags]])
    band = 5.0 * np.sqrt(result.covariance[:, 0, 0] / 40) if paths else 1e-12
    assert (np.abs(result.mean[:, 0] - at) < band).all()


@pytest.mark.parametrize("method", [m for m in METHODS if m not in NEEDS_POSTERIOR])
@pytest.mark.parametrize("model", MODELS_WITHOUT_POSTERIOR)
@pytest.mark.parametrize("lags", [(1, 2, 3), (1, 2, 7)], ids=["1 to 3", "1, 2 and 7"])
def test_every_model_without_a_posterior_goes_through_the_methods_that_need_none(
    model, method, lags
):
    z, X, y = embedded_series(lags)
    fitted = MODELS_WITHOUT_POSTERIOR[model]().fit(X, y)
    past = np.stack([z[-max(lags) :], z[-max(lags) - 5 : -5]])
    result = propagate(fitted.predictive_, METHODS[method], Inputs(lags), Start(past), 20)
    check_propagated(result, 2, 20)
    at = fitted.predict(past[:, [-lag for lag in lags]])
    paths = isinstance(METHODS[method], MonteCarlo)
    band = 5.0 * np.sqrt(result.covariance[:, 0, 0] / 40) if paths else 1e-12
    assert (np.abs(result.mean[:, 0] - at) < band).all()


@pytest.mark.parametrize("method", NEEDS_POSTERIOR)
@pytest.mark.parametrize("model", MODELS_WITHOUT_POSTERIOR)
def test_a_model_without_a_posterior_is_refused_what_needs_one(model, method):
    _, X, y = embedded_series((1, 2))
    predictive = MODELS_WITHOUT_POSTERIOR[model]().fit(X, y).predictive_
    says = f"(closed form for {predictive.model}.*'cubature'|a Posterior.*'step')"
    with pytest.raises(TypeError, match=says):
        propagate(predictive, METHODS[method], Inputs((1, 2)), Start(np.zeros((1, 2))), 3)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_sample_moments_are_those_of_the_paths(kind):
    lags = (1, 2)
    method = MonteCarlo(n_paths=50, kind=kind, seed=0)
    start = Start(past_values(lags, 3))
    result = propagate(nonlinear_posterior(2), method, Inputs(lags), start, 8)
    np.testing.assert_allclose(result.mean, result.paths.mean(axis=2), rtol=1e-12)
    for got, paths in zip(result.covariance, result.paths, strict=True):
        np.testing.assert_allclose(got, np.cov(paths), rtol=1e-11, atol=1e-14)


def test_a_gp_far_from_its_data_returns_to_its_prior():
    gp = GaussianProcess(SquaredExponential(1.0, 2.0), noise_var=0.1, optimizer=None)
    gp.fit(*embedded_series((1, 2))[1:])
    start = Start(np.full((1, 2), 1e3))
    result = propagate(gp.posterior_, EXACT, Inputs((1, 2)), start, 1)
    np.testing.assert_allclose(result.mean, 0.0, atol=1e-300)
    np.testing.assert_allclose(result.covariance[0, 0, 0], 2.1, rtol=1e-12)


@pytest.mark.parametrize("noise_var", [1e-3, 1e-6, 1e-8, 1e-10])
def test_joint_covariance_is_psd_at_any_signal_to_noise(noise_var):
    z = gf.datasets.mackey_glass(400, normalise=True).to_numpy()
    d, rows = 6, 100
    windows = np.lib.stride_tricks.sliding_window_view(z, d + 1)
    X, y = windows[:rows, :d][:, ::-1], windows[:rows, d]
    posterior, _ = gp_posterior(SquaredExponential(np.full(d, 2.0), 1000.0), noise_var, X, y)
    past = np.stack([z[t - d : t] for t in range(150, 250, 10)])
    result = propagate(
        posterior, gf.propagation.ExactMoments(), Inputs(tuple(range(1, d + 1))), Start(past), 40
    )
    for covariance in result.covariance:
        values = np.linalg.eigvalsh(covariance)
        assert values[0] > -1e-12 * values[-1]


# --- mixtures -----------------------------------------------------------------------------------


def test_a_mixture_is_followed_part_by_part_and_mixed_over_the_horizon():
    parts = (nonlinear_posterior(2), nonlinear_posterior(2, seed=5))
    weights = np.array([0.3, 0.7])
    start, inputs = Start(past_values((1, 2), 3)), Inputs((1, 2))
    got = propagate(Mixture(parts, weights), EXACT, inputs, start, 9)
    runs = [propagate(part, EXACT, inputs, start, 9) for part in parts]
    for origin in range(3):
        second = sum(
            w * (run.covariance[origin] + np.outer(run.mean[origin], run.mean[origin]))
            for w, run in zip(weights, runs, strict=True)
        )
        mean = sum(w * run.mean[origin] for w, run in zip(weights, runs, strict=True))
        np.testing.assert_allclose(got.mean[origin], mean, rtol=1e-13)
        expected = second - np.outer(mean, mean)
        np.testing.assert_allclose(got.covariance[origin], expected, rtol=1e-10, atol=1e-12)


def test_paths_of_a_mixture_are_shared_out_by_weight():
    parts = (nonlinear_posterior(2), nonlinear_posterior(2, seed=5))
    method = MonteCarlo(n_paths=40, seed=0)
    mixture = Mixture(parts, np.array([0.25, 0.75]))
    got = propagate(mixture, method, Inputs((1, 2)), Start(past_values((1, 2), 1)), 4)
    assert got.paths.shape == (1, 4, 40)
    alone = propagate(
        parts[0], MonteCarlo(n_paths=10, seed=0), Inputs((1, 2)), Start(past_values((1, 2), 1)), 4
    )
    np.testing.assert_array_equal(got.paths[:, :, :10], alone.paths)
    np.testing.assert_allclose(got.covariance[0], np.cov(got.paths[0]), rtol=1e-11)
