"""What a forecaster has seen is found again in the series, by labels or by values."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf
from gpforecast.backtesting.plan import longest_run, n_in_history

# What a forecaster has seen is found again in the series, by times or by values


def test_training_values_are_found_wherever_in_the_series_they_lie():
    y = wave()
    middle = gf.Forecaster(3, model=fixed()).fit(y.iloc[20:70])
    assert gf.backtest(middle, y, horizon=10, origins=1000).origins.min() == 70
    late = gf.backtest(middle, y.iloc[10:], horizon=10, origins=1000).origins
    assert late.min() == 60
    with pytest.raises(ValueError, match="knows 40 of the 40 values"):
        gf.backtest(middle, y.iloc[25:65], horizon=10)


def earliest(fc, series):
    return gf.backtest(fc, series, horizon=5, origins=1000).origins.min()


@pytest.mark.parametrize("first", [1, 50])
@pytest.mark.parametrize("labelled", [True, False])
def test_training_values_are_found_where_the_series_begins_among_them(first, labelled):
    late = wave().iloc[first:]
    assert earliest(fitted(60), late if labelled else late.to_numpy()) == 60 - first


def test_training_values_are_found_in_single_precision():
    y = wave() + 1e4
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.astype(np.float32)) == 60
    assert earliest(fc, y.astype(np.float32).to_numpy()[10:]) == 50
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60].astype(np.float32))
    assert earliest(fc, y) == 60


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-01-01", periods=120, freq="h", tz="Europe/Berlin"),
        pd.period_range("2000-01", periods=120, freq="M"),
    ],
    ids=["zoned hours", "months"],
)
def test_times_tell_what_was_seen_whatever_the_values(index):
    y = wave().set_axis(index)
    fc = gf.Forecaster(3, model=fixed(), transforms=None).fit(y.iloc[:60])
    for series in (y, y.iloc[7:], y.round(1).iloc[7:], y.iloc[59:]):
        start = len(y) - len(series)
        assert earliest(fc, series) == max(60 - start, 3)
    # Its values alone are another matter: these are not those of the fit.
    assert earliest(fc, y.round(1).to_numpy()) == 3


def test_numbers_tell_what_was_seen_where_values_are_of_any_cycle():
    # Without noise, values alone cannot tell which cycle they are of.
    y = pd.Series(np.sin(2 * np.pi * np.arange(120) / 12), index=np.arange(1900, 2020))
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.iloc[1:]) == 59


# Values that were seen are found again, by labels or by the values themselves


def test_what_was_seen_is_found_in_a_long_series_that_is_mostly_one_value():
    rng = np.random.default_rng(0)
    rare = np.where(rng.random(100_000) < 0.01, rng.standard_normal(100_000), 0.0)
    assert longest_run(rare[:50_000], rare[5_000:], 1e-9) == 45_000
    assert longest_run(np.zeros(50_000), np.zeros(100_000), 1e-9) == 50_000
    # These end with the same zeros, and nothing more is common to them.
    assert longest_run(np.append(rare[:40_000], np.zeros(300)), rare[50_000:], 1e-9) < 5_000


@pytest.mark.parametrize("kind", ["noise", "counts", "constant"])
def test_search_finds_what_comparing_everywhere_finds(kind):
    rng = np.random.default_rng(5)
    for _ in range(30):
        n = int(rng.integers(20, 60))
        y = {
            "noise": rng.standard_normal(n),
            "counts": rng.integers(0, 2, n).astype(float),
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


def test_missing_values_alone_are_no_run():
    rng = np.random.default_rng(0)
    history, other = rng.standard_normal(50), rng.standard_normal(60)
    other[:3] = np.nan
    assert longest_run(history, other, 1e-9) == 0
    other[3] = history[-1]
    assert longest_run(history, other, 1e-9) == 4


@pytest.mark.parametrize("gap", [[50], [20, 79]])
@pytest.mark.parametrize("labels", ["years", "rows"])
def test_a_history_with_gaps_is_found_in_the_series_whose_gaps_were_filled(gap, labels):
    rng = np.random.default_rng(0)
    index = pd.RangeIndex(1900, 2020)
    y = pd.Series(np.sin(np.arange(120) / 3) + 0.1 * rng.standard_normal(120), index=index)
    history = y.iloc[:80].copy()
    history.iloc[gap] = np.nan
    other = y.iloc[10:] if labels == "years" else y.iloc[10:].reset_index(drop=True)
    assert n_in_history(history, other) == 70
    other.iloc[[3, 66, 75]] = np.nan  # and what the series lacks itself
    assert n_in_history(history, other) == 70
    assert n_in_history(history, pd.Series(rng.standard_normal(50))) == 0
    assert n_in_history(history, other * np.nan) == 0


def test_times_are_compared_whatever_their_units():
    history = pd.Series(np.arange(60.0), pd.date_range("2020-01-01", periods=60, unit="ns"))
    revised = (history.iloc[50:] + 5.0).set_axis(history.index[50:].as_unit("s"))
    assert n_in_history(history, revised) == 10
