"""Missing values against brute force, Kalman's smoother and Monte Carlo by importance."""

import numpy as np
import pytest
from conditioned import gp_posterior

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation import Cubature, ExactMoments, MonteCarlo, Taylor
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Inputs, propagate

EXACT, STEP = ExactMoments(), ExactMoments(function="step")
GAUSSIAN = [EXACT, Taylor(), Cubature()]
AR2, NOISE = [0.9, -0.4], 0.3


def linear_posterior(weights):
    d = len(weights)
    no_basis = np.zeros((0, d)), np.ones(d), np.zeros(0)
    return Posterior(*no_basis, linear=np.asarray(weights, float), noise_var=NOISE)


def nonlinear_posterior(d, *, noise_var=1e-2):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (30, d))
    y = 1.2 * np.sin(X[:, 0]) - 0.4 * X[:, 1]
    return gp_posterior(SquaredExponential(np.full(d, 2.0), 1.0), noise_var, X, y)[0]


def ar2(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = AR2[0] * y[t - 1] + AR2[1] * y[t - 2] + np.sqrt(NOISE) * rng.standard_normal()
    return y


def without(y, missing):
    y = y.copy()
    y[missing] = np.nan
    return y


def none(y):
    return np.empty((len(y), 0))


def joint_of_linear(n, weights, lags, exog_weights, terms, x_mean, x_cov, y0):
    """Mean and covariance of all y (n,) and x (n q): y = L y + M x + e, solved at once."""
    q = x_mean.shape[1]
    first = len(y0)
    L, M, D = np.zeros((n, n)), np.zeros((n, n * q)), np.zeros(n)
    for t in range(first, n):
        for w, lag in zip(weights, lags, strict=True):
            L[t, t - lag] = w
        for w, (j, lag) in zip(exog_weights, terms, strict=True):
            M[t, (t - lag) * q + j] = w
        D[t] = NOISE
    D[:first] = [v for _, v in y0]
    inverse = np.linalg.inv(np.eye(n) - L)
    level = np.zeros(n)
    level[:first] = [m for m, _ in y0]
    mean = np.concatenate([inverse @ (level + M @ x_mean.ravel()), x_mean.ravel()])
    yy = inverse @ (np.diag(D) + M @ x_cov @ M.T) @ inverse.T
    yx = inverse @ M @ x_cov
    return mean, np.block([[yy, yx], [yx.T, x_cov]])


def conditioned(mean, cov, known, values):
    """Of a joint Gaussian, the distribution of everything given some of it, by its inverse."""
    gain = cov[:, known] @ np.linalg.inv(cov[np.ix_(known, known)])
    return mean + gain @ (values - mean[known]), cov - gain @ cov[known]


def kalman(y, n_ahead):
    """Filter and smoother of AR(2) with the state (y_t, y_t-1), observed without further noise."""
    n = len(y) + n_ahead
    F, Q = np.array([AR2, [1.0, 0.0]]), np.diag([NOISE, 0.0])
    y = np.concatenate([y, np.full(n_ahead, np.nan)])
    m, P = np.array([y[1], y[0]]), np.zeros((2, 2))
    filtered, predicted = [(m, P)], []
    for t in range(2, n):
        m, P = F @ m, F @ P @ F.T + Q
        predicted.append((m, P))
        if not np.isnan(y[t]):
            K = P[:, 0] / P[0, 0]
            m, P = m + K * (y[t] - m[0]), P - np.outer(K, P[0])
        filtered.append((m, P))
    smooth = [filtered[-1]]
    for (m, P), (mp, Pp) in zip(filtered[-2::-1], predicted[::-1], strict=True):
        G = P @ F.T @ np.linalg.pinv(Pp)
        ms, Ps = smooth[0]
        smooth.insert(0, (m + G @ (ms - mp), P + G @ (Ps - Pp) @ G.T))
    mean = np.array([y[0], *(m[0] for m, _ in smooth)])
    var = np.array([0.0, *(P[0, 0] for _, P in smooth)])
    return mean, var


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
def test_filled_linear_series_is_the_kalman_smoother(gap, method):
    y = without(ar2(30), gap)
    mean, var, n_clipped = Gaps(linear_posterior(AR2), method, Inputs((1, 2)), y, none(y)).filled()
    expected, spread = kalman(y, 0)
    np.testing.assert_allclose(mean, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(var, spread, rtol=1e-10, atol=1e-12)
    assert n_clipped == 0


@pytest.mark.parametrize("method", GAUSSIAN, ids=lambda m: m.name)
@pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)
def test_linear_forecast_after_a_gap_is_the_kalman_filter(gap, method):
    y = without(ar2(30), gap)
    posterior, inputs = linear_posterior(AR2), Inputs((1, 2))
    start = Gaps(posterior, method, inputs, y, none(y)).starts(np.array([30]), 8)
    result = propagate(posterior, method, inputs, start, 8)
    expected, spread = kalman(y, 8)
    np.testing.assert_allclose(result.mean[0], expected[30:], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.diag(result.covariance[0]), spread[30:], rtol=1e-10, atol=1e-12)


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
    ends = np.array([n])
    start = Gaps(posterior, method, inputs, y, x).starts(ends, h, future_cov)
    result = propagate(posterior, method, inputs, start, h)

    m = n + h
    x_cov = np.zeros((2 * m, 2 * m))
    x_cov[2 * n :, 2 * n :] = future_cov
    gaps = np.flatnonzero(np.isnan(x.ravel()))
    x_cov[gaps, gaps] = 1.0
    y0 = [(value, 0.0) for value in y[:3]]
    mean, cov = joint_of_linear(m, weights, lags, exog_weights, terms, np.nan_to_num(x), x_cov, y0)
    known = np.flatnonzero(~np.isnan(y))[3:]
    mean, cov = conditioned(mean, cov, known, y[known])
    np.testing.assert_allclose(result.mean[0], mean[n:m], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(result.covariance[0], cov[n:m, n:m], rtol=1e-9, atol=1e-11)


def test_monte_carlo_draws_the_missing_values():
    y = without(ar2(30), [27, 29])
    posterior, inputs = linear_posterior(AR2), Inputs((1, 2))
    method = MonteCarlo(n_paths=20_000, seed=0)
    start = Gaps(posterior, method, inputs, y, none(y)).starts(np.array([30]), 6)
    result = propagate(posterior, method, inputs, start, 6)
    mean, var = (part[30:] for part in kalman(y, 6))
    assert (np.abs(result.mean[0] - mean) < 5.0 * np.sqrt(var / 20_000)).all()
    np.testing.assert_allclose(np.diag(result.covariance[0]), var, rtol=5.0 * np.sqrt(2.0 / 20_000))


def test_nonlinear_gap_agrees_with_weighted_paths_where_it_is_nearly_gaussian():
    """Importance sampling: paths through the gap, weighted by the density of what followed."""
    posterior, inputs = nonlinear_posterior(2, noise_var=1e-2), Inputs((1, 2))
    rng = np.random.default_rng(7)
    y = [0.3, 0.5]
    for _ in range(10):
        f = posterior.predict(np.array([[y[-1], y[-2]]]))
        y.append(float(f.mean[0] + np.sqrt(f.var[0] + 1e-2) * rng.standard_normal()))
    y = without(np.array(y), [6])
    mean, var, _ = Gaps(posterior, EXACT, inputs, y, none(y)).filled()

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
        Gaps(posterior, EXACT, inputs, y, x).starts(np.array([20]), 5)


def test_a_gap_over_which_the_model_runs_away_is_refused():
    y = without(ar2(400), range(10, 400))
    with pytest.raises(ValueError, match="runs away"):
        Gaps(linear_posterior([9.0, 99.0]), EXACT, Inputs((1, 2)), y, none(y)).filled()
