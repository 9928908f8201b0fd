"""The picture of components: a panel each, that shows the numbers."""

import numpy as np
import pandas as pd
import pytest
from transformed_cases import model_of, positive

import gpforecast as gf
from gpforecast.results.explained import Components
from gpforecast.transforms import Deterministic


def made(index=None):
    return model_of(Deterministic(1, 1, 6)).fit(positive(index=index)).predict(8)


def test_there_is_a_panel_for_the_mean_and_one_for_each_component():
    f = made(pd.period_range("2015-01", periods=120, freq="M"))
    figure = f.plot_components()
    assert [ax.get_ylabel() for ax in figure.axes] == ["mean", "trend", "season", "memory"]
    for ax, values in zip(figure.axes, [f.mean, *f.components.mean.to_numpy().T], strict=True):
        np.testing.assert_allclose(ax.lines[0].get_ydata(), values)


def test_the_bands_are_as_wide_as_their_level_says():
    f = made()
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
    found = made().components
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
