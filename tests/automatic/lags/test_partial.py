import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.automatic.lags import select_lags as select


def select_lags(series, max_lag=None, **options):
    return select(series, max_lag, method="pacf", **options)


def autoregression(weights, n, seed=0):
    """Simulate n values of y_t = sum of weights[k] y_(t-k) + unit noise, after a burn-in."""
    rng = np.random.default_rng(seed)
    reach = max(weights)
    y = np.zeros(n + 200)
    for t in range(reach, len(y)):
        y[t] = sum(w * y[t - k] for k, w in weights.items()) + rng.normal()
    return y[200:]


def naive_pacf(y, k):
    """The last coefficient of the least-squares regression on lags 1 to k."""
    y = y - y.mean()
    X = np.column_stack([y[k - j : len(y) - j] for j in range(1, k + 1)])
    return np.linalg.lstsq(X, y[k:], rcond=None)[0][-1]


def test_the_lags_of_an_autoregression_are_found():
    lags = select_lags(autoregression({1: 0.6, 7: 0.35}, 3000), max_lag=20, alpha=1e-3)
    assert 7 in lags
    assert max(lags) <= 8  # partial autocorrelations of an AR(7) are 0 beyond 7


def test_choice_agrees_with_regressions_away_from_the_band():
    y = autoregression({1: 0.5, 4: -0.4}, 2000)
    chosen = select_lags(y, max_lag=12)
    band = 1.959964 / np.sqrt(len(y))
    for k in range(2, 13):
        size = abs(naive_pacf(y, k))
        # Burg and least squares differ by O(1/n): far inside a fifth of the band.
        if abs(size - band) > 0.2 * band:
            assert (k in chosen) == (size > band)


def test_of_too_many_lags_the_strongest_stay():
    y = autoregression({1: 0.2, 2: 0.15, 3: 0.5}, 4000)
    assert select_lags(y, max_lag=10, max_lags=2) == [1, 3]
    assert select_lags(y, max_lags=1) == [1]


@pytest.mark.parametrize("power", [1, 2])
def test_a_noise_free_series_gets_the_lags_it_needs_and_none_from_rounding(power):
    t = np.arange(500.0)
    for y in (np.sin(0.3 * t) ** power, t**power):
        chosen = select_lags(y, max_lag=100)
        # Few steps explain all: what rounding leaves, at lags up to 100, is not looked at.
        assert set(chosen) >= {1, 2}
        assert max(chosen) <= 10


@pytest.mark.parametrize("value", [5.0])
def test_a_constant_series_gets_lag_one(value):
    assert select_lags(np.full(50, value)) == [1]


@given(a=st.floats(0.01, 100), b=st.floats(-100, 100), sign=st.sampled_from([-1, 1]))
@settings(max_examples=20, deadline=None)
def test_units_do_not_matter(a, b, sign):
    y = autoregression({1: 0.9, 3: -0.3}, 300)
    assert select_lags(sign * a * y + b) == select_lags(y)


def test_a_series_with_dates_is_taken_and_left_alone():
    y = pd.Series(autoregression({1: 0.9}, 100), pd.date_range("2024-01-01", periods=100))
    before = y.copy()
    assert select_lags(y) == select_lags(y.to_numpy())
    pd.testing.assert_series_equal(y, before)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_lag": 0}, "max_lag must be a positive integer; got 0."),
        ({"max_lag": 20}, "max_lag must be at most 19 for a series of 40 values; got 20."),
        ({"max_lags": 0}, "max_lags must be a positive integer"),
        ({"method": "aic"}, "method must be one of 'auto', 'pacf'; got 'aic'."),
        ({"alpha": 0}, "alpha must lie between 0 and 1; got 0."),
        ({"alpha": 1.5}, "alpha must lie between 0 and 1; got 1.5."),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        select(np.arange(40.0) ** 2, **{"method": "pacf"} | options)


def test_series_that_cannot_be_judged_are_refused():
    with pytest.raises(ValueError, match="needs at least 3"):
        select_lags([1.0, 2.0])
    with pytest.raises(ValueError, match="missing"):
        select_lags([1.0, np.nan, 2.0, 3.0])
