"""Levels, steps that can be predicted, and seasons that calendars suggest or a series has."""

import re

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import (
    _peaks,
    calendar_periods,
    find_season,
    follows_map,
    is_constant,
    level_of,
    repeats,
    shortest_of_best,
    strength,
    unexplained,
)


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def test_unexplained_is_a_half_for_noise_and_one_for_a_random_walk():
    assert unexplained(noise(5000)) == pytest.approx(0.5, abs=0.05)
    assert unexplained(np.cumsum(noise(5000))) == pytest.approx(1.0, abs=0.05)
    assert unexplained(gf.datasets.mackey_glass(500, noise_var=0.0, seed=0)) < 1e-3


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_a_map_is_seen_in_any_units(scale):
    assert follows_map(scale * gf.datasets.mackey_glass(500, noise_var=0.0, seed=0).to_numpy())
    assert not follows_map(scale * noise(300))


def test_rounding_does_not_count_as_a_change():
    assert is_constant(np.full(9, 0.1) + 1e-16 * np.arange(9))
    assert is_constant(np.zeros(9))
    assert not is_constant(1e-9 * np.arange(9.0))
    assert is_constant(1e-9 * np.arange(9.0), np.array([1e6]))


@pytest.mark.parametrize(
    ("y", "verdict"),
    [
        (noise(300), "constant"),
        (np.cumsum(noise(300)), "wanders"),
        (0.05 * np.arange(300) + noise(300), "line"),
        (np.ones(50), "constant"),
    ],
)
def test_levels_whose_nature_is_known(y, verdict):
    assert level_of(y).value == verdict


SAID = re.compile(
    r"tests (?P<outcome>.*?) \(by chance, a constant level would look like this in "
    r"(?P<p_is>under |over )?(?P<p>\S+) % of cases, one that wanders like a random walk in "
    r"(?:under )?(?P<q>\S+) %"
)
OUTCOMES = {
    "constant": "take the level to be constant, not to wander",
    "wanders": "take the level to wander, not to be constant",
    "line": "take the level to follow a straight line, not to be constant or to wander",
    "undecided": "cannot tell whether the level is constant or wanders",
}


@pytest.mark.parametrize("seed", range(40))
def test_the_reason_says_what_was_decided_against_what_and_how_likely_each_is(seed):
    phi = (0.0, 0.8, 0.95, 1.0)[seed % 4]
    y, e = np.zeros(120), noise(120, seed)
    for t in range(1, 120):
        y[t] = phi * y[t - 1] + e[t]
    decision = level_of(y)
    said = SAID.match(decision.reason)
    assert said["outcome"] == OUTCOMES[decision.value]
    kpss = float(said["p"]) <= 5
    adf = float(said["q"]) < 5 or "few because the series crosses" in decision.reason
    ends = {"1": "under ", "10": "over "}  # of the tables of KPSS
    assert said["p_is"] is None or said["p_is"] == ends[said["p"]]
    assert decision.reason.endswith("; neither is likely, and then it counts as constant)") == (
        kpss and adf and decision.value == "constant"
    )
    if decision.value == "wanders":
        assert not adf
        assert kpss or "cannot be predicted" in decision.reason


def test_reasons_say_what_the_shares_mean_to_one_who_knows_no_tests():
    said = " ".join(level_of(np.cumsum(noise(120, seed)) * 0.02 + noise(120, seed)).reason
                    for seed in range(40))  # fmt: skip
    assert "the second decides" not in said
    assert "little as" not in said


def test_the_reason_of_a_line_says_how_likely_it_is():
    reason = level_of(0.05 * np.arange(300) + noise(300)).reason
    assert OUTCOMES["line"] in reason
    assert reason.endswith("; around a straight line, over 10 % and under 0.01 %)")
    assert "p-value" not in reason


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
    assert found.reason.startswith(f"the average cycle of {found.value} steps ")
    assert f"explains {100 * repeats(y, found.value):.0f} % of the variance" in found.reason
    dated = find_season(y, (12,))
    assert dated.value == 12
    assert "the index suggests a season of 12 steps" in dated.reason
    own = find_season(y, (12, 52), cycles=(12,))
    assert own.value == 12
    assert own.reason.startswith("a cycle of 12 steps keeps on through the series; its strength")
    assert "index" not in own.reason
    assert find_season(noise(240), ()) is None


def test_a_season_that_no_index_suggests_is_found_in_six_whole_cycles():
    y = np.sin(2 * np.pi * np.arange(72) / 12) + 0.02 * noise(72)
    assert find_season(y, ()).value == 12
    assert find_season(y[:71], ()) is None


def seasons_of(short, extra, n=240):
    """A season of 4 steps, one of 12 beside it, and noise, of the variances given."""
    t = np.arange(n)
    four = np.sqrt(2.0 * short) * np.sin(2 * np.pi * t / 4)
    twelve = np.sqrt(2.0 * extra) * np.sin(2 * np.pi * t / 12)
    return four + twelve + np.sqrt(1.0 - short - extra) * noise(n)


@pytest.mark.parametrize(
    ("short", "extra", "season"),
    [(0.9, 0.03, 4), (0.85, 0.03, 4), (0.6, 0.36, 12), (0.4, 0.5, 12), (0.3, 0.66, 12)],
)
def test_a_longer_season_must_halve_what_a_shorter_one_leaves(short, extra, season):
    y = seasons_of(short, extra)
    left = {m: 1.0 - strength(y, m) for m in (4, 12)}
    assert (left[12] < 0.5 * left[4]) == (season == 12)
    assert find_season(y, (12, 4)).value == season


def test_a_longer_season_must_halve_what_a_shorter_one_leaves_and_a_hundredth_more():
    # 4 steps leave a tenth of the variance; twice what 12 leave is 0.092 and 0.088.
    assert shortest_of_best({4: 0.9, 12: 0.954}) == 4
    assert shortest_of_best({4: 0.9, 12: 0.956}) == 12


def test_correlations_of_long_periods_are_not_too_low_for_their_fewer_terms():
    t = np.arange(180)
    y = np.cos(2 * np.pi * t / 30) + np.sqrt(20.0) * np.cos(2 * np.pi * t / 10) + 0.1 * noise(180)
    assert _peaks(y)[0] in (30, 60)  # 10 steps apart, values correlate by (20 - 1 / 2) / 21
