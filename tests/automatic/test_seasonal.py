"""Seasons that may change, by a plain loop; and from how many origins a short series is tried."""

import numpy as np
import pytest

from gpforecast.automatic.events import seasonal


def by_hand(z, m):
    """Of each phase, the mean of the middle of the seven nearest cycles, or of all if fewer."""
    n, cycles = len(z), len(z) // m
    left = np.array([
        z[t] - np.median(z[max(t - m, 0) : t + m + 1]) for t in range(n)
    ])  # fmt: skip
    first, near = n - cycles * m, min(7, cycles)
    season = np.empty(n)
    for t in range(first, n):
        cycle, phase = divmod(t - first, m)
        begin = min(max(cycle - near // 2, 0), cycles - near)
        several = np.sort([left[first + (begin + k) * m + phase] for k in range(near)])
        cut = {4: 1, 5: 1, 6: 1, 7: 2}[near]  # at each end
        season[t] = several[cut : near - cut].mean()
    season[:first] = season[m : m + first] if first else []
    return season


@pytest.mark.parametrize("n", [20, 23, 25, 29, 30, 35, 38, 61])
def test_a_season_is_the_mean_of_the_middle_of_the_nearest_cycles(n):
    m, t = 5, np.arange(n)
    rng = np.random.default_rng(n)
    z = 0.3 * rng.standard_normal(n) + np.sin(2 * np.pi * t / m) + 2.0 * (t > n // 2)
    z[n // 3] += 30.0
    np.testing.assert_allclose(seasonal(z, m), by_hand(z, m), rtol=1e-12, atol=1e-12)
