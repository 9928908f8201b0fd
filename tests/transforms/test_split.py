"""Trend and season of what the transforms give back: together they are all of it."""

import numpy as np
import pytest

from gpforecast.propagation.recursion import Propagated
from gpforecast.series import TimeAxis
from gpforecast.transforms import Compose, DampedMean, Deterministic, Difference, SeasonalDifference
from gpforecast.transforms.split import settled, split

CHAINS = {
    "level": [],
    "line and season": [Deterministic(1, 2, 4)],
    "a mean for each season": [DampedMean(0.9, period=4)],
    "changes": [Difference()],
    "changes of changes": [Difference(2)],
    "changes beside a season": [Deterministic(0, 1, 4), Difference()],
    "a season of changes": [Difference(), Deterministic(0, 2, 4)],
    "changes over a season": [SeasonalDifference(4)],
    "changes over an odd season": [SeasonalDifference(5)],
    "changes over a season and steps": [SeasonalDifference(4), Difference()],
    "line before changes over a season": [Deterministic(1), SeasonalDifference(4)],
}
N, H = 60, 30


def series():
    t = np.arange(N)
    walk = np.random.default_rng(3).standard_normal(N).cumsum()
    return 50.0 + 0.5 * t + 4.0 * np.cos(np.pi * t / 2) + walk


def parts(steps, y):
    chain = Compose(*steps).fit(y)
    times = TimeAxis.rows(N + H)
    levels = chain.levels(y, times)
    found = split(chain.linear, chain.period, levels, N, H, times)
    return found, chain.undo(Propagated.certain(np.zeros((1, H))), levels, np.array([N]), times)


@pytest.mark.parametrize("steps", CHAINS.values(), ids=CHAINS)
def test_trend_and_season_are_together_the_forecast_of_a_model_of_zeros(steps):
    found, whole = parts(steps, series())
    np.testing.assert_allclose(found.trend + found.season, whole.mean[0], rtol=1e-12)


def test_errors_of_coefficients_add_up_over_the_steps_of_changes():
    y, times = series(), TimeAxis.rows(N + H)
    found, _ = parts(CHAINS["a season of changes"], y)
    season = Compose(*CHAINS["a season of changes"]).fit(y).linear[1]
    sums = np.tri(H) @ season.terms.design(times, season.length)[N:]
    root = found.trend_root + found.season_root
    np.testing.assert_allclose(root @ root.T, sums @ season.V @ sums.T, rtol=1e-9, atol=1e-12)


def test_a_path_settles_on_the_line_and_the_season_of_its_last_values():
    t = np.arange(1.0, 61.0)
    end = 7.0 - 0.3 * t + np.tile([2.0, -5.0, 3.0], 20)
    path = end[:40] + np.where(t[:40] <= 20, 9.0 * 0.5 ** t[:40], 0.0)
    np.testing.assert_allclose(settled(path, 15, 60, period=3, line=True), end, rtol=1e-10)
    level = settled(np.r_[9.0, 5.0, 2.0, 1.0, 3.0], 2, 8)
    np.testing.assert_allclose(level, 2.0, rtol=1e-12)
