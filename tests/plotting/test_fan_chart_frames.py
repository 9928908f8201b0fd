"""Fan charts of frames, of other libraries' frames, and of what makes frames."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
from fan_cases import DATES, bands, frame_on, line, series_and_frame

from gpforecast.plotting import fan_chart


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


def test_a_fan_chart_changes_neither_forecast_nor_history():
    history, frame = series_and_frame(DATES, 5)
    copies = history.copy(), frame.copy()
    fan_chart(frame, history)
    pd.testing.assert_series_equal(history, copies[0])
    pd.testing.assert_frame_equal(frame, copies[1])
