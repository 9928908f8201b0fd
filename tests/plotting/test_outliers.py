"""Outliers that a forecast left out are marked, and the forecast goes on from what is left."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.plotting.forecasts import fan_picture, paths_picture
from gpforecast.plotting.picture import Line
from gpforecast.reporting.words import beside, whole_horizon


@pytest.fixture(scope="module")
def forecast():
    """Return a forecast after a month that is half over, and one after a typo."""
    t = np.arange(72)
    y = 100 + t + 20 * np.sin(2 * np.pi * t / 12) + np.random.default_rng(0).standard_normal(72)
    y = pd.Series(y, pd.date_range("2019-01-01", periods=72, freq="MS"))
    y.iloc[[40, -1]] = 30.0
    return gf.Forecaster(lags=[1, 12], combine=None).fit(y).predict(12)


def signs(picture):
    return [part for part in picture.parts if isinstance(part, Line) and part.label == "left out"]


@pytest.mark.parametrize("picture", [fan_picture, paths_picture])
def test_outliers_are_marked_and_not_joined(forecast, picture):
    assert forecast.set_aside == (40, 71)
    found = picture(forecast, n_history=72)
    (marks,) = signs(found)
    assert marks.y.tolist() == [30.0, 30.0]
    assert marks.width == 0.0
    (observed,) = (p for p in found.parts if isinstance(p, Line) and p.label == "observed")
    assert len(observed.y) == 70
    assert observed.y.min() > 60.0
    assert not signs(picture(forecast, history=forecast.history, n_history=72))


def test_the_forecast_goes_on_from_the_last_value_that_counts(forecast):
    picture = fan_picture(forecast)
    (centre,) = (p for p in picture.parts if isinstance(p, Line) and "forecast" in p.label)
    assert centre.y[0] == forecast.history.iloc[70]
    assert len(centre.x) == len(centre.y) == 13


def test_a_far_outlier_stays_a_sign_at_the_edge():
    t = np.arange(72)
    y = 100 + t + np.random.default_rng(0).standard_normal(72)
    y[50] = 1e6
    f = gf.Forecaster(lags=2, combine=None).fit(y).predict(6)
    assert f.set_aside == (50,)
    picture = fan_picture(f, n_history=72)
    assert not signs(picture)
    assert sum("1,000,000" in p.label for p in picture.parts if isinstance(p, Line)) == 1


def test_a_report_compares_with_no_outlier_and_says_that_the_last_value_is_one(forecast):
    said = beside(forecast, (12,))
    assert (
        "The last known value, of 2024-11, is " in said
        or "the last known value, of 2024-11" in said
    )
    assert "The value of 2024-12, 30.0, was taken for an outlier and left out." in said
    assert "than from" not in whole_horizon(forecast, "", (12,))
    assert not forecast.history.isna().any()


def test_a_report_says_once_how_many_values_at_the_end_a_stuck_sensor_told():
    y = pd.Series(
        np.random.default_rng(0).standard_normal(80), pd.date_range("2025-03-01", periods=80)
    )
    y.iloc[60:] = y.iloc[60]
    f = gf.Forecaster(lags=2, combine=None, model=gf.models.LinearAR()).fit(y).predict(3)
    said = beside(f)
    assert said.count("left out") == 1
    assert "The 19 values after it, to 2025-05-19, were left out." in said
