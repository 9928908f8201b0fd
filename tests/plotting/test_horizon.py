"""Paths, correlations, earlier forecasts, and outliers on all of them."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.plotting import correlation_heat_map, fan_chart, forecasts_by_origin, sample_paths


@pytest.fixture(scope="module")
def series():
    values = gf.datasets.mackey_glass(300, noise_var=1e-3, seed=0).to_numpy()
    return pd.Series(values, index=pd.date_range("2024-01-01", periods=300), name="x(t)")


@pytest.fixture(scope="module")
def forecast(series):
    return gf.Forecaster(lags=6).fit(series[:200]).predict(12)


@pytest.fixture(scope="module")
def tested(series):
    forecaster = gf.Forecaster(6, model=gf.models.LinearAR(), transforms=None, noise="process")
    return gf.backtest(forecaster, series, horizon=10, origins=15)


def test_paths_are_the_forecasts_own_and_start_at_the_last_observation(forecast, series):
    ax = sample_paths(forecast, n=5, seed=3, truth=series)
    observed, *paths, later = ax.lines
    drawn = np.array([line.get_ydata() for line in paths])
    np.testing.assert_array_equal(drawn[:, 0], np.full(5, forecast.history.iloc[-1]))
    np.testing.assert_array_equal(drawn[:, 1:].T, forecast.sample(5, seed=3).to_numpy())
    assert observed.get_ydata()[-1] == series.iloc[199]
    np.testing.assert_array_equal(later.get_ydata(), series.iloc[200:212])
    assert ax.get_ylabel() == "x(t)"


def test_heat_map_holds_the_correlations(forecast):
    ax = correlation_heat_map(forecast)
    S = forecast.covariance.to_numpy()
    root = np.sqrt(np.diag(S))
    np.testing.assert_allclose(ax.images[0].get_array(), S / np.outer(root, root), atol=1e-12)
    assert ax.images[0].get_clim() == (-1, 1)


def test_forecasts_are_drawn_where_they_were_made(tested, series):
    ax = forecasts_by_origin(tested, series, n=4, level=80)
    times = series.index
    means = {tuple(row) for row in tested.mean}
    starts = sorted(pd.Timestamp(line.get_xdata(orig=True)[0]) for line in ax.lines[1:])
    assert min(np.diff(starts)) >= pd.Timedelta(days=10)  # those that would overlap are left out
    assert starts[-1] == times[tested.origins.max()]
    assert 2 <= len(ax.collections) <= 4
    for line in ax.lines[1:]:
        assert tuple(line.get_ydata()) in means
        k = [tuple(row) for row in tested.mean].index(tuple(line.get_ydata()))
        assert line.get_xdata(orig=True)[0] == times[tested.origins[k]]


def test_bad_input_is_refused_before_a_figure_is_made(tested, series, forecast):
    with pytest.raises(ValueError, match="the one that was backtested"):
        forecasts_by_origin(tested, series[:100])
    with pytest.raises(ValueError, match=r"level must be one of .*50, 80, 95"):
        forecasts_by_origin(tested, series, level=90)
    with pytest.raises(TypeError, match="one path a column; got int"):
        sample_paths(3)
    with pytest.raises(ValueError, match="empty frame"):
        sample_paths(pd.DataFrame())
    with pytest.raises(ValueError, match="positive variances"):
        correlation_heat_map([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="n must be a positive integer"):
        sample_paths(forecast, n=0)
    assert not plt.get_fignums()


# Outliers on a chart, and what is said of them


@pytest.fixture(scope="module")
def after_outliers():
    """Return a forecast after a month that is half over, and one after a typo."""
    t = np.arange(72)
    y = 100 + t + 20 * np.sin(2 * np.pi * t / 12) + np.random.default_rng(0).standard_normal(72)
    y = pd.Series(y, pd.date_range("2019-01-01", periods=72, freq="MS"))
    y.iloc[[40, -1]] = 30.0
    return gf.Forecaster(lags=[1, 12], combine=None).fit(y).predict(12)


def parts(picture, label):
    return [part for part in picture.parts if getattr(part, "label", "") == label]


@pytest.mark.parametrize("chart", [fan_chart, sample_paths])
def test_outliers_are_marked_and_not_joined(after_outliers, chart):
    assert after_outliers.set_aside == (40, 71)
    found = chart.picture(after_outliers, n_history=72)
    (marks,), (line,) = parts(found, "left out"), parts(found, "observed")
    assert marks.y.tolist() == [30.0, 30.0]
    assert marks.width == 0.0
    assert len(line.y) == 70
    assert line.y.min() > 60.0
    own = chart.picture(after_outliers, history=after_outliers.history, n_history=72)
    assert not parts(own, "left out")


def test_the_forecast_goes_on_from_the_last_value_that_is_not_left_out(after_outliers):
    (centre,) = parts(fan_chart.picture(after_outliers), "mean forecast")
    assert centre.y[0] == after_outliers.history.iloc[70]
    assert len(centre.x) == len(centre.y) == 13


def test_far_off_outliers_leave_the_height_to_the_others(after_outliers):
    history = after_outliers.history.copy()
    history.iloc[40] = 3e4
    for chart in (fan_chart, sample_paths):
        found = chart.picture(replace(after_outliers, history=history), n_history=72)
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
