"""Levels follow from transformed values by one affine map, whichever the linear transforms."""

import numpy as np
import pytest

from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Deterministic, Difference, Log, SeasonalDifference
from gpforecast.vector.levels import Levels, observed, stretch

N, G, H = 60, 5, 7
CHAINS = {
    "none": Compose(),
    "differences": Compose(Difference()),
    "differences of a season": Compose(SeasonalDifference(4)),
    "a line": Compose(Deterministic(1)),
    "a season and differences of a logarithm": Compose(Log(), Deterministic(0, 1, 6), Difference()),
}
WITH_COEFFICIENTS = {"a line", "a season and differences of a logarithm"}
every_chain = pytest.mark.parametrize("name", CHAINS)


def walk(seed=0):
    """A positive series that goes on over the horizon, and its times."""
    steps = 0.05 * np.random.default_rng(seed).standard_normal(N + H)
    return np.exp(1.0 + steps.cumsum()), TimeAxis.rows(N + H)


def fitted(name, y):
    return CHAINS[name].fit_at(y[:N], TimeAxis.rows(N))


@every_chain
@pytest.mark.parametrize("known", [[], [0, 3, 4]], ids=str)
def test_levels_of_what_a_series_is_transformed_to_are_the_series(name, known):
    y, times = walk()
    chain = fitted(name, y)
    level, z = chain.forward(y), chain.levels(y, times)[-1]
    seen = level[:N].copy()
    missing = np.setdiff1d(np.arange(N - G, N), N - G + np.array(known, int))
    seen[missing] = np.nan
    maps = Levels.of(chain, seen, times, N - G, N, H)
    np.testing.assert_allclose(maps.past @ z[N - G : N] + maps.shift, level[N - G : N], rtol=1e-9)
    ahead = maps.ahead @ z[N - G :] + maps.offset
    np.testing.assert_allclose(ahead, level[N:], rtol=1e-9)
    np.testing.assert_allclose(maps.past, np.tril(maps.past), atol=1e-12)
    assert maps.noise.shape == (H, H)
    assert (np.diag(maps.noise) > 0.0).all() == (name in WITH_COEFFICIENTS)


def test_the_noise_of_a_line_is_that_of_two_coefficients():
    y, times = walk()
    noise = Levels.of(fitted("a line", y), y[:N], times, N, N, H).noise
    assert np.linalg.matrix_rank(noise, tol=1e-9 * noise.max()) == 2
    assert (np.diff(np.diag(noise)) > 0.0).all()  # farther and farther from the values


def test_what_was_observed_are_the_rows_of_the_known_values_in_order():
    y, times = walk()
    chain = fitted("differences", y)
    level = np.column_stack([chain.forward(y)[:N]] * 2)
    level[-2, 1] = level[-1, 0] = np.nan
    maps = [Levels.of(chain, column, times, N - 2, N, H) for column in level.T]
    found = observed(maps, level, N - 2)
    # Two times by two columns, column by column within a time.
    assert [w is None for w in found.weights] == [False, True, True, False]
    z = chain.levels(y, times)[-1][N - 2 : N]
    np.testing.assert_allclose(found.weights[0] @ z[:1], found.values[0])
    np.testing.assert_allclose(found.weights[3] @ np.repeat(z, 2), found.values[3])
    assert observed(maps, level, N) is None


def test_a_forecast_begins_behind_the_newest_rows_that_are_known_together():
    y = np.column_stack([walk(1)[0], walk(2)[0]])[:N]
    chains = [fitted("differences", column) for column in y.T]
    holes = y.copy()
    holes[[N - 9, N - 3], [0, 1]] = np.nan
    z = np.column_stack(
        [c.levels(h, TimeAxis.rows(N))[-1] for c, h in zip(chains, holes.T, strict=True)]
    )
    assert stretch(chains, TimeAxis.rows(N), y, y, N, 4) == N
    # A missing level takes two differences along; the four rows before position N - 3 are known.
    assert stretch(chains, TimeAxis.rows(N), holes, z, N, 4) == N - 3
    with pytest.raises(ValueError, match="known together"):
        stretch(chains, TimeAxis.rows(N), np.full_like(y, np.nan), np.full_like(y, np.nan), N, 4)
