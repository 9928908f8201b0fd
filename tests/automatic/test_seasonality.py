"""Seasons that calendars suggest, and those that a series has."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic.seasonality import calendar_periods, find_season, repeats, strength


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


@pytest.mark.parametrize(
    ("freq", "periods"),
    [
        ("MS", (12,)), ("ME", (12,)), ("QS", (4,)), ("2MS", (6,)), ("W-SAT", (52,)), ("D", (7,)),
        ("B", (5,)), ("h", (168, 24)), ("30min", (336, 48)), ("15min", (672, 96)), ("YS", ()),
        ("7D", ()), ("12h", (14, 2)),
    ],
)  # fmt: skip
def test_calendar_suggests_seasons(freq, periods):
    assert calendar_periods(pd.date_range("2024-01-01", periods=5, freq=freq)) == periods


def test_periods_suggest_seasons_too():
    assert calendar_periods(pd.period_range("2024Q1", periods=5, freq="Q")) == (4,)
    assert calendar_periods(pd.Index([1, 2, 3])) == ()


def test_cycle_that_loses_step_does_not_count_as_a_season():
    t = np.arange(300)
    drifting = np.sin(2 * np.pi * t / 12 + np.cumsum(0.2 * noise(300)))
    assert repeats(drifting, 12) < 0.5
    assert repeats(np.sin(2 * np.pi * t / 12), 12) == pytest.approx(1.0)
    assert strength(np.sin(2 * np.pi * t / 12) + 0.1 * noise(300), 12) > 0.9
    assert strength(noise(300), 12) < 0.5


def test_the_season_is_said_with_its_strength():
    y = np.sin(2 * np.pi * np.arange(240) / 12) + 0.1 * noise(240)
    found = find_season(y, ())
    assert found.value % 12 == 0
    left = found.scores[f"period {found.value}"]
    assert found.reason.startswith(f"the average cycle of {found.value} steps ")
    assert f"explains {1 - left:.2f} of the variance" in found.reason
    dated = find_season(y, (12,))
    assert dated.value == 12
    assert "the index suggests a season of 12 steps" in dated.reason
    assert find_season(noise(240), ()) is None
