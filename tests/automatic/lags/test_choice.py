import numpy as np
import pandas as pd
import pytest
from series_cases import autoregression

from gpforecast.automatic.lags import LagChoice, choose_lags, select_lags


def lorenz(n, step=0.01, seed=0):
    """The first coordinate of Lorenz's system, by Runge and Kutta."""

    def slope(s):
        x, y, z = s
        return np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    s = np.random.default_rng(seed).normal(size=3) + np.array([0, 0, 20])
    xs = []
    for _ in range(n + 500):
        a = slope(s)
        b = slope(s + step / 2 * a)
        c = slope(s + step / 2 * b)
        d = slope(s + step * c)
        s = s + step / 6 * (a + 2 * b + 2 * c + d)
        xs.append(s[0])
    return np.array(xs[500:])


def season(n, period=12, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    y = np.sin(2 * np.pi * t / period) + 0.5 * np.cos(6 * np.pi * t / period)
    return y + 0.1 * rng.normal(size=n)


@pytest.fixture(scope="module")
def fine() -> LagChoice:
    return choose_lags(lorenz(600))


def test_a_finely_sampled_flow_gets_lags_far_apart(fine):
    # A turn takes some 75 samples: a window of a few neighbours does not see where it leads.
    assert max(fine.lags) >= 20
    assert len(fine.lags) <= max(fine.lags) / 2


def test_the_table_holds_every_set_with_the_chosen_one_first(fine):
    table = fine.table
    assert table["score"].is_monotonic_increasing
    assert table["lags"].iloc[0] == fine.lags
    assert table["lags"].is_unique
    assert np.isfinite(table.drop(columns="lags").astype(float)).all(axis=None)


def test_the_model_has_the_hyperparameters_of_the_grid(fine):
    row = fine.table.iloc[0]
    assert fine.model.covariance.lengthscales == row["lengthscale"]
    assert fine.model.noise_var == row["noise_var"]
    assert fine.model.optimizer is None
    assert not hasattr(fine.model, "posterior_")


def test_a_season_is_seen_with_and_without_being_told():
    pulses = np.tile(np.eye(12)[3], 12) + 0.05 * np.random.default_rng(0).normal(size=144)
    for period in (12, None):
        assert 12 in choose_lags(pulses, period=period).lags


def test_white_noise_is_left_to_the_noise():
    choice = choose_lags(np.random.default_rng(0).normal(size=300))
    assert choice.table["noise_var"].iloc[0] > 0.4


@pytest.mark.parametrize("seed", [0, 3])
def test_an_autoregression_of_two_lags_gets_them(seed):
    assert choose_lags(autoregression(2000, 1.5, -0.8, seed=seed)).lags in [(1, 2), (1, 2, 3)]


def test_a_nonlinear_autoregression_of_two_lags_gets_them():
    rng = np.random.default_rng(0)
    y = np.zeros(5000)
    for t in range(2, 5000):
        a, b = y[t - 1], y[t - 2]
        y[t] = (1.5 * a - 0.8 * b) / (1 + 0.02 * a**2) + 0.5 * np.sin(b) + rng.standard_normal()
    assert choose_lags(y).lags in [(1, 2), (1, 2, 3)]


def test_white_noise_gets_one_lag_but_for_chance():
    found = [choose_lags(np.random.default_rng(k).standard_normal(300)).lags for k in range(6)]
    assert found.count((1,)) >= 5


def test_a_horizon_of_one_is_judged_by_evidence():
    rng = np.random.default_rng(0)
    y = np.zeros(300)
    for t in range(2, 300):
        y[t] = 1.2 * y[t - 1] - 0.7 * y[t - 2] + rng.normal()
    choice = choose_lags(y, horizon=1)
    assert set(choice.lags) >= {1, 2}
    assert "by evidence" in choice.reason
    assert choice.table["crps"].isna().all()
    np.testing.assert_array_equal(choice.table["score"], choice.table["crps_of_step"])


def test_the_same_series_gets_the_same_choice_and_units_do_not_matter():
    y = season(120)
    first = choose_lags(y)
    assert choose_lags(y).lags == first.lags
    assert choose_lags(-1e6 * y + 3e7).lags == first.lags
    pd.testing.assert_frame_equal(choose_lags(y).table, first.table)


def test_fewer_than_eight_values_are_too_few_to_compare():
    choice = choose_lags(season(7))
    assert choice.lags == (1,)
    assert choice.reason == "lag 1: 7 values, too few to compare lags"
    assert choice.table.empty
    assert len(choose_lags(season(8)).table) > 0


@pytest.mark.parametrize("value", [5.0])
def test_a_constant_series_gets_lag_one(value):
    choice = choose_lags(np.full(50, value))
    assert choice.lags == (1,)
    assert "constant" in choice.reason


def test_max_lag_and_max_lags_are_kept_to_and_no_set_is_tried_twice():
    choice = choose_lags(season(150), 9, max_lags=5)
    assert max(choice.table["lags"].map(max)) <= 9
    assert max(choice.table["lags"].map(len)) <= 5
    assert choice.table["lags"].is_unique


def test_dates_are_taken_and_the_series_left_alone():
    y = pd.Series(season(60), pd.date_range("2024-01-01", periods=60, freq="MS"))
    before = y.copy()
    assert choose_lags(y).lags == choose_lags(y.to_numpy()).lags
    pd.testing.assert_series_equal(y, before)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_lag": 20}, "max_lag must be at most 19 for a series of 40 values; got 20."),
        ({"max_lags": 0}, "max_lags must be a positive integer"),
        ({"period": 0}, "period must be a positive integer"),
        ({"horizon": 1.5}, "horizon must be a positive integer"),
        ({"max_lag": 0}, "max_lag must be a positive integer; got 0."),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        choose_lags(np.arange(40.0) ** 2, **options)


def test_series_that_cannot_be_judged_are_refused():
    with pytest.raises(ValueError, match="needs at least 3"):
        choose_lags([1.0, 2.0])
    with pytest.raises(ValueError, match="missing"):
        choose_lags([1.0, np.nan, 2.0, 3.0])


def test_only_lags_are_returned_by_the_short_form():
    y = autoregression(300, 1.2, -0.7)
    assert select_lags(y, max_lag=6, max_lags=4) == list(choose_lags(y, 6, max_lags=4).lags)
