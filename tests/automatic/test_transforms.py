"""What is chosen for series whose nature is known."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.automatic.trials import Before
from gpforecast.series import checked
from gpforecast.transforms import (
    BoxCox,
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)

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


def test_line_with_noise_loses_the_line():
    chosen = [spec(0.05 * np.arange(200) + noise(200, s)) for s in range(3)]
    assert chosen.count(Compose(Deterministic(1))) >= 2


def test_season_that_never_changes_is_taken_away_and_one_that_wanders_is_differenced():
    t = np.arange(240)
    index = pd.date_range("2000-01", periods=240, freq="MS")
    fixed = pd.Series(5 * np.sin(2 * np.pi * t / 12) + noise(240), index=index)
    (only,) = spec(fixed).steps
    assert isinstance(only, Deterministic)
    assert (only.fourier, only.period) == (6, 12)
    wandering = noise(240, 1) * 0.3
    for k in range(12, 240):
        wandering[k] += wandering[k - 12]
    wandering[:12] += 5 * np.sin(2 * np.pi * t[:12] / 12)
    for k in range(12, 240):
        wandering[k] = wandering[k - 12] + 0.3 * noise(240, 2)[k]
    assert SeasonalDifference(12) in spec(pd.Series(wandering, index=index)).steps


@pytest.mark.parametrize("dated", [True, False])
def test_multiplicative_season_gets_its_logarithm_taken(dated):
    y = pd.Series(airline())
    if dated:
        y.index = pd.date_range("2000-01", periods=144, freq="MS")
    choice = choose_transforms(y)
    assert choice.value.transforms.steps[0] == Log()
    assert choice.value.period == 12
    assert len(choice.value.transforms.steps) >= 2
    assert any("swings within a season grow" in reason for reason in choice.reasons)


def test_scale_of_the_series_changes_no_choice():
    y = airline()
    assert spec(1e6 * y) == spec(1e-6 * y) == spec(y)
    walk = np.cumsum(noise(300, 3))
    assert spec(-3e5 * walk + 1e4) == spec(walk) == Compose(Difference())


@pytest.mark.parametrize(("n", "noise_var"), [(200, 0.0), (500, 1e-2), (500, 0.05)])
def test_mackey_glass_is_left_alone(n, noise_var):
    assert spec(gf.datasets.mackey_glass(n, noise_var=noise_var, seed=1)) == Compose()


@needs_data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lynx", Compose(Log())),
        ("sunspots_yearly_1700_2008", Compose(BoxCox(0.5))),
        ("sunspot.month", Compose(BoxCox(0.5))),
        ("Nile", Compose()),
        ("LakeHuron", Compose()),
    ],
)
def test_classic_series_without_a_season(name, expected):
    assert spec(classic(name)) == expected


def test_square_roots_are_for_what_comes_down_to_zero_and_spreads_as_it_rises():
    rng = np.random.default_rng(0)
    x = np.zeros(400)
    for t in range(1, 400):
        x[t] = 0.8 * x[t - 1] + rng.standard_normal()
    root = np.maximum(x + 3.0, 0.0)
    assert spec(root**2).steps[0] == BoxCox(0.5)
    assert BoxCox(0.5) not in spec(root**2 + 20.0).steps  # no zero to come down to
    assert spec(root) == Compose()  # its spread is the same everywhere
    many = np.where(rng.random(400) < 0.4, 0.0, root**2)
    assert BoxCox(0.5) not in spec(many).steps
    assert spec(root**2, before=Before(0.0)).steps[0] == BoxCox(0.5)
    assert BoxCox(0.5) not in spec(root**2, before=Before(-1.0)).steps  # which had no root


@needs_data
@pytest.mark.parametrize("freq", ["MS", None])
def test_airline_passengers_get_a_logarithm_and_their_season_found(freq):
    choice = choose_transforms(classic("AirPassengers", freq))
    assert choice.value.transforms.steps[0] == Log()
    assert choice.value.period == 12


@needs_data
def test_half_hourly_load_has_a_week():
    assert choose_transforms(classic("taylor", "30min")).value.period == 336


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.arange(7.0), "fewer than 8"),
        (np.full(50, 3.0), "constant"),
        (np.sin(0.3 * np.arange(200)), "smooth"),
        (np.full(50, np.nan), "fewer than 8"),
    ],
)
def test_nothing_is_done_where_nothing_can_be_told(y, words):
    choice = choose_transforms(pd.Series(y))
    assert choice.value.transforms == Compose()
    assert words in choice.reasons[0]


def test_exogenous_inputs_leave_trend_and_season_to_the_model():
    assert spec(np.cumsum(noise(300)), driven=True) == Compose()


def test_missing_values_are_bridged():
    y = airline()
    y[[30, 31, 90]] = np.nan
    assert choose_transforms(checked(y).series).value.transforms.steps[0] == Log()


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
    assert found.scores["SeasonalDifference(period=168)"] > 1.05 * min(found.scores.values())
