"""Levels, steps that can be predicted, and seasons that calendars suggest or a series has."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, strength, unexplained


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def test_unexplained_is_a_half_for_noise_and_one_for_a_random_walk():
    assert unexplained(noise(5000)) == pytest.approx(0.5, abs=0.05)
    assert unexplained(np.cumsum(noise(5000))) == pytest.approx(1.0, abs=0.05)
    assert unexplained(gf.datasets.mackey_glass(500, noise_var=0.0, seed=0)) < 1e-3


@pytest.mark.parametrize(
    ("freq", "periods"),
    [
        ("MS", (12,)), ("ME", (12,)), ("QS", (4,)), ("2MS", (6,)), ("W-SAT", (52,)), ("D", (7,)),
        ("B", (5,)), ("h", (168, 24)), ("30min", (336, 48)), ("15min", (672, 96)), ("YS", ()),
        ("7D", (52,)), ("28D", (13,)), ("4W-WED", (13,)), ("2W", (26,)), ("12h", (14, 2)),
        (pd.DateOffset(months=1), (12,)), (pd.DateOffset(months=3), (4,)), ("BQE-FEB", (4,)),
        (pd.DateOffset(years=1), ()), (pd.DateOffset(days=3), ()), ("WOM-3FRI", (12,)),
    ],
)  # fmt: skip
def test_calendar_suggests_seasons(freq, periods):
    assert calendar_periods(pd.date_range("2024-01-01", periods=5, freq=freq)) == periods


def test_periods_suggest_seasons_too():
    assert calendar_periods(pd.period_range("2024Q1", periods=5, freq="Q")) == (4,)
    assert calendar_periods(pd.Index([1, 2, 3])) == ()


def test_strength_by_stl_tells_a_season_from_noise():
    t = np.arange(300)
    assert strength(np.sin(2 * np.pi * t / 12) + 0.1 * noise(300), 12) > 0.9
    assert strength(noise(300), 12) < 0.5
