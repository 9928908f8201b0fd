"""Pictures of anomalies, of several forecasts of one series, and of components."""

import numpy as np
import pandas as pd
import pytest
from forecast_cases import DATES, gaussian
from transformed_cases import model_of, positive

import gpforecast as gf
from gpforecast.plotting import scenarios, smoothed_series, surprises
from gpforecast.results import Surprise
from gpforecast.results.explained import Components
from gpforecast.transforms import Deterministic

# Pictures of anomalies, of classes, and of several forecasts of one series


TABLE = pd.DataFrame(
    {
        "observed": [0.1, 5.0, np.nan, 7.0],
        "mean": [0.0, 0.0, np.nan, 0.0],
        "std": [1.0, 1.0, np.nan, 2.0],
        "pit": [0.54, 1.0, np.nan, 1.0],
        "tail_probability": [0.92, 5e-7, np.nan, 4e-4],
        "flagged": [False, True, False, True],
        "kind": ["", "spike", "", "variance"],
    },
    index=pd.date_range("2024-01-01", periods=4, freq="D"),
)


def test_each_kind_has_its_marker_at_the_values_flagged():
    ax = surprises(TABLE, "sales", level=90)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "forecast", "90 %", "spike", "variance"]
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["spike"].get_ydata().tolist() == [5.0]
    assert lines["variance"].get_ydata().tolist() == [7.0]
    assert ax.get_ylabel() == "sales"


def test_a_result_draws_itself_and_shows_its_notes():
    found = Surprise(TABLE, 0.001, notes=("a <note>",))
    assert "spike" in [line.get_label() for line in found.plot().lines]
    assert repr(found).startswith("Surprise of 3 values, 1 step ahead: 2 flagged")
    assert "a &lt;note&gt;" in found._repr_html_()
    assert found.ranking(1).index[0] == found.flagged.index[0]


def test_tables_without_a_column_and_levels_that_are_none_are_refused():
    with pytest.raises(KeyError, match="std"):
        smoothed_series(TABLE[["mean"]])
    with pytest.raises(ValueError, match="the level of an interval must be a fraction"):
        surprises(TABLE, level=0)


def test_each_scenario_has_its_line_and_the_history_is_named_once():
    f = gaussian()
    low = f.given({DATES[3]: 5.0})
    ax = scenarios({"as it is": f, "low": low}, levels=95)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "as it is", "95 %", "low", "95 %"]
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["low"].get_ydata()[-len(DATES) :], low.mean)
    assert lines["low"].get_color() != lines["as it is"].get_color()
    with pytest.raises(ValueError, match="at least one"):
        scenarios({})


# The picture of components: a panel each, that shows the numbers


def decomposed(index=None):
    return model_of(Deterministic(1, 1, 6)).fit(positive(index=index)).predict(8)


def test_there_is_a_panel_for_the_mean_and_one_for_each_component():
    f = decomposed(pd.period_range("2015-01", periods=120, freq="M"))
    figure = f.plot_components()
    assert [ax.get_ylabel() for ax in figure.axes] == ["mean", "trend", "season", "memory"]
    for ax, values in zip(figure.axes, [f.mean, *f.components.mean.to_numpy().T], strict=True):
        np.testing.assert_allclose(ax.lines[0].get_ydata(), values)


def test_the_bands_are_as_wide_as_their_level_says():
    f = decomposed()
    panels = f.plot_components(level=0.5).axes[1:]
    for ax, std in zip(panels, f.components.std.to_numpy().T, strict=True):
        (path,) = ax.collections[0].get_paths()
        tallest = path.vertices[:, 1]
        centre = ax.lines[0].get_ydata()
        assert tallest.max() == pytest.approx((centre + 0.674490 * std).max(), rel=1e-6)
        assert tallest.min() == pytest.approx((centre - 0.674490 * std).min(), rel=1e-6)


def test_it_is_drawn_into_a_figure_that_is_given():
    import matplotlib.pyplot as plt

    figure = plt.figure()
    found = decomposed().components
    assert gf.plotting.components(found, figure=figure) is figure
    assert found.plot(figure=plt.figure()) is not figure


def parts(**columns):
    mean = pd.DataFrame(columns)
    return Components(mean, 0.0 * mean)


def test_all_panels_have_one_scale_and_a_small_range_is_named():
    found = parts(trend=[50.0, 50.1, 50.1], season=[-5.0, 5.0, -5.0], level=[3.0, 3.0, 3.0])
    panels = found.plot().axes
    drawn = found.plot(backend="plotly")
    spans = [np.ptp(ax.get_ylim()) for ax in panels]
    spans += [np.ptp(axis.range) for axis in drawn.select_yaxes()]
    np.testing.assert_allclose(spans, 1.1 * 10.1)  # the mean goes from 48 to 58.1
    labels = [ax.get_ylabel() for ax in panels]
    assert labels == ["mean", "trend, range 0.1", "season", "level"]
    assert [axis.title.text for axis in drawn.select_yaxes()] == labels
    for ax in panels:
        y = ax.lines[0].get_ydata()
        low, high = ax.get_ylim()
        assert low < y.min()
        assert y.max() < high


def test_components_that_never_change_keep_the_usual_scale():
    low, high = parts(trend=[2.0, 2.0]).plot().axes[1].get_ylim()
    assert low < 2.0 < high
