"""The recursion through linear models, with exogenous inputs too: closed forms, exactly."""

import numpy as np
import pytest
from oracles import ar_forecast, arx_forecast
from recursion_cases import (
    AR_LAGS,
    AR_WEIGHTS,
    EXACT,
    EXOG_TERMS,
    NAIVE,
    NOISE,
    STEP,
    STEP_TAYLOR,
    TAYLOR,
    assert_moments,
    exog_problem,
    linear_posterior,
    past_values,
    within_five_standard_errors,
)

from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate

# Lags and the weights of a stable autoregression on them.
LINEAR = {
    "1 to 4": ((1, 2, 3, 4), [0.9, -0.4, 0.2, 0.1]),
    "1, 2 and 12": ((1, 2, 12), [0.6, -0.3, 0.5]),
    "6 and 12": ((6, 12), [0.5, 0.4]),
    "12, 1 and 5, out of order": ((12, 1, 5), [0.3, 0.5, -0.2]),
}


@pytest.mark.parametrize("method", [EXACT, TAYLOR], ids=lambda m: m.name)
@pytest.mark.parametrize("lags", LINEAR)
def test_linear_forecast_and_its_joint_covariance_are_the_closed_form(lags, method):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    posterior = linear_posterior(weights, constant=0.5)
    result = propagate(Columns.of(posterior, Inputs(lags)), method, Start(past), 30)
    mean, covariance = ar_forecast(weights, lags, past[0], 30, constant=0.5, noise_var=NOISE)
    # Nothing is approximated: only rounding over thirty steps.
    assert_moments(result, mean[None], covariance[None], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result.latent_var[0], np.diag(covariance) - NOISE, atol=1e-12)
    assert result.n_clipped == 0


@pytest.mark.parametrize("lags", LINEAR)
def test_naive_forecast_of_a_linear_model_has_its_mean_and_the_one_step_noise(lags):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    result = propagate(Columns.of(linear_posterior(weights), Inputs(lags)), NAIVE, Start(past), 30)
    mean, _ = ar_forecast(weights, lags, past[0], 30, noise_var=NOISE)
    np.testing.assert_allclose(result.mean[0], mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(result.covariance[0], NOISE * np.eye(30))


@pytest.mark.parametrize("kind", ["step", "function"])
@pytest.mark.parametrize("lags", LINEAR)
def test_paths_of_a_linear_model_have_the_closed_form_moments(lags, kind):
    lags, weights = LINEAR[lags]
    past = past_values(lags)
    method = MonteCarlo(n_paths=20_000, kind=kind, seed=1)
    result = propagate(Columns.of(linear_posterior(weights), Inputs(lags)), method, Start(past), 16)
    mean, covariance = ar_forecast(weights, lags, past[0], 16, noise_var=NOISE)
    within_five_standard_errors(result, mean, covariance)
    error = 5.0 * np.sqrt(2.0 / 20_000)  # relative, of a sample variance
    np.testing.assert_allclose(
        result.latent_var[0], np.diag(covariance) - NOISE, rtol=error, atol=1e-12
    )


@pytest.mark.parametrize("method", [STEP, STEP_TAYLOR], ids=lambda m: m.name)
def test_uncertain_weights_meet_an_uncertain_input_at_the_second_step(method):
    """E[var] = x'Px + P_11 S: the second step's input is the first step's forecast."""
    A = np.array([[0.2, 0.1], [0.05, -0.3]])
    P = A @ A.T
    past = np.array([[1.5]])
    posterior = linear_posterior([0.8], constant=0.1, added=A)
    result = propagate(Columns.of(posterior, Inputs((1,))), method, Start(past), 2)
    m1 = 0.8 * 1.5 + 0.1
    S = np.array([1.5, 1.0]) @ P @ [1.5, 1.0] + NOISE
    x = np.array([m1, 1.0])
    expected = 0.8**2 * S + x @ P @ x + P[0, 0] * S + NOISE
    np.testing.assert_allclose(result.covariance[0, 1, 1], expected, rtol=1e-13)
    np.testing.assert_allclose(result.covariance[0, 0, 1], 0.8 * S, rtol=1e-13)


EXOG_WEIGHTS = [0.7, -0.4, 0.2]


PATHS = [MonteCarlo(n_paths=20_000, kind=kind, seed=4) for kind in ("step", "function")]


@pytest.mark.parametrize("method", [EXACT, TAYLOR, *PATHS], ids=lambda m: m.name)
@pytest.mark.parametrize("uncertain", [False, True], ids=["known", "uncertain"])
def test_exogenous_inputs_of_a_linear_model_match_the_closed_form(method, uncertain):
    inputs, past, exog, cov = exog_problem()
    cov = cov if uncertain else np.zeros_like(cov)
    start = Start(past, exog, cov if uncertain else None)
    posterior = linear_posterior([*AR_WEIGHTS, *EXOG_WEIGHTS])
    result = propagate(Columns.of(posterior, inputs), method, start, 12)
    mean, covariance = arx_forecast(
        AR_WEIGHTS, AR_LAGS, EXOG_WEIGHTS, EXOG_TERMS, past[0], exog[0], cov, 12, noise_var=NOISE
    )
    if method in PATHS:
        within_five_standard_errors(result, mean, covariance)
    else:
        assert_moments(result, mean[None], covariance[None], rtol=1e-12, atol=1e-13)


def test_a_model_of_exogenous_inputs_alone_needs_no_past():
    rng = np.random.default_rng(0)
    exog = rng.standard_normal((2, 7, 1))
    posterior = linear_posterior([0.5, 0.25])
    inputs = Inputs((), ((0, 0), (0, 2)))
    result = propagate(Columns.of(posterior, inputs), EXACT, Start(np.zeros((2, 0)), exog), 5)
    expected = 0.5 * exog[:, 2:, 0] + 0.25 * exog[:, :5, 0]
    np.testing.assert_allclose(result.mean, expected, rtol=1e-13)
