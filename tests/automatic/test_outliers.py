"""What is said of outliers that are far beyond all else."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic.cleaned import Original
from gpforecast.automatic.events import _BOXES, _lengths, events_in


@pytest.mark.parametrize("size", [1e9, 1e100])
def test_what_was_expected_instead_of_a_huge_outlier_keeps_its_digits(size):
    y = 162.0 + 5.0 * np.random.default_rng(0).standard_normal(80)
    y[40] = size
    (note,) = (n for n in gf.Forecaster().fit(y).predict(1).notes if "outlier among" in n)
    assert 140.0 < float(note.split(" where about ")[1].split(" was ")[0]) < 180.0


def shop(n, seed):
    """Months with growth, a season and promotions, which make the tails of what is left heavy."""
    rng, t = np.random.default_rng(seed), np.arange(n)
    promotions = 0.15 * (rng.random(n) < 0.15)
    season = 0.25 * np.sin(2 * np.pi * t / 12) + 0.1 * np.cos(4 * np.pi * t / 12)
    return 4e4 * np.exp(0.008 * t + season + promotions + 0.03 * rng.standard_normal(n))


def test_a_slip_of_the_decimal_mark_is_found_wherever_it_is():
    n, found, others = 60, [], 0
    for seed, back in enumerate((1, 2, 3, 4, 5, 6, 9, 12, 18)):
        y = shop(n, seed)
        y[-back] *= 10.0
        outliers = events_in(y, 12).outliers.tolist()
        found.append(n - back in outliers)
        others += len({*outliers} - {n - back})
    assert np.mean(found) > 0.95
    assert others <= 9


@pytest.mark.parametrize("gap", [slice(-33, -30), slice(-29, -26)], ids=["before", "after"])
@pytest.mark.parametrize("seed", range(2))
def test_an_absurd_value_beside_a_gap_is_found_alone_with_what_its_neighbours_tell(gap, seed):
    """A straight line from it through the gap would look unusual too, and hide its size."""
    noise = np.random.default_rng(seed).standard_normal(480)
    usual = 15.0 + 3.0 * np.sin(2 * np.pi * np.arange(480) / 24)
    usual += lfilter([0.7], [1.0, -0.93], noise)
    y = usual.copy()
    y[-30], y[gap] = 300.0, np.nan
    found = events_in(y, 24)
    assert found.outliers.tolist() == [450]
    np.testing.assert_allclose(found.expected, usual[[450]], atol=4.0)


def test_a_run_of_values_that_differ_is_found_where_the_series_wanders():
    hit = []
    for seed in range(6):
        y = lfilter([1.0], [1.0, -0.8], np.random.default_rng(seed).standard_normal(300))
        y[290:297] -= np.array([3.0, 8.0, 16.0, 20.0, 14.0, 9.0, 4.0])
        hit.append(len({*events_in(y, None).outliers.tolist()} & {*range(290, 297)}))
    assert np.mean(hit) > 5.0


def test_a_zero_of_a_series_whose_logarithm_has_inputs_was_expected_to_be_a_number():
    original = Original(pd.Series([2.0, 0.0]), gf.transforms.Log().fit(np.ones(2)))
    expected = original.with_effects(*np.array([[3.0, 3.0], [1.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_allclose(expected, [6.0, 3.0], rtol=1e-12)


def test_what_the_search_holds_at_a_time_is_bounded():
    """Of a million values it once held seven gigabytes."""
    sizes = {n: n * len(_lengths(n)) for n in (1_000, 100_000, 1_000_000)}
    assert max(sizes.values()) <= 2 * _BOXES, sizes
