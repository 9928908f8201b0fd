"""Values that were seen are found again, by labels or by the values themselves."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.backtesting.plan import longest_run, n_in_history


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
