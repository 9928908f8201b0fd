"""The recursion with exogenous inputs, known and uncertain."""

import numpy as np
import pytest
from oracles import arx_forecast
from recursion_cases import (
    AR_LAGS,
    AR_WEIGHTS,
    EXACT,
    EXOG_TERMS,
    NOISE,
    TAYLOR,
    exog_problem,
    linear_posterior,
    within_five_standard_errors,
)

from gpforecast.propagation import MonteCarlo
from gpforecast.propagation.recursion import Inputs, Start, propagate

EXOG_WEIGHTS = [0.7, -0.4, 0.2]


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
