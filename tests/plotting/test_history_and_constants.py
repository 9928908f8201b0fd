"""How much of the past a fan chart shows, and what a constant series looks like."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf


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
