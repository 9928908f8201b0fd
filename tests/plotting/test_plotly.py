"""Figures of plotly show what matplotlib shows, and tell it where one points."""

import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from fan_cases import INDEXES, bands, legend_texts, line, series_and_frame
from forecast_cases import gaussian
from matplotlib.colors import to_rgba
from plotly.graph_objects import Figure

import gpforecast as gf
from gpforecast.plotting import fan_chart
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.plotly_drawing import figure_of


def named(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def in_legend(figure):
    ranked = sorted(figure.data, key=lambda trace: trace.legendrank)
    return [trace.name for trace in ranked if trace.showlegend]


def rgba(text):
    *rgb, alpha = map(float, text.removeprefix("rgba(").removesuffix(")").split(","))
    return (*np.array(rgb) / 255, alpha)


@pytest.mark.parametrize("name", ["dates with a zone", "range"])
def test_both_libraries_draw_the_same_fan(name):
    history, frame = series_and_frame(INDEXES[name], 12)
    picture = fan_chart.picture(frame, history, truth=np.zeros(12), color="tab:green")
    ax, figure = on_axes(picture), figure_of([picture])
    assert in_legend(figure) == legend_texts(ax)
    if name == "dates with a zone":  # they are those of its clocks
        assert named(figure, "observed")[0].x[0].startswith("2024-01-01T00:00:00")
    for label in ("observed", "observed later"):
        (drawn,) = named(figure, label)
        np.testing.assert_array_equal(drawn.y, line(ax, label).get_ydata())
    (centre,) = named(figure, "mean forecast")
    np.testing.assert_array_equal(centre.y, [history.iloc[-1], *frame["mean"]])
    assert rgba(centre.line.color) == pytest.approx(to_rgba("tab:green"), abs=0.01)
    for level in (50, 80, 95):
        outline, swatch, told = sorted(
            named(figure, f"{level} %"), key=lambda trace: (trace.fill is None, -len(trace.x))
        )
        np.testing.assert_array_equal(outline.y[1:13], frame[f"lo-{level}"])
        np.testing.assert_array_equal(outline.y[13:25], frame[f"hi-{level}"][::-1])
        limits = frame[[f"lo-{level}", f"hi-{level}"]].to_numpy()
        np.testing.assert_array_equal(told.customdata[1:], limits)
        patch = bands(ax)[f"{level} %"].get_facecolor()[0]
        assert rgba(outline.fillcolor) == pytest.approx(tuple(patch), abs=0.01)
        handle = ax.get_legend().legend_handles[legend_texts(ax).index(f"{level} %")]
        assert rgba(swatch.fillcolor)[3] == pytest.approx(handle.get_alpha(), abs=0.01)
    assert figure.layout.yaxis.title.text == ax.get_ylabel()
    assert (figure.layout.xaxis.title.text or "") == ax.get_xlabel()
    assert len(figure.layout.shapes) == 1


def test_a_forecast_takes_the_options_of_its_plot_and_returns_a_figure():
    f = gaussian()
    figure = f.plot(backend="plotly", history=3, levels=[50], truth=f.mean, label="ours")
    assert isinstance(figure, Figure)
    assert in_legend(figure) == ["observed", "ours", "50 %", "observed later"]
    assert len(named(figure, "observed")[0].x) == 3
    assert "hovertemplate" in named(figure, "ours")[-1]
    assert "sendChartToCloud" in figure.layout.modebar.remove


def test_what_plotly_cannot_do_is_refused_in_a_sentence():
    f = gaussian()
    with pytest.raises(ValueError, match="ax must be left out if backend is"):
        f.plot(backend="plotly", ax=f.plot())
    with pytest.raises(ValueError, match="backend"):
        f.plot(backend="bokeh")
    with pytest.raises(TypeError, match="bins"):
        f.plot(backend="plotly", bins=3)


def test_names_are_text():
    history, frame = series_and_frame(INDEXES["dates"], 5)
    history.name = "<b>US$</b> & A$ %{y}"
    figure = figure_of([fan_chart.picture(frame, history)])
    assert figure.layout.yaxis.title.text == ("&lt;b&gt;US&#36;&lt;/b&gt; &amp; A&#36; %&#123;y}")


def test_a_band_with_gaps_is_drawn_in_pieces():
    table = pd.DataFrame({"mean": 0.0, "lo-95": -1.0, "hi-95": 1.0}, pd.RangeIndex(6))
    table.loc[2] = np.nan
    drawn = named(figure_of([fan_chart.picture(table)]), "95 %")
    (outline,) = (trace for trace in drawn if trace.fill and len(trace.x) > 1)
    assert [x is None for x in outline.x].index(True) == 2 * 2
    assert len(outline.x) == 2 * 2 + 1 + 2 * 3


def test_components_have_a_panel_each():
    f = gf.Forecaster(4, model=gf.models.LinearAR()).fit(gf.datasets.mackey_glass(90, seed=0))
    found = f.predict(5).components
    figure = found.plot(backend="plotly", level=0.5)
    titles = [axis.title.text for axis in figure.select_yaxes()]
    assert titles == ["mean", *found.mean]
    panels = [axis.domain for axis in figure.select_yaxes()]  # from above, and none on another
    assert panels[0][1] == 1.0
    assert panels[-1][0] == 0.0
    assert all(below[1] < above[0] for above, below in pairwise(panels))
    with pytest.raises(ValueError, match="figure must be left out"):
        found.plot(backend="plotly", figure=found.plot())


def test_without_plotly_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    f = gaussian()
    with pytest.raises(ImportError, match=r"needs plotly: pip install plotly"):
        f.plot(backend="plotly")
    with pytest.raises(ImportError, match="an interactive picture needs plotly"):
        gf.report(gf.datasets.mackey_glass(50), 3, interactive=True)
    f.plot()
