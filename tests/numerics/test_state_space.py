"""The compiled Kalman filter, against its plain twin and statsmodels."""

import numpy as np
import pytest
from statsmodels.tsa.statespace.structural import UnobservedComponents
from twins import state_space as twin

from gpforecast.numerics.compiled.state_space import filtered, steps_ahead


def case(n_blocks, seed=0):
    """Transitions that turn and shrink, disturbances, noise, and a state with correlations."""
    rng = np.random.default_rng(seed)
    angles, sizes = rng.uniform(0, np.pi, n_blocks), rng.uniform(0.8, 1.0, n_blocks)
    turn = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]])
    F = np.ascontiguousarray(np.moveaxis(turn * sizes, -1, 0))
    root = rng.standard_normal((2 * n_blocks, 2 * n_blocks))
    a = rng.standard_normal((2 * n_blocks, 1))
    return F, rng.uniform(0.0, 1.0, 2 * n_blocks), 0.3, a, root @ root.T


def values(n=25, seed=1):
    y = np.random.default_rng(seed).standard_normal(n)
    y[[0, 7, 8, 9]] = np.nan
    return y


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_a_filtered_state_and_its_evidence_are_those_of_the_plain_twin(n_blocks):
    F, q, r, a, P = case(n_blocks)
    expected_sums, expected_a, expected_P = twin.condition(values(), F, q, r, a, P)
    sums = filtered(values(), F, q, r, a, P)  # a and P are replaced
    np.testing.assert_allclose(sums, expected_sums, rtol=1e-11)
    np.testing.assert_allclose(a, expected_a, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(P, expected_P, rtol=1e-10, atol=1e-12)
    assert sums[2] == 21


@pytest.mark.parametrize("n_blocks", [1, 2, 5])
def test_steps_ahead_are_those_of_the_plain_twin(n_blocks):
    F, q, r, a, P = case(n_blocks)
    expected = twin.forecast(F, q, r, a, P, 9)
    mean, covariance = np.full(9, np.nan), np.full((9, 9), np.nan)
    steps_ahead(F, q, r, a, P, mean, covariance)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-11, atol=1e-12)


def test_filtering_in_parts_is_filtering_at_once():
    F, q, r, a, P = case(3)
    at_once, whole = (a.copy(), P.copy()), values()
    sums = filtered(whole, F, q, r, *at_once)
    parts = [filtered(part, F, q, r, a, P) for part in (whole[:8], whole[8:8], whole[8:])]
    np.testing.assert_allclose(np.sum(parts, axis=0), sums, rtol=1e-12)
    np.testing.assert_allclose(a, at_once[0], rtol=1e-12)
    np.testing.assert_allclose(P, at_once[1], rtol=1e-12)


def test_no_values_leave_the_state_and_have_no_evidence():
    F, q, r, a, P = case(2)
    before = a.copy(), P.copy()
    assert filtered(np.empty(0), F, q, r, a, P) == (0.0, 0.0, 0)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(P, before[1])


def test_a_long_gap_leaves_a_covariance_that_is_symmetric_and_positive():
    F, q, r, a, P = case(4)
    y = np.concatenate([values(200), np.full(300, np.nan), values(200, seed=2)])
    filtered(y, F, q, r, a, P)
    np.testing.assert_allclose(P, P.T, rtol=0, atol=1e-12 * abs(P).max())
    assert np.linalg.eigvalsh(P).min() > 0


def test_the_evidence_of_trend_season_and_memory_is_that_of_statsmodels():
    y = np.cumsum(values(60))
    y[[20, 21]] = np.nan
    level, slope, season, memory, rho, noise = 0.4, 0.05, 0.02, 0.3, 0.6, 0.2
    peer = UnobservedComponents(
        y, "lltrend", freq_seasonal=[{"period": 4, "harmonics": 2}], autoregressive=1
    )
    # As statsmodels orders them: level, slope, two harmonics in pairs, memory.
    start = np.array([3.0, 0.5, 0.7, 0.7, 0.7, 0.7, memory / (1 - rho**2)])
    peer.ssm.initialize_known(np.zeros(7), np.diag(start))
    named = {"irregular": noise, "level": level, "trend": slope, "ar": memory}
    params = [
        named.get(name.removeprefix("sigma2."), rho if name.startswith("ar.") else season)
        for name in peer.param_names
    ]
    expected = peer.loglike(np.array(params), transformed=True)

    F = np.array(
        [[[1, 1], [0, 1]], [[rho, 0], [0, 0]], [[0, 1], [-1, 0]], [[-1, 0], [0, -1]]], dtype=float
    )
    q = np.array([level, slope, memory, 0, season, season, season, 0])
    P = np.diag([3.0, 0.5, memory / (1 - rho**2), 0, 0.7, 0.7, 0.7, 0])
    log_sum, square_sum, n = filtered(y, F, q, noise, np.zeros((8, 1)), P)
    found = -0.5 * (n * np.log(2 * np.pi) + log_sum + square_sum)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
