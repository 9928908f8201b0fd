"""What is chosen for series whose nature is known."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.series import checked
from gpforecast.transforms import Compose, DampedMean

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the shared data are not here")


def spec(y, **options):
    return choose_transforms(checked(y).series, **options).value.transforms


def classic(name, freq=None):
    values = pd.read_csv(DATA / "classic" / f"{name}.csv").iloc[:, -1].astype(float)
    if freq is None:
        return values
    return values.set_axis(pd.date_range("1950-01-01", periods=len(values), freq=freq))


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def airline(n=144, seed=0):
    """A multiplicative series: trend and season grow together."""
    t = np.arange(n)
    level = 0.01 * t + 0.02 * np.cumsum(noise(n, seed))
    return np.exp(4 + level + 0.2 * np.sin(2 * np.pi * t / 12) + 0.02 * noise(n, seed + 50))


def test_stationary_autoregression_is_left_alone():
    for seed in range(3):
        assert spec(lfilter([1.0], [1.0, -0.8], noise(400, seed))) == Compose()


def share(y, of):
    """Return the weight of the candidates that have a word in their description."""
    rows = choose_transforms(checked(y).series).value.portfolio.rows
    return sum(weight for words, weight, _ in rows if of in words)


def test_a_line_with_noise_is_seen_as_a_line():
    for seed in range(3):
        assert share(0.05 * np.arange(200) + noise(200, seed), "as they are") < 0.3


def test_a_season_is_described_and_one_that_is_not_there_is_not():
    t, index = np.arange(240), pd.date_range("2000-01", periods=240, freq="MS")
    fixed = pd.Series(5 * np.sin(2 * np.pi * t / 12) + noise(240), index=index)
    off = gf.Forecaster().fit(fixed).predict(12).mean - 5 * np.sin(2 * np.pi * t[:12] / 12)
    assert np.abs(off).mean() < 0.6
    walk = gf.Forecaster().fit(pd.Series(noise(240), index=index).cumsum()).predict(12).mean
    assert np.ptp(walk) < 1.5


@pytest.mark.parametrize("dated", [True, False])
def test_multiplicative_season_gets_its_logarithm_taken(dated):
    y = pd.Series(airline())
    if dated:
        y.index = pd.date_range("2000-01", periods=144, freq="MS")
    assert choose_transforms(y).value.period == 12
    assert share(y, "logarithm") > 0.5


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (200, {"seed": 1}),
        (500, {"seed": 1, "noise_var": 1e-3}),
        (1500, {"seed": 0, "normalise": True}),
        (1500, {"seed": 0, "normalise": True, "noise_var": 1e-2}),
    ],
)
def test_mackey_glass_is_left_alone(n, options):
    """A cycle of some 50 or 101 steps is found, which a process of the values themselves beats."""
    assert spec(gf.datasets.mackey_glass(n, **options)) == Compose()


@needs_data
@pytest.mark.parametrize("freq", ["MS", None])
def test_airline_passengers_get_a_logarithm_and_their_season_found(freq):
    passengers = classic("AirPassengers", freq)
    assert share(passengers, "logarithm") > 0.2
    assert choose_transforms(passengers).value.period == 12


@needs_data
def test_half_hourly_load_has_a_week():
    assert choose_transforms(classic("taylor", "30min")).value.period == 336


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.arange(1.0), "too few to try anything"),
        (np.full(50, 3.0), "constant"),
        (np.full(50, np.nan), "too few to try anything"),
    ],
)
def test_nothing_is_done_where_nothing_can_be_told(y, words):
    choice = choose_transforms(pd.Series(y))
    assert choice.value.transforms == Compose()
    assert words in choice.reasons[0]


def test_missing_values_are_bridged():
    y = airline()
    y[[30, 31, 90]] = np.nan
    assert share(y, "logarithm") > 0.5


def test_a_week_that_stays_is_taken_away_by_its_mean_and_not_by_the_last_one():
    """Days are busier or quieter by chance, so the last week alone forecasts the next badly."""
    rng, n = np.random.default_rng(0), 8 * 168
    times = pd.date_range("2024-02-05", periods=n, freq="h")
    open_ = (times.hour >= 8) & (times.hour < 20) & (times.day_of_week < 6)
    busy = np.exp(0.15 * rng.standard_normal(n // 24)).repeat(24)
    rate = 60.0 * open_ * np.sin(np.pi * (times.hour - 7) / 13) * (1.3 - 0.1 * times.day_of_week)
    y = pd.Series(rng.poisson(busy * rate).astype(float), times)
    found = choose_transforms(y)
    day, week = DampedMean(1.0, 24, prior=None), DampedMean(0.0, 168)
    assert found.value.transforms == Compose(day, week)
    assert found.value.portfolio.weights[0] > 0.5
