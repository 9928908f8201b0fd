"""Fan charts: the bands, the legend, the axes, and times on them."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import (
    DATES,
    INDEXES,
    LEVELS,
    bands,
    frame_on,
    legend_texts,
    line,
    origin_lines,
    series_and_frame,
)
from matplotlib.colors import to_rgba
from matplotlib.dates import date2num

from gpforecast.plotting import fan_chart
from gpforecast.plotting.picture import INK, Line, Picture, positions
from gpforecast.plotting.plotly_drawing import figure_of

# Fan charts: the bands, what is named in the legend, the axes that are used


def edges(band, x):
    """The lowest and highest vertex of a band at each x."""
    vertices = np.concatenate([path.vertices for path in band.get_paths()])
    at = [vertices[np.isclose(vertices[:, 0], value), 1] for value in x]
    return np.array([v.min() for v in at]), np.array([v.max() for v in at])


@pytest.mark.parametrize("name", ["dates with a zone", "periods", "floats"])
def test_bands_have_the_forecasts_edges_and_join_the_last_observation(name):
    history, frame = series_and_frame(INDEXES[name], 12)
    ax = fan_chart(frame, history)
    x = line(ax, "mean forecast").get_xdata(orig=False)
    assert len(x) == 13
    assert x[0] == line(ax, "observed").get_xdata(orig=False)[-1]
    assert x[0] == origin_lines(ax)[0].get_xdata(orig=False)[0]
    np.testing.assert_array_equal(line(ax, "mean forecast").get_ydata()[1:], frame["mean"])
    assert line(ax, "mean forecast").get_ydata()[0] == history.iloc[-1]
    assert list(bands(ax)) == ["95 %", "80 %", "50 %"]
    for level in LEVELS:
        lower, upper = edges(bands(ax)[f"{level} %"], x)
        np.testing.assert_array_equal(lower[1:], frame[f"lo-{level}"])
        np.testing.assert_array_equal(upper[1:], frame[f"hi-{level}"])
        assert lower[0] == upper[0] == history.iloc[-1]


def test_bands_are_nested_and_the_inner_ones_darker():
    ax = fan_chart(frame_on(pd.RangeIndex(10)), color="tab:green")
    x = line(ax, "mean forecast").get_xdata()
    outer, middle, inner = (edges(band, x) for band in bands(ax).values())
    assert (outer[0] < middle[0]).all()
    assert (middle[0] < inner[0]).all()
    assert (outer[1] > middle[1]).all()
    assert (middle[1] > inner[1]).all()
    colors = [band.get_facecolor()[0] for band in bands(ax).values()]
    assert all(tuple(c[:3]) == to_rgba("tab:green")[:3] for c in colors)
    # What a reader sees is the sum of the layers, and what the legend shows must be that.
    seen = 1 - np.cumprod([1 - c[3] for c in colors])
    swatches = [h.get_alpha() for h in ax.get_legend().legend_handles if h.get_alpha()]
    np.testing.assert_allclose(swatches, seen[::-1])
    assert (np.diff(seen) > 0.1).all()


def test_given_axes_are_used_and_returned_and_keep_their_labels():
    _, ax = plt.subplots()
    ax.set(xlabel="day", ylabel="demand")
    history, frame = series_and_frame(INDEXES["range"], 5)
    assert fan_chart(frame, history, truth=np.zeros(5), ax=ax) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("day", "demand")
    named = ["mean forecast", "50 %", "80 %", "95 %"]
    assert legend_texts(ax) == ["observed", *named, "observed later"]
    assert len(plt.get_fignums()) == 1


def test_two_forecasts_share_axes_and_legend():
    history, frame = series_and_frame(DATES, 5)
    ax = fan_chart(frame, history, label="A", levels=80)
    fan_chart(frame + 1, history, label="B", levels=80, color="red", ax=ax)
    assert legend_texts(ax) == ["observed", "A", "80 %", "B", "80 %"]


def test_legend_has_room_above_what_is_drawn():
    history, frame = series_and_frame(DATES, 30)
    _, ax = plt.subplots(figsize=(4, 3))
    fan_chart(frame, history, ax=ax)
    ax.figure.canvas.draw()
    below = ax.get_legend().get_window_extent().y0
    highest = ax.transData.transform((0, frame["hi-95"].max()))[1]
    assert below > highest


def test_thousands_of_values_are_set_apart():
    history, frame = series_and_frame(INDEXES["range"], 5)
    ax = fan_chart(20_000.0 * frame, 20_000.0 * history)
    ax.figure.canvas.draw()
    texts = [label.get_text() for label in ax.get_yticklabels()]
    assert "50,000" in texts
    assert "\N{MINUS SIGN}50,000" in texts
    assert not any("," in label.get_text() for label in ax.get_xticklabels())
    ax.plot([0], [1e6])  # later artists can still widen the limits
    assert ax.get_ylim()[1] > 1e6


def test_objects_that_make_frames_choose_bands_by_levels():
    history, _ = series_and_frame(DATES, 5)
    given = []

    def to_frame(levels):
        given.append(levels)
        return frame_on(DATES[-5:], levels=levels)

    forecast = SimpleNamespace(to_frame=to_frame, history=history, set_aside=())
    assert list(bands(fan_chart(forecast))) == ["95 %", "80 %", "50 %"]
    ax = fan_chart(forecast, levels=[80])
    assert list(bands(ax)) == ["80 %"]
    assert line(ax, "observed").get_ydata()[-1] == history.iloc[-1]
    assert given == [(50, 80, 95), (80,)]


def test_frames_of_other_libraries_are_understood_and_left_as_they_are():
    frame = frame_on(DATES[-5:], centre="AutoARIMA", prefix="AutoARIMA-")
    frame = frame.rename_axis("ds").reset_index()
    frame.insert(0, "unique_id", "a")
    copy = frame.copy()
    ax = fan_chart(frame, pd.Series(0.0, index=DATES[:-5]))
    assert list(bands(ax)) == ["95 %", "80 %", "50 %"]
    drawn = line(ax, "AutoARIMA forecast").get_ydata()
    np.testing.assert_array_equal(drawn[1:], frame["AutoARIMA"])
    pd.testing.assert_frame_equal(frame, copy)


def test_median_and_unsorted_rows_and_missing_values_are_drawn():
    frame = frame_on(pd.RangeIndex(6), centre="median").iloc[::-1]
    frame.loc[3, "median"] = np.nan
    drawn = line(fan_chart(frame), "median forecast").get_ydata()
    np.testing.assert_array_equal(drawn, frame["median"].iloc[::-1])


# Fan charts: times on the axis, and how much history stands before the forecast


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


# Ticks of series of month ends, quarter ends and year ends


def over(index):
    line = Line(x=positions(index), y=np.zeros(len(index)), color=INK)
    return Picture(parts=(line,), index=index)


@pytest.mark.parametrize(
    ("freq", "n", "zone"),
    [("YE", 60, None), ("ME", 8, "America/New_York"), ("BME", 30, None), ("QE", 30, None)],
)
def test_a_value_stands_at_the_tick_of_its_own_month_quarter_or_year(freq, n, zone):
    index = pd.date_range("2005-01-01", periods=n, freq=freq, tz=zone)
    at, texts = over(index).ticks_at_ends()
    assert 3 <= len(at) <= 9
    for time, text in zip(index[positions(index).searchsorted(at)], texts, strict=True):
        begins = freq == "YE" or time.month <= (3 if freq == "QE" else 1)
        assert text == (str(time.year) if begins else f"{time:%b}")


def test_other_times_have_the_usual_ticks():
    months = pd.date_range("2005-01-01", periods=30, freq="MS")
    days = pd.date_range("2005-01-27", periods=5, freq="D")
    for index in (months, days, months[:2], pd.RangeIndex(9), months.to_period("M")):
        assert over(index).ticks_at_ends() is None


def test_both_libraries_have_their_ticks_there():
    pytest.importorskip("plotly")
    index = pd.date_range("2005-12-31", periods=25, freq="YE")
    history, frame = series_and_frame(index, 5)
    picture = fan_chart.picture(frame, history)
    axis = figure_of([picture]).layout.xaxis
    ax = fan_chart(frame, history)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_xticklabels()] == [*axis.ticktext]
    assert [str(time)[:4] for time in axis.tickvals] == [*axis.ticktext]
