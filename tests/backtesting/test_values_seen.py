"""What a forecaster has seen is found again in the series, by times or by values."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf


def test_training_values_are_found_wherever_in_the_series_they_lie():
    y = wave()
    middle = gf.Forecaster(3, model=fixed()).fit(y.iloc[20:70])
    assert gf.backtest(middle, y, horizon=10, origins=1000).origins.min() == 70
    late = gf.backtest(middle, y.iloc[10:], horizon=10, origins=1000).origins
    assert late.min() == 60
    with pytest.raises(ValueError, match="knows 40 of the 40 values"):
        gf.backtest(middle, y.iloc[25:65], horizon=10)


def earliest(fc, series):
    return gf.backtest(fc, series, horizon=5, origins=1000).origins.min()


@pytest.mark.parametrize("first", [1, 50])
@pytest.mark.parametrize("labelled", [True, False])
def test_training_values_are_found_where_the_series_begins_among_them(first, labelled):
    late = wave().iloc[first:]
    assert earliest(fitted(60), late if labelled else late.to_numpy()) == 60 - first


def test_training_values_are_found_in_single_precision():
    y = wave() + 1e4
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.astype(np.float32)) == 60
    assert earliest(fc, y.astype(np.float32).to_numpy()[10:]) == 50
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60].astype(np.float32))
    assert earliest(fc, y) == 60


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-01-01", periods=120, freq="h", tz="Europe/Berlin"),
        pd.period_range("2000-01", periods=120, freq="M"),
    ],
    ids=["zoned hours", "months"],
)
def test_times_tell_what_was_seen_whatever_the_values(index):
    y = wave().set_axis(index)
    fc = gf.Forecaster(3, model=fixed(), transforms=None).fit(y.iloc[:60])
    for series in (y, y.iloc[7:], y.round(1).iloc[7:], y.iloc[59:]):
        start = len(y) - len(series)
        assert earliest(fc, series) == max(60 - start, 3)
    # Its values alone are another matter: these are not those of the fit.
    assert earliest(fc, y.round(1).to_numpy()) == 3


def test_numbers_tell_what_was_seen_where_values_are_of_any_cycle():
    # Without noise, values alone cannot tell which cycle they are of.
    y = pd.Series(np.sin(2 * np.pi * np.arange(120) / 12), index=np.arange(1900, 2020))
    fc = gf.Forecaster(3, model=fixed()).fit(y.iloc[:60])
    assert earliest(fc, y.iloc[1:]) == 59
