"""Observed values on a chart: outliers, values far off, and constants."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import legend_texts, series_and_frame

import gpforecast as gf
from gpforecast.plotting import fan_chart, forecasts_by_origin, sample_paths
from gpforecast.plotting.history import is_beyond
from gpforecast.plotting.plotly_drawing import figure_of
from gpforecast.reporting.words import context, whole_horizon

INDEX = pd.date_range("2020-01-01", periods=60, freq="MS")


def case(**changes):
    series, frame = series_and_frame(INDEX, 6)
    for place, value in changes.items():
        series.iloc[int(place[1:])] = value
    return series, frame


def height(ax):
    low, high = ax.get_ylim()
    plt.close(ax.figure)
    return high - low


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"_20": 3e4}, ["beyond the axis: 30,000"]),
        ({"_20": 3e4, "_30": 300.0}, ["beyond the axis: 2 values, one of 30,000"]),
        ({"_20": 3e4, "_53": -2e4}, ["beyond the axis: 30,000", "beyond the axis: -20,000"]),
    ],
)
def test_values_far_off_are_signs_and_leave_the_height_to_the_others(changes, named):
    usual = height(fan_chart(case()[1], case()[0]))
    series, frame = case(**changes)
    ax = fan_chart(frame, series)
    assert legend_texts(ax)[-len(named) :] == named
    signs = [line for line in ax.lines if line.get_marker() in {"^", "v"}]
    assert sum(len(line.get_xdata()) for line in signs) == len(changes)
    drawn = next(line for line in ax.lines if line.get_label() == "observed").get_ydata()
    assert len(drawn) == 54 - len(changes)
    low, high = ax.get_ylim()
    for line in signs:  # at the edge, and inside
        edge = line.get_ydata()[0]
        assert low <= edge <= high
        assert edge > drawn.max() if line.get_marker() == "^" else edge < drawn.min()
    assert height(ax) < 1.4 * usual
    assert height(sample_paths(frame[["mean"]], series)) < 1.4 * usual
    assert height(fan_chart(frame, series, truth=pd.Series(3e4, frame.index))) > 3e4


@pytest.mark.parametrize(
    "past",
    [
        np.where(np.arange(60) % 10 == 5, 1e3, np.sin(np.arange(60.0))),
        np.append(np.sin(np.arange(30.0)), 4.0),
        np.array([1.0, 2.0, 900.0]),
        np.append(np.ones(30), 9.0),
        np.full(30, np.nan),
    ],
)
def test_many_values_far_off_and_those_of_short_and_constant_series_stay(past):
    assert not is_beyond(past, np.ones(1)).any()


def test_a_value_is_not_lost_with_a_band_without_end():
    series, frame = case(_20=3e4)
    frame.loc[frame.index[2], "hi-95"] = np.inf
    ax = fan_chart(frame, series)
    assert any(text.startswith("beyond") for text in legend_texts(ax))
    fan_chart(frame, series, label="other", ax=ax)  # which names the value once
    assert sum(text.startswith("beyond") for text in legend_texts(ax)) == 1
    assert height(ax) < 30


def test_plotly_shows_the_value_itself_at_the_pointer():
    pytest.importorskip("plotly")
    series, frame = case(_20=30_854.8)
    figure = figure_of([fan_chart.picture(frame, series)])
    (sign,) = [trace for trace in figure.data if trace.name.startswith("beyond")]
    assert sign.marker.symbol == "triangle-up"
    assert list(sign.customdata) == [30_854.8]
    assert "customdata" in sign.hovertemplate
    assert sign.y[0] < 100


def test_earlier_forecasts_are_drawn_with_signs_too():
    series = pd.Series(np.cos(np.arange(54.0)), INDEX[:54])
    series.iloc[48] = 3e4
    b = gf.backtest(gf.Forecaster(2, model=gf.models.LinearAR()), series, horizon=3, origins=8)
    ax = forecasts_by_origin(b, series)
    assert any(line.get_marker() == "^" for line in ax.lines)
    assert height(ax) < 20


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


def test_a_report_compares_with_no_outlier_and_says_that_the_last_value_is_one(forecast):
    said = context(forecast, (12,))
    assert "he last known value, of 2024-11, is " in said
    assert "; 1 outlier after it, to 2024-12, left out." in said
    assert "than from" not in whole_horizon(forecast, "", (12,))


@pytest.mark.parametrize("level", [7.1, 1e6 + 1 / 3, 0.0])
def test_the_forecast_of_a_constant_series_looks_flat(level):
    """Its intervals are 1e-4 wide, in parts of the value: they must not be all there is to see."""
    f = gf.Forecaster().fit(np.full(40, level)).predict(6)
    for picture in (fan_chart.picture(f), sample_paths.picture(f)):
        low, high = picture.around_constant()
        assert high - low >= 0.19 * (abs(level) or 1.0)
    assert height(f.plot()) > 100 * np.ptp(f.interval(0.95).to_numpy())


def test_a_series_that_moves_little_for_its_size_is_not_drawn_flat():
    """Air pressure in pascals moves by a few in a hundred thousand."""
    y = 101_000.0 + np.random.default_rng(0).normal(0, 20, 60)
    f = gf.Forecaster(3, model=gf.models.LinearAR(), transforms=None).fit(y).predict(6)
    assert fan_chart.picture(f).around_constant() is None
