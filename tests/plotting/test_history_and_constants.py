"""How much of the past a fan chart shows, and what a constant series looks like."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.plotting.forecasts import fan_picture, paths_picture


def test_history_as_a_number_draws_so_many_of_the_last_values():
    f = gf.Forecaster(4, model=gf.models.LinearAR()).fit(gf.datasets.mackey_glass(90, seed=0))
    ax = f.predict(5).plot(history=36)
    observed = next(line for line in ax.lines if line.get_label() == "observed")
    assert len(observed.get_ydata()) == 36
    plt.close(ax.figure)


@pytest.mark.parametrize("level", [5.0, 0.0, -1e6])
def test_a_constant_series_is_not_zoomed_to_its_rounding(level):
    times = pd.RangeIndex(10, 15)
    wide = 1e-9 * abs(level)
    frame = pd.DataFrame({"mean": level, "lo-95": level - wide, "hi-95": level + wide}, times)
    ax = gf.plotting.fan_chart(frame, history=np.full(10, level))
    low, high = ax.get_ylim()
    assert low <= level - 0.1 * abs(level)
    assert high >= level + 0.1 * abs(level)
    assert high - low >= 0.2
    plt.close(ax.figure)


@pytest.mark.parametrize("level", [7.1, 1e6 + 1 / 3, 0.0])
def test_the_forecast_of_a_constant_series_looks_flat(level):
    """Its intervals are 1e-4 wide, in parts of the value: they must not be all there is to see."""
    f = gf.Forecaster().fit(np.full(40, level)).predict(6)
    for picture in (fan_picture(f), paths_picture(f)):
        low, high = picture.around_constant()
        assert high - low >= 0.19 * abs(level)
        assert high - low >= 0.19
    ax = f.plot()
    assert np.ptp(ax.get_ylim()) > 100 * np.ptp(f.interval(0.95).to_numpy())
    plt.close(ax.figure)


def test_a_series_that_moves_little_beside_its_size_is_not_drawn_flat():
    """Air pressure in pascals moves by a few in a hundred thousand."""
    y = 101_000.0 + np.random.default_rng(0).normal(0, 20, 60)
    f = gf.Forecaster(3, model=gf.models.LinearAR(), transforms=None).fit(y).predict(6)
    assert fan_picture(f).around_constant() is None
    assert paths_picture(f).around_constant() is None
