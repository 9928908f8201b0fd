"""Series that end in one value: the shift to it is found at any length, and usual ends are none."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.ends import constant_end, unfinished_end, unusual_in
from gpforecast.automatic.outliers import find_unusual

WEEK = np.array([0.85, 0.8, 0.85, 0.95, 1.25, 1.4, 0.7])


def sales(n, seed=0, mean=150.0):
    return np.random.default_rng(seed).poisson(mean * np.resize(WEEK, n)).astype(float)


@pytest.mark.parametrize("n_zeros", [30, 200, 600])
def test_the_shift_to_a_value_that_stays_is_found_at_any_length(n_zeros):
    y = np.append(sales(200), np.zeros(n_zeros))
    found = unusual_in(y, 7)
    assert found.shifts.tolist() == [200]
    assert found.sizes == pytest.approx([-150], abs=30)
    before = find_unusual(y[:200], 7)
    np.testing.assert_array_equal(found.outliers, before.outliers)


def test_a_store_that_closed_is_forecast_near_nothing():
    y = np.append(sales(220), np.zeros(200))
    fc = gf.Forecaster().fit(pd.Series(y, pd.date_range("2024-08-01", periods=420)))
    assert any("the level shifts by -1" in note and "2025-03-09" in note for note in fc.notes_)
    f = fc.predict(28)
    assert f.mean.max() < 15.0
    assert f.median.max() < 1.0


def intermittent(rng):
    return rng.poisson(2.0, 300) * (rng.random(300) < 0.2)


def seasonal_zeros(rng):
    return np.tile(np.append(sales(60), np.zeros(40)), 3)[:300]


def dry(rng):
    return np.append(rng.exponential(1.0, 270) * (rng.random(270) < 0.4), np.zeros(30))


def near_the_others(rng):
    y = 20.0 + rng.standard_normal(300)
    y[250:] = y[250]
    return y


@pytest.mark.parametrize("draw", [intermittent, seasonal_zeros, dry, near_the_others])
def test_a_row_of_equal_values_that_is_usual_or_near_the_others_is_no_end(draw):
    for seed in range(5):
        y = np.asarray(draw(np.random.default_rng(seed)), dtype=float)
        assert constant_end(y, None, 6) == 0


def test_a_last_value_of_part_of_a_step_is_noticed_and_usual_ends_are_not():
    rng, said = np.random.default_rng(0), []
    for seed in range(20):
        y = sales(84, seed, mean=400.0)
        assert unfinished_end(y, 7) is None
        said.append(unfinished_end(np.append(y[:-1], rng.uniform(0.1, 0.6) * y[-1]), 7))
    assert all(said)
    assert np.mean(said) == pytest.approx(400 * WEEK[84 % 7 - 1], rel=0.1)


def shop(n):
    """Months with growth, a season and promotions."""
    rng, t = np.random.default_rng(0), np.arange(n)
    promotions = 0.2 * (rng.random(n) < 0.2)
    log = 0.01 * t + 0.2 * np.sin(t * np.pi / 6) + promotions + 0.03 * rng.standard_normal(n)
    return pd.Series(4e4 * np.exp(log), pd.period_range("2018-01", periods=n, freq="M"))


def unfinished(fc):
    return [note for note in fc.notes_ if "if its month was not over yet, leave it out" in note]


def test_a_fit_says_that_the_last_month_may_not_be_over_and_an_update_no_longer():
    y = shop(78)
    assert not unfinished(gf.Forecaster().fit(y))
    y.iloc[-1] *= 0.44
    fc = gf.Forecaster(outliers=None).fit(y)
    assert unfinished(fc)
    new = pd.Series([6e4, 6.2e4], pd.period_range("2024-07", periods=2, freq="M"))
    assert not unfinished(fc.update(new))
