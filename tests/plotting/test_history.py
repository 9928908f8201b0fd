"""Outliers on a chart, and what is said of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.plotting import fan_chart, forecasts_by_origin, sample_paths


@pytest.fixture(scope="module")
def forecast():
    """Return a forecast after a month that is half over, and one after a typo."""
    t = np.arange(72)
    y = 100 + t + 20 * np.sin(2 * np.pi * t / 12) + np.random.default_rng(0).standard_normal(72)
    y = pd.Series(y, pd.date_range("2019-01-01", periods=72, freq="MS"))
    y.iloc[[40, -1]] = 30.0
    return gf.Forecaster(lags=[1, 12], combine=None).fit(y).predict(12)


def parts(picture, label):
    return [part for part in picture.parts if getattr(part, "label", "") == label]


@pytest.mark.parametrize("chart", [fan_chart, sample_paths])
def test_outliers_are_marked_and_not_joined(forecast, chart):
    assert forecast.set_aside == (40, 71)
    found = chart.picture(forecast, n_history=72)
    (marks,), (line,) = parts(found, "left out"), parts(found, "observed")
    assert marks.y.tolist() == [30.0, 30.0]
    assert marks.width == 0.0
    assert len(line.y) == 70
    assert line.y.min() > 60.0
    own = chart.picture(forecast, history=forecast.history, n_history=72)
    assert not parts(own, "left out")


def test_the_forecast_goes_on_from_the_last_value_that_is_not_left_out(forecast):
    (centre,) = parts(fan_chart.picture(forecast), "mean forecast")
    assert centre.y[0] == forecast.history.iloc[70]
    assert len(centre.x) == len(centre.y) == 13


def test_far_off_outliers_leave_the_height_to_the_others(forecast):
    history = forecast.history.copy()
    history.iloc[40] = 3e4
    for chart in (fan_chart, sample_paths):
        found = chart.picture(replace(forecast, history=history), n_history=72)
        (marks,) = parts(found, "left out (not to scale)")
        others = np.concatenate([part.y.ravel() for part in found.parts if part is not marks])
        assert marks.y.tolist() == [others.max() + np.ptp(others), 30.0]


def test_earlier_forecasts_are_drawn_with_outliers_too():
    y = 100 + 8 * np.random.default_rng(0).standard_normal(100)
    y = pd.Series(y, pd.date_range("2020-01-01", periods=100))
    y.iloc[90] = 3e4
    fc = gf.Forecaster(2, model=gf.models.LinearAR(), combine=None)
    found = forecasts_by_origin.picture(gf.backtest(fc, y, horizon=3, origins=[88, 96]), y)
    assert len(parts(found, "left out (not to scale)")[0].x) == 1
    assert found.values().max() < 200
