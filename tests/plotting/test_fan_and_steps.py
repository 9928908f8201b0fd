import subprocess
import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.dates import ConciseDateFormatter, date2num

from gpforecast.plotting import fan_chart, step_curves

LEVELS = (50, 80, 95)
WIDTHS = {50: 0.6745, 80: 1.2816, 95: 1.96}


def frame_on(index, *, centre="mean", prefix="", levels=LEVELS):
    """A forecast whose bands widen with the step, and are not symmetric."""
    steps = np.arange(1, len(index) + 1)
    mean, std = np.sin(steps), np.sqrt(steps)
    columns = {centre: mean}
    for level in levels:
        columns[f"{prefix}lo-{level}"] = mean - WIDTHS[level] * std
        columns[f"{prefix}hi-{level}"] = mean + 1.5 * WIDTHS[level] * std
    return pd.DataFrame(columns, index=index)


def series_and_frame(index, horizon):
    """A series on the first part of `index` and a forecast on its last `horizon` values."""
    values = np.cos(np.arange(len(index) - horizon))
    return pd.Series(values, index=index[:-horizon], name="load (MW)"), frame_on(index[-horizon:])


def bands(ax):
    return {c.get_label(): c for c in ax.collections if isinstance(c, PolyCollection)}


def edges(band, x):
    """The lowest and highest vertex of a band at each x."""
    vertices = np.concatenate([path.vertices for path in band.get_paths()])
    at = [vertices[np.isclose(vertices[:, 0], value), 1] for value in x]
    return np.array([v.min() for v in at]), np.array([v.max() for v in at])


def line(ax, label):
    return next(artist for artist in ax.lines if artist.get_label() == label)


def origin_lines(ax):
    return [artist for artist in ax.lines if artist.get_gid() == "origin"]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


DATES = pd.date_range("2024-01-01", periods=40, freq="D")
INDEXES = {
    "dates": DATES,
    "dates with a zone": DATES.tz_localize("America/New_York"),
    "periods": pd.period_range("2019-01", periods=40, freq="M"),
    "range": pd.RangeIndex(40),
    "floats": pd.Index(0.5 * np.arange(40)),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_bands_have_the_forecasts_edges_and_join_the_last_observation(index):
    history, frame = series_and_frame(index, 12)
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


def test_legend_and_labels_name_what_is_drawn():
    history, frame = series_and_frame(DATES, 5)
    ax = fan_chart(frame, history, truth=np.zeros(5))
    named = ["mean forecast", "50 %", "80 %", "95 %"]
    assert legend_texts(ax) == ["observed", *named, "observed later"]
    assert ax.get_ylabel() == "load (MW)"
    assert not ax.spines["top"].get_visible()
    assert not ax.spines["right"].get_visible()


def test_given_axes_are_used_and_returned_and_keep_their_labels():
    _, ax = plt.subplots()
    ax.set(xlabel="day", ylabel="demand")
    history, frame = series_and_frame(INDEXES["range"], 5)
    assert fan_chart(frame, history, ax=ax) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("day", "demand")
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


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_later_artists_can_still_widen_the_limits(scale):
    ax = fan_chart(frame_on(pd.RangeIndex(5)) * scale)
    ax.plot([0], [100 * scale])
    assert ax.get_ylim()[1] > 100 * scale


@pytest.mark.parametrize("name", ["dates", "periods", "dates with a zone"])
def test_dates_are_written_concisely(name):
    history, frame = series_and_frame(INDEXES[name], 12)
    ax = fan_chart(frame, history)
    assert isinstance(ax.xaxis.get_major_formatter(), ConciseDateFormatter)
    ax.figure.canvas.draw()
    assert 3 <= len(ax.get_xticklabels()) <= 10


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
    ("horizon", "n_history", "shown"), [(5, None, 60), (50, None, 150), (5, 7, 7), (5, 999, 250)]
)
def test_recent_history_is_shown(horizon, n_history, shown):
    history, frame = series_and_frame(pd.RangeIndex(250 + horizon), horizon)
    ax = fan_chart(frame, history, n_history=n_history)
    np.testing.assert_array_equal(line(ax, "observed").get_ydata(), history.iloc[-shown:])


def test_weekends_join_and_real_gaps_do_not():
    days = pd.bdate_range("2024-01-02", periods=19)  # ends on a Friday
    history = pd.Series(1.0, index=days[:14])
    assert days[14].day_name() == "Monday"
    assert origin_lines(fan_chart(frame_on(days[14:]), history))
    ax = fan_chart(frame_on(days[14:]), history.iloc[:-5])
    assert not origin_lines(ax)
    assert len(line(ax, "mean forecast").get_xdata()) == 5


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


@pytest.mark.parametrize("empty", [None, [], pd.Series(dtype=float)], ids=repr)
def test_history_is_optional(empty):
    ax = fan_chart(frame_on(DATES[:3]), empty)
    assert legend_texts(ax) == ["mean forecast", "50 %", "80 %", "95 %"]
    assert not origin_lines(ax)


def test_objects_that_make_frames_choose_bands_by_levels():
    history, _ = series_and_frame(DATES, 5)
    asked = []

    def to_frame(levels):
        asked.append(levels)
        return frame_on(DATES[-5:], levels=levels)

    forecast = SimpleNamespace(to_frame=to_frame, history=history)
    assert list(bands(fan_chart(forecast))) == ["95 %", "80 %", "50 %"]
    ax = fan_chart(forecast, levels=[80])
    assert list(bands(ax)) == ["80 %"]
    assert line(ax, "observed").get_ydata()[-1] == history.iloc[-1]
    # Integers, because they become the names of columns.
    assert [list(map(str, levels)) for levels in asked] == [["50", "80", "95"], ["80"]]


def test_frames_of_other_libraries_are_understood():
    frame = frame_on(DATES[-5:], centre="AutoARIMA", prefix="AutoARIMA-")
    frame = frame.rename_axis("ds").reset_index()
    frame.insert(0, "unique_id", "a")
    ax = fan_chart(frame, pd.Series(0.0, index=DATES[:-5]))
    assert list(bands(ax)) == ["95 %", "80 %", "50 %"]
    np.testing.assert_array_equal(
        line(ax, "AutoARIMA forecast").get_ydata()[1:], frame["AutoARIMA"]
    )


def test_median_and_unsorted_rows_and_missing_values_are_drawn():
    frame = frame_on(pd.RangeIndex(6), centre="median").iloc[::-1]
    frame.loc[3, "median"] = np.nan
    drawn = line(fan_chart(frame), "median forecast").get_ydata()
    np.testing.assert_array_equal(drawn, frame["median"].iloc[::-1])


def test_one_step_is_enough():
    ax = fan_chart(frame_on(DATES[1:2]), pd.Series([1.0], index=DATES[:1]))
    assert len(line(ax, "mean forecast").get_xdata()) == 2


def test_nothing_is_changed():
    history, frame = series_and_frame(DATES, 5)
    copies = history.copy(), frame.copy()
    fan_chart(frame, history)
    pd.testing.assert_series_equal(history, copies[0])
    pd.testing.assert_frame_equal(frame, copies[1])


GOOD = frame_on(DATES[:5])
OTHER = GOOD[["lo-80", "hi-80"]].add_prefix("B-")
ERRORS = {
    "no frame": (lambda: fan_chart([1, 2]), TypeError, "forecast must be a pandas .*got list"),
    "a series": (lambda: fan_chart(GOOD["mean"]), TypeError, "forecast must be .*got Series"),
    "no rows": (lambda: fan_chart(GOOD.iloc[:0]), ValueError, "at least one step"),
    "no centre": (
        lambda: fan_chart(GOOD[["lo-80", "hi-80"]]),
        ValueError,
        "must have a column 'mean' or 'median'; got 'lo-80', 'hi-80'",
    ),
    "no such level": (
        lambda: fan_chart(GOOD, levels=[0.95, 80]),
        ValueError,
        "levels must be among .* 50, 80, 95; got 0.95. Levels are in per cent",
    ),
    "half a band": (
        lambda: fan_chart(GOOD.drop(columns="hi-95"), levels=[95]),
        ValueError,
        "levels must be among the bands of the forecast, 50, 80; got 95",
    ),
    "two models": (
        lambda: fan_chart(GOOD.join(OTHER)),
        ValueError,
        "bands of 2 models",
    ),
    "swapped edges": (
        lambda: fan_chart(GOOD.rename(columns={"lo-80": "hi-80", "hi-80": "lo-80"})),
        ValueError,
        "'lo-80' above 'hi-80' at 2024-01-01",
    ),
    "several series": (
        lambda: fan_chart(pd.concat([GOOD, GOOD])),
        ValueError,
        "one row for each time; got several for 2024-01-01",
    ),
    "text for dates": (
        lambda: fan_chart(GOOD.set_axis(list("abcde"))),
        TypeError,
        "forecast must be indexed by dates, periods, time steps or numbers; got .*'a'.*to_datetime",
    ),
    "text for values": (
        lambda: fan_chart(GOOD, pd.Series(["x"], index=DATES[:1])),
        TypeError,
        "history must hold real numbers",
    ),
    "numbers and dates": (
        lambda: fan_chart(GOOD, pd.Series([1.0, 2.0])),
        TypeError,
        "history must be indexed as the forecast is, by dates without a time zone; got numbers",
    ),
    "zone and no zone": (
        lambda: fan_chart(GOOD, truth=pd.Series(1.0, index=DATES.tz_localize("UTC"))),
        TypeError,
        "truth must be .*; got dates with a time zone",
    ),
    "periods of two lengths": (
        lambda: fan_chart(
            frame_on(INDEXES["periods"][:5]),
            pd.Series(1.0, index=pd.period_range("2018", periods=3, freq="D")),
        ),
        TypeError,
        "by periods of M; got periods of D",
    ),
    "array beside dates": (
        lambda: fan_chart(GOOD, np.ones(5)),
        TypeError,
        "history must be a Series with the dates of its values.*got ndarray",
    ),
    "too much truth": (
        lambda: fan_chart(GOOD, truth=np.ones(6)),
        ValueError,
        "truth must have at most 5 values, one a step; got 6",
    ),
    "no history wanted": (
        lambda: fan_chart(GOOD, n_history=0),
        ValueError,
        "n_history must be a positive integer; got 0",
    ),
    "scores in a list": (lambda: step_curves([1]), TypeError, "scores must be a DataFrame"),
    "no scores": (lambda: step_curves({}), ValueError, "at least one method"),
    "empty scores": (lambda: step_curves(GOOD.iloc[:0]), ValueError, "rows and columns"),
    "no such score": (
        lambda: step_curves(GOOD, columns=["mae", "mean"]),
        ValueError,
        "columns must be among .*; got 'mae'",
    ),
    "nominal in per cent": (
        lambda: step_curves(GOOD, columns="mean", nominal=95),
        ValueError,
        "nominal must be a fraction such as 0.95; got 95",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), ERRORS.values(), ids=ERRORS)
def test_messages_say_what_is_amiss_and_no_figure_is_left(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert not plt.get_fignums()


STEPS = pd.RangeIndex(1, 6, name="step")
SCORES = {
    name: pd.DataFrame({"L1": k * np.arange(5.0), "coverage": 0.9}, index=STEPS)
    for k, name in enumerate(["exact", "naive"], start=1)
}


def test_step_curves_of_several_methods_by_colour_and_style():
    ax = step_curves(SCORES)
    assert legend_texts(ax) == ["exact", "naive", "L1", "coverage"]
    drawn = [artist for artist in ax.lines if len(artist.get_xdata())]
    assert [a.get_linestyle() for a in drawn] == ["-", "--", "-", "--"]
    assert drawn[0].get_color() == drawn[1].get_color() != drawn[2].get_color()
    np.testing.assert_array_equal(drawn[2].get_ydata(), SCORES["naive"]["L1"])
    np.testing.assert_array_equal(drawn[2].get_xdata(), STEPS)
    assert ax.get_xlabel() == "step"


def test_step_curves_of_one_frame_take_a_colour_per_score():
    _, given = plt.subplots()
    ax = step_curves(SCORES["exact"], ax=given)
    assert ax is given
    assert legend_texts(ax) == ["L1", "coverage"]
    assert ax.lines[0].get_color() != ax.lines[1].get_color()


def test_coverage_has_its_nominal_line():
    ax = step_curves(SCORES, columns="coverage", nominal=0.95)
    assert legend_texts(ax) == ["exact", "naive", "nominal 95 %"]
    assert list(line(ax, "nominal 95 %").get_ydata()) == [0.95, 0.95]
    assert ax.get_ylabel() == "coverage"


def test_importing_the_pictures_does_not_import_matplotlib():
    code = "import sys, gpforecast.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
