"""What a forecaster has seen is found again in the series, by times or by values."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf
from gpforecast.series.known_values import longest_run, seen_before


def test_training_values_are_found_wherever_in_the_series_they_lie():
    y = wave()
    middle = gf.Forecaster(3, model=fixed()).fit(y.iloc[20:70])
    assert gf.backtest(middle, y, horizon=10, origins=1000).origins.min() == 70
    late = gf.backtest(middle, y.iloc[10:], horizon=10, origins=1000).origins
    assert late.min() == 60
    with pytest.raises(ValueError, match="no origin is left"):
        gf.backtest(middle, y.iloc[25:65], horizon=10)


def earliest(fc, series):
    return gf.backtest(fc, series, horizon=5, origins=1000).origins.min()


@pytest.mark.parametrize("first", [1, 20, 50])
@pytest.mark.parametrize("labelled", [True, False])
def test_training_values_are_found_where_the_series_begins_among_them(first, labelled):
    late = wave().iloc[first:]
    assert earliest(fitted(60), late if labelled else late.to_numpy()) == 60 - first


@pytest.mark.parametrize("level", [0.0, 1e4])
def test_training_values_are_found_in_single_precision(level):
    y = wave() + level
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.astype(np.float32)) == 60
    assert earliest(fc, y.astype(np.float32).to_numpy()[10:]) == 50
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60].astype(np.float32))
    assert earliest(fc, y) == 60


def test_training_values_at_the_end_of_the_series_leave_no_origin():
    fc = gf.Forecaster(3, model=fixed()).fit(wave().iloc[60:])
    with pytest.raises(ValueError, match=r"seen 80.*no origin is left"):
        gf.backtest(fc, wave().to_numpy()[:80], horizon=5)


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-01-01", periods=120, freq="D"),
        pd.date_range("2024-01-01", periods=120, freq="h", tz="Europe/Berlin"),
        pd.period_range("2000-01", periods=120, freq="M"),
        pd.timedelta_range("0s", periods=120, freq="30s"),
    ],
    ids=["days", "zoned hours", "months", "durations"],
)
def test_times_tell_what_was_seen_whatever_the_values(index):
    y = wave().set_axis(index)
    fc = gf.Forecaster(3, model=fixed(), transforms=None).fit(y.iloc[:60])
    for series in (y, y.iloc[7:], y.round(1).iloc[7:], y.iloc[59:]):
        start = len(y) - len(series)
        assert earliest(fc, series) == max(60 - start, 3)
    # Its values alone are another matter: these are not those of the fit.
    assert earliest(fc, y.round(1).to_numpy()) == 3


def test_numbers_tell_what_was_seen_if_the_values_are_the_same():
    # Without noise, values alone cannot tell which cycle they are of.
    y = pd.Series(np.sin(2 * np.pi * np.arange(120) / 12), index=np.arange(1900, 2020))
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.iloc[1:]) == 59
    assert earliest(fc, wave(120, seed=1).set_axis(y.index)) == 3


def test_training_values_are_found_in_long_and_repetitive_series():
    many = np.zeros(200_000)
    many[100_000] = 1.0
    history = pd.Series(many[:150_000])
    assert seen_before(history, pd.Series(many)) == 150_000
    assert seen_before(history, pd.Series(many[70_000:])) == 80_000


def test_what_was_seen_is_found_in_a_long_series_that_is_mostly_one_value():
    rng = np.random.default_rng(0)
    rare = np.where(rng.random(1_000_000) < 0.01, rng.standard_normal(1_000_000), 0.0)
    assert longest_run(rare[:500_000], rare[5_000:], 1e-9) == 495_000
    assert longest_run(np.zeros(500_000), np.zeros(1_000_000), 1e-9) == 500_000
    # These end with the same zeros, and nothing more is common to them.
    assert longest_run(np.append(rare[:400_000], np.zeros(300)), rare[500_000:], 1e-9) < 5_000


@pytest.mark.parametrize("kind", ["noise", "counts", "cycle", "constant"])
def test_search_finds_what_comparing_everywhere_finds(kind):
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(20, 60))
        y = {
            "noise": rng.standard_normal(n),
            "counts": rng.integers(0, 2, n).astype(float),
            "cycle": np.sin(2 * np.pi * np.arange(n) / 4),
            "constant": np.ones(n),
        }[kind]
        first, last = np.sort(rng.integers(0, n, 2))
        history = y[first : last + 1]
        start = int(rng.integers(0, last + 1))
        ends = [
            e
            for e in range(1, n - start + 1)
            if np.allclose(y[start:][max(e - len(history), 0) : e], history[-e:], rtol=0, atol=1e-9)
        ]
        best = max(ends, key=lambda e: (min(e, len(history)), -e))
        assert longest_run(history, y[start:], 1e-9) == best
        if kind == "noise" and last - max(first, start) > 0:
            assert best == last + 1 - start


def test_up_to_ten_values_that_end_a_series_and_begin_the_history_may_be_chance():
    rng = np.random.default_rng(0)
    history, other = pd.Series(rng.standard_normal(50)), pd.Series(rng.standard_normal(60))
    for n, seen in ((1, 0), (10, 0), (11, 60)):
        other.iloc[-n:] = history.iloc[:n].to_numpy()
        assert seen_before(history, other) == seen


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize(
    ("level", "apart", "seen"),
    [(0.0, 9e-7, 50), (0.0, 2e-6, 0), (1e6, 9e-4, 50), (1e6, 2e-3, 0)],
)
def test_copies_differ_by_a_millionth_of_the_spread_or_by_rounding(level, apart, seen, unit):
    # At a level of a million spreads, single precision is an eighth: a thousandth is the most.
    values = np.random.default_rng(0).standard_normal(50)
    history = pd.Series(unit * (level + values / np.ptp(values)))
    assert seen_before(history, history + unit * apart) == seen


def test_times_tell_of_one_value_in_common():
    y = wave().set_axis(pd.date_range("2024-01-01", periods=120, freq="D"))
    assert seen_before(y.iloc[:60], y.iloc[59:] + 1.0) == 1
    assert seen_before(y.iloc[60:], y.iloc[:61] + 1.0) == 61


def test_missing_values_alone_are_no_run():
    rng = np.random.default_rng(0)
    history, other = rng.standard_normal(50), rng.standard_normal(60)
    other[:3] = np.nan
    assert longest_run(history, other, 1e-9) == 0
    other[3] = history[-1]
    assert longest_run(history, other, 1e-9) == 4
