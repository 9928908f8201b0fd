"""What is chosen for series whose nature is known."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.transforms import _why_shorter, choose_transforms
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


def test_random_walk_is_differenced_most_of_the_time_and_noise_hardly_ever():
    walks = [spec(np.cumsum(noise(300, s))) for s in range(30)]
    assert sum(w == Compose(Difference()) for w in walks) >= 22
    still = [spec(noise(300, s)) for s in range(30)]
    assert sum(w == Compose() for w in still) == 30


def test_stationary_autoregression_is_left_alone():
    for seed in range(10):
        e, y = noise(400, seed), np.zeros(400)
        for t in range(1, 400):
            y[t] = 0.8 * y[t - 1] + e[t]
        assert spec(y) == Compose()


def test_line_with_noise_loses_the_line():
    chosen = [spec(0.05 * np.arange(200) + noise(200, s)) for s in range(10)]
    assert sum(c == Compose(Deterministic(1)) for c in chosen) >= 8


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


@pytest.mark.parametrize("noise_var", [0.0, 1e-4, 1e-2, 0.05])
@pytest.mark.parametrize("n", [200, 500, 1000])
def test_mackey_glass_is_left_alone(n, noise_var):
    assert spec(gf.datasets.mackey_glass(n, noise_var=noise_var, seed=1)) == Compose()


@needs_data
@pytest.mark.parametrize("points", [15, 100])
def test_chaotic_systems_are_left_alone(points):
    train = pd.read_csv(DATA / "dysts" / f"train_pts{points}.csv.gz")
    chosen = {name: spec(train[name]) for name in train}
    assert all(c == Compose() for c in chosen.values()), chosen


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


@needs_data
def test_sales_that_wander_are_differenced_and_their_slope_fades():
    first, mean = spec(classic("BJsales")).steps
    assert first == Difference()
    assert isinstance(mean, DampedMean)
    assert mean.damping < 1


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
@pytest.mark.parametrize("n", [600, 700, 800, 900, 950, 980, 1000])
def test_a_laser_whose_swings_are_chaotic_and_without_noise_is_not_warped(n):
    y = pd.read_csv(DATA / "laser" / "santafe_A_10093.csv").iloc[:n, -1].astype(float)
    choice = choose_transforms(checked(y).series)
    assert choice.value.transforms == Compose()
    said = choice.reasons[-1]
    assert re.search(r"^no logarithm or root: .* predict all but .* % of the variance", said)


def powers(scale, seed=0, n=300):
    """Exponentials of an autoregression with a given standard deviation."""
    e, x = noise(n, seed), np.zeros(n)
    for t in range(1, n):
        x[t] = 0.9 * x[t - 1] + np.sqrt(0.19) * e[t]
    return np.exp(scale * x)


def test_a_logarithm_of_wide_forecasts_must_be_far_better_and_then_is_taken():
    assert spec(powers(1.0)).steps == (Log(),)
    assert spec(powers(3.0)).steps == (Log(),)  # a hundred times better
    choice = choose_transforms(checked(powers(4.0, 2)).series)
    assert Log() not in choice.value.transforms.steps
    assert re.search(r"^no logarithm: .* their means say little$", choice.reasons[2])
    assert choice.reasons[3].endswith(
        'the error of "the logarithm" is 45 % smaller (CRPS 51.9 against 94.8), but it suits '
        "fewer series of this kind, so the error would have to be at least 50 % smaller"
    )


@needs_data
def test_reasons_give_the_numbers_that_decided():
    air = choose_transforms(classic("AirPassengers", "MS")[:120])
    log, spread, level, season = air.reasons
    assert spread.startswith("the swings within a season grow with its level")
    assert level.startswith("tests take the level to wander, not to be constant (by chance")
    assert "in under 1 % of cases" in level
    assert season.startswith("the index suggests a season of 12 steps")
    steps, share, own, other = re.search(
        r"^the logarithm, .*: in trial forecasts of (\d+) steps its error is (\d+) % smaller than "
        r'that of "[^"]+", the next best of \d+ others \(CRPS (\S+) against (\S+)\)$',
        log,
    ).groups()
    assert int(steps) == air.value.horizon
    assert float(own) == pytest.approx(air.value.crps, rel=0.01)
    assert float(share) == pytest.approx(100 * (1 - float(own) / float(other)), abs=1)
    difference, level = choose_transforms(checked(classic("BJsales")).series).reasons
    assert re.search(r"^the changes from step to step, .* in trial forecasts of", difference)
    assert level.startswith("tests take the level to wander")
    assert "as they are" not in difference  # no trial overrules both tests


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


def few_weeks(seed, day, n, weekends):
    """Return n values of days of one shape, on weekends another, with autoregressive noise."""
    e = np.random.default_rng(seed).standard_normal(n)
    for k in range(1, n):
        e[k] += 0.9 * e[k - 1]
    index = pd.date_range("2024-02-05", periods=n, freq=pd.Timedelta(1, unit="D") / day)
    angle = 2 * np.pi * np.arange(n) / day
    other = 15.0 + 8.0 * np.sin(angle - 1.9)
    shape = 20 * np.sin(angle - 1.9) + 8 * np.sin(2 * angle)
    return pd.Series(100 + shape - weekends * (index.day_of_week >= 5) * other + e, index)


@pytest.mark.parametrize(
    ("seed", "day", "weeks"), [(1, 24, 3), (3, 24, 3.5), (10, 24, 3), (1, 48, 3)]
)
def test_three_weeks_with_other_weekends_are_enough_for_the_week(seed, day, weeks):
    """Forecasts of a Monday were ten times as far off as those that repeat the week before.

    In the tenth series the strength of the week is not clearly above that of the day.
    """
    week = 7 * day
    y = few_weeks(seed, day, int(weeks * week), 1)
    mean_week = Compose(DampedMean(1.0, day, prior=None), DampedMean(0.0, week))
    assert choose_transforms(y).value.transforms == mean_week
    alike = few_weeks(seed, day, int(weeks * week), 0)
    of_day, of_week, _ = mean_week.fit(alike).linear
    assert of_week.season.std() < 0.05 * of_day.season.std()


def test_changes_over_a_week_are_not_tried_with_few_and_its_mean_not_with_fewer():
    mean = "DampedMean(1, period=24, prior=None) and DampedMean(0, period=168)"
    scores = choose_transforms(few_weeks(10, 24, 504, 1)).scores
    assert "SeasonalDifference(period=168)" not in scores
    assert 1.25 * scores[mean] < min(v for k, v in scores.items() if k != mean)
    assert mean not in choose_transforms(few_weeks(10, 24, 503, 1)).scores


def test_why_a_shorter_season_than_the_one_that_was_found_is_taken_away_is_said():
    """Half-hourly load: the week is the season, and only the day of it is taken away."""
    t = np.arange(1400)
    e = np.random.default_rng(0).standard_normal(1400)
    weekend = (t // 48) % 7 >= 5
    load = 100 + 30 * np.sin(2 * np.pi * t / 48) * (1 - 0.3 * weekend) + np.cumsum(0.8 * e) + e
    y = pd.Series(load, pd.date_range("2000-06-05", periods=1400, freq="30min"))
    found = choose_transforms(y)
    taken = found.value.transforms.period
    if found.value.period == 336 and taken == 48:
        assert "the season of 48 steps is a part of that of 336: " in found.reason
    assert _why_shorter(Compose(SeasonalDifference(48)), 336, [336]).endswith(
        "did better in the trial forecasts; the lags may still use the longer one"
    )
    assert _why_shorter(Compose(SeasonalDifference(48)), 48, [336]) == ""
    assert _why_shorter(Compose(), 336, [336]) == ""


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


def test_a_year_of_days_is_no_whole_number_of_weeks_and_has_no_mean_over_them():
    rng, t = np.random.default_rng(0), np.arange(2400)
    days = pd.date_range("2017-01-02", periods=2400)
    y = 50.0 + 5.0 * (t % 7 > 4) + 3.0 * np.sin(2 * np.pi * t / 365.25) + rng.standard_normal(2400)
    scores = choose_transforms(pd.Series(y, days)).scores
    assert "SeasonalDifference(period=365)" in scores
    assert not any("DampedMean" in name for name in scores)
