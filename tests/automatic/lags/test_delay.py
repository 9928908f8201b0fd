import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpforecast.automatic.lags import (
    average_mutual_information,
    embedding_delay,
    embedding_dimension,
    false_neighbours,
)


def henon(n):
    x = np.zeros(n + 100)
    x[:2] = 0.1, 0.2
    for t in range(2, len(x)):
        x[t] = 1.0 - 1.4 * x[t - 1] ** 2 + 0.3 * x[t - 2]
    return x[100:]


def naive_information(y, k, bins):
    """The double sum over cells, cell by cell, from ranks."""
    cell = np.floor(np.argsort(np.argsort(y)) * bins / len(y)).astype(int)
    a, b = cell[:-k], cell[k:]
    total = 0.0
    for i in range(bins):
        for j in range(bins):
            p = np.mean((a == i) & (b == j))
            if p:
                total += p * np.log(p / (np.mean(a == i) * np.mean(b == j)))
    return total


def naive_false(y, tau, m):
    """Kennel's two criteria by all pairs, for points that have a further coordinate."""
    n = len(y) - m * tau
    # Oldest first, the further coordinate at the front.
    points = np.array([[y[i + j * tau] for j in range(1, m + 1)] for i in range(n)])
    false = []
    for i in range(n):
        distance = np.linalg.norm(points - points[i], axis=1)
        distance[max(i - tau, 0) : i + tau + 1] = np.inf
        j = int(np.argmin(distance))
        R, added = distance[j], abs(y[i] - y[j])
        false.append(added > 15 * R or np.hypot(R, added) > 2 * y.std())
    return np.mean(false)


def test_information_agrees_with_the_sum_over_cells():
    y = np.random.default_rng(0).normal(size=343).cumsum()  # 7 bins of 49 values
    got = average_mutual_information(y, 5)
    want = [naive_information(y, k, 7) for k in range(1, 6)]
    # Values on an edge may fall to either side: a few of 343.
    np.testing.assert_allclose(got, want, rtol=0.02)


def test_a_series_that_repeats_itself_tells_everything():
    y = np.tile(np.arange(8.0), 64)  # 8 bins of one value each
    information = average_mutual_information(y, 16)
    assert information[7] == pytest.approx(np.log(8), abs=1e-3)


@given(power=st.sampled_from([1, 3]), seed=st.integers(0, 100))
def test_information_ignores_monotone_changes_of_the_values(power, seed):
    y = np.random.default_rng(seed).normal(size=200)
    got = average_mutual_information(np.exp(y) ** power, 4)
    np.testing.assert_allclose(got, average_mutual_information(y, 4), atol=1e-12)


@pytest.mark.parametrize("period", [20, 47, 100])
def test_the_delay_of_a_noisy_sine_is_a_quarter_of_its_period(period):
    noise = 0.2 * np.random.default_rng(0).normal(size=1000)
    y = np.sin(2 * np.pi * np.arange(1000) / period) + noise
    assert abs(embedding_delay(y, 2 * period) - period / 4) <= 1 + period / 20


def test_white_noise_needs_no_delay():
    assert embedding_delay(np.random.default_rng(0).normal(size=1000), 50) == 1


def test_a_delay_never_exceeds_what_was_asked():
    assert embedding_delay(np.arange(100.0), 10) <= 10


@pytest.mark.parametrize("m", [1, 2, 3])
def test_false_neighbours_agree_with_all_pairs(m):
    y = henon(300)
    assert false_neighbours(y, 1, m)[m - 1] == pytest.approx(naive_false(y, 1, m), abs=1e-12)


def test_the_henon_map_needs_two_dimensions():
    assert embedding_dimension(henon(800), 1) == 2
