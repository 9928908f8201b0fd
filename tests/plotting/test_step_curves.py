"""Curves of scores over the steps: colours, styles, the nominal line."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import legend_texts, line

from gpforecast.plotting import step_curves, step_panels

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


def test_ticks_stand_at_whole_steps():
    ax = step_curves(SCORES["exact"].iloc[:2])
    low, high = ax.get_xlim()
    shown = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert shown == [1, 2]


def test_a_coverage_has_no_ticks_above_one():
    steps = pd.RangeIndex(1, 9, name="step")
    ax = step_curves(pd.DataFrame({"coverage": 1.0 - 0.01 * (steps % 2)}, steps), nominal=0.95)
    ax.figure.canvas.draw()
    np.testing.assert_allclose(max(ax.get_yticks()), 1.0)
    assert ax.get_ylim()[1] > 1.0  # the line is not cut, and the legend has room


@pytest.mark.parametrize("shares", [[0.95, 0.93, 0.96], [1.0, 1.0, 1.0], [np.nan] * 3])
def test_one_miss_is_no_collapse_on_the_axis_of_coverage(shares):
    """From 0.85 to 0.96, one or two misses in fifty looked like a breakdown."""
    frame = pd.DataFrame({"coverage_95": shares}, index=[1, 2, 3])
    (ax,) = step_panels({"exact": frame}, "coverage_95")
    low, high = ax.get_ylim()
    assert low < 0.76
    assert 1.0 < high < 1.05
    assert max(ax.get_yticks()) <= 1.0
    plt.close(ax.figure)


def test_the_legend_of_coverage_hides_no_curve_though_its_limits_are_fixed():
    held = pd.DataFrame({"coverage_95": np.where(np.arange(40) < 4, 0.8, 1.0)})
    ax = step_curves(held, columns="coverage_95", nominal=0.95)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    points = ax.transData.transform(np.column_stack([held.index, held["coverage_95"]]))
    assert not any(box.contains(*point) for point in points)
    plt.close(ax.figure)
