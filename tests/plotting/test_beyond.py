"""A typo of a thousand times is a sign at the edge of a fan chart, not all there is to see."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import legend_texts, series_and_frame

import gpforecast as gf
from gpforecast.plotting import fan_chart, forecasts_by_origin, sample_paths
from gpforecast.plotting.beyond import is_beyond, without_far
from gpforecast.plotting.forecasts import fan_picture
from gpforecast.plotting.plotly_drawing import figure_of

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
        ({"_20": 3e4, "_30": 3e4}, ["beyond the axis: 2 values, one of 30,000"]),
        ({"_20": 3e4, "_30": 300.0}, ["beyond the axis: 2 values, one of 30,000"]),
        ({"_20": -5e3, "_30": -3e4}, ["beyond the axis: 2 values, one of -30,000"]),
        ({"_20": 3e4, "_53": -2e4}, ["beyond the axis: 30,000", "beyond the axis: -20,000"]),
    ],
)
def test_values_far_off_leave_the_height_to_the_others(changes, named):
    usual = height(fan_chart(case()[1], case()[0]))
    series, frame = case(**changes)
    ax = fan_chart(frame, series)
    assert legend_texts(ax)[-len(named) :] == named
    signs = [line for line in ax.lines if line.get_marker() in {"^", "v"}]
    assert sum(len(line.get_xdata()) for line in signs) == len(changes)
    drawn = next(line for line in ax.lines if line.get_label() == "observed").get_ydata()
    assert np.isnan(drawn).sum() == len(changes)
    for line in signs:  # at the edge, and inside
        inner = ax.get_ylim()
        assert inner[0] <= line.get_ydata()[0] <= inner[1]
        edge = np.nanmax(drawn) if line.get_marker() == "^" else np.nanmin(drawn)
        assert (line.get_ydata()[0] > edge) == (line.get_marker() == "^")
    assert height(ax) < 1.4 * usual
    assert height(sample_paths(frame[["mean"]], series)) < 1.4 * usual


@pytest.mark.parametrize("value", [12.0, -12.0, np.nan])
def test_values_of_a_few_times_the_height_stay(value):
    series, frame = case(_20=value)
    ax = fan_chart(frame, series)
    assert not any(text.startswith("beyond") for text in legend_texts(ax))
    plt.close(ax.figure)


def test_a_forecast_that_reaches_as_far_and_what_came_later_are_never_cut():
    series, frame = case(_20=3e4)
    frame.loc[frame.index[3], "hi-95"] = 2e4
    ax = fan_chart(frame, series)
    assert ax.get_ylim()[1] > 3e4
    plt.close(ax.figure)
    truth = pd.Series(3e4, frame.index)
    ax = fan_chart(case()[1], case()[0], truth=truth)
    assert ax.get_ylim()[1] > 3e4
    plt.close(ax.figure)


def test_many_values_far_off_and_those_of_short_and_constant_series_stay():
    spikes = np.where(np.arange(60) % 10 == 5, 1e3, np.sin(np.arange(60.0)))
    assert not is_beyond(spikes, np.zeros(1)).any()
    assert not is_beyond(np.array([1.0, 2.0, 900.0]), np.ones(1)).any()
    assert not is_beyond(np.append(np.ones(30), 9.0), np.ones(1)).any()
    assert not is_beyond(np.zeros(0), np.zeros(0)).any()
    assert not is_beyond(np.full(30, np.nan), np.ones(1)).any()


def test_two_fans_on_one_chart_name_the_values_once():
    series, frame = case(_20=3e4)
    ax = fan_chart(frame, series, label="one")
    fan_chart(frame, series, label="other", ax=ax)
    assert sum(text.startswith("beyond") for text in legend_texts(ax)) == 1
    plt.close(ax.figure)


def test_plotly_tells_the_value_itself():
    pytest.importorskip("plotly")
    series, frame = case(_20=30_854.8)
    figure = figure_of([fan_picture(frame, series)])
    (sign,) = [trace for trace in figure.data if trace.name.startswith("beyond")]
    assert sign.marker.symbol == "triangle-up"
    assert list(sign.customdata) == [30_854.8]
    assert "customdata" in sign.hovertemplate
    assert sign.y[0] < 100


def test_earlier_forecasts_are_drawn_beside_a_sign_too():
    series = pd.Series(np.cos(np.arange(54.0)), INDEX[:54])
    series.iloc[48] = 3e4
    b = gf.backtest(gf.Forecaster(2, model=gf.models.LinearAR()), series, horizon=3, origins=8)
    ax = forecasts_by_origin(b, series)
    assert height(ax) < 20
    assert any(line.get_marker() == "^" for line in ax.lines)


def test_a_value_is_not_lost_beside_a_band_without_end():
    series, frame = case(_20=3e4)
    frame.loc[frame.index[2], "hi-95"] = np.inf
    ax = fan_chart(frame, series)
    assert any(text.startswith("beyond") for text in legend_texts(ax))
    assert height(ax) < 30
    past, signs = without_far(series - 1e6, np.array([-1e6, np.inf]))
    assert past.isna().sum() == len(signs[0].x) == 1
    assert not is_beyond(np.append(np.ones(30), [1e308, -1e308]), np.ones(1)).all()
