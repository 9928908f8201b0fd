"""Missing values against brute force, Kalman's smoother and Monte Carlo by importance."""

import numpy as np
import pytest
from oracles import conditioned, linear_gaussian
from recursion_cases import (
    AR2,
    EXACT,
    NOISE,
    TAYLOR,
    ar2,
    linear_posterior,
    nonlinear_posterior,
    smoothed,
    within_five_standard_errors,
)

from gpforecast.propagation import Cubature, MonteCarlo
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Columns, Inputs, propagate

GAUSSIAN, LAGS = [EXACT, TAYLOR, Cubature()], Inputs((1, 2))


def gaps_of(posterior, y, method=EXACT, exog=None, inputs=LAGS):
    return Gaps(posterior, method, inputs, y, np.empty((len(y), 0)) if exog is None else exog)


def without(y, missing):
    y = y.copy()
    y[missing] = np.nan
    return y


GAPS = {
    "one value": [10],
    "a run": [10, 11, 12, 13],
    "every other": [10, 12, 14, 16],
    "runs apart": [5, 6, 20, 21, 22],
    "the last": [28, 29],
    "the last but one": [28],
    "the last but three": [26, 28],
}


@pytest.mark.parametrize("method", GAUSSIAN, ids=lambda m: m.name)
@pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)
def test_a_linear_series_is_filled_and_forecast_as_by_dense_algebra(gap, method):
    y = without(ar2(30), gap)
    gaps = gaps_of(linear_posterior(AR2), y, method)
    mean, var, n_clipped = gaps.filled()
    expected, covariance = smoothed(np.append(y, np.full(8, np.nan)))
    np.testing.assert_allclose(mean, expected[:30], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(var, np.diag(covariance)[:30], rtol=1e-10, atol=1e-12)
    assert n_clipped == 0
    start = gaps.starts(np.array([30]), 8)
    result = propagate(Columns.of(gaps.predictive, LAGS), method, start, 8)
    np.testing.assert_allclose(result.mean[0], expected[30:], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(result.covariance[0], covariance[30:, 30:], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("method", GAUSSIAN, ids=lambda m: m.name)
@pytest.mark.parametrize("lag_of_input", [0, 1, 3])
def test_linear_model_with_missing_inputs_is_the_conditioned_joint_gaussian(method, lag_of_input):
    """Everything at once by one big inverse: gaps in y and in an input, and a forecast after."""
    n, h, lags, weights = 20, 5, (1, 3), [0.6, 0.2]
    terms, exog_weights = ((0, lag_of_input), (1, 1)), [0.7, -0.4]
    rng = np.random.default_rng(3)
    x = rng.standard_normal((n + h, 2))
    y = np.zeros(n)
    for t in range(3, n):
        y[t] = 0.6 * y[t - 1] + 0.2 * y[t - 3] + 0.7 * x[t - lag_of_input, 0] - 0.4 * x[t - 1, 1]
        y[t] += np.sqrt(NOISE) * rng.standard_normal()
    y, x = without(y, [8, 9, 18]), x.copy()
    x[[6, 17], 0] = np.nan
    x[19, 1] = np.nan
    root = rng.standard_normal((2 * h, 3))
    future_cov = 0.2 * root @ root.T

    posterior, inputs = linear_posterior([*weights, *exog_weights]), Inputs(lags, terms)
    start = gaps_of(posterior, y, method, x, inputs).starts(np.array([n]), h, future_cov)
    result = propagate(Columns.of(posterior, inputs), method, start, h)

    m = n + h  # all values of y, then those of x, row by row
    places = {}
    for t in range(3, m):
        own = [(w, t - lag) for w, lag in zip(weights, lags, strict=True)]
        of_x = zip(exog_weights, terms, strict=True)
        places[t] = own + [(w, m + 2 * (t - lag) + j) for w, (j, lag) in of_x]
    covariance = np.diag(np.repeat([0.0, NOISE, 0.0], [3, m - 3, 2 * m]))
    covariance[m + 2 * n :, m + 2 * n :] = future_cov
    gaps = m + np.flatnonzero(np.isnan(x.ravel()))
    covariance[gaps, gaps] = 1.0
    level = np.concatenate([y[:3], np.zeros(m - 3), np.nan_to_num(x).ravel()])
    known = np.flatnonzero(~np.isnan(y))[3:]
    mean, cov = conditioned(*linear_gaussian(places, level, covariance), known, y[known])
    np.testing.assert_allclose(result.mean[0], mean[n:m], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(result.covariance[0], cov[n:m, n:m], rtol=1e-9, atol=1e-11)


def test_monte_carlo_draws_the_missing_values():
    y = without(ar2(30), [27, 29])
    gaps = gaps_of(linear_posterior(AR2), y, MonteCarlo(n_paths=20_000, seed=0))
    result = propagate(
        Columns.of(gaps.predictive, LAGS), gaps.method, gaps.starts(np.array([30]), 6), 6
    )
    mean, covariance = smoothed(np.append(y, np.full(6, np.nan)))
    within_five_standard_errors(result, mean[30:], covariance[30:, 30:])


def test_nonlinear_gap_agrees_with_weighted_paths_where_it_is_nearly_gaussian():
    """Importance sampling: paths through the gap, weighted by the density of what followed."""
    posterior = nonlinear_posterior(2)
    rng = np.random.default_rng(7)
    y = [0.3, 0.5]
    for _ in range(10):
        f = posterior.predict(np.array([[y[-1], y[-2]]]))
        y.append(float(f.mean[0] + np.sqrt(f.var[0] + 1e-2) * rng.standard_normal()))
    y = without(np.array(y), [6])
    mean, var, _ = gaps_of(posterior, y).filled()

    def step(a, b):
        f = posterior.predict(np.column_stack([a, b]))
        return f.mean, f.var + 1e-2

    n = 200_000
    m, v = step(*np.full((2, 1), [[y[5]], [y[4]]]))
    z = m + np.sqrt(v) * rng.standard_normal(n)
    log_weight = np.zeros(n)
    for seen, a, b in ((y[7], z, np.full(n, y[5])), (y[8], np.full(n, y[7]), z)):
        m, v = step(a, b)
        log_weight += -0.5 * (np.log(v) + (seen - m) ** 2 / v)
    w = np.exp(log_weight - log_weight.max())
    w /= w.sum()
    true_mean = w @ z
    true_var = w @ (z - true_mean) ** 2
    # The map is curved over the width of the gap; a Gaussian is right to some percent of it.
    assert abs(mean[6] - true_mean) < 0.1 * np.sqrt(true_var)
    assert abs(var[6] / true_var - 1.0) < 0.15
    # Without conditioning it would be this far off.
    unconditioned = step(np.array([y[5]]), np.array([y[4]]))[1][0]
    assert unconditioned > 1.3 * true_var


def test_an_input_missing_in_the_future_is_refused():
    y, x = ar2(20), np.zeros((25, 1))
    x[21] = np.nan
    posterior, inputs = linear_posterior([*AR2, 1.0]), Inputs((1, 2), ((0, 0),))
    with pytest.raises(ValueError, match=r"1 missing among them, the first at step 2.*exog_cov"):
        gaps_of(posterior, y, EXACT, x, inputs).starts(np.array([20]), 5)


def test_a_gap_over_which_the_model_runs_away_is_refused():
    y = without(ar2(400), range(10, 400))
    with pytest.raises(ValueError, match="runs away"):
        gaps_of(linear_posterior([9.0, 99.0]), y).filled()
