"""Ticks of series of month ends, quarter ends and year ends."""

import numpy as np
import pandas as pd
import pytest
from fan_cases import series_and_frame

from gpforecast.plotting import fan_chart
from gpforecast.plotting.picture import INK, Line, Picture, positions
from gpforecast.plotting.plotly_drawing import figure_of


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
