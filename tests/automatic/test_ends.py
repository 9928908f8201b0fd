"""Series that end in one value: the shift to it is found at any length, and usual ends are none."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.cleaned import unfinished as unfinished_end
from gpforecast.automatic.lifetime import lifetime

WEEK = np.array([0.85, 0.8, 0.85, 0.95, 1.25, 1.4, 0.7])


def sales(n, seed=0, mean=150.0):
    return np.random.default_rng(seed).poisson(mean * np.resize(WEEK, n)).astype(float)


@pytest.mark.parametrize("n_zeros", [25, 60, 600])
def test_an_end_and_a_beginning_in_zeros_are_found_at_any_length(n_zeros):
    y = sales(200)
    assert lifetime(np.append(y, np.zeros(n_zeros))) == (0, 200)
    assert lifetime(np.append(np.zeros(n_zeros), y)) == (n_zeros, 200 + n_zeros)


def test_a_store_that_closed_is_forecast_to_stay_closed():
    y = np.append(sales(220), np.zeros(200))
    fc = gf.Forecaster().fit(pd.Series(y, pd.date_range("2024-08-01", periods=420)))
    assert any("has ended: from 2025-03-09 on all values are 0" in note for note in fc.notes_)
    assert np.abs(np.asarray(fc.predict(28).interval(0.95))).max() < 1.0


def test_a_launch_is_forecast_as_if_nothing_had_preceded_it():
    months = pd.date_range("2020-01-01", periods=54, freq="MS")
    y = pd.Series(
        np.append(np.zeros(20), 500 + 50 * np.random.default_rng(9).normal(size=34)), months
    )
    fc = gf.Forecaster().fit(y)
    assert any("begins at 2021-09: the 20 values up to then, all 0" in note for note in fc.notes_)
    alone = gf.Forecaster().fit(y[20:]).predict(6)
    np.testing.assert_allclose(fc.predict(6).median, alone.median, rtol=0.03)


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
        assert lifetime(y) == (0, len(y))


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
    assert " at 2024-06, is far" in unfinished(fc)[0]
    new = pd.Series([6e4, 6.2e4], pd.period_range("2024-07", periods=2, freq="M"))
    assert not unfinished(fc.update(new))


@pytest.mark.parametrize(("n", "zeros"), [(60, 6), (100, 12), (1000, 24)])
def test_a_series_has_ended_after_a_twelfth_of_its_values_or_two_dozen(n, zeros):
    y = np.append(np.random.default_rng(0).poisson(30, n), np.zeros(zeros))
    assert lifetime(y) == (0, n)
    assert lifetime(y[: n + zeros // 2]) == (0, n + zeros // 2)
