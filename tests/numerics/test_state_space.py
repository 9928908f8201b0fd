"""The compiled Kalman filter, against its plain twin and statsmodels."""

import numpy as np
import pytest
from oracles import central
from twins import state_space as twin

from gpforecast.numerics.compiled.state_space import filtered, gradients, steps_ahead

NOTHING = np.empty((0, 0))


def case(period, seed=0):
    """Moves, disturbances, noise, what is observed, and a state with correlations."""
    rng, m = np.random.default_rng(seed), 4 + 2 * (period - 1)
    Z = rng.standard_normal((period, m))
    Z[:, :4] = 1.0, 0.0, 0.0, 1.0
    root = rng.standard_normal((m, m))
    system = 0.9, 0.6, rng.uniform(0.0, 1.0, m), 0.3, Z, 2
    return system, rng.standard_normal(m), root @ root.T


def values(n=25, seed=1):
    y = np.random.default_rng(seed).standard_normal(n)
    y[[0, 7, 8, 9]] = np.nan
    return y


@pytest.mark.parametrize("period", [1, 2, 5])
def test_a_filtered_state_and_its_evidence_are_those_of_the_plain_twin(period):
    system, a, P = case(period)
    expected_sums, expected_a, expected_P = twin.condition(values(), system, a, P)
    sums = filtered(values(), *system, a, P, NOTHING)  # a and P are replaced
    np.testing.assert_allclose(sums, expected_sums, rtol=1e-11)
    np.testing.assert_allclose(a, expected_a, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(P, expected_P, rtol=1e-10, atol=1e-12)
    assert sums[2] == 21


@pytest.mark.parametrize("period", [1, 2, 5])
def test_the_gradient_is_that_of_differences_of_the_plain_twin(period):
    (phi, rho, q, r, Z, _), _, P = case(period)
    y, start, nu, s0 = values(), P.diagonal().copy(), 5.0, 0.4

    def loss(x):
        m = len(q)
        moves = x[0], x[1], x[3 : 3 + m], x[2], Z
        first = np.zeros(m), np.diag(x[3 + m :])
        (log_sum, square_sum, n), _, _ = twin.condition(y, (*moves, 0), *first)
        return 0.5 * (log_sum + (nu + n) * np.log((square_sum + nu * s0) / (nu + n)))

    x = np.concatenate([[phi, rho, r], q, start])
    m = len(q)
    kept = np.full((len(y), 3 * m + 4), np.nan)
    system = phi, rho, q, r, Z
    _, square_sum, n = filtered(y, *system, 0, np.zeros(m), np.diag(start), kept)
    slopes = gradients(y, *system, kept, (nu + n) / (nu * s0 + square_sum))
    np.testing.assert_allclose(slopes, central(loss, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("period", [1, 2, 5])
def test_steps_ahead_are_those_of_the_plain_twin(period):
    system, a, P = case(period)
    expected = twin.forecast(system, a, P, 9)
    mean, covariance = np.full(9, np.nan), np.full((9, 9), np.nan)
    steps_ahead(*system, a, P, mean, covariance)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-11, atol=1e-12)


def test_a_long_gap_leaves_a_covariance_that_is_symmetric_and_positive():
    system, a, P = case(4)
    y = np.concatenate([values(200), np.full(300, np.nan), values(200, seed=2)])
    filtered(y, *system, a, P, NOTHING)
    np.testing.assert_allclose(P, P.T, rtol=0, atol=1e-12 * abs(P).max())
    assert np.linalg.eigvalsh(P).min() > 0
