"""Calibration, and curves of scores over the steps."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import legend_texts, line
from scipy.stats import norm

from gpforecast.plotting import (
    observed_coverage,
    pit_histogram,
    reliability,
    step_curves,
    step_panels,
)

STEPS = pd.RangeIndex(1, 6, name="step")
SCORES = {
    name: pd.DataFrame({"L1": k * np.arange(5.0), "coverage": 0.9}, index=STEPS)
    for k, name in enumerate(["exact", "naive"], start=1)
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


class Result:
    """Anything with an attribute ``pit``, as a backtest has."""

    pit = np.array([0.1, np.nan, 0.2, 0.9])


def test_bars_are_densities_and_missing_values_are_left_out():
    ax = pit_histogram(((np.arange(1000) + 0.5) / 1000).reshape(10, 100), bins=20)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], np.ones(20))
    ax = pit_histogram(Result(), bins=2)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], [4 / 3, 2 / 3])


def test_coverage_counts_truths_within_the_central_interval():
    pit = np.random.default_rng(0).uniform(size=500)
    levels = np.array([0.0, 0.3, 0.5, 0.95, 1.0])
    expected = [np.mean((pit >= 0.5 - k / 2) & (pit <= 0.5 + k / 2)) for k in levels]
    np.testing.assert_allclose(observed_coverage(pit, levels), expected)


def test_narrow_intervals_lie_below_the_diagonal_and_wide_ones_above():
    z, (_, given) = np.random.default_rng(0).standard_normal(2000), plt.subplots()
    ax = reliability({"narrow": norm.cdf(2 * z), "wide": norm.cdf(z / 2)}, ax=given)
    assert ax is given
    _, narrow, wide = (line.get_ydata() for line in ax.lines)
    assert (narrow[5:-5] < np.linspace(0, 1, 101)[5:-5]).all()
    assert (wide[5:-5] > np.linspace(0, 1, 101)[5:-5]).all()
    assert narrow[-1] == wide[-1] == 1.0


@pytest.mark.parametrize("draw", [pit_histogram, reliability])
def test_values_that_are_no_probabilities_are_refused(draw):
    for bad in ([0.3, 1.2], [-0.1, 0.3]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            draw(bad)
    with pytest.raises(ValueError, match="at least one value"):
        draw([np.nan])
    assert not plt.get_fignums()


def test_each_score_of_each_method_has_a_colour_and_whole_steps():
    ax = step_curves({name: frame.iloc[:2] for name, frame in SCORES.items()})
    assert legend_texts(ax) == ["exact L1", "exact coverage", "naive L1", "naive coverage"]
    assert len({artist.get_color() for artist in ax.lines}) == 4
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), SCORES["naive"]["L1"].iloc[:2])
    assert ax.get_xlabel() == "step"
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [1, 2]
    assert legend_texts(step_curves(SCORES["exact"])) == ["L1", "coverage"]


def test_coverage_has_its_nominal_line():
    ax = step_curves(SCORES, columns="coverage", nominal=0.95)
    assert legend_texts(ax) == ["exact", "naive", "nominal 95 %"]
    assert list(line(ax, "nominal 95 %").get_ydata()) == [0.95, 0.95]
    assert ax.get_ylabel() == "coverage"


@pytest.mark.parametrize("shares", [[0.95, 0.93, 0.96], [1.0, 1.0, 1.0], [np.nan] * 3])
def test_one_miss_is_no_collapse_on_the_axis_of_coverage(shares):
    frame = pd.DataFrame({"coverage_95": shares}, index=[1, 2, 3])
    (ax,) = step_panels({"exact": frame}, "coverage_95")
    low, high = ax.get_ylim()
    assert low < 0.76
    assert 1.0 < high < 1.05
    assert max(tick for tick in ax.get_yticks() if tick <= high) <= 1.0
