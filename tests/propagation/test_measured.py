"""A series measured with noise, against dense Gaussian algebra and its limits."""

import numpy as np
import pytest
from conditioned import gp_posterior
from recursion_cases import AR2, EXACT, ar2, linear_posterior, smoothed

from gpforecast.covariances import SquaredExponential
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Inputs


def gaps(y, noise, predictive=None, exog=None, terms=()):
    """Of a measured series of the autoregression, or of another model."""
    predictive = linear_posterior(AR2) if predictive is None else predictive
    exog = np.empty((len(y), 0)) if exog is None else exog
    return Gaps(predictive, EXACT, Inputs((1, 2), terms), y, exog, noise)


def nonlinear():
    X = np.random.default_rng(0).uniform(-2.0, 2.0, (30, 2))
    y = 1.2 * np.sin(X[:, 0]) - 0.4 * X[:, 1]
    return gp_posterior(SquaredExponential(np.full(2, 2.0), 1.0), 1e-2, X, y)[0]


def measured(n, noise):
    """Values of the autoregression, measured with noise of these variances."""
    return ar2(n) + np.sqrt(noise) * np.random.default_rng(2).standard_normal(n)


@pytest.fixture
def series():
    noise = np.random.default_rng(1).uniform(0.05, 1.0, 40)
    noise[[5, 6, 7, 20]] = 0.0
    y = measured(40, noise)
    y[[10, 11, 12, 13, 30]] = np.nan
    return y, noise


def test_a_linear_model_is_smoothed_as_by_dense_algebra(series):
    mean, cov = smoothed(*series)
    found, var, n_clipped = gaps(*series).filled()
    np.testing.assert_allclose(found, mean, atol=1e-9)
    np.testing.assert_allclose(var, np.diag(cov), atol=1e-9)
    assert n_clipped == 0


@pytest.mark.parametrize("order", ["C", "F"])
def test_inputs_move_what_is_smoothed_in_whatever_order_they_lie_in_memory(series, order):
    """With two columns of a frame, measurements moved no mean."""
    y, noise = series
    U, slopes = np.random.default_rng(2).standard_normal((43, 2)), np.array([0.7, -1.5])
    L = np.eye(40)
    for t in range(2, 40):
        L[t, [t - 1, t - 2]] = -AR2
    moved = np.linalg.solve(L, np.r_[0.0, 0.0, U[2:40] @ slopes])
    model = linear_posterior([*AR2, *slopes])
    found = gaps(y + moved, noise, model, np.array(U, order=order), ((0, 0), (1, 0)))
    mean, _ = smoothed(y, noise)
    np.testing.assert_allclose(found.filled()[0], mean + moved, atol=1e-9)
    ends = np.array([36, 14, 25])
    start = found.starts(ends, 3)
    for i, end in enumerate(ends):
        known, _ = smoothed(y[:end], noise[:end])
        np.testing.assert_allclose(start.past[i], (known + moved[:end])[-2:], atol=1e-9)


def test_an_origin_knows_what_came_before_it_and_no_more(series):
    y, noise = series
    ends = np.array([36, 14, 25, 9])
    start = gaps(y, noise).starts(ends, 3)
    for i, end in enumerate(ends):
        mean, cov = smoothed(y[:end], noise[:end])
        np.testing.assert_allclose(start.past[i], mean[-2:], atol=1e-9)
        np.testing.assert_allclose(start.past_cov[i], cov[-2:, -2:], atol=1e-9)


@pytest.mark.parametrize("linear", [True, False])
def test_a_missing_value_was_measured_with_infinite_variance(linear):
    noise = np.full(40, 0.1)
    y = measured(40, noise)
    lost, loud = y.copy(), noise.copy()
    lost[[0, 20]], loud[[0, 20]] = np.nan, 1e12
    model = linear_posterior(AR2) if linear else nonlinear()
    a, b = gaps(lost, noise, model), gaps(y, loud, model)
    # The input is linearised beside a loud value and has exact moments beside a missing one.
    tolerance = 1e-9 if linear else 2e-2
    np.testing.assert_allclose(a.filled()[0], b.filled()[0], atol=tolerance)
    np.testing.assert_allclose(a.filled()[1], b.filled()[1], atol=tolerance)
