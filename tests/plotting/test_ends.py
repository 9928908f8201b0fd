"""Ticks of series of month ends, quarter ends and year ends."""

import pandas as pd
import pytest
from fan_cases import series_and_frame
from matplotlib.dates import num2date

from gpforecast.plotting import fan_chart
from gpforecast.plotting.ends import ends_of_periods
from gpforecast.plotting.forecasts import fan_picture
from gpforecast.plotting.plotly_drawing import figure_of
from gpforecast.plotting.times import positions


def drawn(index, horizon=5):
    """Return the ticks of a fan chart: the time of each, and its text."""
    history, frame = series_and_frame(index, horizon)
    ax = fan_chart(frame, history)
    ax.figure.canvas.draw()
    zone = index.tz
    times = [pd.Timestamp(num2date(tick, tz=zone)).tz_localize(None) for tick in ax.get_xticks()]
    texts = [label.get_text() for label in ax.get_xticklabels()]
    return dict(zip(times, texts, strict=True))


@pytest.mark.parametrize("horizon", [1, 5])
@pytest.mark.parametrize("n", [7, 20, 60])
def test_the_value_of_a_year_stands_at_the_tick_of_its_year(n, horizon):
    index = pd.date_range("2005-12-31", periods=n, freq="YE")
    ticks = drawn(index, horizon)
    assert len(ticks) > 3
    assert all((time.month, time.day) == (12, 31) for time in ticks)
    assert all(text == str(time.year) for time, text in ticks.items())


@pytest.mark.parametrize("zone", [None, "America/New_York"])
@pytest.mark.parametrize(("freq", "n"), [("ME", 8), ("ME", 30), ("BME", 30), ("QE", 8), ("QE", 30)])
def test_the_value_of_a_month_or_quarter_stands_at_its_own_tick(freq, n, zone):
    index = pd.date_range("2005-01-01", periods=n, freq=freq, tz=zone)
    ticks = drawn(index)
    known = index.tz_localize(None) + pd.offsets.MonthEnd(0)
    for time, text in ticks.items():
        if known[0] <= time <= known[-1]:
            assert time in known
        first = time.month <= (3 if freq == "QE" else 1)
        assert text == (str(time.year) if first else f"{time:%b}")


def test_other_times_have_the_usual_ticks():
    months = pd.date_range("2005-01-01", periods=30, freq="MS")
    days = pd.date_range("2005-01-27", periods=5, freq="D")
    for index in (months, days, months[:2], pd.RangeIndex(9), months.to_period("M")):
        assert ends_of_periods(positions(index), index) is None
    assert all(time.day == 1 for time in drawn(months))


def test_plotly_has_its_ticks_there_too():
    pytest.importorskip("plotly")
    for freq, step, written in [("YE", "M36", "%Y"), ("QE", "M12", "%b %Y"), ("ME", "M3", "%b %Y")]:
        index = pd.date_range("2005-12-31", periods=25, freq=freq)
        history, frame = series_and_frame(index, 5)
        axis = figure_of([fan_picture(frame, history)]).layout.xaxis
        assert (axis.tick0, axis.dtick, axis.tickformat) == ("2005-12-31", step, written)
