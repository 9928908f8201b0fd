"""The linear vector takes logarithms that no setting asks for: values without one leave it out."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf


@pytest.fixture(scope="module")
def frame():
    rng, n = np.random.default_rng(0), 120
    a = 0.1 * np.cumsum(rng.standard_normal(n))
    b = np.exp(0.3 * np.sin(np.arange(n) / 6) + 0.2 * rng.standard_normal(n))
    return pd.DataFrame({"a": a, "b": b}, pd.date_range("2020-01-01", periods=n, freq="D"))


def test_an_update_with_a_value_below_zero_goes_on_without_it(frame):
    fc = gf.VectorForecaster().fit(frame)
    assert fc.fitted_.linear.columns[1].chain.warp is not None
    times = pd.date_range(frame.index[-1], periods=2, freq="D")[1:]
    fc.update(pd.DataFrame({"a": [0.1], "b": [-0.1]}, times))
    assert fc.fitted_.linear is None
    assert np.isfinite(fc.predict(3).mean).all(axis=None)


def test_zeros_have_no_logarithm_and_keep_it(frame):
    values = frame.copy()
    values.iloc[[5, 50, 90], 1] = 0.0
    fc = gf.VectorForecaster().fit(values)
    assert fc.fitted_.linear.columns[1].chain.warp is None
    assert np.isfinite(fc.predict(3).mean).all(axis=None)


def test_a_backtest_with_a_value_below_zero_runs(frame):
    later = frame.copy()
    later.iloc[100, 1] = -0.1
    scores = gf.VectorForecaster().backtest(later, 3, origins=4).summary()
    assert np.isfinite(scores.to_numpy(dtype=float)).all()


def test_rows_of_two_days_of_the_week_are_not_taken_for_all():
    """Four lags of open days alone lead to Fridays and Saturdays, on which sales rise."""
    rng, days = np.random.default_rng(0), pd.date_range("2022-05-01", periods=500)
    week = np.array([0.8, 0.75, 0.8, 0.9, 1.2, 1.6, 0.9])[days.day_of_week]
    sales = {name: 900 * week * np.exp(0.05 * rng.standard_normal(500)) for name in "ab"}
    frame = pd.DataFrame(sales, days)
    frame.loc[days.day_of_week == 6, "b"] = np.nan
    fc = gf.VectorForecaster().fit(frame)
    assert fc.fitted_.linear is None
    assert fc.predict(28).mean["a"].between(400, 2000).all()
