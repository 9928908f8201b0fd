"""A Gaussian process as a candidate, after a season where lags predict better without it."""

import numpy as np
import pytest
from scipy.signal import lfilter

from gpforecast.automatic.candidates import TABLE, Shape
from gpforecast.automatic.process import Process
from gpforecast.transforms import DampedMean

N, SEASON = 720, 24
NOISE = np.random.default_rng(0).standard_normal(N)


def days():
    """Days of the same shape, in which neighbouring hours have little in common."""
    shape = 3.0 * np.random.default_rng(1).standard_normal(SEASON)
    return np.resize(shape, N) + lfilter([1.0], [1.0, -0.8], NOISE)


def cycles():
    """Cycles that are a little longer than a day."""
    return np.sin(2 * np.pi * np.arange(N) / (SEASON + 0.5)) + 0.01 * NOISE


@pytest.mark.parametrize(("made", "subtracted"), [(days, [DampedMean]), (cycles, [])])
def test_the_season_is_subtracted_where_lags_then_predict_better(made, subtracted):
    first = TABLE["seasonal level"].steps(Shape(N, (SEASON,)))
    steps = Process(made(), SEASON, first).transforms.steps
    assert [type(step) for step in steps] == subtracted


def test_what_is_subtracted_comes_back_in_the_forecast():
    y = days()
    process = Process(y, SEASON, TABLE["seasonal level"].steps(Shape(N, (SEASON,))))
    mean, var = process.forecast(y, np.array([N - SEASON]), SEASON)
    assert np.corrcoef(mean[0], y[-SEASON:])[0, 1] > 0.8
    assert np.mean((y[-SEASON:] - mean[0]) ** 2 / var[0]) < 2.0
