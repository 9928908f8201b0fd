"""Fan charts: times on the axis, and how much history stands before the forecast."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fan_cases import DATES, INDEXES, frame_on, legend_texts, line, origin_lines, series_and_frame
from matplotlib.dates import date2num

from gpforecast.plotting import fan_chart


def test_dates_with_a_zone_are_shown_in_it():
    index = pd.date_range("2024-07-01", periods=48, freq="h", tz="Asia/Kolkata")
    history, frame = series_and_frame(index, 12)
    ax = fan_chart(frame, history.tz_convert("UTC"))
    ax.figure.canvas.draw()
    utc = frame.index.tz_convert("UTC").tz_localize(None).to_numpy()
    np.testing.assert_array_equal(
        line(ax, "mean forecast").get_xdata(orig=False)[1:], date2num(utc)
    )
    # Midnight in Kolkata is 18:30 UTC; the ticks at midnight carry the day's name.
    midnight = date2num(np.datetime64("2024-07-01T18:30"))
    ticks = dict(zip(ax.get_xticks(), [t.get_text() for t in ax.get_xticklabels()], strict=True))
    assert "02" in ticks[min(ticks, key=lambda tick: abs(tick - midnight))]
    assert min(abs(tick - midnight) for tick in ticks) < 1e-6
    assert ax.get_xlabel() == "time (Asia/Kolkata)"


def test_periods_stand_at_their_start():
    index = INDEXES["periods"]
    history, frame = series_and_frame(index, 4)
    x = line(fan_chart(frame, history), "mean forecast").get_xdata(orig=False)
    np.testing.assert_array_equal(x[1:], date2num(index[-4:].to_timestamp().to_numpy()))


@pytest.mark.parametrize(
    ("horizon", "n_history", "shown"), [(5, None, 60), (50, None, 150), (5, 7, 7)]
)
def test_recent_history_is_shown(horizon, n_history, shown):
    history, frame = series_and_frame(pd.RangeIndex(250 + horizon), horizon)
    ax = fan_chart(frame, history, n_history=n_history)
    np.testing.assert_array_equal(line(ax, "observed").get_ydata(), history.iloc[-shown:])
    if n_history:  # the forecast's own, as a number
        ax = fan_chart(
            SimpleNamespace(history=history, set_aside=(), to_frame=lambda **_: frame), n_history
        )
        assert len(line(ax, "observed").get_ydata()) == shown


def test_history_past_the_origin_is_the_truth():
    full, frame = pd.Series(np.arange(40.0)), frame_on(pd.RangeIndex(30, 35))
    ax = fan_chart(frame, full)
    np.testing.assert_array_equal(line(ax, "observed").get_ydata(), np.arange(30))
    np.testing.assert_array_equal(line(ax, "observed later").get_ydata(), np.arange(30, 35))
    ax = fan_chart(frame, full, truth=[7.0, 8.0])
    np.testing.assert_array_equal(line(ax, "observed later").get_ydata(), [7, 8])


def test_an_array_of_history_ends_before_a_numeric_index():
    ax = fan_chart(frame_on(pd.RangeIndex(10, 16, 2)), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(line(ax, "observed").get_xdata(), [4, 6, 8])


def test_history_is_optional():
    ax = fan_chart(frame_on(DATES[:3]), [])
    assert legend_texts(ax) == ["mean forecast", "50 %", "80 %", "95 %"]
    assert not origin_lines(ax)
